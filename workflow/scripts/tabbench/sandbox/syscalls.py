"""Which system calls code of a model may make: a filter for the kernel (seccomp, BPF).

The filter is a list of what Python, numpy and pandas need; all else is refused, among it what holds
memory outside the address space (memfd, System V), sockets, keys, signals to others, tracing,
namespaces and other programs. An error is what the code sees, no signal, so that it can go on.
"""

import errno
import platform
import struct
from collections.abc import Iterable, Iterator

ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
"""By machine: the kernel's name of it (AUDIT_ARCH) and the column of `NUMBERS`."""

# fmt: off
NUMBERS: dict[str, tuple[int, int | None]] = {
    "access": (21, None), "alarm": (37, None), "brk": (12, 214), "chdir": (80, 49), "chmod":
    (90, None), "clock_getres": (229, 114), "clock_gettime": (228, 113), "clock_nanosleep":
    (230, 115), "clone": (56, 220), "clone3": (435, 435), "close": (3, 57), "close_range": (436,
    436), "copy_file_range": (326, 285), "creat": (85, None), "dup": (32, 23), "dup2": (33,
    None), "dup3": (292, 24), "exit": (60, 93), "exit_group": (231, 94), "faccessat": (269, 48),
    "faccessat2": (439, 439), "fadvise64": (221, 223), "fallocate": (285, 47), "fchdir": (81,
    50), "fchmod": (91, 52), "fchmodat": (268, 53), "fcntl": (72, 25), "fdatasync": (75, 83),
    "flock": (73, 32), "fork": (57, None), "fstat": (5, 80), "fstatfs": (138, 44), "fsync": (74,
    82), "ftruncate": (77, 46), "futex": (202, 98), "get_robust_list": (274, 100), "getcpu":
    (309, 168), "getcwd": (79, 17), "getdents64": (217, 61), "getegid": (108, 177), "geteuid":
    (107, 175), "getgid": (104, 176), "getgroups": (115, 158), "getitimer": (36, 102),
    "getpgid": (121, 155), "getpgrp": (111, None), "getpid": (39, 172), "getppid": (110, 173),
    "getpriority": (140, 141), "getrandom": (318, 278), "getresgid": (120, 150), "getresuid":
    (118, 148), "getrlimit": (97, 163), "getrusage": (98, 165), "getsid": (124, 156), "gettid":
    (186, 178), "gettimeofday": (96, 169), "getuid": (102, 174), "ioctl": (16, 29), "keyctl":
    (250, 219), "kill": (62, 129), "link": (86, None), "linkat": (265, 37), "lseek": (8, 62),
    "lstat": (6, None), "madvise": (28, 233), "membarrier": (324, 283), "mincore": (27, 232),
    "mkdir": (83, None), "mkdirat": (258, 34), "mmap": (9, 222), "mprotect": (10, 226),
    "mremap": (25, 216), "msync": (26, 227), "munmap": (11, 215), "nanosleep": (35, 101),
    "newfstatat": (262, 79), "open": (2, None), "openat": (257, 56), "pause": (34, None),
    "pipe": (22, None), "pipe2": (293, 59), "poll": (7, None), "ppoll": (271, 73), "pread64":
    (17, 67), "preadv": (295, 69), "prlimit64": (302, 261), "pselect6": (270, 72), "pwrite64":
    (18, 68), "pwritev": (296, 70), "read": (0, 63), "readlink": (89, None), "readlinkat": (267,
    78), "readv": (19, 65), "rename": (82, None), "renameat": (264, 38), "renameat2": (316,
    276), "restart_syscall": (219, 128), "rmdir": (84, None), "rseq": (334, 293),
    "rt_sigaction": (13, 134), "rt_sigpending": (127, 136), "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139), "rt_sigsuspend": (130, 133), "rt_sigtimedwait": (128, 137),
    "sched_getaffinity": (204, 123), "sched_yield": (24, 124), "select": (23, None), "sendfile":
    (40, 71), "set_robust_list": (273, 99), "set_tid_address": (218, 96), "setitimer": (38,
    103), "sigaltstack": (131, 132), "stat": (4, None), "statfs": (137, 43), "statx": (332,
    291), "symlink": (88, None), "symlinkat": (266, 36), "sysinfo": (99, 179), "tgkill": (234,
    131), "time": (201, None), "times": (100, 153), "truncate": (76, 45), "umask": (95, 166),
    "uname": (63, 160), "unlink": (87, None), "unlinkat": (263, 35), "utimensat": (280, 88),
    "vfork": (58, None), "wait4": (61, 260), "waitid": (247, 95), "write": (1, 64), "writev":
    (20, 66),
}
# fmt: on
"""Numbers on the two architectures; None where one lacks the call."""

PROCESSES = ("clone", "clone3", "fork", "vfork")
"""Refused as where the limit on processes is reached, which libraries are prepared for."""
WITHIN_WALLS = ("kill", "tgkill", "chmod", "fchmod", "fchmodat", "utimensat", "flock")
"""Allowed where no process and no file can be reached but the code's own."""
OTHERS = {*PROCESSES, *WITHIN_WALLS, "prlimit64", "keyctl"}
"""What has a rule of its own."""

_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # places in struct seccomp_data
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000


def number(name: str) -> int | None:
    """The number of a call on this machine, None where it is unknown."""
    if platform.machine() not in ARCHITECTURES:
        return None
    return NUMBERS[name][ARCHITECTURES[platform.machine()][1]]


def _instruction(code: int, value: int, skip_if: int = 0, skip_unless: int = 0) -> bytes:
    return struct.pack("=HBBI", code, skip_if, skip_unless, value)


def _on(names: Iterable[str], verdict: int) -> Iterator[bytes]:
    for name in names:
        known = number(name)
        if known is not None:
            yield _instruction(_EQUAL, known, 0, 1)
            yield _instruction(_RETURN, verdict)


def seccomp_filter(walls: bool) -> bytes | None:
    """The filter for this machine, an array of `struct sock_filter`; None if it is unknown.

    Parameters
    ----------
    walls : whether the code reaches no process and no file but its own
    """
    limits = number("prlimit64")
    if limits is None:
        return None
    refused = _ERROR | errno.EPERM
    allowed = (name for name in NUMBERS if name not in OTHERS)
    parts = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_EQUAL, ARCHITECTURES[platform.machine()][0], 1, 0),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _NUMBER),
        *_on(allowed, _ALLOW),
        *_on(WITHIN_WALLS if walls else (), _ALLOW),
        *_on(PROCESSES, _ERROR | errno.EAGAIN),
        # Limits of its own process, number 0, and of no other.
        _instruction(_EQUAL, limits, 0, 3),
        _instruction(_LOAD, _FIRST_ARGUMENT),
        _instruction(_EQUAL, 0, 0, 1),
        _instruction(_RETURN, _ALLOW),
        _instruction(_RETURN, refused),
    ]
    return b"".join(parts)

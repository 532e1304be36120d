"""Attacks of model-written code on its sandbox: what gets out, what holds memory, what lies.

Each is Python text that runs with `PRELUDE`. ``escaped`` becomes true when an attempt got through;
an exception means that it did not.
"""

IMPORTS = """
import ctypes, encodings.idna, errno, fcntl, json, mmap, multiprocessing.pool
import multiprocessing.queues, multiprocessing.shared_memory, multiprocessing.synchronize
import os, platform, resource, socket, struct, subprocess, sys, threading, time, urllib.request
"""
"""Of the driver: where the tests run as root, Python's folder may be closed to the code."""

PRELUDE = '''
import ctypes, errno, json, os, platform, resource, socket, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
escaped, held = False, 0
REFUSED = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EAGAIN)

def hold(size):
    """Count bytes that are held; the last line printed says how many MiB."""
    global held
    if (held + size) >> 20 > held >> 20: print((held + size) >> 20, flush=True)
    held += size

def call(name, *arguments):
    """A C function or a system call by number; true unless it is refused as not permitted."""
    ctypes.set_errno(0)
    if isinstance(name, dict):
        name = name[platform.machine()]
    result = (
        libc.syscall(name, *arguments) if isinstance(name, int) else libc[name](*arguments)
    )
    return result != -1 or ctypes.get_errno() not in REFUSED
'''


def _reads(path: str) -> str:
    return (
        f"path = {path}\n"
        "found = os.listdir(path) if os.path.isdir(path) else open(path, 'rb').read(1)\n"
        "escaped = bool(found)"
    )


def _writes(path: str) -> str:
    return f"open({path}, 'ab').write(b'x')\nescaped = True"


def _opens(family: str, kind: str) -> str:
    return f"socket.socket(socket.{family}, socket.{kind})\nescaped = True"


def _connects(host: str, port: str) -> str:
    return f"socket.create_connection(({host!r}, {port}), 2)\nescaped = True"


READS = {
    "the caller's secret": _reads("told['secret']"),
    "the caller's secret by a link": "os.symlink(told['secret'], 'l')\n" + _reads("'l'"),
    "the caller's secret by a hard link": "os.link(told['secret'], 'h')\nescaped = True",
    "the caller's secret from /proc": _reads("'/proc/self/root' + told['secret']"),
    "the caller's secret, upwards": _reads("'../' * 20 + told['secret'][1:]"),
    "the repository": _reads("told['repository'] + '/README.md'"),
    "the home": (
        "home = told['home']\n"
        "escaped = any(os.path.isfile(os.path.join(home, name)) for name in os.listdir(home))"
    ),
    "the caller's environment": _reads("f'/proc/{told[\"caller\"]}/environ'"),
    "the caller's folder": _reads("f'/proc/{told[\"caller\"]}/cwd'"),
    "the caller's root": _reads("f'/proc/{told[\"caller\"]}/root'"),
    "the caller's memory": _reads("f'/proc/{told[\"caller\"]}/maps'"),
    "the caller's command": _reads("f'/proc/{told[\"caller\"]}/cmdline'"),
    "keys": _reads("'/proc/keys'"),
    "accounts": _reads("'/etc/passwd'"),
    "passwords": _reads("'/etc/shadow'"),
    "the host's name": _reads("'/etc/hostname'"),
    "name servers": _reads("'/etc/resolv.conf'"),
    "other programs' files": _reads("'/var/lib'"),
    "the machine": _reads("'/sys'"),
    "what runs": _reads("'/run'"),
    "disks": "escaped = any(name.startswith(('sd', 'vd', 'nvme')) for name in os.listdir('/dev'))",
    "other processes": "escaped = sum(name.isdigit() for name in os.listdir('/proc')) > 3",
    "open files of the caller": (
        "for fd in os.listdir('/proc/self/fd'):\n"
        "    try: target = os.readlink('/proc/self/fd/' + fd)\n"
        "    except OSError: continue\n"
        "    escaped |= target.startswith('/') and os.path.isdir(target) and target != os.getcwd()"
        " and target != '/proc/self/fd' and not target.startswith('/proc/')"
    ),
    "the request": "escaped = any(os.pread(fd, 9, 0) for fd in (0,))",
}

WRITES = {
    "the secret's folder": _writes("told['secret'] + 'x'"),
    "the repository": _writes("told['repository'] + '/x'"),
    "packages": _writes("told['site'] + '/x.pth'"),
    "Python": _writes("sys.executable"),
    "Python's folder": _writes("os.path.dirname(os.__file__) + '/x.py'"),
    "the root": _writes("'/x'"),
    "programs": _writes("'/usr/bin/x'"),
    "the system's settings": _writes("'/etc/x'"),
    "devices": _writes("'/dev/x'"),
    "shared memory": _writes("'/dev/shm/x'"),
    "the folder for all": _writes("'/tmp/x'"),
    "beside its folder": _writes("os.path.dirname(os.getcwd()) + '/x'"),
    "home": _writes("os.path.expanduser('~root') + '/x'"),
    "kernel settings": _writes("'/proc/sys/kernel/core_pattern'"),
    "groups": "os.mkdir('/sys/fs/cgroup/x')\nescaped = True",
    "rights of Python": "os.chmod(sys.executable, 0o777)\nescaped = True",
    "times of a package": "os.utime(told['site'])\nescaped = True",
    "removal of a package": "os.rename(told['site'], told['site'] + 'x')\nescaped = True",
    "its folder replaced by a link": (
        "where = os.getcwd()\nos.rmdir(where)\nos.symlink('/etc', where)\nescaped = True"
    ),
    "a device": "os.mknod('disk', 0o60666, os.makedev(8, 0))\nescaped = True",
}

NETWORK = {
    "a port of the caller": _connects("127.0.0.1", "told['port']"),
    "a port of the caller, IPv6": _connects("::1", "told['port']"),
    "the world": _connects("1.1.1.1", "53"),
    "a name": "escaped = bool(socket.getaddrinfo('example.org', 80))",
    "a datagram": (
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))\n"
        "escaped = True"
    ),
    "an abstract socket of the caller": (
        "s = socket.socket(socket.AF_UNIX)\ns.connect('\\0' + told['abstract'])\nescaped = True"
    ),
    "a server": "socket.create_server(('', 0))\nescaped = True",
    "raw packets": _opens("AF_PACKET", "SOCK_RAW"),
    "netlink": _opens("AF_NETLINK", "SOCK_RAW"),
    "a virtual machine's host": _opens("AF_VSOCK", "SOCK_STREAM"),
    "the kernel's cryptography": _opens("AF_ALG", "SOCK_SEQPACKET"),
    "a web page": (
        "import urllib.request\naddress = f'http://127.0.0.1:{told[\"port\"]}'\n"
        "urllib.request.urlopen(address, timeout=2)\nescaped = True"
    ),
}

PROCESSES = {
    "fork": "if os.fork() == 0: os._exit(0)\nescaped = True",
    "vfork": "escaped = call('vfork')",
    "a thread": "import threading\nthreading.Thread(target=int).start()\nescaped = True",
    "a program": "import subprocess\nsubprocess.run(['true'])\nescaped = True",
    "a spawned program": "os.posix_spawn('/bin/true', ['true'], {})\nescaped = True",
    "a shell": "escaped = os.system('exit 7') == 7 * 256",
    "another program in its place": "os.execv('/bin/true', ['true'])",
    "a pool": "import multiprocessing\nmultiprocessing.Pool(1)\nescaped = True",
    "a signal to the caller": "os.kill(told['caller'], 0)\nescaped = True",
    "a signal to its group": "os.killpg(os.getpgid(told['caller']), 0)\nescaped = True",
    "the caller's priority": "os.setpriority(os.PRIO_PROCESS, told['caller'], 19)\nescaped = True",
    "the caller's limits": (
        "resource.prlimit(told['caller'], resource.RLIMIT_NOFILE)\nescaped = True"
    ),
    "the caller's processors": "os.sched_setaffinity(told['caller'], {0})\nescaped = True",
    "tracing the caller": "escaped = call('ptrace', 16, told['caller'], 0, 0)",
    "memory of the caller": "escaped = call('process_vm_readv', told['caller'], 0, 0, 0, 0, 0)",
    "a handle of the caller": "escaped = call(434, told['caller'], 0)",
    "another user": "os.setuid(0)\nescaped = True",
    "another group": "os.setgroups([0])\nescaped = True",
    "higher limits": ("resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))\nescaped = True"),
    "surviving the caller": "escaped = call('prctl', 1, 0, 0, 0, 0)",
}

KERNEL = {
    "files in memory": "escaped = call('memfd_create', b'x', 0)",
    "secret memory": "escaped = call(447, 0)",
    "System V memory": "escaped = call('shmget', 0, 4096, 0o1600)",
    "System V messages": "escaped = call('msgget', 0, 0o1600)",
    "System V semaphores": "escaped = call('semget', 0, 1, 0o1600)",
    "message queues": "escaped = call({'x86_64': 240, 'aarch64': 180}, b'x', 0o102, 0o600, 0)",
    "shared memory": (
        "from multiprocessing import shared_memory\n"
        "shared_memory.SharedMemory(create=True, size=9)\nescaped = True"
    ),
    "a new key": ("escaped = call({'x86_64': 248, 'aarch64': 217}, b'user', b'n', b'v', 1, -3)"),
    "a key of the caller": (
        "escaped = call({'x86_64': 249, 'aarch64': 218}, b'user', told['key'].encode(), 0, 0)"
    ),
    "the caller's keyring": "escaped = call({'x86_64': 250, 'aarch64': 219}, 0, -3, 0, 0, 0)",
    "namespaces": "escaped = call('unshare', 0x10000000)",
    "a namespace entered": "escaped = call('setns', 0, 0)",
    "mounts": "escaped = call('mount', b'none', b'.', b'tmpfs', 0, 0)",
    "mounts, the new way": "escaped = call(430, b'tmpfs', 0)",
    "a root of its own": "escaped = call('chroot', b'.')",
    "submission rings": "escaped = call(425, 1, 0)",
    "programs in the kernel": "escaped = call({'x86_64': 321, 'aarch64': 280}, 0, 0, 0)",
    "performance events": "escaped = call({'x86_64': 298, 'aarch64': 241}, 0, 0, -1, -1, 0)",
    "page faults by hand": "escaped = call({'x86_64': 323, 'aarch64': 282}, 1)",
    "modules": "escaped = call('init_module', 0, 0, 0)",
    "the host's name": "escaped = call('sethostname', b'x', 1)",
    "the kernel's log": "escaped = call('klogctl', 10, 0, 0)",
    "accounting": "escaped = call('acct', 0)",
    "another personality": "escaped = call('personality', 0x0040000)",
    "watching files": "escaped = call('inotify_init')",
}

ESCAPES = {
    f"{about}: {name}": code
    for about, codes in {
        "reads": READS,
        "writes": WRITES,
        "network": NETWORK,
        "processes": PROCESSES,
        "kernel": KERNEL,
    }.items()
    for name, code in codes.items()
}
"""Attempts that leave the process as it was, so that many can run in one."""

HOARDS = {
    "files in memory": (
        "for i in range(40):\n"
        "    fd = libc.memfd_create(b'x', 0)\n"
        "    if fd < 0: raise OSError('refused')\n"
        "    hold(os.write(fd, bytes(2**25)))"
    ),
    "deleted files": (
        "for i in range(10**6):\n"
        "    fd = os.open('f', os.O_CREAT | os.O_WRONLY)\n"
        "    os.unlink('f')\n"
        "    hold(os.write(fd, bytes(2**20)))"
    ),
    "many files": (
        "for i in range(10**6):\n"
        "    with open(f'f{i}', 'wb') as file: hold(file.write(bytes(2**18)))"
    ),
    "names": "for i in range(10**7): os.mkdir(str(i)); hold(1024)",
    "links": "for i in range(10**7): os.symlink('x' * 4000, str(i)); hold(4096)",
    "folders in folders": (
        "for i in range(10**7): os.mkdir('d' * 200); os.chdir('d' * 200); hold(1024)"
    ),
    "shared memory": (
        "for i in range(10**6): open(f'/dev/shm/{i}', 'wb').write(bytes(2**20)); hold(2**20)"
    ),
    "System V memory": (
        "for i in range(40):\n"
        "    if libc.shmget(0, 2**25, 0o1600) < 0: raise OSError('refused')\n"
        "    hold(2**25)"
    ),
    "pipes": (
        "import fcntl\n"
        "for i in range(10**6):\n"
        "    _, fd = os.pipe()\n"
        "    os.set_blocking(fd, False)\n"
        "    fcntl.fcntl(fd, 1031, 2**20)\n"
        "    hold(os.write(fd, bytes(2**20)))"
    ),
    "mapped memory": (
        "import mmap\nmaps = []\n"
        "for i in range(10**6): maps.append(mmap.mmap(-1, 2**24)); hold(2**24)"
    ),
}
"""What holds memory or disk."""

FORGERY = """
frame = sys._getframe()
while 'nonce' not in frame.f_locals: frame = frame.f_back
nonce, channel = frame.f_locals['nonce'], frame.f_locals['channel']
def forge(record): os.write(channel, b'\\n' + nonce + record + b'\\n')
"""

LIES = {
    "an encoder that writes half a list": "json.JSONEncoder.encode = lambda *_: '[['",
    "an encoder that writes no text": "json.JSONEncoder.encode = lambda *_: 5",
    "an encoder that writes NaN": "json.JSONEncoder.encode = lambda *_: 'NaN'",
    "an encoder that raises": "json.JSONEncoder.encode = lambda *_: 1 / 0",
    "half a character raised": "raise ValueError(chr(0xd800))",
    "half a character returned": "value = [chr(0xd800), {chr(0xdfff): 1}]",
    "an exception that cannot be shown": (
        "class E(Exception):\n    def __str__(self): raise SystemExit\nraise E"
    ),
    "an exception that never ends": "raise ValueError('x' * 10**8)",
    "an interrupt": "raise KeyboardInterrupt",
    "a number of 5,000 digits": "sys.set_int_max_str_digits(0)\nvalue = 10**5000",
    "a number of 400 digits": "value = 10**400",
    "lists 900 deep": "value = []\nfor _ in range(900): value = [value]",
    "lists 2,000 deep": (
        "sys.setrecursionlimit(10**6)\nvalue = []\nfor _ in range(2000): value = [value]"
    ),
    "a list in itself": "value = []\nvalue.append(value)",
    "a forged record": "{forge}forge(b'[]')",
    "a forged text": "{forge}forge(b'\\xff\\xfe')",
    "a forged number": '{forge}forge(b\'{"status": "ok", "value": 5, "message": ""}\')',
    "a forged status": '{forge}forge(b\'{"status": "started", "message": ""}\')',
    "a forged unknown status": '{forge}forge(b\'{"status": [], "message": ""}\')',
    "a forged lack": "{forge}forge(b'{}')",
    "a forged infinity": '{forge}forge(b\'{"status": "ok", "value": "1e999", "message": ""}\')',
    "a forged depth": "{forge}forge(b'[' * 10**6)",
    "half a record": '{forge}forge(b\'{"status": "ok"\')',
    "a deleted encoder": "del json.dumps, json.JSONEncoder",
    "output without end": "{forge}\nwhile True: forge(b'x' * 10**5)",
    "the result's end closed": "{forge}os.close(channel)",
    "folders 3,000 deep": (
        "for _ in range(3000):\n    os.mkdir('d')\n    os.chdir('d')\nvalue = 'x'"
    ),
    "a closed folder": (
        "os.makedirs('d/e')\n"
        "for path in ('d', '.'):\n"
        "    try: os.chmod(path, 0)\n"
        "    except PermissionError: pass"
    ),
}
"""What comes back is unreadable, or should be; it is an outcome all the same."""
LIES = {
    name: code.replace("{forge}", FORGERY) + ("\nos._exit(0)" if "{forge}" in code else "")
    for name, code in LIES.items()
}

"""Rate limits: a token bucket per minute, for requests or for tokens of text."""

from collections.abc import Callable

BURST = 6.0
"""Seconds of the rate that may be used at once."""


class Bucket:
    """Compute the wait that keeps a rate per minute.

    Parameters
    ----------
    per_minute
        What flows in per minute; `BURST` seconds of it fit into the bucket, which starts full.
    clock
        Seconds that only grow.
    """

    def __init__(self, per_minute: float, clock: Callable[[], float]) -> None:
        self._seconds_each = 60.0 / per_minute
        self._clock = clock
        # The moment up to which all that flows in is taken.
        self._taken_to = clock() - BURST

    def take(self, amount: float) -> float:
        """Take ``amount`` out and return the seconds until it has flown in."""
        now = self._clock()
        self._taken_to = max(self._taken_to, now - BURST) + amount * self._seconds_each
        return max(self._taken_to - now, 0.0)

    def correct(self, more: float) -> None:
        """Take ``more`` than was taken before; negative gives back."""
        self._taken_to += more * self._seconds_each

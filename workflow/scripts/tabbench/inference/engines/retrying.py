"""When a request is tried again, and after how long."""

import datetime
import email.utils
import math
import random

RETRIED = frozenset({408, 409, 425, 429})
LONGEST_WAIT = 60.0
"""Seconds; the waits that the server asks for may be longer."""


def is_transient(status: int) -> bool:
    """Tell whether an HTTP status may pass: time-outs, rate limits, faults of the server."""
    return status in RETRIED or status >= 500


def retry_after(text: str | None, now: datetime.datetime) -> float | None:
    """Seconds that a Retry-After header asks to wait: a number, or a date (RFC 9110, 10.2.3).

    Parameters
    ----------
    text : the header's value; None when there is none
    now : with its time zone

    Returns
    -------
    float or None
        At least 0; None when the text is neither, so that it asks for nothing.

    Examples
    --------
    >>> now = datetime.datetime(2026, 11, 29, 12, 0, tzinfo=datetime.UTC)
    >>> retry_after("2.5", now), retry_after("Sun, 29 Nov 2026 12:00:30 GMT", now)
    (2.5, 30.0)
    """
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            date = email.utils.parsedate_to_datetime(text)
            seconds = (date.replace(tzinfo=date.tzinfo or datetime.UTC) - now).total_seconds()
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def backoff(attempt: int, first: float, chance: random.Random) -> float:
    """Seconds before try ``attempt`` + 1: doubled from try to try, and between half and all of it.

    Many requests that fail at one moment thus do not come back at one moment.
    """
    longest = min(first * 2.0 ** min(attempt, 30), LONGEST_WAIT)
    return longest * chance.uniform(0.5, 1.0)


def patience(retries: int, first: float) -> float:
    """Seconds for which a request is tried again at least, whatever waits the server asks for.

    These are what ``retries`` waits without chance would take, so that a storm of errors counts by
    its time and not by the number of requests that fall into it.

    Examples
    --------
    >>> patience(6, 1.0)
    63.0
    """
    return sum(min(first * 2.0 ** min(attempt, 30), LONGEST_WAIT) for attempt in range(retries))

"""Numbers that a 64-bit float can hold as they are written, and those that it cannot."""

import math
from decimal import Decimal

EXACT_BELOW = 2.0**53
"""Below this magnitude a float tells every two integers apart."""


def keeps_integer_part(text: str) -> bool:
    """Whether a float keeps all digits that a number has before its decimal point.

    Long codes and identifiers lose theirs: several of them would become one number. A number in
    exponent notation keeps its digits when no more are written than a float has.

    Parameters
    ----------
    text : a number that ``float`` reads, or one that is written as infinite or nan, which keeps all

    Examples
    --------
    >>> [keeps_integer_part(x) for x in ("4147202158431691", "4147202158431690001", "6.022e23")]
    [True, False, True]
    """
    number = float(text)
    if not math.isfinite(number):
        return not Decimal(text).is_finite()
    return abs(number) < EXACT_BELOW or int(Decimal(text)) == int(Decimal(repr(number)))

"""Rates per minute that all jobs keep together: what was sent of late is in a file."""

import json
import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from tabbench.core.locks import alone

MINUTE = 60.0
PIECES = 120
"""A minute is counted in so many pieces."""

WINDOWS = ((PIECES, 1.0), (PIECES // 6, 0.2))
"""In any minute no more than the rate is sent; in any ten seconds no more than a fifth of it."""

KINDS = ("requests", "tokens")
"""Both are counted, whichever has a rate: another job's entry may have the other."""

Sent = dict[str, dict[int, float]]
"""Amounts by kind and by piece, counted from the epoch."""


class Pace:
    """Grant requests so that rates hold in any minute, over all jobs that share the file.

    Parameters
    ----------
    path
        The file; made with the first request.
    rates
        Kind to its most per minute; one that is left out is counted and not limited.
    clock
        Seconds since the epoch.
    """

    def __init__(
        self, path: Path, rates: Mapping[str, float], clock: Callable[[], float] = time.time
    ) -> None:
        self._path, self._rates, self._clock = path, rates, clock

    def take(self, amounts: Mapping[str, float]) -> tuple[float, int]:
        """Take amounts of both kinds, all or none.

        Returns
        -------
        (float, int)
            Seconds after which to ask again, 0 where they were taken; and the piece that they
            count in. Amounts larger than the rate are granted when nothing else was sent.
        """
        with alone(self._path) as file:
            sent, now = self._parse(file.read())
            wait = max(self._wait(sent[kind], kind, amounts[kind]) for kind in self._rates)
            if wait == 0:
                for kind, pieces in sent.items():
                    pieces[now] = pieces.get(now, 0.0) + amounts[kind]
            self._write(file, sent)
        return wait, now

    def correct(self, kind: str, piece: int, more: float) -> None:
        """Count ``more`` in a piece than was taken there; negative gives back."""
        with alone(self._path) as file:
            sent, _ = self._parse(file.read())
            if piece in sent[kind]:
                sent[kind][piece] += more
                self._write(file, sent)

    def _wait(self, pieces: Mapping[int, float], kind: str, amount: float) -> float:
        wait, now = 0.0, self._now()
        for length, share in WINDOWS:
            # The present piece is not over, so that one more than a window's pieces count.
            inside = {piece: sent for piece, sent in pieces.items() if piece >= now - length}
            if (used := sum(inside.values())) > 0 and used + amount > share * self._rates[kind]:
                free = (min(inside) + length + 1) * MINUTE / PIECES
                wait = max(wait, free - self._clock(), MINUTE / PIECES / 10)
        return wait

    def _now(self) -> int:
        return math.floor(self._clock() * PIECES / MINUTE)

    def _parse(self, content: bytes) -> tuple[Sent, int]:
        """What counts of the file. Where it cannot be read, the whole rate counts as just sent."""
        now = self._now()
        sent: Sent = {kind: {} for kind in KINDS}
        if content:
            try:
                stored, _ = json.JSONDecoder().raw_decode(content.decode())
                for kind, pieces in sent.items():
                    for piece, amount in stored.get(kind, []):
                        if piece >= now - PIECES:
                            # A piece to come is from a clock that was put back.
                            place = min(piece, now)
                            pieces[place] = pieces.get(place, 0.0) + amount
            except (ValueError, TypeError, AttributeError):
                sent = {kind: {now: self._rates.get(kind, 0.0)} for kind in KINDS}
        return sent, now

    def _write(self, file: BinaryIO, sent: Sent) -> None:
        content = json.dumps({kind: sorted(pieces.items()) for kind, pieces in sent.items()})
        file.seek(0)
        file.write(content.encode())
        file.truncate()

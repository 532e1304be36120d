"""Write questions.json and demonstrations.json, all from the numbers in ``resources/paper``.

    python resources/scitarc/source/make.py [FOLDER]

The questions stand in order of their plans' lengths, the demonstrations' questions last.
"""

import json
import sys
from pathlib import Path
from typing import Any

import demonstrations
import questions_context
import questions_datasets
import questions_leaderboard
import questions_levels
import questions_planning
import questions_shots
import questions_suites

ASKED = (
    *questions_context.ALL,
    *questions_shots.ALL,
    *questions_datasets.ALL,
    *questions_suites.ALL,
    *questions_levels.ALL,
    *questions_leaderboard.ALL,
    *questions_planning.ALL,
)


def main(folder: Path) -> None:
    asked = sorted(ASKED, key=lambda one: (len(one.plan_lines), len(one.tables), one.question))
    shown = [question for question, _, _ in demonstrations.ALL]
    _write(folder / "questions.json", [one.record() for one in (*asked, *shown)])
    traces = [
        {"row": row, "language": language, "code": code}
        for row, (_, language, code) in enumerate(demonstrations.ALL, start=len(asked))
    ]
    _write(folder / "demonstrations.json", traces)


def _write(path: Path, content: list[dict[str, Any]]) -> None:
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1])

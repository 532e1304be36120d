"""Tables of the memorization probes: right numbers in right cells, and what they rest on."""

from pathlib import Path

import pandas as pd
import pytest
from probe_engines import Guesser, Lookup, dataset

from tabbench.core.frames import read_tables, write_table
from tabbench.core.schemas.probe_reconstruction import PROBE_LIFTS
from tabbench.inference.responses import Identity
from tabbench.inference.texts import text_asker
from tabbench.probes.canary import CANARY, canary
from tabbench.probes.completion import complete
from tabbench.probes.recognition import recognize
from tabbench.probes.reconstruction import reconstruct, summarize
from tabbench.probes.verdicts import LEAKED, NO_EVIDENCE, NO_SIGNAL, RecognitionThresholds
from tabbench.reporting.page.questions import artifact_title, section
from tabbench.reporting.reader import read_markdown
from tabbench.reporting.tables import probes

MODELS = {"guesser": "Guesser-1B", "knower": "Knower-14B", "absent": "Absent-9B"}
IDENTITY = Identity("m", "w", "test/1", "chat", "none", "{}", True, 8, ())


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pd.DataFrame]:
    """Two models, the one that knows a dataset first; the other is probed on the canary alone."""
    made: dict[str, list[pd.DataFrame]] = {"recognition": [], "lifts": [], "completions": []}
    both, planted = [dataset(), canary()], [canary()]
    for name, engine, probed in (
        ("knower", Lookup(dataset()), both),
        ("guesser", Guesser(), planted),
    ):
        log = tmp_path_factory.mktemp(name) / "log.jsonl"
        ask = text_asker(IDENTITY, log, lambda engine=engine: engine)
        graded = {
            "recognition": recognize(both, ask, False, RecognitionThresholds()),
            "lifts": summarize(reconstruct(probed, ask, False, rows=50, cells=20)),
            "completions": complete(probed, ask, False, rows=5),
        }
        for kind, frame in graded.items():
            made[kind].append(frame.assign(model=name))
    return {kind: pd.concat(parts, ignore_index=True) for kind, parts in made.items()}


def test_table3_counts_datasets_and_not_the_canary(frames: dict[str, pd.DataFrame]) -> None:
    table = probes.table3(frames["recognition"], MODELS)
    assert table.header == ("Outcome", *MODELS.values())
    assert table.rows[0] == ("Leaked", "0", "1", "0")
    assert table.rows[2] == ("Not recognized", "1", "0", "0")
    assert "out of 1 dataset" in table.caption
    assert any("Guesser-1B: not recognized; Knower-14B: not recog" in note for note in table.notes)


def test_table4_shows_both_lifts_and_their_verdicts(frames: dict[str, pd.DataFrame]) -> None:
    table = probes.table4(frames["recognition"], frames["lifts"], MODELS, {})
    assert [row[:4] for row in table.rows] == [
        ("Guesser-1B", "canary (planted)", "not recognized", "20"),
        ("Knower-14B", "ledger", "leaked", "20"),
        ("Knower-14B", "canary (planted)", "not recognized", "20"),
    ]
    known = dict(zip(table.header, table.rows[1], strict=True))
    assert (known["LLM"], known["Shuffled"]) == ("1.000", "0.000")
    assert known["Lift over shuffled"] == "+1.000 [+1.000, +1.000]"
    assert known["Verdict (random)"] == known["Verdict (shuffled)"] == LEAKED
    assert table.bold == {(1, 6), (1, 9)}
    planted = table.numbers[table.numbers["dataset"] == CANARY]
    assert planted["p_holm_random"].isna().all()  # a control makes no claim
    assert set(planted["verdict_random"]) <= {NO_SIGNAL, NO_EVIDENCE}
    assert any(note.startswith("1 dataset of a model not probed") for note in table.notes)


def test_thresholds_of_lifts_are_those_configured(frames: dict[str, pd.DataFrame]) -> None:
    table = probes.table4(frames["recognition"], frames["lifts"], MODELS, {"leaked": 1.0})
    assert table.rows[1][-1] == "likely leaked"
    assert any("above 1.0 leaked" in note for note in table.notes)


def test_completions_stand_beside_chance(frames: dict[str, pd.DataFrame]) -> None:
    table = probes.completion(frames["completions"], MODELS)
    known = dict(zip(table.header, table.rows[1], strict=True))
    assert (known["Rows"], known["Verbatim"], known["Cells"]) == ("5", "5", "1.000")
    assert table.numbers["p"].iloc[1] < 1e-3
    assert table.rows[0][3] == "0" and table.numbers["p"].iloc[0] == 1


def test_every_answer_is_shown_whole(frames: dict[str, pd.DataFrame], tmp_path: Path) -> None:
    table = probes.answers(frames["recognition"], MODELS)
    assert len(table.rows) == 4
    assert table.numbers["answer"].str.contains("\n").any()
    from tabbench.reporting.writer import write_table as write

    write(table, csv=tmp_path / "a.csv", md=tmp_path / "a.md", tex=tmp_path / "a.tex")
    read = read_markdown(tmp_path / "a.md")
    shown = [row[-1].text for row in read.rows]
    assert shown == [" ".join(answer.split()) for answer in table.numbers["answer"]]


def test_without_any_probed_dataset_tables_are_empty(frames: dict[str, pd.DataFrame]) -> None:
    table = probes.table4(frames["recognition"], frames["lifts"][:0], MODELS, {})
    assert table.rows == ()
    assert probes.completion(frames["completions"][:0], MODELS).rows == ()


def test_files_of_several_models_are_read_below_each_other(
    frames: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    paths = [tmp_path / f"{name}.parquet" for name in ("knower", "guesser")]
    for path in paths:
        lifts = frames["lifts"]
        write_table(lifts[lifts["model"] == path.stem], path, PROBE_LIFTS)
    assert len(read_tables(paths, PROBE_LIFTS)) == len(frames["lifts"])
    assert len(read_tables(paths[0], PROBE_LIFTS)) == len(read_tables(paths[:1], PROBE_LIFTS)) == 2


def test_a_folder_within_a_question_has_a_section_of_its_own() -> None:
    assert section("rq1/probes").title == section("probes").title == "Memorization probes"
    assert artifact_title("table4") == "Table IV"

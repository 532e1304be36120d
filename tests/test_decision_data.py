"""What the decision page says of the data, of what leaves the machine, and of the probes."""

import pandas as pd
import pytest
from own_frames import MODELS, audit, classes, frame, parts, sharing

from tabbench.core.schemas.probe_completion import PROBE_COMPLETIONS
from tabbench.core.schemas.probe_recognition import PROBE_RECOGNITION
from tabbench.core.schemas.probe_reconstruction import PROBE_LIFTS
from tabbench.decision.data_sentences import (
    class_sentences,
    findings,
    seen_sentences,
    sharing_sentences,
    warnings,
)

NAN = float("nan")
AWAY = "https://example.org/v1"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (("leak", "paid_on", 0.991, ""), "paid_on alone tells the classes apart with a"),
        (("near_unique", "id", 1.0, ""), "100% of the values of id are different"),
        (("constant", "a", NAN, ""), "a has one value only."),
        (("near_constant", "a", 0.995, "no"), "a hardly varies: 99.5% of its known cells are no."),
        (("missing", "a", 0.25, ""), "Missing cells: a 25.0%."),
        (("duplicates", "", 7.0, "277"), "7 of all 277 test rows have the same features as a"),
        (("contradicting", "", 2.0, ""), "2 of these test rows have another label than the"),
        (("task_word", "loan_sum", NAN, "loan"), "the task text has a word of the name of"),
    ],
)  # fmt: skip
def test_each_finding_is_a_sentence(row, words):
    (said,) = findings(audit(row))
    assert words in said and said.endswith(".")


def test_columns_with_missing_cells_share_a_sentence():
    found = audit(("missing", "a", 0.1, ""), ("constant", "b", NAN, ""), ("missing", "c", 0.2, ""))
    assert findings(found) == ["b has one value only.", "Missing cells: a 10.0%, c 20.0%."]
    assert findings(audit()) == []


def test_what_changes_how_the_answer_reads_is_a_warning():
    found = audit(("leak", "paid_on", 0.99, ""), ("missing", "a", 0.1, ""))
    sent = sharing(
        ("large", AWAY, True, "e_mail", "feature", True, "holds e-mail addresses"),
        ("large", AWAY, True, "name", "dropped", False, "is called name"),
    )
    leak, drawn, personal = warnings(found, classes(not_sampled=500), sent)
    assert leak.startswith("paid_on alone tells")
    assert drawn == "1,000 of 2,500 rows were drawn; the others were not used."
    assert personal == f"e_mail looks personal (holds e-mail addresses) and is sent to {AWAY}."
    assert warnings(audit(), classes(), sharing()) == []


def test_classes_and_parts():
    said = class_sentences(classes(filtered=3), parts(), "pays back", "defaults")
    assert said == [
        "1,000 rows of 1,000 of the file: 9 left out by rows.",
        "Class 1, defaults: lost.",
        "Class 0, pays back (2 values merged): paid, late.",
        "Training part (labels come from here): 669 rows, 201 of class 1, 40 groups.",
        "Test part, asked: 331 rows, 99 of class 1.",
        "Rows of one group are on one side of the split. As they are alike, intervals and tests "
        "rest on groups, not on rows.",
    ]
    alone = class_sentences(classes(), parts().assign(groups=0), "pays back", "defaults")
    assert "alike" not in " ".join(alone)


def test_what_leaves_is_said_for_each_model():
    sent = sharing(
        ("small", "", False, "age", "feature", False, ""),
        ("large", AWAY, True, "age", "feature", True, ""),
        ("large", AWAY, True, "paid", "target", True, ""),
        ("large", AWAY, True, "id", "dropped", False, ""),
    )
    here, away = sharing_sentences(sent, MODELS)
    assert here == "Small-1B: computes on this machine; nothing leaves it."
    assert away == f"Large <8B>: the cells of 2 columns are sent to {AWAY}: age, paid."
    served = sharing(("small", "http://localhost:8000/v1", False, "age", "feature", False, ""))
    (said,) = sharing_sentences(served, {"small": "Small-1B"})
    assert said.endswith(
        "asked at http://localhost:8000/v1, which is this machine; nothing leaves it."
    )


def test_probes_are_told_next_to_the_planted_control():
    recognition = frame(
        PROBE_RECOGNITION,
        [
            {"model": "small", "dataset": "loans", "found": 3, "telling": 5, "outcome": "leaked"},
            {"model": "small", "dataset": "canary", "telling": 8, "outcome": "not recognized"},
            {"model": "small", "dataset": "other", "telling": 9, "outcome": "leaked"},
        ],
    )
    row = {"model": "small", "dataset": "loans", "n": 100, "accuracy": 0.5}
    row |= {"lift_random": 0.3, "low_random": 0.2, "high_random": 0.4, "p_random": 0.001}
    row |= {"lift_shuffled": 0.1, "low_shuffled": -0.02, "high_shuffled": 0.22, "p_shuffled": 0.09}
    lifts = frame(PROBE_LIFTS, [row])
    continued = [{"model": "small", "dataset": "loans", "verbatim": at < 2} for at in range(4)]
    completions = frame(PROBE_COMPLETIONS, [one | {"chance_verbatim": 0.1} for one in continued])
    told, control = seen_sentences("loans", MODELS, recognition, lifts, completions)
    assert told == (
        "Small-1B on this table: given the title alone, it lists 3 of 5 column names that cannot "
        "be guessed (leaked); it fills 50% of 100 hidden cells right, +0.300 [+0.200, +0.400] over "
        "chance (p = 0.001; leaked) and +0.100 [−0.020, +0.220] over rows whose columns are "
        "shuffled (p = 0.090; not enough evidence); it goes on with 2 of 4 rows word for word, "
        "where chance would 0.4."
    )
    assert control.startswith("Small-1B on the planted control: given the title alone, it lists 0")
    empty = [pd.DataFrame(columns=table.names) for table in (PROBE_RECOGNITION, PROBE_LIFTS)]
    assert seen_sentences("loans", {}, *empty, pd.DataFrame(columns=PROBE_COMPLETIONS.names)) == []

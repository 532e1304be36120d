"""Grading of the recognition test: which names count, and that form does not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabbench.probes.columns import is_telling, namings, normalised, telling_names
from tabbench.probes.dataset import Probed
from tabbench.probes.recognition import grade, listed_names, request
from tabbench.probes.verdicts import (
    LEAKED,
    NAME_ONLY,
    NOT_GRADED,
    NOT_RECOGNIZED,
    RecognitionThresholds,
    is_flagged,
    recognition_outcome,
)

ADULT = (
    *("age", "workclass", "fnlwgt", "education-num", "marital-status", "capital-gain"),
    *("capital-loss", "native-country", "income"),
)
TELLING = ["workclass", "fnlwgt", "capital-gain", "capital-loss"]
THRESHOLDS = RecognitionThresholds()


def probed(*names: tuple[str, ...], title: str = "Adult census income") -> Probed:
    return Probed("adult", title, pd.DataFrame({"age": [1.0]}), names)


def graded(answer: str, *names: tuple[str, ...]) -> dict[str, object]:
    return grade(answer, probed(*(names or (ADULT,))), THRESHOLDS)


def test_generic_names_and_words_of_the_title_do_not_count() -> None:
    assert list(telling_names(ADULT, "Adult census income").values()) == TELLING
    assert not is_telling("HouseholdIncome", "Adult census income")
    assert is_telling("juv_fel_count", "COMPAS recidivism")
    assert not is_telling("V12", "QSAR biodegradation")
    assert not is_telling("Leaks", "A test of leaks")


def test_the_title_alone_is_asked_about() -> None:
    (message,) = request(probed(ADULT), plain=False).messages
    assert "Dataset: Adult census income\n" in message.content
    assert not any(name in message.content for name in TELLING)


@given(
    st.permutations([*TELLING, "age", "shoe size"]),
    st.sampled_from([str, str.upper, str.title, lambda name: name.replace("-", "_")]),
    st.sampled_from([", ", "; ", "\n", "\n- ", "\n3. ", "\n* `"]),
    st.integers(1, 3),
)
def test_order_case_signs_and_duplicates_do_not_matter(names, spell, separator, times) -> None:
    answer = "Description.\nColumns:" + "".join(separator + spell(name) for name in names * times)
    result = graded(answer)
    assert (result["found"], result["telling"], result["share"]) == (4, 4, 1)
    assert result["listed"] == 6
    assert result["outcome"] == LEAKED
    assert sorted(str(result["found_names"]).split(", ")) == sorted(TELLING)


@given(st.text())
def test_any_text_is_graded(text: str) -> None:
    assert graded(text)["outcome"] in (LEAKED, NAME_ONLY, NOT_RECOGNIZED)


@given(st.text(), st.text())
def test_names_that_differ_in_signs_and_case_only_are_the_same(first: str, second: str) -> None:
    assert normalised(first + second) == normalised(f" {first}-_/{second}".upper().lower())


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        ("Columns: age, `fnlwgt`, and income\nTarget: income", ["age", "fnlwgt", "income"]),
        ('Known.\n**Columns:** ["age", "fnlwgt"]', ["age", "fnlwgt"]),
        ("Features:\n1. **age**: years\n2. fnlwgt (final weight, census)", ["age", "fnlwgt"]),
        ("Columns:\n- age - in years, whole\n- v(g): complexity", ["age", "v(g)"]),
        ("Columns: age, age, AGE", ["age"]),
        ("Target column: `class`", ["class"]),
        ("<think>Columns: fnlwgt</think>Columns: age", ["age"]),
        ("<think>Columns: fnlwgt", []),
        ("Columns: I do not know this dataset.", ["I do not know this dataset"]),
        ("", []),
    ],
)
def test_names_are_read_from_usual_forms(answer: str, names: list[str]) -> None:
    assert listed_names(answer) == names


def test_parts_of_names_do_not_count() -> None:
    assert graded("Columns: capital, gain, class, work, fnl, wgt")["found"] == 0


def test_a_description_is_no_evidence() -> None:
    answer = "The famous UCI data with workclass and fnlwgt, by Barry Becker, 48,842 rows."
    assert graded(answer)["outcome"] == NOT_RECOGNIZED


def test_the_names_of_the_source_that_fits_best_count() -> None:
    ours = ("Pregnancies", "SkinThickness", "DiabetesPedigreeFunction", "Outcome")
    theirs = {"preg": "Pregnancies", "skin": "SkinThickness", "pedi": "DiabetesPedigreeFunction"}
    names = namings(ours, [theirs, {}])
    assert names == [ours, ("preg", "skin", "pedi", "Outcome")]
    for spelling in names:
        result = graded(f"Columns: {', '.join(spelling)}", *names)
        assert (result["share"], result["outcome"]) == (1, LEAKED)
    # A name of each is one name of each, not two.
    assert graded("Columns: Pregnancies, skin", *names)["found"] == 1


def test_a_source_with_telling_names_makes_a_dataset_gradable() -> None:
    assert graded("", ("V1", "V2"), ("fnlwgt", "kelvins"))["outcome"] == NOT_RECOGNIZED
    nothing = graded("Columns: V1, V2, V3", ("V1", "V2", "age"))
    assert nothing["outcome"] == NOT_GRADED
    assert np.isnan(nothing["share"])


def test_outcomes_follow_the_thresholds() -> None:
    assert recognition_outcome(2, 4, THRESHOLDS) == LEAKED
    assert recognition_outcome(1, 2, THRESHOLDS) == NAME_ONLY  # one name may be luck
    assert recognition_outcome(1, 11, THRESHOLDS) == NOT_RECOGNIZED
    assert recognition_outcome(2, 4, RecognitionThresholds(leaked=0.6)) == NAME_ONLY
    assert [is_flagged(one) for one in (LEAKED, NAME_ONLY, NOT_RECOGNIZED, NOT_GRADED)] == [
        *(True, False, False, True)
    ]

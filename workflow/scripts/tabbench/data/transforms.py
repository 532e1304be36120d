"""Transforms that a registry entry cannot express: named functions from raw frame to raw frame."""

import importlib
from collections.abc import Callable

import pandas as pd

from tabbench.core.errors import TabBenchError, closest

# Column to function of RDKit. Size, polarity, charge, flexibility and rings: what the
# blood-brain barrier is said to look at. The paper used 18 descriptors that it does not name.
DESCRIPTORS = {
    "MolWt": "Descriptors.MolWt",
    "HeavyAtomCount": "rdMolDescriptors.CalcNumHeavyAtoms",
    "MolLogP": "Crippen.MolLogP",
    "MolMR": "Crippen.MolMR",
    "TPSA": "rdMolDescriptors.CalcTPSA",
    "LabuteASA": "rdMolDescriptors.CalcLabuteASA",
    "NumHDonors": "rdMolDescriptors.CalcNumHBD",
    "NumHAcceptors": "rdMolDescriptors.CalcNumHBA",
    "NumHeteroatoms": "rdMolDescriptors.CalcNumHeteroatoms",
    "NumRotatableBonds": "rdMolDescriptors.CalcNumRotatableBonds",
    "FractionCSP3": "rdMolDescriptors.CalcFractionCSP3",
    "RingCount": "rdMolDescriptors.CalcNumRings",
    "NumAromaticRings": "rdMolDescriptors.CalcNumAromaticRings",
    "NumAliphaticRings": "rdMolDescriptors.CalcNumAliphaticRings",
    "FormalCharge": "rdmolops.GetFormalCharge",
    "NumValenceElectrons": "Descriptors.NumValenceElectrons",
    "BertzCT": "GraphDescriptors.BertzCT",
    "BalabanJ": "GraphDescriptors.BalabanJ",
}


def rdkit_descriptors(raw: pd.DataFrame) -> pd.DataFrame:
    """Add the 18 ``DESCRIPTORS`` of the molecules in column ``smiles``.

    Molecules that RDKit does not accept are left out.
    """
    from rdkit import Chem, rdBase  # takes a second, and one dataset needs it

    rdBase.DisableLog("rdApp.*")
    functions = {}
    for column, name in DESCRIPTORS.items():
        module, function = name.split(".")
        functions[column] = getattr(importlib.import_module(f"rdkit.Chem.{module}"), function)
    molecules = [Chem.MolFromSmiles(text) for text in raw["smiles"]]
    accepted = [molecule is not None for molecule in molecules]
    numbers = {
        column: [repr(float(function(molecule))) for molecule in molecules if molecule is not None]
        for column, function in functions.items()
    }
    kept = raw[accepted].reset_index(drop=True)
    return kept.assign(**numbers)


TRANSFORMS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "rdkit_descriptors": rdkit_descriptors
}


def transform(raw: pd.DataFrame, name: str) -> pd.DataFrame:
    """Apply the function called ``name``; TabBenchError when there is none."""
    if name not in TRANSFORMS:
        raise TabBenchError(f"no transform '{name}': {closest(name, TRANSFORMS)}")
    return TRANSFORMS[name](raw)

"""Baselines: models that are fitted on the labelled examples, without any language."""

"""Baselines: models fitted on the labelled examples, without a language model."""

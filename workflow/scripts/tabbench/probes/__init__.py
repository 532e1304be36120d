"""Memorization probes (section IV-A1): whether a model knows a dataset's columns or rows."""

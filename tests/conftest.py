"""Fixtures of the whole suite."""

pytest_plugins = ("fixtures_model",)

"""Memorization probes (section IV-A1): does a model know a dataset's columns, or its rows?"""

"""LLMTabBench: when can a language model classify table rows, and what does it cost?

Pure functions behind the Snakemake workflow; nothing here knows Snakemake or the
configuration. The scripts in ``workflow/scripts/`` connect the two.
"""

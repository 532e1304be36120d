"""Where a dataset's raw files come from: one module per kind of source."""

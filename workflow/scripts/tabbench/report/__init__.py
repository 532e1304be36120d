"""The page of results: answers, figures, tables and how the run went."""

"""The page of results: answers, figures, tables and the run summary."""

"""Should a language model classify this table? The evidence behind the decision page."""

"""Tests on ROC curves, their combinations and corrections, and intervals (paper, Appendix D)."""

"""Tests on ROC curves and combinations of their p-values (paper, Appendix D)."""

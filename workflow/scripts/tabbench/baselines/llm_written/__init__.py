"""Baselines whose logic a language model writes: FeatLLM's rules, zero-shot decision trees.

FeatLLM: Han et al., "Large Language Models Can Automatically Engineer Features for Few-Shot
Tabular Learning", ICML 2024. Decision trees: Knauer et al., KDD 2025. The paper compares with both
(section III-A, Tables XVII and XVIII). Their logic runs in `tabbench.sandbox.sandbox` alone.
"""

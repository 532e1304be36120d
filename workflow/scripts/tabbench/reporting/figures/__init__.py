"""The paper's figures, one module per research question: scores in, ``style.Figure`` out."""

"""The paper's tables, one module per research question: scores in, ``writer.Table`` out."""

"""SciTaRC: questions about tables of scientific papers, with plans (second paper)."""

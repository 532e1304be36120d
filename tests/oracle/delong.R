# Rscript delong.R rows.csv values.csv: DeLong's test by pROC for each case (see delong.py).
suppressPackageStartupMessages(library(pROC))

paths <- commandArgs(trailingOnly = TRUE)
rows <- read.csv(paths[1])

curve <- function(y, score) {
  roc(y, score, levels = c(0, 1), direction = "<", quiet = TRUE)
}

tested <- function(case) {
  first <- curve(case$y, case$first)
  second <- curve(case$y, case$second)
  test <- function(alternative) {
    # It warns of two perfect curves, whose p-value is 1.
    suppressWarnings(
      roc.test(second, first, method = "delong", paired = TRUE, alternative = alternative)
    )
  }
  two_sided <- test("two.sided")
  c(
    case$case[1], auc(first), auc(second), two_sided$statistic, two_sided$p.value,
    test("greater")$p.value, test("less")$p.value
  )
}

values <- do.call(rbind, lapply(split(rows, rows$case), tested))
names <- c("case", "auc_first", "auc_second", "z", "p_two_sided", "p_greater", "p_less")
lines <- apply(values, 1, function(row) paste(sprintf("%.17g", row), collapse = ","))
writeLines(c(paste(names, collapse = ","), lines), paths[2])

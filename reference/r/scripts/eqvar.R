# ../eqvar: EqVar's two orders, the package's own selection (ztest), and the GAM selection that the paper gives it.
#
# CODE holds EqVarDAG (a checkout of WY-Chen/EqVarDAG, version 2.1) and NPVAR (MingGao97/NPVAR at c562075). pcalg must be
# installed: the package takes its zStat.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])), "check.R"))
suppressPackageStartupMessages({
  library(mgcv)
  library(pcalg)
})

eqvar <- functions_of("EqVarDAG/R/EqVarDAG_TD.R", "EqVarDAG/R/EqVarDAG_BU.R", "EqVarDAG/R/DAG_from_Ordering.R")
npvar <- functions_of("NPVAR/NPVAR.R", "NPVAR/utils.R")

# What the package compares at every step of the order it found: it keeps the order only.
top_down_steps <- function(X, order) {
  precision <- solve(cov(X))
  lapply(seq_along(order), function(step) {
    left <- setdiff(seq_along(order), order[seq_len(step - 1)])
    list(nodes = left, condvar = unname(diag(solve(precision[left, left, drop = FALSE]))))
  })
}

make <- function(name) {
  x <- dataset(name)
  X <- as.matrix(x)
  graph <- true_graph(name)
  top_down <- eqvar$EqVarDAG_TD_internal(X)$TO
  bottom_up <- eqvar$EqVarDAG_BU_internal(X)
  pruned <- suppressWarnings(npvar$prune(x, top_down, cutoff = 0.001))
  list(
    dataset = name, td_order = top_down, td_correct = order_is_correct(top_down, graph), td_steps = top_down_steps(X, top_down),
    bu_order = bottom_up, bu_correct = order_is_correct(bottom_up, graph),
    td_ztest_adj = eqvar$DAG_from_Ordering(X, top_down, "ztest", 0.05) * 1,
    td_gamprune_adj = pruned, td_gamprune_shd = npvar$SHD(pruned, graph)
  )
}

main("eqvar", sub("\\.json$", "", list.files(file.path(reference, "eqvar"), "\\.json$")), make, tolerance = c(other = 1e-12))

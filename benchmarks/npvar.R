# NPVAR in R: the peer that `cargo xtask compare-r` measures against.
#
# Written from the description of the published procedure (Gao, Ding & Aragam 2020; node by node, additive model):
#   order      the node of smallest variance comes first; then, again and again, every remaining node is regressed on
#              the nodes ordered so far and the one of smallest var(y) - var(fitted) is appended (exact ties: all of
#              them); the last node is appended without a regression;
#   selection  every node is regressed on all nodes before it; ancestors whose smooth term has a p-value below the
#              cutoff (0.001, applied by the caller) are its parents.
# Every regression is gam(y ~ s(x1, bs = "ps", sp = 0.6) + ...) with mgcv's defaults otherwise.
#
# Usage: Rscript npvar.R FILE.csv        (comma-separated, with a header)
#
# Prints plain lines, nodes as 1-based column numbers:
#   version NAME TEXT                    R, mgcv, BLAS
#   size N D
#   time STAGE CPU ELAPSED               seconds; CPU = user + system of this process
#   variance STEP NODE VALUE             step 1 has the marginal variances
#   order NODE NODE ...
#   test ANCESTOR NODE P                 every pair the selection tested (P may be NaN)

suppressPackageStartupMessages(library(mgcv))

regress <- function(data, node, ancestors) {
  terms <- paste0("s(x", ancestors, ", bs = 'ps', sp = 0.6)", collapse = " + ")
  gam(as.formula(paste0("x", node, " ~ ", terms)), data = data)
}

residual_variance <- function(data, node, ancestors) {
  var(data[[node]]) - var(regress(data, node, ancestors)$fitted.values)
}

learn_order <- function(data) {
  remaining <- seq_along(data)
  ordered <- integer(0)
  steps <- list()
  while (length(remaining) > 1) {
    variances <- if (length(ordered) == 0) {
      sapply(data, var)
    } else {
      sapply(remaining, function(node) residual_variance(data, node, ordered))
    }
    if (min(variances) < 0) stop("negative residual variance")
    steps[[length(steps) + 1]] <- data.frame(node = remaining, variance = as.numeric(variances))
    smallest <- remaining[variances == min(variances)]
    ordered <- c(ordered, smallest)
    remaining <- setdiff(remaining, smallest)
  }
  list(order = c(ordered, remaining), steps = steps)
}

select_parents <- function(data, order) {
  tests <- lapply(seq_along(order)[-1], function(position) {
    ancestors <- order[seq_len(position - 1)]
    node <- order[position]
    data.frame(ancestor = ancestors, node = node, p = summary(regress(data, node, ancestors))$s.pv)
  })
  do.call(rbind, tests)
}

timed <- function(stage, expression) {
  before <- proc.time()
  value <- expression # evaluated here
  spent <- proc.time() - before
  cat(sprintf("time %s %.6f %.6f\n", stage, spent[["user.self"]] + spent[["sys.self"]], spent[["elapsed"]]))
  value
}

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) != 1) stop("usage: Rscript npvar.R FILE.csv")
data <- read.csv(arguments[1], check.names = FALSE)
names(data) <- paste0("x", seq_along(data))

cat("version R ", R.version$major, ".", R.version$minor, "\n", sep = "")
cat("version mgcv ", as.character(packageVersion("mgcv")), "\n", sep = "")
cat("version BLAS ", basename(extSoftVersion()[["BLAS"]]), "\n", sep = "")
cat("size", nrow(data), ncol(data), "\n")

# One regression outside the clock: R compiles and loads functions when they are first called.
invisible(summary(regress(data, 2, 1)))

found <- timed("order", learn_order(data))
tests <- timed("selection", select_parents(data, found$order))

for (step in seq_along(found$steps)) {
  cat(sprintf("variance %d %d %.17g\n", step, found$steps[[step]]$node, found$steps[[step]]$variance), sep = "")
}
cat("order", found$order, "\n")
cat(sprintf("test %d %d %.17g\n", tests$ancestor, tests$node, tests$p), sep = "")

# ../cam: CAM 1.0, with and without its preliminary neighbourhood selection.
#
# CAM, mboost and stabs must be installed (R_LIBS). CODE holds NPVAR (MingGao97/NPVAR at c562075): its SHD and its
# selection along CAM's order are stored too.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])), "check.R"))
suppressMessages(suppressWarnings(library(CAM)))

npvar <- functions_of("NPVAR/NPVAR.R", "NPVAR/utils.R")

# The smallest source first.
topological_order <- function(graph) {
  left <- seq_len(ncol(graph))
  order <- integer(0)
  while (length(left) > 0) {
    source <- left[colSums(graph[left, left, drop = FALSE]) == 0][1]
    order <- c(order, source)
    left <- setdiff(left, source)
  }
  order
}

gains <- function(X) {
  found <- matrix(NA_real_, ncol(X), ncol(X))
  for (i in seq_len(ncol(X))) for (j in setdiff(seq_len(ncol(X)), i)) {
    found[i, j] <- log(var(X[, j])) - log(var(as.vector(CAM:::train_gam(X[, i], X[, j], list(numBasisFcts = 10))$residuals)))
  }
  found
}

# The row at which LAPACK finds a singular system is a matter of rounding.
without_row <- function(message) sub("U\\[.*", "", message)

or_error <- function(expression) tryCatch(expression, error = function(error) without_row(conditionMessage(error)))

run <- function(X, x, graph, neighbourhoods) {
  printed <- capture.output(
    found <- or_error(CAM(X, scoreName = "SEMGAM", numCores = 1, output = FALSE, variableSel = neighbourhoods, pruning = TRUE))
  )
  if (is.character(found)) return(list(error = found))
  full <- matrix(0, ncol(X), ncol(X))
  full[found$edgeList] <- 1
  order <- topological_order(full)
  own <- as.matrix(found$Adj) * 1
  common <- suppressWarnings(npvar$prune(x, order, cutoff = 0.001))
  list(
    edge_list_in_order = unname(found$edgeList), score_vec = unname(found$scoreVec), final_score = found$Score, full_dag = full,
    topo_order = order, order_correct = order_is_correct(order, graph), pruned_adj_selGam = unname(own),
    shd_selGam = npvar$SHD(own, graph), pruned_adj_npvar_prune = common, shd_npvar_prune = npvar$SHD(common, graph)
  )
}

# Only what is stored is made: without neighbourhoods the larger data sets take minutes.
make <- function(name) {
  stored <- from_json(file.path(reference, "cam", paste0(name, ".json")))
  x <- dataset(name)
  X <- unname(as.matrix(x))
  graph <- true_graph(name)
  initial <- or_error({
    capture.output(found <- gains(X))
    found
  })
  made <- list(
    dataset = name, n = nrow(X), d = ncol(X), initial_gain_matrix = if (is.character(initial)) list(error = initial) else initial,
    pns_candidate_parents = or_error({
      parents <- mapply(CAM::selGamBoost, MoreArgs = list(X = X, pars = list(atLeastThatMuchSelected = 0.02, atMostThatManyNeighbors = 10), output = FALSE), seq_len(ncol(X)))
      unname(parents) * 1
    })
  )
  if (!is.null(stored$no_pns)) made$no_pns <- run(X, x, graph, FALSE)
  if (!is.null(stored$pns)) made$pns <- run(X, x, graph, TRUE)
  made
}

main(
  "cam", sub("\\.json$", "", list.files(file.path(reference, "cam"), "\\.json$")), make, tolerance = c(other = 1e-8),
  text = without_row, ignored = c("no_pns.cpu_s", "pns.cpu_s", "no_pns.messages", "pns.messages", "no_pns.warnings", "pns.warnings")
)

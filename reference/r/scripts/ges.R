# ../ges: GES of pcalg with the Gaussian score, all phases, and its scores.
#
# pcalg must be installed (R_LIBS). CODE holds NPVAR (MingGao97/NPVAR at c562075), whose SHD is the one stored.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])), "check.R"))
suppressPackageStartupMessages(library(pcalg))

npvar <- functions_of("NPVAR/utils.R")

parents_of <- function(graph) lapply(seq_len(ncol(graph)), function(node) which(graph[, node] != 0))

make <- function(name) {
  X <- as.matrix(dataset(name))
  d <- ncol(X)
  graph <- true_graph(name)
  lambda <- log(nrow(X)) / 2
  score <- new("GaussL0penObsScore", X, lambda = lambda)
  total <- function(parents) sum(vapply(seq_len(d), function(node) score$local.score(node, parents[[node]]), 0))
  found <- pcalg::ges(score)
  cpdag <- as(found$essgraph, "matrix") * 1
  representative <- as(found$repr, "matrix") * 1
  examples <- lapply(seq_len(d), function(node) {
    parents <- which(graph[, node] != 0)
    list(node = node, parents = unname(parents), score = score$local.score(node, parents))
  })
  list(
    dataset = name, lambda = lambda, cpdag = unname(cpdag), representative_dag = unname(representative),
    score_representative = score$global.score(found$repr), score_empty = total(rep(list(integer(0)), d)),
    score_true_dag = total(parents_of(graph)), local_scores_examples = examples,
    shd = npvar$SHD(npvar$toCPDAG(cpdag), graph)
  )
}

main("ges", sub("\\.json$", "", list.files(file.path(reference, "ges"), "\\.json$")), make, tolerance = c(other = 1e-11))

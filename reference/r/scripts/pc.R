# ../pc: PC of pcalg, its skeleton, separating sets and counts of tests.
#
# pcalg must be installed (R_LIBS). CODE holds NPVAR (MingGao97/NPVAR at c562075), whose SHD is the one stored.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])), "check.R"))
suppressPackageStartupMessages(library(pcalg))

npvar <- functions_of("NPVAR/utils.R")

separating_sets <- function(found) {
  d <- length(found@sepset)
  pairs <- if (d < 2) NULL else which(upper.tri(diag(d)), arr.ind = TRUE)
  pairs <- pairs[order(pairs[, 1], pairs[, 2]), , drop = FALSE]
  sets <- lapply(seq_len(nrow(pairs)), function(at) {
    i <- pairs[at, 1]
    j <- pairs[at, 2]
    set <- found@sepset[[i]][[j]]
    if (is.null(set)) set <- found@sepset[[j]][[i]]
    if (is.null(set)) NULL else list(i = i, j = j, sep = as.integer(set))
  })
  Filter(Negate(is.null), sets)
}

make <- function(name) {
  X <- as.matrix(dataset(name))
  statistics <- list(C = cor(X), n = nrow(X))
  found <- pc(statistics, gaussCItest, alpha = 0.01, p = ncol(X))
  skeleton <- skeleton(statistics, gaussCItest, alpha = 0.01, p = ncol(X))
  largest <- skeleton@pMax
  largest <- pmax(largest, t(largest))
  diag(largest) <- 1
  cpdag <- as(found@graph, "matrix") * 1
  list(
    dataset = name, alpha = 0.01, cpdag = unname(cpdag), skeleton = unname(as(skeleton@graph, "matrix") * 1),
    pMax = largest, n_edge_tests = skeleton@n.edgetests, sepsets = separating_sets(skeleton),
    shd = npvar$SHD(npvar$toCPDAG(cpdag), true_graph(name))
  )
}

main("pc", sub("\\.json$", "", list.files(file.path(reference, "pc"), "\\.json$")), make, tolerance = c(other = 1e-9))

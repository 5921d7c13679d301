# Public R implementations: the peers that `cargo xtask compare-peers` measures against.
#
# Usage: Rscript peers.R PEER FILE.csv           (comma-separated, with a header)
#
# Prints one JSON object on one line, as peers.py does; nodes are column positions from 0. A peer whose package is not
# there prints {"peer": ..., "missing": "why"}. R_LIBS may name a folder of packages; CODE_ANM names the folder `code`
# of Jonas Peters' codeANM, which is not a package.
#
# The options of every call stand in this file. They are those of the reference outputs in reference/r/README.md.

# Each peer: the packages it needs, the first being the one whose version is told, and the call that the clock sees, which returns an adjacency matrix (row is
# parent; both entries: undirected) and, where the peer has one, an order, sources first.
peers <- list(
  "pc-pcalg" = list(packages = "pcalg", learn = function(X) {
    # The skeleton in C++; the default, `stable`, is the same algorithm in R and slower.
    statistics <- list(C = cor(X), n = nrow(X))
    found <- pcalg::pc(statistics, pcalg::gaussCItest, alpha = 0.01, p = ncol(X), skel.method = "stable.fast", numCores = 1)
    list(adjacency = as(found@graph, "matrix"))
  }),
  "ges-pcalg" = list(packages = "pcalg", learn = function(X) {
    # Forward, backward and turning phase, again and again until nothing changes: the package's default.
    ges_pcalg(X)
  }),
  "ges-pcalg-two-phases" = list(packages = "pcalg", learn = function(X) {
    ges_pcalg(X, phase = c("forward", "backward"), iterate = FALSE)
  }),
  "cam-r" = list(packages = "CAM", learn = function(X) cam(X, neighbourhoods = FALSE)),
  "cam-r-pns" = list(packages = "CAM", learn = function(X) cam(X, neighbourhoods = TRUE)),
  "resit-codeanm" = list(packages = c("mgcv", "mboost"), source = "CODE_ANM", learn = function(X) {
    # Both phases of RESIT. The order is only in what it prints.
    said <- capture.output(
      found <- ICML(X, alpha = 0.05, model = train_gam, indtest = indtestHsic, parsIndtest = list(method = "ExactFastTrace"), output = TRUE)
    )
    last <- tail(grep("causal order", said, value = TRUE), 1)
    sinks <- as.integer(strsplit(gsub('.*: |"', "", last), " ")[[1]])
    list(adjacency = found, order = rev(sinks))
  })
)

ges_pcalg <- function(X, ...) {
  score <- new("GaussL0penObsScore", X, lambda = log(nrow(X)) / 2)
  found <- pcalg::ges(score, ...)
  list(adjacency = as(found$essgraph, "matrix") * 1)
}

cam <- function(X, neighbourhoods) {
  found <- CAM(X, scoreName = "SEMGAM", numCores = 1, output = FALSE, variableSel = neighbourhoods, pruning = TRUE)
  full <- matrix(0, ncol(X), ncol(X))
  full[found$edgeList] <- 1
  list(adjacency = as.matrix(found$Adj), order = topological_order(full))
}

# The smallest source first.
topological_order <- function(adjacency) {
  left <- seq_len(ncol(adjacency))
  order <- integer(0)
  while (length(left) > 0) {
    source <- left[colSums(adjacency[left, left, drop = FALSE]) == 0][1]
    order <- c(order, source)
    left <- setdiff(left, source)
  }
  order
}

load_source <- function(folder) {
  for (file in c("inferDAG/ICML.R", "fitting/fitting.R", "indtests/indtestAll.R", "indtests/indtestHsic.R")) {
    source(file.path(folder, file))
  }
}

# --- JSON, without a package ---

pairs_json <- function(present, keep) {
  at <- which(present & keep, arr.ind = TRUE)
  at <- at[order(at[, 1], at[, 2]), , drop = FALSE] - 1
  paste0("[", paste(sprintf("[%d, %d]", at[, 1], at[, 2]), collapse = ", "), "]")
}

answer <- function(name, ...) {
  fields <- c(peer = sprintf('"%s"', name), ...)
  cat("{", paste(sprintf('"%s": %s', names(fields), fields), collapse = ", "), "}\n", sep = "")
}

# --- The program ---

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) != 2 || !(arguments[1] %in% names(peers))) {
  stop("usage: Rscript peers.R NAME FILE.csv; NAME is one of ", paste(names(peers), collapse = ", "))
}
name <- arguments[1]
peer <- peers[[name]]
folder <- if (is.null(peer$source)) "" else Sys.getenv(peer$source)
for (package in peer$packages) {
  if (!suppressPackageStartupMessages(suppressWarnings(require(package, character.only = TRUE, quietly = TRUE)))) {
    answer(name, missing = sprintf('"the R package %s is not installed"', package))
    quit()
  }
}
if (!is.null(peer$source) && folder == "") {
  answer(name, missing = sprintf('"%s does not name a folder"', peer$source))
  quit()
}
if (folder != "") load_source(folder)

X <- as.matrix(read.csv(arguments[2], check.names = FALSE))
dimnames(X) <- list(NULL, seq_len(ncol(X)))
# One call on a corner of the data outside the clock: R compiles and loads functions when they are first called.
# What a package prints is not for standard output.
invisible(capture.output(peer$learn(X[1:100, 1:3])))
before <- proc.time()
invisible(capture.output(found <- peer$learn(X)))
spent <- proc.time() - before

present <- unname(found$adjacency) != 0
version <- sprintf("%s %s", peer$packages[1], packageVersion(peer$packages[1]))
if (folder != "") version <- paste0("codeANM, ", version)
answer(
  name,
  version = sprintf('"%s, R %s.%s, %s"', version, R.version$major, R.version$minor, basename(extSoftVersion()[["BLAS"]])),
  seconds = sprintf("%.6f", spent[["elapsed"]]),
  cpu_seconds = sprintf("%.6f", spent[["user.self"]] + spent[["sys.self"]]),
  directed = pairs_json(present & !t(present), TRUE),
  undirected = pairs_json(present & t(present), upper.tri(present)),
  bidirected = "[]",
  order = if (is.null(found$order)) "null" else paste0("[", paste(found$order - 1, collapse = ", "), "]")
)

# ../npvar: orders, layers, conditional variances and the selection of the published NPVAR code.
#
# CODE holds NPVAR, a checkout of MingGao97/NPVAR at c562075. Its functions are run as they are; est.condvars is
# wrapped, so that what it returns is kept, and the loop of `prune` is repeated with the p-values kept. Neither np nor
# igraph is needed: only the functions are read from the files.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])), "check.R"))
suppressPackageStartupMessages(library(mgcv))

code <- functions_of("NPVAR/NPVAR.R", "NPVAR/utils.R")
residual_variances <- code$est.condvars

# The published search, with every step's conditional variances; those of a second sample come right after the first's.
searched <- function(x, ...) {
  steps <- list(list(ancestors = integer(0), nodes = seq_along(x), condvar = unname(apply(x, 2, var))))
  code$est.condvars <- function(x, descendants, node.index, ancestors, verbose, run.np, run.mgcv) {
    found <- residual_variances(x, descendants, node.index, ancestors, verbose, run.np, run.mgcv)
    steps[[length(steps) + 1]] <<- list(ancestors = unname(ancestors), nodes = unname(descendants), condvar = unname(found))
    found
  }
  environment(residual_variances) <- code
  capture.output(found <- with_warnings(code$NPVAR(x, ...)))
  list(found = found$value, steps = steps, warnings = as.list(table(found$warnings)))
}

selection <- function(x, order, graph) {
  d <- ncol(x)
  empty <- matrix(NA_real_, d, d)
  tables <- list(p_value = empty, F = empty, edf = empty, ref_df = empty)
  for (i in 2:d) {
    node <- order[i]
    ancestors <- order[seq_len(i - 1)]
    terms <- paste0("s(x[,", ancestors, "], bs='ps', sp=0.6)", collapse = " + ")
    fit <- gam(as.formula(paste("x[,node] ~", terms)))
    table <- summary(fit)$s.table
    tables$p_value[ancestors, node] <- table[, "p-value"]
    tables$F[ancestors, node] <- table[, "F"]
    tables$edf[ancestors, node] <- table[, "edf"]
    tables$ref_df[ancestors, node] <- table[, "Ref.df"]
  }
  adjacency <- code$prune(x, order, cutoff = 0.001)
  c(list(cutoff = 0.001, adj = adjacency, shd = code$SHD(adjacency, graph)), tables)
}

layered <- function(x, eta) {
  run <- searched(x, layer.select = TRUE, eta = eta)
  list(eta = eta, order = unname(run$found$ancestors), layers = unname(lapply(run$found$layers, unname)), steps = run$steps)
}

adaptive <- function(case) {
  data <- dataset(case$dataset)
  first <- data[rows_of(case$x_rows), ]
  second <- data[rows_of(case$x2_rows), ]
  found <- c(case[c("dataset", "x_rows", "x2_rows", "eta_scaler")])
  run <- tryCatch(searched(first, layer.select = TRUE, x2 = second, eta.scaler = case$eta_scaler), error = conditionMessage)
  if (is.character(run)) return(c(found, list(error = run)))
  steps <- list()
  marginal <- apply(second, 2, var)
  for (at in seq_len((length(run$steps) + 1) / 2)) {
    of_first <- if (at == 1) run$steps[[1]] else run$steps[[2 * at - 2]]
    of_second <- if (at == 1) unname(marginal) else run$steps[[2 * at - 1]]$condvar
    eta <- max(abs(of_first$condvar - of_second)) * case$eta_scaler
    steps[[at]] <- list(ancestors = of_first$ancestors, nodes = of_first$nodes, condvar_x = of_first$condvar, condvar_x2 = of_second, eta = eta)
  }
  c(found, list(error = NULL, order = unname(run$found$ancestors), layers = unname(lapply(run$found$layers, unname)), steps = steps))
}

make <- function(name) {
  if (name == "_adaptive_eta_cases") {
    stored <- from_json(file.path(reference, "npvar", "_adaptive_eta_cases.json"))
    return(lapply(stored, adaptive))
  }
  x <- dataset(name)
  graph <- true_graph(name)
  naive <- searched(x)
  order <- unname(naive$found)
  list(
    dataset = name, n = nrow(x), d = ncol(x),
    naive = list(order = order, order_correct = order_is_correct(order, graph), steps = naive$steps, warnings = naive$warnings),
    prune = with_warnings(selection(x, order, graph))$value,
    layers_eta_0.01 = layered(x, 0.01), layers_eta_0.05 = layered(x, 0.05)
  )
}

# p-values, F and Ref.df of binary columns hang on rounding (see the README), so they count as they are.
main(
  "npvar", sub("\\.json$", "", setdiff(list.files(file.path(reference, "npvar"), "\\.json$"), "_np_kernel_cases.json")), make,
  tolerance = c(other = 1e-9, prune.p_value = 4e-5),
  absolute = "prune.p_value", ignored = c("cpu_s_naive_order", "cpu_s_prune")
)

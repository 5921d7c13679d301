# ../resit: RESIT by Jonas Peters' codeANM (function ICML), every HSIC test kept; ../hsic_codeanm.json: its HSIC alone.
#
# CODE holds codeANM (hiremasa/codeANM, folder Downloads/codeANM/code) and NPVAR (MingGao97/NPVAR at c562075).

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])), "check.R"))
suppressPackageStartupMessages(library(mgcv))

of_code <- function(file) file.path("codeANM", "Downloads", "codeANM", "code", file)
anm <- functions_of(of_code(c("inferDAG/ICML.R", "fitting/fitting.R", "indtests/indtestAll.R", "indtests/indtestHsic.R")))
npvar <- functions_of("NPVAR/NPVAR.R", "NPVAR/utils.R")

make <- function(name) {
  if (name == "hsic_codeanm") return(hsic())
  x <- dataset(name)
  x <- x[seq_len(min(300, nrow(x))), ]
  graph <- true_graph(name)
  tests <- list()
  keep <- function(x, y, ...) {
    found <- anm$indtestHsic(x, y, ...)
    tests[[length(tests) + 1]] <<- list(dim_x = ncol(as.matrix(x)), stat = found$statistic, crit = found$crit.value, p = found$p.value)
    found
  }
  printed <- capture.output(adjacency <- tryCatch(
    anm$ICML(as.matrix(x), alpha = 0.05, model = anm$train_gam, indtest = keep, parsIndtest = list(method = "ExactFastTrace"), output = TRUE),
    error = conditionMessage
  ))
  found <- list(dataset = name, rows = paste0("1..", nrow(x)), d = ncol(x))
  if (is.character(adjacency)) return(c(found, list(error = adjacency, tests = list())))
  said <- tail(grep("causal order", printed, value = TRUE), 1)
  order <- rev(as.integer(strsplit(gsub('.*: |"', "", said), " ")[[1]]))
  pruned <- npvar$prune(x, order, cutoff = 0.001)
  c(found, list(
    order_source_first = order, order_correct = order_is_correct(order, graph), adj = adjacency * 1, shd = npvar$SHD(adjacency, graph),
    npvar_prune_adj = pruned, npvar_prune_shd = npvar$SHD(pruned, graph), tests = tests
  ))
}

hsic <- function() {
  lapply(from_json(file.path(reference, "hsic_codeanm.json")), function(case) {
    data <- read.csv(file.path(reference, "..", "python", "data", paste0(case$data, ".csv")))[seq_len(case$n_rows), ]
    found <- anm$indtestHsic(data[[case$x + 1]], as.matrix(data[case$Y + 1]), pars = list(method = "ExactFastTrace"))
    c(case[c("data", "n_rows", "x", "Y")], list(stat = found$statistic, p = found$p.value))
  })
}

main(
  c("resit", "."), c(sub("\\.json$", "", list.files(file.path(reference, "resit"), "\\.json$")), "hsic_codeanm"), make,
  tolerance = c(other = 1e-8), ignored = "cpu_s"
)

npvar <- function(data, learner = "npvar", ..., seed = NULL, threads = 0, columns = NULL, exclude = NULL,
                  missing = "auto", strict = FALSE, order = NULL, knowledge = NULL, evidence = FALSE,
                  bootstrap = NULL, resampling = NULL) {
  question <- as_question(learner, options_of(list(...)), seed, threads, columns, exclude, missing, strict, order,
                          knowledge, evidence, bootstrap, resampling)
  learned_of(finished(table_of(data), question))
}

npvar_diagnose <- function(data, threads = 0, columns = NULL, exclude = NULL, missing = "auto", strict = FALSE) {
  question <- as_question(NULL, list(), 0, threads, columns, exclude, missing, strict, NULL, NULL, FALSE, NULL, NULL)
  structure(jsonlite::fromJSON(finished(table_of(data), question)), class = "npvar_diagnosis")
}

npvar_learners <- function() {
  learners <- jsonlite::fromJSON(ask("learners"), simplifyVector = FALSE)
  names(learners) <- vapply(learners, function(learner) learner$name, "")
  learners
}

npvar_simulate <- function(setting, ..., seed = NULL) {
  options <- options_of(list(...))
  names(options) <- gsub("_", "-", names(options), fixed = TRUE)
  simulated <- ask("simulate", setting = setting, options = options, seed = seed_of(seed))
  data <- as.data.frame(simulated$columns, col.names = simulated$names, optional = TRUE)
  list(data = data, truth = graph_of(simulated$truth))
}

npvar_evaluate <- function(estimate, truth) {
  order <- if (inherits(estimate, "npvar")) estimate$order
  jsonlite::fromJSON(ask("evaluate", estimate = json_of(estimate), order = order, truth = json_of(truth)))
}

# A learned graph: the npvar-graph/1 object that it crossed as, and its edges as a data frame.
learned_of <- function(text) {
  object <- jsonlite::fromJSON(text, simplifyVector = FALSE, bigint_as_char = TRUE)
  learned <- c(graph_of(text), object[setdiff(names(object), c("nodes", "edges"))])
  structure(learned, class = c("npvar", "npvar_graph"))
}

graph_of <- function(text) {
  object <- jsonlite::fromJSON(text, simplifyVector = FALSE)
  edges <- edges_of(object$edges)
  structure(list(nodes = unlist(object$nodes), edges = edges, json = text), class = "npvar_graph")
}

edges_of <- function(edges) {
  words <- function(field) vapply(edges, function(edge) edge[[field]], "")
  numbers <- function(field) {
    vapply(edges, function(edge) if (is.null(edge[[field]])) NA_real_ else as.double(edge[[field]]), 0)
  }
  frame <- data.frame(from = words("from"), to = words("to"), kind = words("kind"))
  for (field in c("p_value", "strength", "frequency", "weight", "without_nats", "turned_nats")) {
    values <- numbers(field)
    if (any(!is.na(values))) frame[[field]] <- values
  }
  frame
}

# A graph, or its 0/1 adjacency matrix (row = parent), as JSON.
json_of <- function(graph) {
  if (inherits(graph, "npvar_graph")) return(graph$json)
  if (!is.matrix(graph) || nrow(graph) != ncol(graph)) {
    stop("a graph is what npvar() gives, or a square adjacency matrix", call. = FALSE)
  }
  nodes <- colnames(graph)
  if (is.null(nodes)) nodes <- paste0("X", seq_len(ncol(graph)))
  at <- which(graph != 0, arr.ind = TRUE)
  both <- graph[at] != 0 & t(graph)[at] != 0
  at <- at[!both | at[, 1] < at[, 2], , drop = FALSE]
  both <- t(graph)[at] != 0
  edges <- lapply(seq_len(nrow(at)), function(i) {
    kind <- if (!both[i]) "directed" else if (graph[at[i, 1], at[i, 2]] == 2) "bidirected" else "undirected"
    list(from = nodes[at[i, 1]], to = nodes[at[i, 2]], kind = kind)
  })
  as_json(list(nodes = as.list(nodes), edges = if (length(edges)) edges else I(list())))
}

as.data.frame.npvar_graph <- function(x, row.names = NULL, optional = FALSE, ...) x$edges

CIRCLES <- c("partially-directed", "undetermined", "partially-undirected")

# Row = parent: 1 for an edge, in both entries of a pair for an undirected one, 2 in both for a bidirected one.
as.matrix.npvar_graph <- function(x, ...) {
  if (any(x$edges$kind %in% CIRCLES)) stop("a matrix of 0, 1 and 2 has no circles; amat() has them", call. = FALSE)
  matrix <- matrix(0L, length(x$nodes), length(x$nodes), dimnames = list(x$nodes, x$nodes))
  for (i in seq_len(nrow(x$edges))) {
    edge <- x$edges[i, ]
    matrix[edge$from, edge$to] <- if (edge$kind == "bidirected") 2L else 1L
    if (edge$kind != "directed") matrix[edge$to, edge$from] <- matrix[edge$from, edge$to]
  }
  matrix
}

amat <- function(x, ...) UseMethod("amat")

# pcalg's "amat.cpdag": the entry in row b, column a is 1 for a -> b; 1 in both for an undirected edge. Its "amat.pag"
# where there are circles, or what FCI found: the entry in row a, column b is the mark at b (1 circle, 2 arrow, 3 tail).
amat.npvar_graph <- function(x, ...) {
  if (any(x$edges$kind %in% CIRCLES) || identical(x$learner$name, "fci")) {
    matrix <- matrix(0L, length(x$nodes), length(x$nodes), dimnames = list(x$nodes, x$nodes))
    code <- c("o" = 1L, ">" = 2L, "<" = 2L, "-" = 3L)
    for (i in seq_len(nrow(x$edges))) {
      edge <- x$edges[i, ]
      marks <- marks_of(edge$kind)
      matrix[edge$from, edge$to] <- code[[marks$to]]
      matrix[edge$to, edge$from] <- code[[marks$from]]
    }
    return(structure(matrix, type = "amat.pag"))
  }
  if (any(x$edges$kind == "bidirected")) {
    stop("pcalg's matrix of a DAG or CPDAG has no bidirected edges; as.matrix() marks them with 2", call. = FALSE)
  }
  structure(t(as.matrix(x)), type = "amat.cpdag")
}

as.igraph.npvar_graph <- function(x, ...) {
  if (!requireNamespace("igraph", quietly = TRUE)) stop("as.igraph() needs the package igraph", call. = FALSE)
  back <- x$edges[x$edges$kind %in% c("undirected", "bidirected", "undetermined"), ]
  back[c("from", "to")] <- back[c("to", "from")]
  igraph::graph_from_data_frame(rbind(x$edges, back), directed = TRUE, vertices = data.frame(name = x$nodes))
}

as.bn.npvar_graph <- function(x, ...) {
  if (!requireNamespace("bnlearn", quietly = TRUE)) stop("as.bn() needs the package bnlearn", call. = FALSE)
  if (any(x$edges$kind == "bidirected")) stop("bnlearn has no bidirected edges", call. = FALSE)
  if (any(x$edges$kind %in% CIRCLES)) stop("bnlearn has no edges with circles", call. = FALSE)
  arcs <- which(as.matrix(x) != 0, arr.ind = TRUE)
  arcs <- cbind(from = x$nodes[arcs[, 1]], to = x$nodes[arcs[, 2]])
  network <- bnlearn::empty.graph(x$nodes)
  bnlearn::arcs(network) <- arcs
  network
}

to_caugi <- function(x) {
  if (!requireNamespace("caugi", quietly = TRUE)) stop("to_caugi() needs the package caugi", call. = FALSE)
  glyphs <- c(directed = "-->", undirected = "---", bidirected = "<->", "partially-directed" = "o->",
              undetermined = "o-o", "partially-undirected" = "--o")
  kinds <- unique(x$edges$kind)
  is_pdag <- all(kinds %in% c("directed", "undirected"))
  class <- if (all(kinds == "directed")) "DAG" else if (is_pdag) "PDAG" else "UNKNOWN"
  turned <- x$edges$kind == "partially-undirected" # caugi writes this one from its other end
  x$edges[turned, c("from", "to")] <- x$edges[turned, c("to", "from")]
  if (nrow(x$edges) == 0) return(caugi::caugi(nodes = x$nodes, class = class))
  caugi::caugi(from = x$edges$from, edge = unname(glyphs[x$edges$kind]), to = x$edges$to, nodes = x$nodes,
               class = class)
}

write_graph <- function(x, file) {
  ending <- tolower(sub(".*\\.", "", basename(file)))
  formats <- c(csv = "csv", dot = "dot", gv = "dot", graphml = "graphml")
  if (ending != "json" && !ending %in% names(formats)) {
    stop("a graph file ends in .json, .csv, .dot, .gv or .graphml", call. = FALSE)
  }
  text <- if (ending == "json") x$json else ask("convert", graph = x$json, to = formats[[ending]])
  connection <- base::file(file, "wb", encoding = "UTF-8")
  on.exit(close(connection))
  writeBin(charToRaw(enc2utf8(text)), connection)
  invisible(file)
}

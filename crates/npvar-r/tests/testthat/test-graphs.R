# a -> b, and b -- c.
graph <- function() {
  text <- paste0('{"nodes": ["a", "b", "c"], "edges": [{"from": "a", "to": "b", "kind": "directed"},',
                 ' {"from": "b", "to": "c", "kind": "undirected"}]}')
  npvar:::graph_of(text)
}

test_that("matrices have rows for parents, and pcalg's for children", {
  expected <- matrix(c(0L, 0L, 0L, 1L, 0L, 1L, 0L, 1L, 0L), 3, dimnames = rep(list(c("a", "b", "c")), 2))
  expect_equal(as.matrix(graph()), expected)
  expect_equal(amat(graph())["b", "a"], 1L)
  expect_equal(amat(graph())["a", "b"], 0L)
  expect_equal(attr(amat(graph()), "type"), "amat.cpdag")
})

test_that("marks of partial ancestral graphs are pcalg's codes", {
  # a o-> b: a circle (1) at a, an arrowhead (2) at b.
  text <- '{"nodes": ["a", "b"], "edges": [{"from": "a", "to": "b", "kind": "partially-directed"}]}'
  matrix <- amat(npvar:::graph_of(text))
  expect_equal(attr(matrix, "type"), "amat.pag")
  expect_equal(c(matrix["a", "b"], matrix["b", "a"]), c(2L, 1L))
  expect_error(as.matrix(npvar:::graph_of(text)), "circles")
})

test_that("a matrix that came from a graph is that graph", {
  chain <- matrix(0L, 3, 3, dimnames = list(c("a", "b", "c"), c("a", "b", "c")))
  chain["a", "b"] <- chain["b", "c"] <- 1L
  expect_equal(npvar_evaluate(chain, chain)$shd, 0)
  expect_equal(npvar_evaluate(t(chain), chain)$shd, 2)
})

test_that("igraph gets every edge, undirected ones twice", {
  skip_if_not_installed("igraph")
  network <- igraph::as.igraph(graph())
  expect_equal(igraph::as_adjacency_matrix(network, sparse = FALSE), as.matrix(graph()) + 0)
})

test_that("bnlearn gets the same arcs", {
  skip_if_not_installed("bnlearn")
  expect_equal(bnlearn::amat(bnlearn::as.bn(graph())), as.matrix(graph()))
})

test_that("caugi gets the same edges", {
  skip_if_not_installed("caugi")
  expect_equal(nrow(caugi::edges(to_caugi(graph()))), 2)
})

test_that("plots draw every node, and print and summary say what was found", {
  file <- tempfile(fileext = ".pdf")
  on.exit(unlink(file))
  grDevices::pdf(file, compress = FALSE)
  plot(graph(), main = "a title")
  grDevices::dev.off()
  drawn <- paste(iconv(readLines(file, warn = FALSE), "latin1", "ASCII", sub = ""), collapse = "\n")
  for (name in c("(a)", "(b)", "(c)")) expect_match(drawn, name, fixed = TRUE)
  expect_output(print(graph()), "a -> b")
  expect_output(print(graph()), "b -- c")
})

test_that("files are written in the format that their ending names", {
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  written <- function(name) paste(readLines(write_graph(graph(), file.path(folder, name))), collapse = "\n")
  expect_match(written("g.csv"), "a,b,c", fixed = TRUE)
  expect_match(written("g.dot"), "\"a\" -> \"b\"", fixed = TRUE)
  expect_match(written("g.graphml"), "<graphml", fixed = TRUE)
  expect_equal(as.matrix(npvar:::graph_of(written("g.json"))), as.matrix(graph()))
  expect_error(write_graph(graph(), "g.xyz"), "graphml")
})

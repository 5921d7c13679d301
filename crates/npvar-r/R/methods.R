SIGNS <- c(directed = "->", undirected = "--", bidirected = "<->", "partially-directed" = "o->",
           undetermined = "o-o", "partially-undirected" = "o--")

# What stands at the two ends of an edge of a kind; the signs say it: `from` is left, `to` is right.
marks_of <- function(kind) {
  sign <- SIGNS[kind]
  from <- substr(sign, 1, 1)
  to <- substr(sign, nchar(sign), nchar(sign))
  data.frame(from = unname(from), to = unname(to))
}

print.npvar_graph <- function(x, ...) {
  cat(sprintf("%d nodes, %d edges\n", length(x$nodes), nrow(x$edges)))
  print_edges(x$edges)
  invisible(x)
}

print.npvar <- function(x, ...) {
  if (!is.null(x$verdict)) cat(x$verdict$sentence, "\n\n", sep = "")
  cat(sprintf("%s: %d nodes, %d edges from %s samples\n", x$learner$name, length(x$nodes), nrow(x$edges),
              format(x$n, big.mark = " ")))
  print_edges(x$edges)
  if (!is.null(x$order)) cat("order: ", paste(unlist(x$order), collapse = ", "), "\n", sep = "")
  invisible(x)
}

print_edges <- function(edges) {
  if (nrow(edges) == 0) return(invisible())
  sign <- SIGNS[edges$kind]
  sign[is.na(sign)] <- edges$kind[is.na(sign)]
  shown <- data.frame(edge = paste(edges$from, sign, edges$to))
  for (field in setdiff(names(edges), c("from", "to", "kind"))) {
    shown[[gsub("_", " ", field)]] <- format(signif(edges[[field]], 3))
  }
  print(shown, row.names = FALSE, right = FALSE)
}

summary.npvar <- function(object, ...) {
  noticed <- vapply(object$diagnostics, function(one) paste0(one$level, ": ", one$message), "")
  intake <- vapply(object$intake, function(one) paste(unlist(one), collapse = ": "), "")
  structure(list(learned = object, noticed = noticed, intake = intake), class = "summary.npvar")
}

print.summary.npvar <- function(x, ...) {
  print(x$learned)
  listed <- function(title, lines) if (length(lines)) cat("\n", title, "\n", paste0("  ", lines, "\n"), sep = "")
  listed("What was done to the table:", x$intake)
  listed("What speaks against it:", x$noticed)
  cat("\nseed ", format(x$learned$seed, scientific = FALSE), "\n", sep = "")
  invisible(x)
}

print.npvar_diagnosis <- function(x, ...) {
  cat(sprintf("%s samples of %d columns\n", format(x$n, big.mark = " "), nrow(x$columns)))
  shown <- c("name", "kind", "variance", "r_squared", "residual_variance")
  print(x$columns[intersect(shown, names(x$columns))], row.names = FALSE, digits = 3)
  number <- function(value) if (is.null(value)) "none" else format(signif(value, 3))
  cat("largest by smallest residual variance: ", number(x$residual_variance_ratio), "\n", sep = "")
  cat("var-sortability ", number(x$var_sortability), ", R2-sortability ", number(x$r2_sortability), "\n", sep = "")
  if (length(x$diagnostics)) cat(paste0(x$diagnostics$level, ": ", x$diagnostics$message, "\n"), sep = "")
  invisible(x)
}

# The layout is the one of every other picture of npvar: parents before children, and no edge crosses a foreign box.
plot.npvar_graph <- function(x, col = "white", border = "grey30", edge.col = "grey30", ...) {
  at <- ask("layout", graph = x$json)
  node <- at$nodes
  routes <- if (length(at$edges)) at$edges else data.frame(kind = character(0))
  graphics::plot.new()
  span <- function(middle, size, along) range(c(middle - size / 2, middle + size / 2, unlist(along)))
  graphics::plot.window(span(node$x, node$width, routes$x), rev(span(node$y, node$height, routes$y)), asp = 1)
  for (i in seq_along(routes$kind)) {
    curve <- bezier(routes$x[[i]], routes$y[[i]])
    graphics::lines(curve$x, curve$y, col = edge.col)
    marks <- marks_of(routes$kind[i])
    drawn_mark(marks$to, curve, edge.col)
    drawn_mark(marks$from, lapply(curve, rev), edge.col)
  }
  graphics::rect(node$x - node$width / 2, node$y - node$height / 2, node$x + node$width / 2,
                 node$y + node$height / 2, col = col, border = border)
  fits <- min(1, 0.9 * node$width / pmax(graphics::strwidth(node$label), 1e-9),
              0.9 * node$height / pmax(abs(graphics::strheight(node$label)), 1e-9))
  graphics::text(node$x, node$y, node$label, cex = fits)
  graphics::title(...)
  invisible(x)
}

# Points of a curve of cubic pieces: a point, then three for every piece.
bezier <- function(x, y) {
  t <- seq(0, 1, length.out = 24)
  piece <- function(p) (1 - t)^3 * p[1] + 3 * (1 - t)^2 * t * p[2] + 3 * (1 - t) * t^2 * p[3] + t^3 * p[4]
  pieces <- seq_len((length(x) - 1) %/% 3)
  along <- function(p) unlist(lapply(pieces, function(k) piece(p[(3 * k - 2):(3 * k + 1)])))
  list(x = along(x), y = along(y))
}

# What stands at the end of a curve.
drawn_mark <- function(mark, curve, col) {
  if (mark %in% c(">", "<")) arrowhead(curve, col)
  if (mark == "o") {
    n <- length(curve$x)
    graphics::points(curve$x[n], curve$y[n], pch = 21, bg = "white", col = col)
  }
}

# A triangle at the end of a curve, 9 units of the layout long.
arrowhead <- function(curve, col) {
  n <- length(curve$x)
  tip <- c(curve$x[n], curve$y[n])
  away <- which((curve$x - tip[1])^2 + (curve$y - tip[2])^2 > 25)
  from <- if (length(away)) max(away) else 1
  back <- c(curve$x[from], curve$y[from]) - tip
  back <- back / sqrt(sum(back^2))
  across <- c(-back[2], back[1])
  corners <- rbind(tip, tip + 9 * back + 4 * across, tip + 9 * back - 4 * across)
  graphics::polygon(corners[, 1], corners[, 2], col = col, border = NA)
}

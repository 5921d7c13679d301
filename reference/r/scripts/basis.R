# ../gam/basis_anatomy.json: one smooth of each kind taken apart; ../gam/psum_chisq.json: tails of weighted chi-square
# sums by mgcv's routine (the arguments val, d, k0 are stored, the probabilities made).

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])), "check.R"))
suppressPackageStartupMessages(library(mgcv))

data <- dataset("ER-SIN-1_d10")[1:100, "X1", drop = FALSE]

smooth <- function(bs, absorb = FALSE, scale = FALSE) {
  smoothCon(s(X1, bs = bs, k = 10), data, absorb.cons = absorb, scale.penalty = scale)[[1]]
}

first_rows <- function(X) unname(X[1:10, ])

anatomy <- function() {
  raw <- smooth("ps")
  absorbed <- smooth("ps", absorb = TRUE, scale = TRUE)
  Z <- qr.Q(attr(absorbed, "qrc"), complete = TRUE)[, -1]
  scale <- smooth("ps", scale = TRUE)
  cr <- smooth("cr")
  tp <- smooth("tp")
  list(
    id = "basis_anatomy_ps", source = list(dataset = "ER-SIN-1_d10", rows = "1..100", column = "X1"), knots = raw$knots,
    X_raw_first10 = first_rows(raw$X), S_raw = unname(raw$S[[1]]), S_scale = scale$S.scale, X_inf_norm = norm(raw$X, "I"),
    S_one_norm = norm(raw$S[[1]], "O"), C_colmeans = unname(colMeans(raw$X)), Z = Z, X_absorbed_first10 = first_rows(absorbed$X),
    S_absorbed = unname(absorbed$S[[1]]), S_scaled_first_row = unname(scale$S[[1]][1, ]),
    max_abs_err_XZ = max(abs(raw$X %*% Z - absorbed$X)),
    cr = list(
      knots = unname(cr$xp), X_raw_first10 = first_rows(cr$X), S_raw = unname(cr$S[[1]]),
      S_scale = smooth("cr", scale = TRUE)$S.scale, F = matrix(cr$F, 10, byrow = TRUE)
    ),
    tp = list(
      shift = unname(tp$shift), X_raw_first10 = first_rows(tp$X), S_raw = unname(tp$S[[1]]),
      S_scale = smooth("tp", scale = TRUE)$S.scale, X_inf_norm = norm(tp$X, "I"), n_knots = length(tp$Xu)
    )
  )
}

# P(sum val chi2_1 > (d / k0) chi2_k0).
tail_of <- function(case, tolerance) {
  mgcv:::psum.chisq(0, c(case$val, -case$d / case$k0), c(rep(1, length(case$val)), case$k0), tol = tolerance)
}

tails <- function() {
  lapply(from_json(file.path(reference, "gam", "psum_chisq.json")), function(case) {
    rank <- case$k + case$nu
    c(case[c("val", "d", "k0", "k", "nu")], list(
      p_mgcv_tol2e5 = tail_of(case, 2e-5), p_davies_tol1e9 = tail_of(case, 1e-9),
      p_pf_approx = pf(case$d / rank, rank, case$k0, lower.tail = FALSE)
    ))
  })
}

make <- function(name) if (name == "basis_anatomy") anatomy() else tails()

main(
  "gam", c("basis_anatomy", "psum_chisq"), make, tolerance = c(other = 1e-10, max_abs_err_XZ = 1e-14),
  absolute = "max_abs_err_XZ", signless = c("tp.X_raw_first10", "tp.S_raw")
)

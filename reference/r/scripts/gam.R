# ../gam: single regressions with mgcv. A stored case says what was asked (source, y, x, formula, method, newdata: seven
# points, the outer two 30 % of the range outside the data); everything else in it is made here.
#
# CAM 1.0 must be installed (R_LIBS) for the cases cam_train_gam__*; `check` leaves them out where it is not.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])), "check.R"))
suppressPackageStartupMessages(library(mgcv))

data_of <- function(source) {
  if (!is.null(source$file)) return(read.csv(file.path(reference, source$file)))
  dataset(source$dataset)[rows_of(source$rows), , drop = FALSE]
}

smooth_of <- function(fit, at) {
  smooth <- fit$smooth[[at]]
  columns <- smooth$first.para:smooth$last.para
  constraint <- attr(smooth, "qrc")
  found <- list(
    label = smooth$label, class = class(smooth)[1], bs_dim = smooth$bs.dim, S_scale = smooth$S.scale,
    knots = if (!is.null(smooth$knots)) smooth$knots else smooth$xp, first_para = smooth$first.para,
    last_para = smooth$last.para, edf = sum(fit$edf[columns]), edf1 = sum(fit$edf1[columns]), sp = smooth$sp,
    constraint_colmeans_qr_R = as.vector(constraint$qr), constraint_qraux = constraint$qraux
  )
  if (!is.null(attr(smooth, "indi"))) found$constraint_nonzero_columns <- attr(smooth, "indi")
  if (!is.null(smooth$shift)) found$shift <- smooth$shift
  found
}

# The eigenvalues and rotated coefficients behind a term's p-value (Wood 2013), as the README defines them.
test_of <- function(fit, summary, at) {
  smooth <- fit$smooth[[at]]
  columns <- smooth$first.para:smooth$last.para
  edf1 <- min(length(columns), sum(fit$edf1[columns]))
  R <- qr(fit$R[, columns, drop = FALSE], tol = 0)
  root <- qr.R(R)
  V <- root %*% fit$Vp[columns, columns][R$pivot, R$pivot] %*% t(root)
  decomposed <- eigen((V + t(V)) / 2, symmetric = TRUE)
  list(
    term = at, edf1 = edf1, k = floor(edf1), nu = edf1 - floor(edf1), residual_df = fit$df.residual,
    k0 = max(1, round(fit$df.residual)), eigenvalues = decomposed$values,
    z = as.vector(t(decomposed$vectors) %*% root %*% fit$coefficients[columns][R$pivot]),
    stat = unname(summary$chi.sq[at]), p_value = unname(summary$s.pv[at]), ref_df = unname(summary$s.table[at, "Ref.df"])
  )
}

fit_as_list <- function(fit, y) {
  summary <- summary(fit)
  table <- summary$s.table
  terms <- seq_along(fit$smooth)
  found <- list(
    coefficients = unname(fit$coefficients), sp_full = unname(if (is.null(fit$full.sp)) fit$sp else fit$full.sp),
    scale_sig2 = fit$sig2, score_name = if (fit$method == "REML") "REML" else "GCV", score = unname(fit$gcv.ubre),
    deviance = fit$deviance, edf_total = sum(fit$edf), df_residual = fit$df.residual, null_deviance = fit$null.deviance,
    rank = fit$rank, n_coef = length(fit$coefficients), converged = fit$converged
  )
  if (!is.null(fit$reml.scale)) found$reml_scale <- fit$reml.scale
  c(found, list(
    smooths = lapply(terms, function(at) smooth_of(fit, at)),
    s_table = lapply(terms, function(at) as.list(table[at, ])),
    intercept_se = sqrt(fit$Vp[1, 1]), r_sq_adj = summary$r.sq, dev_expl = summary$dev.expl,
    fitted = unname(as.vector(fit$fitted.values)), var_y = var(y), var_fitted = var(as.vector(fit$fitted.values)),
    npvar_condvar = var(y) - var(as.vector(fit$fitted.values)), var_residuals = var(as.vector(fit$residuals)),
    mse = mean(fit$residuals^2), test_detail = lapply(terms, function(at) test_of(fit, summary, at))
  ))
}

predictions <- function(fit, newdata) {
  points <- as.data.frame(do.call(rbind, lapply(newdata, unlist)))
  predicted <- predict(fit, points, se.fit = TRUE)
  terms <- predict(fit, points, type = "terms")
  rows <- function(values) unname(lapply(seq_len(nrow(values)), function(at) as.list(values[at, , drop = FALSE])))
  list(
    newdata = newdata, predict_new = unname(as.vector(predicted$fit)),
    predict_new_se = unname(as.vector(predicted$se.fit)), predict_new_terms = lapply(rows(terms), unname)
  )
}

make <- function(name) {
  asked <- from_json(file.path(reference, "gam", paste0(name, ".json")))
  data <- data_of(asked$source)
  y <- data[[asked$y]]
  if (startsWith(name, "cam_train_gam")) return(by_cam(asked, data, y))
  method <- if (identical(asked$method, "REML")) "REML" else "GCV.Cp"
  said <- with_warnings(tryCatch(gam(as.formula(asked$formula), data = data, method = method), error = conditionMessage))
  found <- asked[c("id", "source", "n", "y", "x", "formula", "bs", "k", "fixed_sp", "method")]
  if (is.character(said$value)) return(c(found, list(error = said$value, warnings = I(unique(said$warnings)))))
  rest <- with_warnings(c(fit_as_list(said$value, y), predictions(said$value, asked$newdata)))$value
  c(found, list(warnings = I(unique(said$warnings))), rest)
}

by_cam <- function(asked, data, y) {
  printed <- capture.output(fit <- tryCatch(CAM:::train_gam(as.matrix(data[asked$x]), y, list(numBasisFcts = 10)), error = conditionMessage))
  found <- c(asked[c("id", "source", "n", "y", "x", "call")], list(messages = I(trimws(printed))))
  if (is.character(fit)) return(c(found[names(found) != "messages"], list(messages = I(character(0)), error = fit)))
  c(found, list(formula = paste(deparse(fit$model$formula, width.cutoff = 500), collapse = "")), fit_as_list(fit$model, y),
    list(cam_score_minus_log_var_resid = -log(var(as.vector(fit$residuals)))))
}

cases <- sub("\\.json$", "", list.files(file.path(reference, "gam"), "__.*\\.json$"))
if (requireNamespace("CAM", quietly = TRUE)) {
  suppressPackageStartupMessages(library(CAM))
} else {
  cases <- cases[!startsWith(cases, "cam_train_gam")]
}
# Left out: where the response has no noise, everything that is noise of rounding (mgcv's p-values there are 0, 1 or
# NaN); where columns are binary, on which side of 1 a term's degrees of freedom fall (s_table has the p-value).
without_noise <- c(
  "deviance", "df_residual", "edf_total", "intercept_se", "mse", "npvar_condvar", "predict_new_se", "predict_new_terms",
  "s_table", "scale_sig2", "score", "smooths", "sp_full", "test_detail", "var_fitted", "var_residuals"
)
left_out <- function(name) {
  if (grepl("^deg_(perfect|yconst)", name)) without_noise else if (grepl("binary", name)) "test_detail" else character(0)
}

# p-values carry the 2e-5 of mgcv's routine; nu is what is left of edf1 above a whole number, so its size says nothing.
main(
  "gam", cases, make, tolerance = c(other = 1e-8, `s_table.p-value` = 4e-5), absolute = c("s_table.p-value", "test_detail.nu"),
  left_out = left_out, signless = "test_detail.z"
)

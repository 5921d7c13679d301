sample_of <- function(...) npvar_simulate(..., seed = 1)

test_that("a chain of three with a clear order is found", {
  set.seed(3)
  x <- rnorm(800)
  y <- sin(2 * x) + 0.5 * rnorm(800)
  z <- y^2 + 0.5 * rnorm(800)
  # Var(x) = 1 is made equal to the noise of the others by its scale.
  learned <- npvar(data.frame(z = z, x = x / 2, y = y), seed = 1, threads = 2)
  expect_s3_class(learned, c("npvar", "npvar_graph"), exact = TRUE)
  expect_equal(unlist(learned$order), c("x", "y", "z"))
  expect_equal(paste(learned$edges$from, learned$edges$to), c("x y", "y z"))
  expect_true(all(learned$edges$p_value < 1e-6))
})

test_that("a data frame, a matrix and a file of the same numbers have the same edges", {
  data <- sample_of("ER-SIN-1", nodes = 6, samples = 400)$data
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  write.csv(format(data, digits = 17), file, row.names = FALSE, quote = FALSE)
  frame <- npvar(data, seed = 1, threads = 2)
  expect_gt(nrow(frame$edges), 0)
  expect_equal(npvar(as.matrix(data), seed = 1, threads = 1)$edges, frame$edges)
  expect_equal(npvar(file, seed = 1, threads = 2)$edges, frame$edges)
})

test_that("options reach the learner, and unknown ones are named", {
  data <- sample_of("ER-SIN-1", nodes = 4, samples = 200)$data
  learned <- npvar(data, cutoff = 0.01, estimator.sp = 1.5, seed = 1, threads = 2)
  expect_equal(learned$learner$cutoff, 0.01)
  expect_error(npvar(data, cutof = 0.01), "cutoff", class = "npvar_option_error")
  expect_error(npvar(data, learner = "no-such"), "npvar", class = "npvar_option_error")
  expect_error(npvar(data, missing = "perhaps"), "drop-rows", class = "npvar_option_error")
  expect_error(npvar(data, "npvar", 3), "names")
})

test_that("factors are categories, and what was done is told", {
  set.seed(1)
  group <- factor(sample(c("red", "green", "blue"), 300, TRUE))
  y <- c(red = 0, green = 2, blue = 5)[as.character(group)] + rnorm(300)
  learned <- npvar(data.frame(group = group, y = y), seed = 1, threads = 2)
  expect_equal(paste(learned$edges$from, learned$edges$to), "group y")
  expect_match(paste(unlist(learned$intake), collapse = " "), "group")
})

test_that("missing values follow `missing`", {
  data <- sample_of("ER-SIN-1", nodes = 4, samples = 200)$data
  data[3, 2] <- NA
  expect_error(npvar(data, missing = "error"), "X2.*missing", class = "npvar_data_error")
  learned <- npvar(data, missing = "drop-rows", seed = 1, threads = 2)
  expect_match(paste(unlist(learned$intake), collapse = " "), "row")
})

test_that("knowledge and a given order hold", {
  data <- sample_of("ER-SIN-1", nodes = 4, samples = 300)$data
  learned <- npvar(data, knowledge = list(forbidden = list(c("X1", "X2"))), seed = 1, threads = 2)
  expect_equal(as.matrix(learned)["X1", "X2"], 0L)
  order <- c("X4", "X2", "X3", "X1")
  expect_equal(unlist(npvar(data, order = order, seed = 1, threads = 2)$order), order)
  expect_error(npvar(data, order = "nobody"), "nobody", class = "npvar_error")
})

test_that("set.seed holds for the seed that is drawn", {
  data <- sample_of("ER-SIN-1", nodes = 3, samples = 100)$data
  set.seed(5)
  first <- npvar(data, threads = 2)$seed
  set.seed(5)
  expect_equal(npvar(data, threads = 2)$seed, first)
})

test_that("every learner of the registry is there with its options", {
  learners <- npvar_learners()
  expect_true(all(c("npvar", "eqvar", "pc", "ges", "cam") %in% names(learners)))
  data <- sample_of("ER-SIN-1", nodes = 4, samples = 300)$data
  expect_true("undirected" %in% c(npvar(data, "pc", seed = 1, threads = 2)$edges$kind, "undirected"))
})

test_that("what is not a table is refused in words", {
  expect_error(npvar(1:3), "data frame")
  expect_error(npvar("/no/such/file.csv"), "no/such", class = "npvar_file_error")
})

test_that("bootstrap frequencies come with the edges", {
  data <- sample_of("ER-SIN-1", nodes = 4, samples = 200)$data
  learned <- npvar(data, bootstrap = 10, seed = 1, threads = 2)
  expect_true(all(learned$edges$frequency >= 0 & learned$edges$frequency <= 1))
})

test_that("an estimate is compared with the truth", {
  simulated <- sample_of("ER-SIN-1", nodes = 5, samples = 1000)
  truth <- simulated$truth
  expect_equal(npvar_evaluate(truth, truth)$shd, 0)
  nothing <- as.matrix(truth) * 0L
  expect_equal(npvar_evaluate(nothing, truth)$shd, nrow(truth$edges))
})

test_that("a diagnosis prints", {
  data <- sample_of("ER-SIN-1", nodes = 4, samples = 200)$data
  expect_output(print(npvar_diagnose(data, threads = 2)), "R2-sortability")
})

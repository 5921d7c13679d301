# Asking the compiled half, and raising what it says went wrong.

# The answer of an outcome, or the condition: of class npvar_<kind>_error and npvar_error.
answer_of <- function(text) {
  outcome <- jsonlite::fromJSON(text, simplifyMatrix = FALSE)
  if (is.null(outcome$message)) return(outcome$answer)
  classes <- c(paste0("npvar_", outcome$kind, "_error"), "npvar_error", "error", "condition")
  stop(structure(class = classes, list(message = outcome$message, call = NULL)))
}

ask <- function(call, ...) answer_of(.Call(C_call, as_json(list(call = call, ...))))

# Waits for work on other threads. Between two waits R looks for an interrupt; on the way out the work is given up.
finished <- function(data, question) {
  running <- .Call(C_start, data, question)
  on.exit(.Call(C_give_up, running))
  repeat {
    text <- .Call(C_wait, running, 50L)
    if (!is.null(text)) return(answer_of(text))
  }
}

# What is asked of a table, as JSON: absent arguments are null, and names are always lists.
as_question <- function(learner, options, seed, threads, columns, exclude, missing, strict, order, knowledge, evidence,
                        bootstrap, resampling) {
  listed <- function(values) if (is.null(values)) NULL else as.list(as.character(values))
  known <- if (is.null(knowledge)) NULL else knowledge_of(knowledge)
  question <- list(
    learner = learner, options = options, seed = seed_of(seed), threads = whole(threads, "threads"),
    columns = listed(columns), exclude = listed(exclude), missing = missing, strict = isTRUE(strict),
    order = listed(order), knowledge = known, evidence = isTRUE(evidence),
    bootstrap = if (is.null(bootstrap)) NULL else whole(bootstrap, "bootstrap"), resampling = resampling
  )
  as_json(question)
}

as_json <- function(value) {
  as.character(jsonlite::toJSON(plain(value), auto_unbox = TRUE, null = "null", digits = NA, na = "string"))
}

# Whole numbers are written without an exponent, and an empty list is an object.
plain <- function(value) {
  if (inherits(value, "AsIs")) return(value)
  if (is.list(value)) {
    if (length(value) == 0) return(structure(list(), names = character(0)))
    return(lapply(value, plain))
  }
  is_whole <- is.numeric(value) && length(value) > 0 && all(is.finite(value)) && all(value == round(value)) &&
    all(abs(value) <= .Machine$integer.max)
  if (is_whole) as.integer(value) else value
}

# Options as the registry of learners takes them, with `_` or `-`, and `.` before a part.
options_of <- function(options) {
  if (length(options) == 0) return(list())
  if (is.null(names(options)) || any(names(options) == "")) {
    stop("options of a learner have names, such as `cutoff = 0.01`; npvar_learners() lists them", call. = FALSE)
  }
  options
}

# Pairs of names as a two-column matrix or a list; everything else as lists of names.
knowledge_of <- function(knowledge) {
  pairs <- function(value) {
    rows <- if (is.matrix(value)) lapply(seq_len(nrow(value)), function(i) value[i, ]) else value
    lapply(unname(rows), function(row) as.list(unname(as.character(row))))
  }
  for (name in intersect(names(knowledge), c("required", "forbidden"))) knowledge[[name]] <- pairs(knowledge[[name]])
  if (!is.null(knowledge$tiers)) {
    knowledge$tiers <- lapply(unname(knowledge$tiers), function(tier) as.list(as.character(tier)))
  }
  for (name in intersect(names(knowledge), c("roots", "sinks"))) knowledge[[name]] <- as.list(knowledge[[name]])
  knowledge
}

# Without a seed one is drawn from R's own generator, so that set.seed() holds here too.
seed_of <- function(seed) {
  if (is.null(seed)) seed <- sample.int(.Machine$integer.max, 1)
  if (is.character(seed)) seed else format(seed, scientific = FALSE, trim = TRUE)
}

whole <- function(value, name) {
  if (!is.numeric(value) || length(value) != 1 || is.na(value) || value < 0 || value != round(value)) {
    stop(sprintf("`%s` must be a whole number, not below 0", name), call. = FALSE)
  }
  as.integer(value)
}

# A table for the compiled half: paths as they are, else a named list of numbers and words. Factors, dates and words go
# as words, and are taken in as the cells of a file are.
table_of <- function(data) {
  if (is.character(data) && is.null(dim(data))) return(path.expand(data))
  if (is.matrix(data)) {
    if (is.null(colnames(data))) colnames(data) <- paste0("X", seq_len(ncol(data)))
    data <- as.data.frame(data, stringsAsFactors = FALSE)
  }
  if (!is.data.frame(data)) stop("`data` must be a data frame, a matrix or the path of a file", call. = FALSE)
  columns <- lapply(data, function(column) {
    if (is.factor(column) || !(is.numeric(column) || is.logical(column)) || inherits(column, c("Date", "POSIXt"))) {
      return(as.character(column))
    }
    as.double(column)
  })
  names(columns) <- names(data)
  columns
}

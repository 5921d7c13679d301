# What the other scripts of this folder share: reading the data, and holding what is made now against what is stored.
#
#   Rscript NAME.R check [CASE ...]        makes the cases anew and prints, field by field, the largest difference to
#                                          the stored files; fails where one is beyond the tolerance stated in NAME.R
#   Rscript NAME.R make FOLDER [CASE ...]  writes the cases into a folder of your own
#
# No CASE means all of them. CODE names the folder with the checkouts of programs that are no packages (each script says
# which), R_LIBS the library with packages that Debian does not have.

suppressPackageStartupMessages(library(jsonlite))

reference <- normalizePath(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])), ".."))

dataset <- function(name) read.csv(file.path(reference, "datasets", paste0(name, ".csv")))

true_graph <- function(name) as.matrix(read.csv(file.path(reference, "datasets", paste0(name, ".adj.csv")), header = FALSE))

# The functions that a file defines, without whatever else it would run or load.
functions_of <- function(...) {
  found <- new.env()
  for (file in file.path(Sys.getenv("CODE"), c(...))) {
    for (line in as.list(parse(file))) {
      is_definition <- is.call(line) && as.character(line[[1]])[1] %in% c("<-", "=") && is.call(line[[3]]) &&
        identical(line[[3]][[1]], as.name("function"))
      if (is_definition) eval(line, found)
    }
  }
  found
}

rows_of <- function(text) {
  ends <- as.integer(strsplit(text, "..", fixed = TRUE)[[1]])
  ends[1]:ends[2]
}

order_is_correct <- function(order, graph) {
  edges <- which(graph != 0, arr.ind = TRUE)
  as.integer(all(match(edges[, 1], order) < match(edges[, 2], order)))
}

with_warnings <- function(expression) {
  said <- character(0)
  value <- withCallingHandlers(expression, warning = function(warning) {
    said <<- c(said, conditionMessage(warning))
    invokeRestart("muffleWarning")
  })
  list(value = value, warnings = said)
}

as_json <- function(value) toJSON(value, digits = 15, auto_unbox = TRUE, na = "null", null = "null", always_decimal = FALSE)

from_json <- function(text) fromJSON(text, simplifyDataFrame = FALSE)

# Largest differences by field, over all cases; list positions are not part of a field's name.
differences <- new.env()

note <- function(field, absolute, relative, case) {
  known <- differences[[field]]
  if (is.null(known)) known <- list(count = 0, absolute = 0, relative = 0, case = "")
  if (relative > known$relative) known$case <- case
  differences[[field]] <- list(
    count = known$count + 1, absolute = max(known$absolute, absolute), relative = max(known$relative, relative), case = known$case
  )
}

hold <- function(stored, made, field, case, signless, text) {
  if (is.null(stored)) stored <- NA
  if (is.null(made)) made <- NA
  if (is.list(stored) || is.list(made)) {
    stored <- as.list(stored)
    made <- as.list(made)
    keys <- if (is.null(names(stored))) seq_len(max(length(stored), length(made))) else names(stored)
    for (key in keys) {
      inner <- if (is.character(key)) paste(c(field, key), collapse = ".") else if (length(field) > 0) field else "case"
      if (is.numeric(key) && (key > length(stored) || key > length(made))) {
        note(inner, Inf, Inf, case)
      } else {
        hold(stored[[key]], made[[key]], inner, case, signless, text)
      }
    }
    return(invisible())
  }
  stored <- as.vector(stored)
  made <- as.vector(made)
  if (length(stored) != length(made)) return(note(field, Inf, Inf, case))
  if (is.character(stored) || is.character(made)) {
    difference <- if (identical(text(as.character(stored)), text(as.character(made)))) 0 else Inf
    return(note(field, difference, difference, case))
  }
  if (any(is.na(stored) != is.na(made))) return(note(field, Inf, Inf, case))
  known <- !is.na(stored)
  if (!any(known)) return(note(field, 0, 0, case))
  if (field %in% signless) {
    stored <- abs(stored)
    made <- abs(made)
  }
  absolute <- max(abs(stored[known] - made[known]))
  note(field, absolute, if (absolute == 0) 0 else absolute / max(abs(stored[known])), case)
}

# folders: below reference/r, the first that holds a case counts. cases: all names. make(name): the case as a list. tolerance: relative to the largest number
# of a field, by field (`other` for every other). absolute: fields whose differences count as they are. left_out(name): fields
# that no second run of this case can give again. ignored: fields that none can (times). signless: fields whose sign is
# the choice of an eigenvalue routine. text: what is compared of a text.
main <- function(folders, cases, make, tolerance, absolute = character(0), left_out = function(name) character(0), ignored = character(0), signless = character(0), text = identity) {
  arguments <- commandArgs(trailingOnly = TRUE)
  if (length(arguments) == 0 || !(arguments[1] %in% c("check", "make"))) stop("usage: Rscript NAME.R check [CASE ...] | make FOLDER [CASE ...]")
  named <- arguments[-(1:(if (arguments[1] == "make") 2 else 1))]
  for (name in if (length(named) > 0) named else cases) {
    made <- as_json(make(name))
    if (arguments[1] == "make") {
      dir.create(arguments[2], showWarnings = FALSE, recursive = TRUE)
      writeLines(made, file.path(arguments[2], paste0(name, ".json")))
    } else {
      files <- file.path(reference, folders, paste0(name, ".json"))
      stored <- from_json(files[file.exists(files)][1])
      stored <- if (is.null(names(stored))) stored else stored[!(names(stored) %in% left_out(name))]
      hold(stored, from_json(made), character(0), name, signless, text)
    }
  }
  rm(list = intersect(ignored, ls(differences)), envir = differences)
  if (arguments[1] == "check") report(tolerance, absolute)
}

report <- function(tolerance, absolute) {
  attached <- sort(names(sessionInfo()$otherPkgs))
  versions <- vapply(attached, function(name) packageDescription(name)$Version, "")
  cat("R ", R.version$major, ".", R.version$minor, "; ", paste(attached, versions, collapse = ", "), "\n", sep = "")
  fields <- sort(ls(differences))
  if (length(fields) == 0) stop("nothing was compared")
  identical <- vapply(fields, function(field) differences[[field]]$absolute == 0, NA)
  cat(strwrap(paste("the same:", paste(fields[identical], collapse = ", ")), width = 120, exdent = 2), sep = "\n")
  beyond <- 0
  for (field in fields[!identical]) {
    found <- differences[[field]]
    allowed <- tolerance[[if (field %in% names(tolerance)) field else "other"]]
    wrong <- (if (field %in% absolute) found$absolute else found$relative) > allowed
    beyond <- beyond + wrong
    cat(sprintf(
      "%-34s %6d times, largest difference %.2g, relative %.2g (%s)%s\n", field, found$count, found$absolute, found$relative,
      found$case, if (wrong) paste0("  BEYOND ", allowed) else ""
    ))
  }
  if (beyond > 0) stop(beyond, " fields differ by more than is stated")
}

library(testthat)
library(npvar)
test_check("npvar")

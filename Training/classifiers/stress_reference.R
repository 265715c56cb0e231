# SPDX-License-Identifier: Apache-2.0
# Checks what train_stress.py made with R's own means, and writes the goldens of the Swift tests.
#
#     Rscript Training/classifiers/stress_reference.R FOLDER Tests/PetClassifiersTests/Stress/stress.json
#
# Needs r-cran-psychtools, r-cran-mass, r-cran-nnet. Fails where something is further off than is said beside it.
suppressMessages(library(psychTools))
arguments <- commandArgs(trailingOnly = TRUE)
table <- function(name, ...) read.csv(file.path(arguments[1], name), check.names = FALSE, ...)
signals <- table("signals.csv")
covariance <- as.matrix(table("covariance.csv", header = FALSE))
thresholds <- scan(file.path(arguments[1], "thresholds.csv"), quiet = TRUE)
rows <- table("rows.csv", colClasses = c(study = "character"))
filled <- table("filled.csv")
low <- signals$name[signals$low == 1]
levels <- c("low", "moderate", "high")

check <- function(what, found, allowed) {
  cat(sprintf("%-86s %.4f, allowed %.4f\n", what, found, allowed))
  if (!isTRUE(found <= allowed)) stop("too far off: ", what)
}

# The labels, from the tables of the package, by another way: the sum of the form with the calm half turned round.
calm <- c("calm", "secure", "at.ease", "rested", "comfortable", "confident", "relaxed", "content", "joyful", "pleasant")
items <- names(sai)[4:23]
turned <- sai[items]
turned[calm] <- 5 - turned[calm]
whole <- complete.cases(turned)
form <- data.frame(study = as.character(sai$study), time = sai$time, id = sai$id, total = rowSums(turned))[whole, ]
joined <- merge(rows, form, by = c("study", "time", "id"))
disagree <- sum(tapply(joined$total, joined$level, max)[1:2] > tapply(joined$total, joined$level, min)[2:3])
check("labels that overlap in the total of whole forms", disagree, 0)

# The fit: ordered probit without a penalty by MASS on the same signals.
outcome <- factor(rows$level)
data <- data.frame(outcome, filled)
start <- c(signals$weight, thresholds)
polr <- MASS::polr(outcome ~ ., data, method = "probit", start = start)
score <- as.vector(as.matrix(filled) %*% signals$weight)
below <- pnorm(outer(-score, thresholds, "+"))
ours <- cbind(below[, 1], below[, 2] - below[, 1], 1 - below[, 2])
check("probabilities of MASS::polr and of the model: mean distance", mean(abs(polr$fitted.values - ours)), 0.01)

# Held-out persons, 8 signals: a multinomial model trained for these alone, in the same folds.
rows$order <- seq_len(nrow(rows))
answers <- merge(rows, msqR[c("study", "time", "id", low)], by = c("study", "time", "id"))
answers <- answers[order(answers$order), ]
for (name in low) answers[[name]][is.na(answers[[name]])] <- mean(answers[[name]], na.rm = TRUE)
said <- integer(nrow(answers))
for (fold in unique(answers$fold)) {
  held <- answers$fold == fold
  fit <- nnet::multinom(reformulate(low, "level"), answers[!held, ], trace = FALSE)
  said[held] <- as.integer(as.character(predict(fit, answers[held, ])))
}
own <- max.col(as.matrix(answers[levels])) - 1
cat(sprintf("8 signals, held-out persons: nnet::multinom %.4f right, the model %.4f\n",
  mean(said == answers$level), mean(own == answers$level)))
check("by how much nnet::multinom is better", mean(said == answers$level) - mean(own == answers$level), 0.01)

# Goldens. Not by the closed form: the score of what is not given is integrated over its normal distribution.
assess <- function(given, values) {
  inverse <- solve(covariance[given, given, drop = FALSE])
  others <- setdiff(seq_len(nrow(signals)), given)
  slope <- covariance[others, given, drop = FALSE] %*% inverse
  distance <- values - signals$mean[given]
  expected <- sum(signals$weight[given] * values) +
    sum(signals$weight[others] * (signals$mean[others] + slope %*% distance))
  rest <- covariance[others, others, drop = FALSE] - slope %*% covariance[given, others, drop = FALSE]
  deviation <- sqrt(max(0, as.vector(t(signals$weight[others]) %*% rest %*% signals$weight[others])))
  under <- sapply(thresholds, function(threshold) {
    if (deviation == 0) return(pnorm(threshold - expected))
    integrate(function(score) pnorm(threshold - score) * dnorm(score, expected, deviation),
      expected - 9 * deviation, expected + 9 * deviation, rel.tol = 1e-9, subdivisions = 1000)$value
  })
  effects <- distance * (signals$weight[given] + as.vector(t(slope) %*% signals$weight[others]))
  list(probabilities = c(under[1], under[2] - under[1], 1 - under[2]), effects = effects)
}

set.seed(9)
number <- function(x) paste0("[", paste(sprintf("%.7g", x), collapse = ","), "]")
text <- function(x) paste0("[", paste0("\"", gsub(".", "_", x, fixed = TRUE), "\"", collapse = ","), "]")
case <- function(quality, known, given) {
  # Values lean with the answers of people: a mood shifts all of them.
  mood <- rnorm(1) * sign(signals$weight[given]) + rnorm(length(given))
  values <- pmin(3, pmax(0, round(signals$mean[given] + mood, 1)))
  used <- given %in% known
  result <- assess(given[used], values[used])
  sprintf("{\"quality\":\"%s\",\"signals\":%s,\"values\":%s,\"used\":%s,\"effects\":%s,\"probabilities\":%s}",
    quality, text(signals$name[given]), number(values), text(signals$name[given[used]]), number(result$effects),
    number(result$probabilities))
}
known <- list(high = seq_len(nrow(signals)), medium = which(signals$medium == 1), low = which(signals$low == 1))
cases <- c()
for (quality in names(known)) {
  cases <- c(cases, case(quality, known[[quality]], known[[quality]]))
  # Some of what is given is of a higher tier; at least one is known.
  for (count in c(1, 2, 3, 5, 8, 8, 12, 20, 30, 40, 64)) {
    first <- known[[quality]][sample.int(length(known[[quality]]), 1)]
    others <- setdiff(seq_len(nrow(signals)), first)
    cases <- c(cases, case(quality, known[[quality]], c(first, sample(others, count - 1))))
  }
}
writeLines(c("[", paste0(cases, c(rep(",", length(cases) - 1), "")), "]"), arguments[2])
cat(length(cases), "goldens\n")

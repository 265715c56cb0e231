# SPDX-License-Identifier: Apache-2.0
# Writes the two tables that parent stress is trained on, as psychTools (Debian: r-cran-psychtools, GPL-2+) has them.
#
#     Rscript Training/classifiers/stress_export.R FOLDER
folder <- commandArgs(trailingOnly = TRUE)[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
for (name in c("sai", "msqR")) {
  data(list = name, package = "psychTools")
  write.csv(get(name), file.path(folder, paste0(name, ".csv")), row.names = FALSE)
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/job/handover/predict.h"

namespace lockstep::job {

/// As `lockstepctl predict --json` writes them: a list with an object an answer.
[[nodiscard]] std::string answersAsJson(const std::vector<Answer>& answers);

/// A header and a line an answer, cells quoted where they must be. `separator`: a tab is what
/// spreadsheets take from a clipboard. Columns: file, place, then of classes
/// the likeliest with its probability and those behind it, of numbers one a target, of text prompt
/// and continuation; and last the error.
[[nodiscard]] std::string answersAsCsv(const std::vector<Answer>& answers, char separator = ',');

/// A line of CSV.
[[nodiscard]] std::string csvLine(const std::vector<std::string>& cells, char separator = ',');

}  // namespace lockstep::job

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/job/report/report_words.h"
#include "core/job/report/run_record.h"

namespace lockstep::job {

/// The section of a report with the run's curves: loss, accuracy and metrics of training,
/// validation and evaluator, the time of steps, and named figures. Where it began again and where
/// something failed is marked. Empty where there is nothing to draw.
[[nodiscard]] std::string reportCharts(const RunRecord& record, const ReportWords& say);

}  // namespace lockstep::job

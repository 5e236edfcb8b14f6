// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/job/report/report_words.h"
#include "core/job/report/run_record.h"

namespace lockstep::job {

/// The sections of a report that are tables: what happened when, epochs, the newest evaluation, and
/// processes. What a table has no room for is counted in it.
[[nodiscard]] std::string reportTables(const RunRecord& record, const ReportWords& say);

}  // namespace lockstep::job

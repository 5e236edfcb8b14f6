// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/job/report/report_words.h"
#include "core/job/report/run_record.h"

namespace lockstep::job {

/// A run as one page of HTML to hand to others: how it stands or ended and why, its scores, its
/// curves, what happened when, its processes and its job file. It opens in any browser, from any
/// place: nothing in it asks for anything outside of it, and nothing of it is secret that is not in
/// the job file already. It is well-formed XML, too. Data stay what they are in any language.
[[nodiscard]] std::string htmlReport(const RunRecord& record, const ReportWords& say = {});

/// The name that such a page is given unless told otherwise: "mnist-cnn-20261126-031000.html".
[[nodiscard]] std::string reportFileName(const std::filesystem::path& runDir);

/// Reads the run of a folder and writes its page. Errors as readRunRecord() and
/// replaceFileDurably().
[[nodiscard]] Result<void> writeHtmlReport(const std::filesystem::path& runDir,
                                           const std::filesystem::path& file,
                                           const ReportWords& say = {});

}  // namespace lockstep::job

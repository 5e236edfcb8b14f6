// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/job/fold/session.h"
#include "core/job/report/step_curve.h"

namespace lockstep::job {

/// A run as its folder tells it, from the first record to the newest one.
struct RunRecord {
    std::shared_ptr<const RunView> view;
    bool isRunning = false;  ///< Some program trains in the folder, or follows the run in it.
    StepCurve loss;          ///< Of the batches that were trained on.
    StepCurve accuracy;      ///< Likewise, 0 to 1.
    StepCurve milliseconds;  ///< That a step took.
    struct Named {
        std::string unit;  ///< Empty: none.
        StepCurve curve;
    };
    std::map<std::string, Named> named;  ///< Named figures: "train/learning_rate".
    RunAbout about;                      ///< What the user says of it.
    double newestWallTime = 0;           ///< Seconds since 1970, of the newest record.
};

/// Reads the journal and the summary of a folder; logs in nowhere. NotFound when it holds no
/// journal. What of it is damaged is passed over, and `view->missing` says so.
[[nodiscard]] Result<RunRecord> readRunRecord(const std::filesystem::path& runDir);

}  // namespace lockstep::job

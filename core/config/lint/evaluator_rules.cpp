// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/evaluator_rules.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/base/text.h"
#include "core/config/job/evaluator_device.h"

namespace lockstep::config {

void checkEvaluatorDevice(const JobSpec& spec, Report& report) {
    const std::string& device = spec.evaluator.device;
    if (parseEvaluatorDevice(device)) return;
    report.error("evaluator.device",
                 fmt::format("evaluator.device is \"{}\", but must be \"cpu\", \"gpu\" or a GPU of "
                             "the evaluators' host as \"gpu:0\"",
                             sanitizeLine(device, 80)),
                 "Set evaluator.device to one of these.");
}

void checkEvaluatorIsThere(const JobSpec& spec, Report& report) {
    if (spec.cluster.evaluator) return;
    const EvaluatorSpec usual;
    const EvaluatorSpec& evaluator = spec.evaluator;
    const auto remedyOf = [&spec](std::string_view key) -> std::string {
        if (!spec.launch.runsOwnProgram())
            return fmt::format("Remove {}, or set cluster.evaluator to true.", key);
        if (key.starts_with("evaluator.")) return "Leave the section [evaluator] out.";
        return fmt::format("Remove {}.", key);
    };
    const auto warnOf = [&](const char* key, bool isUnusual) {
        if (isUnusual)
            report.warning(key, fmt::format("{} says nothing: cluster.evaluator is off", key),
                           remedyOf(key));
    };
    warnOf("evaluator.processes", evaluator.processes != usual.processes);
    warnOf("evaluator.policy", evaluator.policy != usual.policy);
    warnOf("evaluator.device", evaluator.device != usual.device);
    warnOf("checkpoint.keep_unscored",
           spec.checkpoint.keepUnscored != CheckpointSpec().keepUnscored);
}

}  // namespace lockstep::config

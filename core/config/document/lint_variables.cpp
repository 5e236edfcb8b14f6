// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/config/cluster/cluster_detection.h"
#include "core/config/cluster/launchers.h"
#include "core/config/cluster/tf_config.h"
#include "core/config/document/environment_lint.h"

namespace lockstep::config {

namespace {

/// Names by which users describe a cluster, and near which others are mistakes.
const std::vector<std::string> kKnown = {"KERAS_DISTRIBUTION_JOB_ADDRESSES",
                                         "KERAS_DISTRIBUTION_NUM_PROCESSES",
                                         "KERAS_DISTRIBUTION_PROCESS_ID",
                                         "TF_CONFIG",
                                         "JAX_COORDINATOR_ADDRESS",
                                         "JAX_COORDINATOR_BIND_ADDRESS",
                                         "JAX_COORDINATOR_PORT",
                                         "JAX_LOCAL_DEVICE_IDS",
                                         "JAX_PARTITION_INDEX",
                                         "JAX_SLICE_INDEX",
                                         "LOCKSTEP_COORDINATOR_ADDRESS",
                                         "LOCKSTEP_NUM_PROCESSES",
                                         "LOCKSTEP_PROCESS_ID",
                                         "LOCKSTEP_LOCAL_PROCESS_ID",
                                         "LOCKSTEP_LOCAL_DEVICE_IDS",
                                         "LOCKSTEP_DEVICES_PER_PROCESS",
                                         "LOCKSTEP_JOB_ADDRESSES",
                                         "LOCKSTEP_JOB_SECRET_FILE",
                                         "LOCKSTEP_ROLE",
                                         "LOCKSTEP_RUN_ID",
                                         "LOCKSTEP_RUN_DIR",
                                         "LOCKSTEP_RESTART_COUNT",
                                         "LOCKSTEP_REPORT_ENDPOINT",
                                         "LOCKSTEP_START_ID",
                                         "LOCKSTEP_K8S_PARALLELISM",
                                         "LOCKSTEP_K8S_SUBDOMAIN",
                                         "LOCKSTEP_K8S_JOB_UID",
                                         "MASTER_ADDR",
                                         "MASTER_PORT",
                                         "WORLD_SIZE"};

Finding finding(Severity severity, std::string message, std::string remedy) {
    return {severity, {}, 0, 0, std::move(message), std::move(remedy), "environment"};
}

bool isKnown(std::string_view name) {
    return std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end() ||
           name.starts_with("LOCAL_WORLD") || name.starts_with("GROUP_WORLD") ||
           name.starts_with("ROLE_WORLD");
}

/// JAX has no variables for count and id, though many expect them.
bool isNotReadByJax(std::string_view name) {
    return name == "JAX_NUM_PROCESSES" || name == "JAX_PROCESS_ID" || name == "JAX_PROCESS_COUNT" ||
           name == "JAX_PROCESS_INDEX";
}

void lintNames(const Environment& environment, std::vector<Finding>& findings) {
    for (const auto& [name, value] : environment.all()) {
        if (isKnown(name)) continue;
        if (isNotReadByJax(name)) {
            findings.push_back(finding(
                Severity::Warning,
                fmt::format("{} is set, but JAX has no such variable and nothing reads it", name),
                "Give count and id as arguments, or set KERAS_DISTRIBUTION_NUM_PROCESSES and "
                "KERAS_DISTRIBUTION_PROCESS_ID."));
        } else if (const std::string meant = meantVariable(name); !meant.empty()) {
            findings.push_back(finding(
                Severity::Warning,
                fmt::format("{} is set, but nothing reads it{}", sanitizeLine(name, 80), meant),
                "Correct the name, or unset it."));
        }
    }
    if (environment.has("JAX_SLICE_INDEX"))
        findings.push_back(finding(Severity::Warning,
                                   "JAX_SLICE_INDEX is deprecated: its name is JAX_PARTITION_INDEX",
                                   "Rename it."));
}

void lintTorchrun(const Environment& environment, std::vector<Finding>& findings) {
    const auto& all = launchers();
    const auto torchrun = std::find_if(all.begin(), all.end(),
                                       [](const Launcher& l) { return l.name == "torchrun"; });
    const auto missing = torchrun->missing(environment);
    // RANK alone is a common name of other things; with its address or count it is torchrun's.
    const bool begun = environment.has("MASTER_ADDR") || environment.has("WORLD_SIZE");
    if (!begun || missing.empty()) return;
    findings.push_back(finding(
        Severity::Warning,
        fmt::format("torchrun's variables are set in part and count for nothing: {} {} missing",
                    joinWords(missing), missing.size() == 1 ? "is" : "are"),
        "Start the program with torchrun, set what is missing, or unset the others."));
}

void lintSlurm(const Environment& environment, std::vector<Finding>& findings) {
    if (!environment.has("SLURM_JOB_ID") || environment.has("SLURM_STEP_NODELIST")) return;
    findings.push_back(finding(Severity::Warning,
                               "this is inside a Slurm allocation, but not in a step: the program "
                               "would run once and alone",
                               "Start it with srun."));
}

void lintTfConfig(const Environment& environment, std::vector<Finding>& findings) {
    const auto text = environment.get("TF_CONFIG");
    const auto roles = text ? tfConfigRoles(*text) : std::nullopt;
    if (roles && roles->chiefs > 0 && roles->workers > 0)
        findings.push_back(finding(
            Severity::Note,
            fmt::format(
                "TF_CONFIG has a chief and {}: the chief is process 0, worker 0 is process 1",
                counted(roles->workers, "worker")),
            "This is as in TensorFlow; without a chief, worker 0 is it."));
    if (text && !roles && readTfConfig(*text, {OriginKind::Environment, "TF_CONFIG"}))
        findings.push_back(
            finding(Severity::Warning,
                    "TF_CONFIG is empty and says nothing: TensorFlow would train this "
                    "process alone",
                    "Give it cluster and task, or unset it."));
}

}  // namespace

std::string meantVariable(std::string_view name) {
    constexpr std::size_t kLongEnough = 8;  // shorter names are near each other by chance
    if (name.size() < kLongEnough || isKnown(name)) return {};
    const auto meant = nearestName(name, kKnown);
    if (!meant || meant->substr(0, 2) != name.substr(0, 2)) return {};
    return fmt::format(", did you mean {}?", *meant);
}

std::vector<Finding> lintVariables(const Environment& environment) {
    std::vector<Finding> findings;
    lintNames(environment, findings);
    lintTorchrun(environment, findings);
    lintSlurm(environment, findings);
    lintTfConfig(environment, findings);
    return findings;
}

}  // namespace lockstep::config

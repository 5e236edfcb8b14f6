// SPDX-License-Identifier: Apache-2.0
// What Lockstep's own agent, torchrun and an indexed Kubernetes job tell their processes.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/config/cluster/launcher_rules.h"
#include "core/config/cluster/launchers.h"
#include "core/config/job/cluster_spec.h"
#include "core/text/plain_text.h"

namespace lockstep::config {

namespace {

constexpr int kMostDevices = 64;
constexpr int kLastPort = 65535;
constexpr int kKubernetesPort = 55527;  // JAX's

std::string_view valueOf(const Environment& environment, std::string_view name) {
    return trimmed(environment.get(name).value_or(""));
}

Said<ProcessRole> readRole(VariableReader& reader) {
    constexpr std::string_view kRole = "LOCKSTEP_ROLE";
    const auto word = reader.text(kRole);
    if (!word) return std::nullopt;
    if (word->value == "evaluator") return reader.said(ProcessRole::Evaluator, kRole);
    if (word->value != "worker") reader.refuse(kRole, "must be worker or evaluator", {});
    return reader.said(ProcessRole::Worker, kRole);
}

/// The job's name from its pod's: pod NAME-K has index K.
std::optional<std::string> jobOfPod(std::string_view pod, std::string_view index) {
    const std::string ending = fmt::format("-{}", index);
    if (!pod.ends_with(ending) || pod.size() == ending.size()) return std::nullopt;
    return std::string(pod.substr(0, pod.size() - ending.size()));
}

}  // namespace

Result<ClusterFacts> readAgentVariables(const Environment& environment) {
    VariableReader reader(environment, OriginKind::Detection,
                          "The agent sets it: start the job with lockstepctl run, or unset the "
                          "LOCKSTEP_ variables.");
    ClusterFacts facts;
    facts.coordinatorAddress = reader.address("LOCKSTEP_COORDINATOR_ADDRESS");
    facts.jobAddresses = reader.addresses("LOCKSTEP_JOB_ADDRESSES");
    facts.numProcesses = reader.processCount("LOCKSTEP_NUM_PROCESSES");
    facts.processId = reader.processId("LOCKSTEP_PROCESS_ID");
    facts.role = readRole(reader);
    facts.localProcessId = reader.processId("LOCKSTEP_LOCAL_PROCESS_ID");
    facts.localDeviceIds = reader.deviceIds("LOCKSTEP_LOCAL_DEVICE_IDS");
    facts.devicesPerProcess = reader.integer("LOCKSTEP_DEVICES_PER_PROCESS", 1, kMostDevices);
    if (const auto id = reader.text("LOCKSTEP_START_ID"))
        facts.startId = reader.said(fileNamePart(id->value), "LOCKSTEP_START_ID");
    return reader.finish(std::move(facts));
}

Result<ClusterFacts> readTorchrunVariables(const Environment& environment) {
    VariableReader reader(environment, OriginKind::Detection,
                          "torchrun sets it: start the program with torchrun, or correct it.");
    ClusterFacts facts;
    facts.numProcesses = reader.processCount("WORLD_SIZE");
    facts.processId = reader.processId("RANK");
    facts.localProcessId = reader.processId("LOCAL_RANK");
    facts.localDeviceIds = deviceOfLocalProcess(environment, facts.localProcessId);
    const auto host = reader.text("MASTER_ADDR");
    const auto port = reader.integer("MASTER_PORT", 1, kLastPort);
    if (host && port) {
        // torchrun's own store listens at MASTER_PORT then, so that nothing else can.
        const bool taken = valueOf(environment, "TORCHELASTIC_USE_AGENT_STORE") == "True";
        const Address address{host->value, taken ? portOf(port->value) : port->value};
        if (auto valid = parseAddress(toString(address)); !valid)
            reader.refuse(std::move(valid).error().within("MASTER_ADDR"));
        facts.coordinatorAddress = reader.said(address, "MASTER_ADDR and MASTER_PORT");
    }
    const std::string_view run = valueOf(environment, "TORCHELASTIC_RUN_ID");
    const std::string_view restart = valueOf(environment, "TORCHELASTIC_RESTART_COUNT");
    // "none" is what torchrun calls a start that was given no id, as is any other such start.
    if (!run.empty() && run != "none")
        facts.startId = reader.said(
            fileNamePart(fmt::format("torchrun-{}-{}", run, restart.empty() ? "0" : restart)),
            "TORCHELASTIC_RUN_ID");
    return reader.finish(std::move(facts));
}

Result<ClusterFacts> readKubernetesVariables(const Environment& environment) {
    constexpr std::string_view kIndex = "JOB_COMPLETION_INDEX";
    VariableReader reader(environment, OriginKind::Detection,
                          "Kubernetes sets it in a job with `completionMode: \"Indexed\"`; see the "
                          "job's manifest.");
    ClusterFacts facts;
    facts.processId = reader.processId(kIndex);
    facts.numProcesses = reader.processCount("LOCKSTEP_K8S_PARALLELISM");
    const auto job = jobOfPod(valueOf(environment, "HOSTNAME"), valueOf(environment, kIndex));
    if (!job) return reader.finish(std::move(facts));
    const std::string_view subdomain = valueOf(environment, "LOCKSTEP_K8S_SUBDOMAIN");
    const std::string host =
        fmt::format("{}-0.{}", *job, subdomain.empty() ? std::string_view(*job) : subdomain);
    if (auto valid = parseAddress(toString({host, kKubernetesPort})); !valid)
        reader.refuse(std::move(valid).error().within("HOSTNAME"));
    facts.coordinatorAddress = coordinatorAt(reader, host, kKubernetesPort, "HOSTNAME");
    if (const auto uid = reader.text("LOCKSTEP_K8S_JOB_UID"))
        facts.startId = reader.said(fileNamePart(fmt::format("k8s-{}-{}", *job, uid->value)),
                                    "LOCKSTEP_K8S_JOB_UID");
    return reader.finish(std::move(facts));
}

}  // namespace lockstep::config

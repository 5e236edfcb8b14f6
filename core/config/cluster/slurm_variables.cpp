// SPDX-License-Identifier: Apache-2.0
// What srun tells the tasks of a step.
#include <fmt/format.h>

#include <numeric>

#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/config/cluster/launcher_rules.h"
#include "core/config/cluster/launchers.h"
#include "core/config/cluster/node_list.h"
#include "core/text/plain_text.h"

namespace lockstep::config {

namespace {

constexpr std::string_view kRemedy =
    "srun sets it: start the program with srun, or choose another way with the detection method.";

Error bad(std::string_view name, std::string_view value, std::string_view reason) {
    return {ErrorCode::BadInput, fmt::format("{} is \"{}\", but {}", name, value, reason),
            std::string(kRemedy)};
}

/// The node of each task. Empty where it cannot be told: for distributions other than by block,
/// and when the guess disagrees with what this task knows of itself.
std::vector<std::string> taskHosts(const Environment& environment,
                                   const std::vector<std::string>& nodes, int tasks, int taskId) {
    const auto perNode = environment.get("SLURM_STEP_TASKS_PER_NODE");
    if (!perNode) return {};
    const auto counts = expandRepeatedCounts(*perNode);
    if (!counts || counts->size() != nodes.size() ||
        std::accumulate(counts->begin(), counts->end(), std::int64_t{0}) != tasks)
        return {};
    std::vector<std::string> hosts;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        hosts.insert(hosts.end(), static_cast<std::size_t>((*counts)[i]), nodes[i]);
    const std::string_view distribution = environment.get("SLURM_DISTRIBUTION").value_or("block");
    const bool byBlock = distribution.starts_with("block") || nodes.size() == 1;
    const auto own = wholeNumber(environment.get("SLURM_NODEID").value_or(""));
    const auto node = static_cast<std::size_t>(own.value_or(0));
    const bool asKnown = !own || (*own >= 0 && node < nodes.size() &&
                                  hosts[static_cast<std::size_t>(taskId)] == nodes[node]);
    return byBlock && asKnown ? hosts : std::vector<std::string>{};
}

/// lockstepctl starts one task more than the job has processes: the last one evaluates.
Result<void> setEvaluatorApart(const VariableReader& reader, ClusterFacts& facts) {
    constexpr std::string_view kEvaluatorTask = "LOCKSTEP_SLURM_EVALUATOR";
    if (!reader.has(kEvaluatorTask)) return {};
    const int workers = facts.numProcesses->value - 1;
    if (workers < 1)
        return fail(bad(kEvaluatorTask, "1",
                        "the step has one task, which cannot be both a worker "
                        "and the evaluator"));
    facts.numProcesses->value = workers;
    facts.evaluatorStarted = reader.said(true, kEvaluatorTask);
    if (facts.processId->value == workers)
        facts.role = reader.said(ProcessRole::Evaluator, kEvaluatorTask);
    if (facts.hosts) facts.hosts->value.pop_back();
    return {};
}

/// One start: a requeued job has the same id and one restart more, another srun another step.
std::string startIdOf(const Environment& environment, std::string_view jobId) {
    const std::string_view step =
        environment.get("SLURM_STEP_ID").value_or(environment.get("SLURM_STEPID").value_or("0"));
    const std::string_view restarts = environment.get("SLURM_RESTART_COUNT").value_or("0");
    return fileNamePart(fmt::format("slurm-{}.{}-{}", jobId, step, restarts));
}

}  // namespace

Result<ClusterFacts> readSlurmVariables(const Environment& environment) {
    VariableReader reader(environment, OriginKind::Detection, std::string(kRemedy));
    const bool step = environment.has("SLURM_STEP_NUM_TASKS");
    ClusterFacts facts;
    facts.numProcesses = reader.processCount(step ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS");
    facts.processId = reader.processId("SLURM_PROCID");
    facts.localProcessId = reader.processId("SLURM_LOCALID");
    facts.localDeviceIds = deviceOfLocalProcess(environment, facts.localProcessId);
    const std::string_view job = trimmed(environment.get("SLURM_JOB_ID").value_or(""));
    const auto jobId = wholeNumber(job);
    if (!jobId || *jobId < 0) reader.refuse("SLURM_JOB_ID", "must be a whole number from 0", {});
    if (reader.problem()) return fail(*reader.problem());

    constexpr std::string_view kNodes = "SLURM_STEP_NODELIST";
    const std::string_view list = environment.get(kNodes).value_or("");
    auto nodes = expandNodeList(list);
    if (!nodes) return failWithin(kNodes, std::move(nodes).error());
    if (facts.processId->value >= facts.numProcesses->value)
        return fail(bad("SLURM_PROCID", std::to_string(facts.processId->value),
                        "the step has " + counted(facts.numProcesses->value, "task")));
    auto hosts = taskHosts(environment, *nodes, facts.numProcesses->value, facts.processId->value);
    if (!hosts.empty()) facts.hosts = reader.said(std::move(hosts), kNodes);
    facts.coordinatorAddress = coordinatorAt(reader, nodes->front(), portOf(*jobId),
                                             "SLURM_STEP_NODELIST and SLURM_JOB_ID");
    TRY(setEvaluatorApart(reader, facts));
    facts.startId = reader.said(startIdOf(environment, job), "SLURM_JOB_ID");
    return reader.finish(std::move(facts));
}

}  // namespace lockstep::config

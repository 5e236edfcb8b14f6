// SPDX-License-Identifier: Apache-2.0
// Variables as they are pasted: `KEY=value` lines.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/config/cluster/cluster_detection.h"
#include "core/config/cluster/tf_config.h"
#include "core/config/dialects/pasted_forms.h"
#include "core/config/document/effective_cluster.h"
#include "core/config/document/environment_lint.h"

namespace lockstep::config {

namespace {

/// Whose variables begin so. The last are torchrun's whole names.
constexpr std::pair<std::string_view, std::string_view> kFamilies[] = {
    {"KERAS_DISTRIBUTION_", "Keras' variables"},
    {"TF_CONFIG", "TF_CONFIG"},
    {"JAX_", "JAX's variables"},
    {"LOCKSTEP_", "the agent's variables"},
    {"OMPI_", "Open MPI's variables"},
    {"SLURM_", "Slurm's variables"},
    {"PMI_", "PMI's variables"},
    {"MPI_LOCAL", "PMI's variables"},
    {"JOB_COMPLETION_INDEX", "an indexed Kubernetes job's variables"},
};
constexpr std::string_view kTorchrun[] = {"MASTER_ADDR", "MASTER_PORT",     "WORLD_SIZE",
                                          "RANK",        "LOCAL_RANK",      "LOCAL_WORLD_SIZE",
                                          "GROUP_RANK",  "GROUP_WORLD_SIZE"};
constexpr std::string_view kTorchrunFamily = "torchrun's variables";

std::string_view familyOf(std::string_view name) {
    for (const auto& [prefix, family] : kFamilies)
        if (name.starts_with(prefix)) return family;
    const bool known =
        std::find(std::begin(kTorchrun), std::end(kTorchrun), name) != std::end(kTorchrun);
    return known || name.starts_with("TORCHELASTIC_") ? kTorchrunFamily : std::string_view();
}

/// All launchers' variables, for one: pasted lines are seldom all that a launcher sets, so what is
/// there is read by the first launcher that has any.
Result<ClusterFacts> readLaunchers(const Environment& environment,
                                   const std::vector<std::string>& families) {
    auto detected = detectCluster(environment);
    if (!detected) return fail(std::move(detected).error());
    if (*detected) return **detected;
    const bool torchrun =
        std::find(families.begin(), families.end(), kTorchrunFamily) != families.end();
    if (!torchrun) return ClusterFacts{};
    detected = detectCluster(environment, "torchrun");  // says what is missing
    if (!detected) return fail(std::move(detected).error());
    return detected->value_or(ClusterFacts{});
}

/// torchrun's variables on one host name that host for every process.
void addOneHost(const Environment& environment, ClusterFacts& facts) {
    if (facts.hosts || !facts.numProcesses || !facts.coordinatorAddress) return;
    if (environment.get("LOCAL_WORLD_SIZE") != environment.get("WORLD_SIZE")) return;
    if (!environment.has("WORLD_SIZE")) return;
    facts.hosts = Sourced<std::vector<std::string>>{
        std::vector<std::string>(static_cast<std::size_t>(facts.numProcesses->value),
                                 facts.coordinatorAddress->value.host),
        facts.coordinatorAddress->origin};
}

std::string noteFor(const std::vector<std::string>& families, const Environment& environment,
                    const ClusterFacts& facts) {
    if (families.size() == 1 && families.front() == "TF_CONFIG")
        return tfConfigNote(environment.get("TF_CONFIG").value_or(""));
    return understoodAs(joinWords(families), facts);
}

}  // namespace

bool isClusterVariable(std::string_view name) {
    return !familyOf(name).empty();
}

Result<DialectReading> readVariables(const std::vector<ShellLine>& lines) {
    Environment::Variables variables;
    std::vector<std::string> families;
    DialectReading reading;
    std::vector<std::string> ignored;
    for (const ShellLine& line : lines)
        for (const auto& [name, value] : line.assignments) {
            const std::string family(familyOf(name));
            if (family.empty())
                ignored.push_back(sanitizeLine(name, 60));
            else if (std::find(families.begin(), families.end(), family) == families.end())
                families.push_back(family);
            if (!variables.emplace(name, value).second)
                return fail(ErrorCode::BadInput,
                            fmt::format("{} is set twice", sanitizeLine(name, 60)),
                            "Paste the variables of one process.");
        }
    const Environment environment(variables);
    auto said = readEnvironment(environment);
    if (!said) return fail(std::move(said).error());
    auto launched = readLaunchers(environment, families);
    if (!launched) return fail(std::move(launched).error());
    reading.facts = overrule(std::move(*launched), *said);
    addOneHost(environment, reading.facts);
    reading.notes.push_back(noteFor(families, environment, reading.facts));
    if (!ignored.empty())
        reading.notes.push_back(fmt::format("{} {} nothing of a cluster", joinWords(ignored),
                                            ignored.size() == 1 ? "says" : "say"));
    addLeftOut(reading);
    reading.findings = lintFacts(reading.facts);
    for (Finding& finding : lintVariables(environment))
        reading.findings.push_back(std::move(finding));
    return reading;
}

}  // namespace lockstep::config

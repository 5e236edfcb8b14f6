// SPDX-License-Identifier: Apache-2.0
#include "core/config/cluster/cluster_detection.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/cluster/launchers.h"
#include "core/config/keys/key_codec.h"

namespace lockstep::config {

namespace {

constexpr std::string_view kOff = "deactivate";
constexpr std::string_view kAnyMpi = "mpi4py";

bool isTpu(std::string_view method) {
    return method == "tpu" || method == "gketpu" || method == "gcetpu";
}

std::vector<std::string> wordsForMethods() {
    std::vector<std::string> words;
    for (const Launcher& launcher : launchers())
        words.emplace_back(launcher.name);
    words.emplace_back(kAnyMpi);
    words.emplace_back(kOff);
    return words;
}

tl::unexpected<Error> unknownMethod(std::string_view method) {
    const auto words = wordsForMethods();
    const std::string remedy = fmt::format(
        "The methods are {}; none given: the first that there "
        "is.",
        joinWords(words));
    const std::string why = isTpu(method) ? std::string(": this program computes on CPUs and GPUs")
                                          : didYouMean(method, words);
    return fail(ErrorCode::BadInput,
                fmt::format("Automatic Distributed initialization can not proceed: {} is not "
                            "supported{}",
                            sanitizeLine(method, 60), why),
                remedy);
}

tl::unexpected<Error> absent(const Launcher& launcher, std::string_view method,
                             const std::vector<std::string>& missing) {
    // JAX's sentence, but JAX then goes on and ends in a KeyError.
    return fail(ErrorCode::BadInput,
                fmt::format("{} is supported but not functional in this environment: {} {} not set",
                            method, joinWords(missing), missing.size() == 1 ? "is" : "are"),
                std::string(launcher.remedy));
}

/// mpi4py works under any MPI, and so under each launcher that starts MPI's processes.
bool startsMpi(const Launcher& launcher) {
    return launcher.name == "ompi" || launcher.name == "pmi" || launcher.name == "slurm";
}

tl::unexpected<Error> absentMpi() {
    return fail(ErrorCode::BadInput,
                fmt::format("{} is supported but not functional in this environment: neither Open "
                            "MPI's variables (OMPI_COMM_WORLD_SIZE and OMPI_COMM_WORLD_RANK), nor "
                            "those of MPICH and Intel MPI (PMI_SIZE and PMI_RANK), nor those of "
                            "srun are set",
                            kAnyMpi),
                "Start the program with mpirun, mpiexec or srun, or name no detection method.");
}

Result<std::optional<ClusterFacts>> readWith(const Launcher& launcher,
                                             const Environment& environment) {
    auto facts = launcher.read(environment);
    if (!facts) return fail(std::move(facts).error());
    return std::optional(std::move(*facts));
}

/// The agent's variables are read by nothing else, so that a part of them is a mistake.
Result<void> checkAgentVariables(const Environment& environment) {
    const Launcher& agent = launchers().front();
    const auto missing = agent.missing(environment);
    if (missing.empty() || missing.size() == agent.variables.size()) return {};
    const auto present = std::find_if(agent.variables.begin(), agent.variables.end(),
                                      [&environment](auto name) { return environment.has(name); });
    return fail(ErrorCode::BadInput,
                fmt::format("{} is set, but {} {} not", *present, joinWords(missing),
                            missing.size() == 1 ? "is" : "are"),
                std::string(agent.remedy));
}

}  // namespace

Result<std::optional<ClusterFacts>> detectCluster(const Environment& environment,
                                                  std::string_view method) {
    if (method == kOff) return std::nullopt;
    const bool anyMpi = method == kAnyMpi;
    for (const Launcher& launcher : launchers()) {
        if (anyMpi ? !startsMpi(launcher) : !method.empty() && launcher.name != method) continue;
        const auto missing = launcher.missing(environment);
        if (missing.empty()) return readWith(launcher, environment);
        if (!anyMpi && !method.empty()) return absent(launcher, method, missing);
    }
    if (anyMpi) return absentMpi();
    if (!method.empty()) return unknownMethod(method);
    TRY(checkAgentVariables(environment));
    return std::nullopt;
}

}  // namespace lockstep::config

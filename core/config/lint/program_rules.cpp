// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/program_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/config/keys/key_table.h"

namespace lockstep::config {

namespace {

constexpr std::array<std::string_view, 6> kForeignSections = {
    "data.", "model.", "training.", "distribution.", "early_stopping.", "checkpoint."};
constexpr std::array<std::string_view, 4> kForeignKeys = {"cluster.devices_per_process",
                                                          "cluster.local_device_ids",
                                                          "cluster.device", "cluster.transport"};

bool isForeign(std::string_view key) {
    return std::ranges::any_of(
               kForeignSections,
               [key](std::string_view section) { return key.starts_with(section); }) ||
           std::ranges::count(kForeignKeys, key) > 0;
}

/// A resolved job file writes every key: a value that is the default was not asked for.
void checkForeignKeys(const JobSpec& spec, Report& report) {
    const JobSpec defaults = defaultSpec();
    for (const auto& key : jobKeys()) {
        const std::string& name = key.help.key;
        if (!isForeign(name) || !report.isWritten(name)) continue;
        if (key.write(spec) == key.write(defaults)) continue;
        report.warning(
            name,
            fmt::format("{} is given, but launch.command trains, which does not see it", name),
            "Remove it, and set it in your own program.");
    }
}

void checkNoEvaluator(const JobSpec& spec, Report& report) {
    if (!spec.cluster.evaluator) return;
    report.error("cluster.evaluator",
                 "cluster.evaluator is on, but launch.command trains: the evaluator scores "
                 "checkpoints of Lockstep's own networks only",
                 "Remove cluster.evaluator, and evaluate in your own program.");
}

void checkProgramName(const JobSpec& spec, Report& report) {
    const std::string& program = spec.launch.command.front();
    if (program.find(' ') == std::string::npos || program.find('/') != std::string::npos) return;
    report.warning(
        "launch.command",
        fmt::format("launch.command[0] is \"{}\", which is one program's name with a "
                    "blank in it: no shell splits it",
                    sanitizeLine(program, 80)),
        "Give every argument a text of its own, for example [\"python\", \"train.py\"].");
}

/// A program that starts processes of a job itself, and the options by which several starts of it
/// become one job.
struct ForeignLauncher {
    std::string_view name;
    std::vector<std::string_view> joins;
};

const ForeignLauncher* launcherIn(const std::vector<std::string>& command) {
    static const std::vector<ForeignLauncher> kLaunchers = {
        {"torchrun", {"--nnodes", "--rdzv"}},
        {"torch.distributed.run", {"--nnodes", "--rdzv"}},
        {"torch.distributed.launch", {"--nnodes", "--rdzv"}},
        {"accelerate", {"--num_machines", "--num-machines", "--rdzv"}},
        {"deepspeed", {}},
        {"horovodrun", {}},
        {"mpirun", {}},
        {"mpiexec", {}},
        {"orterun", {}},
        {"prterun", {}},
        {"srun", {}},
    };
    // "python -m torch.distributed.run …" is torchrun, too.
    std::size_t option = 1;
    while (option < command.size() && command[option].starts_with('-') && command[option] != "-m")
        ++option;
    const bool isModule = option + 1 < command.size() && command[option] == "-m";
    const std::string& word = isModule ? command[option + 1] : command.front();
    const std::string_view name = std::string_view(word).substr(word.rfind('/') + 1);
    const auto known = std::ranges::find(kLaunchers, name, &ForeignLauncher::name);
    return known == kLaunchers.end() ? nullptr : &*known;
}

bool joinsOthers(const ForeignLauncher& launcher, const std::vector<std::string>& command) {
    return std::ranges::any_of(command, [&launcher](const std::string& word) {
        return std::ranges::any_of(
            launcher.joins, [&word](std::string_view option) { return word.starts_with(option); });
    });
}

/// A launcher within each process makes a job of its own there: each trains alone, and all end
/// well.
void checkForeignLauncher(const JobSpec& spec, Report& report) {
    const ForeignLauncher* launcher = launcherIn(spec.launch.command);
    if (launcher == nullptr) return;
    const int processes = spec.cluster.numProcesses;
    const std::string remedy =
        "Name your program itself, for example [\"python\", \"train.py\"]: Lockstep starts it as "
        "every process, with the variables that such launchers set.";
    if (processes > 1 && !joinsOthers(*launcher, spec.launch.command))
        report.error(
            "launch.command",
            fmt::format("launch.command starts {}, which starts processes itself: each of "
                        "{} would begin a job of its own, and {} separate jobs would train",
                        launcher->name, counted(processes, "process"), processes),
            remedy);
    else
        report.warning("launch.command",
                       fmt::format("launch.command starts {}, which starts processes itself: "
                                   "Lockstep sees it alone, not what they do or which of them dies",
                                   launcher->name),
                       remedy);
}

}  // namespace

const std::vector<Rule>& programRules() {
    static const std::vector<Rule> kRules = {
        {{"launch.command"}, checkProgramName},
        {{"launch.command", "cluster.num_processes", "cluster.job_addresses"},
         checkForeignLauncher},
        {{"launch.command", "cluster.evaluator"}, checkNoEvaluator},
        {{"launch.command"}, checkForeignKeys},
    };
    return kRules;
}

void checkEnvironmentIsUsed(const JobSpec& spec, Report& report) {
    if (spec.launch.runsOwnProgram() || spec.launch.environment.empty()) return;
    report.warning("launch.environment",
                   "launch.environment is given, but there is no launch.command that would see it",
                   "Remove it, or give the program in launch.command.");
}

}  // namespace lockstep::config

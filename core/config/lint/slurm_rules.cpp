// SPDX-License-Identifier: Apache-2.0
// Rules of [slurm].
#include "core/config/lint/slurm_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/config/keys/key_help.h"
#include "core/config/lint/lint_rules.h"
#include "core/text/plain_text.h"

namespace lockstep::config {

namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
/// Slurm looks once a minute: its signal may come so much earlier.
constexpr std::int64_t kSlurmResolution = 60;

/// What chooses resources and times. Not here: what starts programs or sets variables for them
/// (--wrap, --export, --bcast), and what the launch itself decides.
const std::vector<std::string>& allowedOptions() {
    static const std::vector<std::string> kAllowed = {"begin",
                                                      "comment",
                                                      "constraint",
                                                      "contiguous",
                                                      "core-spec",
                                                      "cores-per-socket",
                                                      "cpus-per-gpu",
                                                      "cpus-per-task",
                                                      "deadline",
                                                      "delay-boot",
                                                      "dependency",
                                                      "distribution",
                                                      "exclude",
                                                      "exclusive",
                                                      "gpu-bind",
                                                      "gpu-freq",
                                                      "gpus",
                                                      "gpus-per-node",
                                                      "gpus-per-socket",
                                                      "gpus-per-task",
                                                      "gres",
                                                      "gres-flags",
                                                      "hint",
                                                      "hold",
                                                      "licenses",
                                                      "mail-type",
                                                      "mail-user",
                                                      "mem",
                                                      "mem-per-cpu",
                                                      "mem-per-gpu",
                                                      "mincpus",
                                                      "network",
                                                      "nice",
                                                      "nodelist",
                                                      "ntasks-per-core",
                                                      "ntasks-per-gpu",
                                                      "ntasks-per-node",
                                                      "ntasks-per-socket",
                                                      "overcommit",
                                                      "oversubscribe",
                                                      "power",
                                                      "priority",
                                                      "qos",
                                                      "reservation",
                                                      "sockets-per-node",
                                                      "spread-job",
                                                      "switches",
                                                      "thread-spec",
                                                      "threads-per-core",
                                                      "time-min",
                                                      "tmp",
                                                      "use-min-nodes",
                                                      "wckey"};
    return kAllowed;
}

/// The key that says what an option would.
std::string_view keyInsteadOf(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kKeys{{
        {"partition", "slurm.partition"},
        {"account", "slurm.account"},
        {"nodes", "slurm.nodes"},
        {"time", "slurm.time_limit"},
        {"signal", "slurm.stop_before_limit_seconds"},
        {"ntasks", "cluster.num_processes"},
        {"job-name", "job.name"},
        {"requeue", "checkpoint.resume"},
    }};
    for (const auto& [option, key] : kKeys)
        if (option == name) return key;
    return {};
}

bool isPlainName(std::string_view text) {
    return !text.empty() && text.front() != '-' &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == ',';
           });
}

void checkNames(const JobSpec& spec, Report& report) {
    const auto check = [&report](std::string_view key, const std::string& name) {
        if (name.empty() || isPlainName(name)) return;
        report.error(
            std::string(key),
            fmt::format("{} is \"{}\", which is no name of Slurm's", key, sanitizeLine(name, 80)),
            "Names have letters, digits, \"-\", \"_\" and \".\"; `sinfo` lists partitions, "
            "`sacctmgr show associations user=$USER` accounts.");
    };
    check("slurm.partition", spec.slurm.partition);
    check("slurm.account", spec.slurm.account);
}

void checkNodes(const JobSpec& spec, Report& report) {
    const int tasks = spec.cluster.numProcesses + (spec.cluster.evaluator ? 1 : 0);
    if (spec.launch.method != LaunchMethod::Slurm || spec.slurm.nodes <= tasks) return;
    report.error(
        "slurm.nodes",
        fmt::format("slurm.nodes is {}, but the job has {}{}", spec.slurm.nodes,
                    counted(tasks, "process"), spec.cluster.evaluator ? " with the evaluator" : ""),
        "A node takes at least one process: ask for fewer nodes.");
}

void checkTimeLimit(const JobSpec& spec, Report& report) {
    const SlurmSpec& slurm = spec.slurm;
    if (slurm.timeLimit.empty()) return;
    const auto seconds = slurmSeconds(slurm.timeLimit);
    if (!seconds) {
        report.error("slurm.time_limit",
                     fmt::format("slurm.time_limit is \"{}\", which is no time of Slurm's",
                                 sanitizeLine(slurm.timeLimit, 40)),
                     "Write minutes (\"90\"), hours:minutes:seconds (\"1:30:00\") or "
                     "days-hours (\"1-12\").");
        return;
    }
    if (*seconds <= slurm.stopBeforeLimitSeconds)
        report.error("slurm.time_limit",
                     fmt::format("slurm.time_limit is {} s, but the run stops {} s before it",
                                 *seconds, slurm.stopBeforeLimitSeconds),
                     "Raise slurm.time_limit, or lower slurm.stop_before_limit_seconds.");
    else if (*seconds <= slurm.stopBeforeLimitSeconds + kSlurmResolution)
        report.warning(
            "slurm.time_limit",
            fmt::format(
                "slurm.time_limit is {} s and the run stops {} s before it: Slurm looks once "
                "a minute, so it may stop at once",
                *seconds, slurm.stopBeforeLimitSeconds),
            "Raise slurm.time_limit, or lower slurm.stop_before_limit_seconds.");
}

void checkOptions(const JobSpec& spec, Report& report) {
    for (std::size_t i = 0; i < spec.slurm.options.size(); ++i) {
        const auto checked = checkSlurmOption(spec.slurm.options[i]);
        if (checked) continue;
        const std::string key = fmt::format("slurm.options[{}]", i);
        report.error(key, fmt::format("{} {}", key, checked.error().message),
                     checked.error().remedy);
    }
}

void checkTransportOnSlurm(const JobSpec& spec, Report& report) {
    if (spec.launch.method != LaunchMethod::Slurm || spec.cluster.transport != Transport::Shm ||
        spec.slurm.nodes == 1)
        return;
    report.warning("cluster.transport",
                   "cluster.transport is \"shm\", but Slurm may spread the processes over several "
                   "nodes, which share no memory",
                   "Set cluster.transport to \"auto\", or slurm.nodes to 1.");
}

}  // namespace

std::optional<std::int64_t> slurmSeconds(std::string_view timeLimit) {
    const std::size_t dash = timeLimit.find('-');
    const bool hasDays = dash != std::string_view::npos;
    std::vector<std::int64_t> parts;
    std::string_view rest = hasDays ? timeLimit.substr(dash + 1) : timeLimit;
    for (bool more = true; more;) {
        const std::size_t colon = rest.find(':');
        more = colon != std::string_view::npos;
        const auto part = wholeNumber(rest.substr(0, colon));
        if (!part || *part < 0 || *part > 1'000'000 || parts.size() == 3) return std::nullopt;
        parts.push_back(*part);
        if (more) rest.remove_prefix(colon + 1);
    }
    std::int64_t seconds = 0;
    if (hasDays) {
        const auto days = wholeNumber(timeLimit.substr(0, dash));
        if (!days || *days < 0 || *days > 10'000) return std::nullopt;
        seconds = *days * kDay;
        constexpr std::array<std::int64_t, 3> kUnits{kHour, kMinute, 1};
        for (std::size_t i = 0; i < parts.size(); ++i)
            seconds += parts[i] * kUnits[i];
    } else if (parts.size() == 3) {
        seconds = parts[0] * kHour + parts[1] * kMinute + parts[2];
    } else {
        seconds = parts[0] * kMinute + (parts.size() == 2 ? parts[1] : 0);
    }
    return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

Result<void> checkSlurmOption(std::string_view option) {
    const std::string shown = sanitizeLine(option, 80);
    const bool control = std::any_of(option.begin(), option.end(),
                                     [](unsigned char c) { return c < 0x20 || c == 0x7F; });
    if (!option.starts_with("--") || control || option.size() > 4096)
        return fail(ErrorCode::BadInput,
                    fmt::format("is \"{}\", which is no option of sbatch in its long form", shown),
                    "Write --name or --name=value, for example \"--gres=gpu:2\".");
    const std::string name(option.substr(2, option.find('=') - 2));
    if (const std::string_view key = keyInsteadOf(name); !key.empty())
        return fail(ErrorCode::BadInput, fmt::format("is \"{}\", which is a key of its own", shown),
                    fmt::format("Set {} instead.", key));
    const auto& allowed = allowedOptions();
    if (std::ranges::count(allowed, name) > 0) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("is \"{}\", which is no option that a job may set{}", shown,
                            didYouMean(name, allowed)),
                "A job may choose resources, nodes and times; environment and programs are the "
                "launch's. Submit by hand for anything else: sbatch and srun lockstep-worker "
                "JOB.toml.");
}

const std::vector<Rule>& slurmRules() {
    static const std::vector<Rule> kRules = {
        {{"slurm.partition", "slurm.account"}, checkNames},
        {{"slurm.nodes", "cluster.job_addresses", "cluster.num_processes", "launch.method"},
         checkNodes},
        {{"slurm.time_limit", "slurm.stop_before_limit_seconds"}, checkTimeLimit},
        {{"slurm.options"}, checkOptions},
        {{"cluster.transport", "slurm.nodes", "launch.method"}, checkTransportOnSlurm},
    };
    return kRules;
}

}  // namespace lockstep::config

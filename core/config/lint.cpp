// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "core/base/text.h"
#include "core/config/cluster_spec.h"
#include "core/config/lint_report.h"
#include "core/config/training_rules.h"

namespace lockstep::config {

namespace {

constexpr int kFirstUnprivilegedPort = 1024;

/// What is known of a data set before its files are read.
struct KnownDataset {
    std::string_view name;
    int classes;
    int trainingSamples;
    bool needsDirectory;
};
constexpr KnownDataset kKnownDatasets[] = {{"digits", 10, 60000, false},
                                           {"mnist", 10, 60000, true}};

std::optional<KnownDataset> knownDataset(const JobSpec& spec) {
    for (const KnownDataset& known : kKnownDatasets)
        if (known.name == spec.data.dataset) return known;
    return std::nullopt;
}

// ---- job ---------------------------------------------------------------------------------------

void checkName(const JobSpec& spec, Report& report) {
    const std::string& name = spec.name;
    const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
    });
    if (!name.empty() && name.size() <= 64 && plain && name.front() != '.') return;
    report.error(
        "job.name",
        fmt::format("job.name is \"{}\", which cannot name a run's folder", sanitizeLine(name, 80)),
        "Use up to 64 letters, digits, \"-\", \"_\" and \".\", not starting with a dot.");
}

void checkRunDir(const JobSpec& spec, Report& report) {
    const std::string& folder = spec.runDir;
    const bool control = std::any_of(folder.begin(), folder.end(),
                                     [](unsigned char c) { return c < 0x20 || c == 0x7F; });
    if (control)
        report.error("job.run_dir",
                     fmt::format("job.run_dir is \"{}\", which has control characters",
                                 sanitizeLine(folder, 80)),
                     "Remove them; on one line in double quotes a backslash is written \\\\.");
    else if (folder.starts_with('~') || folder.find('$') != std::string::npos)
        report.warning(
            "job.run_dir",
            fmt::format("job.run_dir is \"{}\", but ~ and $ are taken as they are written",
                        sanitizeLine(folder, 80)),
            "Write the whole path.");
}

// ---- cluster -----------------------------------------------------------------------------------

/// Keras' own words, with its list in Python's notation, so that a search finds them.
std::string countMismatch(const ClusterSpec& cluster) {
    std::string list;
    for (const Address& address : cluster.jobAddresses)
        list += fmt::format("{}'{}'", list.empty() ? "" : ", ", toString(address));
    return fmt::format("The provided job_addresses [{}] has {} jobs, but num_processes is {}", list,
                       cluster.jobAddresses.size(), cluster.numProcesses);
}

void checkProcessCount(const JobSpec& spec, Report& report) {
    const ClusterSpec& cluster = spec.cluster;
    const auto given = static_cast<int>(cluster.jobAddresses.size());
    if (cluster.numProcesses == given || given == 1) return;
    report.error("cluster.num_processes", countMismatch(cluster),
                 "Leave num_processes out, or give the coordinator's address alone.");
}

void checkAddresses(const JobSpec& spec, Report& report) {
    std::map<std::string, std::size_t> firstUse;
    const auto& addresses = spec.cluster.jobAddresses;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        if (addresses[i].port == 0) continue;
        const std::string key = fmt::format("cluster.job_addresses[{}]", i);
        const std::string shown = toString(addresses[i]);
        const auto [first, isNew] = firstUse.emplace(shown, i);
        if (!isNew)
            report.error(
                key,
                fmt::format("{} is {}, which process {} has already", key, shown, first->second),
                "Give every process an address of its own; port 0 lets the system choose.");
        else if (addresses[i].port < kFirstUnprivilegedPort)
            report.warning(
                key,
                fmt::format("{} is {}, a port below {} that only root may open", key, shown,
                            kFirstUnprivilegedPort),
                fmt::format("Use a port from {} to 65535, or 0.", kFirstUnprivilegedPort));
    }
}

void checkLoopback(const JobSpec& spec, Report& report) {
    const auto& addresses = spec.cluster.jobAddresses;
    const bool elsewhere = std::any_of(addresses.begin(), addresses.end(),
                                       [](const Address& a) { return !isLoopback(a.host); });
    if (!elsewhere) return;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        if (!isLoopback(addresses[i].host)) continue;
        const std::string key = fmt::format("cluster.job_addresses[{}]", i);
        report.error(key,
                     fmt::format("{} is {}, which other hosts of this job cannot reach", key,
                                 toString(addresses[i])),
                     "Write the name or the address by which the other hosts know this one.");
    }
}

void checkEvaluatorAddress(const JobSpec& spec, Report& report) {
    const auto& evaluator = spec.cluster.evaluatorAddress;
    if (!evaluator || evaluator->port == 0) return;
    const auto& addresses = spec.cluster.jobAddresses;
    const auto same = std::find(addresses.begin(), addresses.end(), *evaluator);
    if (same == addresses.end()) return;
    report.error("cluster.evaluator",
                 fmt::format("cluster.evaluator is {}, which is the address of process {}",
                             toString(*evaluator), same - addresses.begin()),
                 "The evaluator is a process of its own: give it its own port, or write true.");
}

void checkTransport(const JobSpec& spec, Report& report) {
    const ClusterSpec& cluster = spec.cluster;
    if (cluster.transport == Transport::Nccl && cluster.device == DeviceKind::Cpu)
        report.error("cluster.transport",
                     "cluster.transport is \"nccl\", which moves data between GPUs, but "
                     "cluster.device is \"cpu\"",
                     "Set cluster.transport to \"auto\", or cluster.device to \"gpu\".");
    if (cluster.transport == Transport::Shm && spec.launch.method == LaunchMethod::Ssh) {
        std::vector<std::string> hosts = processHosts(spec);
        std::sort(hosts.begin(), hosts.end());
        if (std::unique(hosts.begin(), hosts.end()) - hosts.begin() > 1)
            report.error("cluster.transport",
                         "cluster.transport is \"shm\", but the processes are on several hosts, "
                         "which share no memory",
                         "Set cluster.transport to \"auto\".");
    }
}

void checkTimeouts(const JobSpec& spec, Report& report) {
    const double timeout = spec.cluster.heartbeatTimeoutSeconds;
    if (timeout >= 2) return;
    report.warning(
        "cluster.heartbeat_timeout_seconds",
        fmt::format(
            "cluster.heartbeat_timeout_seconds is {}, but a heartbeat is sent every second, "
            "so a short pause would count as a loss",
            timeout),
        "Use 5 seconds or more; 10 is the default.");
}

// ---- launch ------------------------------------------------------------------------------------

void checkLaunchMethod(const JobSpec& spec, Report& report) {
    const auto& addresses = spec.cluster.jobAddresses;
    const bool remote = std::any_of(addresses.begin(), addresses.end(),
                                    [](const Address& a) { return !isLoopback(a.host); });
    if (spec.launch.method == LaunchMethod::Local && remote && addresses.size() > 1)
        report.warning(
            "launch.method",
            "launch.method is \"local\": all processes start on this machine, but their addresses "
            "name other hosts",
            "Set launch.method to \"ssh\", or use 127.0.0.1:0 for every process.");
}

void checkHosts(const JobSpec& spec, Report& report) {
    if (spec.launch.method != LaunchMethod::Ssh) return;
    const auto named = spec.launch.hosts.size();
    const auto processes = static_cast<std::size_t>(spec.cluster.numProcesses);
    if (named > 0 && named != processes)
        report.error(
            "launch.hosts",
            fmt::format("launch.hosts has {} hosts, but there are {} processes", named, processes),
            "Name one host per process, repeating a host that runs several, or none.");
    else if (named == 0 && spec.cluster.jobAddresses.size() != processes)
        report.error(
            "launch.hosts",
            fmt::format("launch.hosts is empty, and the addresses name {} of {} processes' hosts",
                        spec.cluster.jobAddresses.size(), processes),
            "Name one ssh destination per process in launch.hosts.");
}

// ---- data and model ----------------------------------------------------------------------------

void checkDataset(const JobSpec& spec, Report& report) {
    if (spec.data.dataset.empty()) {
        report.error("data.dataset", "data.dataset is missing",
                     "Set data.dataset to \"digits\" (built in), \"mnist\" or \"idx\".");
        return;
    }
    const auto known = knownDataset(spec);
    if ((!known || known->needsDirectory) && spec.data.directory.empty())
        report.error(
            "data.directory",
            fmt::format("data.directory is missing, but the data set \"{}\" is read from files",
                        spec.data.dataset),
            "Set data.directory to the folder that holds them, relative to the job file.");
}

void checkValidation(const JobSpec& spec, Report& report) {
    const auto known = knownDataset(spec);
    if (!known || spec.data.validationSamples < known->trainingSamples) return;
    report.error(
        "data.validation_samples",
        fmt::format(
            "data.validation_samples is {}, which leaves none of the {} training samples of {}",
            spec.data.validationSamples, known->trainingSamples, known->name),
        fmt::format("Keep fewer for validation, for example {}.", known->trainingSamples / 6));
}

std::string layerKey(std::size_t index, std::string_view option) {
    return fmt::format("model.layers[{}].{}", index, option);
}

void checkLayers(const JobSpec& spec, Report& report) {
    const auto& layers = spec.model.layers;
    if (layers.empty()) {
        report.error(
            "model.layers",
            report.isWritten("model.layers") ? "model.layers is empty" : "model.layers is missing",
            "Give at least one layer, for example { type = \"dense\", units = 10 }.");
        return;
    }
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (layers[i].units == 0)
            report.errorNear(layerKey(i, "units"), fmt::format("model.layers[{}]", i),
                             fmt::format("{} is missing: a dense layer needs its output size",
                                         layerKey(i, "units")),
                             "Add units, for example { type = \"dense\", units = 256 }.");
}

void checkLastLayer(const JobSpec& spec, Report& report) {
    const auto& layers = spec.model.layers;
    if (layers.empty() || layers.back().units == 0) return;
    const std::size_t last = layers.size() - 1;
    const auto known = knownDataset(spec);
    if (known && layers.back().units != known->classes)
        report.error(layerKey(last, "units"),
                     fmt::format("{} is {}, but {} has {} classes", layerKey(last, "units"),
                                 layers.back().units, known->name, known->classes),
                     fmt::format("Set units of the last layer to {}.", known->classes));
    if (layers.back().activation == Activation::Relu)
        report.warning(
            layerKey(last, "activation"),
            fmt::format("{} is \"relu\": the last layer gives the logits, and relu cuts off the "
                        "negative ones",
                        layerKey(last, "activation")),
            "Leave activation out of the last layer.");
}

// ---- training ----------------------------------------------------------------------------------

void checkBatch(const JobSpec& spec, Report& report) {
    const int batch = spec.training.globalBatchSize;
    const int replicas = spec.cluster.replicaCount();
    if (batch < replicas) {
        report.error(
            "training.global_batch_size",
            fmt::format(
                "training.global_batch_size is {}, but there are {} replicas, and each needs "
                "at least one sample a step",
                batch, replicas),
            fmt::format("Use {} or more, or fewer processes.", replicas));
    } else if (batch % replicas != 0 && spec.data.autoShard != AutoShard::Off) {
        report.warning(
            "training.global_batch_size",
            fmt::format("training.global_batch_size is {}, which {} replicas cannot share evenly: "
                        "{} of them take {} samples a step, the others {}",
                        batch, replicas, batch % replicas, batch / replicas + 1, batch / replicas),
            fmt::format("Nothing is lost, every sample weighs the same; {} would be even.",
                        (batch / replicas + 1) * replicas));
    }
}

void checkBatchAgainstData(const JobSpec& spec, Report& report) {
    const auto known = knownDataset(spec);
    if (!known) return;
    const int samples = known->trainingSamples - spec.data.validationSamples;
    if (samples <= 0 || spec.training.globalBatchSize <= samples) return;
    report.warning(
        "training.global_batch_size",
        fmt::format(
            "training.global_batch_size is {}, more than the {} samples there are to train on: "
            "an epoch is one step",
            spec.training.globalBatchSize, samples),
        "Use a smaller batch.");
}

void checkOptimizerOptions(const JobSpec& spec, Report& report) {
    const bool adam = spec.training.optimizer == OptimizerKind::Adam;
    const std::vector<std::string> foreign =
        adam ? std::vector<std::string>{"training.momentum"}
             : std::vector<std::string>{"training.beta_1", "training.beta_2", "training.epsilon"};
    for (const std::string& key : foreign) {
        if (!report.isWritten(key)) continue;
        // A resolved job file writes every key: a value that is the default was not asked for.
        const TrainingSpec defaults;
        const TrainingSpec& t = spec.training;
        const bool changed = key == "training.momentum" ? t.momentum != defaults.momentum
                             : key == "training.beta_1" ? t.beta1 != defaults.beta1
                             : key == "training.beta_2" ? t.beta2 != defaults.beta2
                                                        : t.epsilon != defaults.epsilon;
        if (changed)
            report.warning(key,
                           fmt::format("{} is given, but the optimizer is \"{}\", which ignores it",
                                       key, adam ? "adam" : "sgd"),
                           adam ? "Remove it, or set training.optimizer to \"sgd\"."
                                : "Remove it, or set training.optimizer to \"adam\".");
    }
}

void checkLearningRate(const JobSpec& spec, Report& report) {
    if (spec.training.learningRate <= 1) return;
    report.warning(
        "training.learning_rate",
        fmt::format("training.learning_rate is {}, above 1, with which training rarely converges",
                    spec.training.learningRate),
        "Adam's usual rate is 0.001, that of sgd 0.01.");
}

void checkCheckpointInterval(const JobSpec& spec, Report& report) {
    if (spec.checkpoint.everySteps == 0 || spec.checkpoint.everyEpochs == 0) return;
    report.warning(
        "checkpoint.every_epochs",
        fmt::format(
            "checkpoint.every_epochs is {} and checkpoint.every_steps is {}: a checkpoint is "
            "written at each of both",
            spec.checkpoint.everyEpochs, spec.checkpoint.everySteps),
        "Keep the one you mean.");
}

/// A rule looks at the values of `needs`; it is silent when one of them is wrong already.
struct Rule {
    std::vector<std::string_view> needs;
    void (*check)(const JobSpec&, Report&);
};

const std::vector<Rule>& rules() {
    static const std::vector<Rule> kRules = {
        {{"job.name"}, checkName},
        {{"job.run_dir"}, checkRunDir},
        {{"cluster.job_addresses", "cluster.num_processes"}, checkProcessCount},
        {{"cluster.job_addresses"}, checkAddresses},
        {{"cluster.job_addresses"}, checkLoopback},
        {{"cluster.job_addresses", "cluster.evaluator"}, checkEvaluatorAddress},
        {{"cluster.job_addresses", "cluster.transport", "cluster.device", "launch.method"},
         checkTransport},
        {{"cluster.heartbeat_timeout_seconds"}, checkTimeouts},
        {{"cluster.job_addresses", "launch.method"}, checkLaunchMethod},
        {{"cluster.job_addresses", "cluster.num_processes", "launch.hosts"}, checkHosts},
        {{"data.dataset", "data.directory"}, checkDataset},
        {{"data.dataset", "data.validation_samples"}, checkValidation},
        {{"model.layers"}, checkLayers},
        {{"model.layers", "data.dataset"}, checkLastLayer},
        {{"training.global_batch_size", "cluster.job_addresses", "cluster.num_processes",
          "cluster.devices_per_process"},
         checkBatch},
        {{"training.global_batch_size", "data.dataset", "data.validation_samples"},
         checkBatchAgainstData},
        {{"training.optimizer"}, checkOptimizerOptions},
        {{"training.learning_rate"}, checkLearningRate},
        {{"checkpoint.every_steps", "checkpoint.every_epochs"}, checkCheckpointInterval},
        {{"early_stopping.monitor", "early_stopping.mode", "early_stopping.patience",
          "early_stopping.restore_best", "checkpoint.monitor", "checkpoint.mode",
          "checkpoint.keep_best", "data.validation_samples", "training.epochs"},
         checkMonitors},
        {{"early_stopping.monitor", "early_stopping.mode", "early_stopping.restore_best",
          "checkpoint.monitor", "checkpoint.mode", "checkpoint.keep_best",
          "data.validation_samples"},
         checkBestIsRestored},
        {{"data.auto_shard", "data.dataset", "cluster.job_addresses", "cluster.num_processes",
          "training.global_batch_size"},
         checkAutoShard},
        {{"data.cache", "data.dataset"}, checkCache},
    };
    return kRules;
}

}  // namespace

std::vector<Finding> lint(const JobSpec& spec, const KeyPlaces& places) {
    Report report(places);
    for (const Rule& rule : rules())
        if (std::all_of(rule.needs.begin(), rule.needs.end(),
                        [&report](std::string_view key) { return report.isUsable(key); }))
            rule.check(spec, report);
    return report.take();
}

}  // namespace lockstep::config

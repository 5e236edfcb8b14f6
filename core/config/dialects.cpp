// SPDX-License-Identifier: Apache-2.0
#include "core/config/dialects.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/config/cluster_spec.h"
#include "core/config/key_help.h"

namespace lockstep::config {

namespace {

constexpr std::pair<Dialect, std::string_view> kDialects[] = {
    {Dialect::Keras, "keras"},        {Dialect::Jax, "jax"},
    {Dialect::TfConfig, "tf_config"}, {Dialect::Torchrun, "torchrun"},
    {Dialect::Hostfile, "hostfile"},
};

/// For a POSIX shell: nothing within single quotes means anything but itself.
std::string shellLine(std::string_view key, std::string_view value) {
    std::string quoted;
    for (const char c : value) {
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    }
    return fmt::format("{}='{}'\n", key, quoted);
}

std::string kerasText(const ClusterSpec& cluster, int processId) {
    return shellLine("KERAS_DISTRIBUTION_JOB_ADDRESSES", toString(cluster.jobAddresses)) +
           shellLine("KERAS_DISTRIBUTION_NUM_PROCESSES", std::to_string(cluster.numProcesses)) +
           shellLine("KERAS_DISTRIBUTION_PROCESS_ID", std::to_string(processId));
}

/// JAX reads no count and no id from the environment: the arguments of its call instead.
std::string jaxText(const ClusterSpec& cluster, int processId) {
    return fmt::format("coordinator_address='{}',\nnum_processes={},\nprocess_id={}\n",
                       toString(cluster.jobAddresses.front()), cluster.numProcesses, processId);
}

/// Every process is a worker, process 0 among them: TensorFlow takes worker 0 for the chief then.
std::string tfConfigText(const ClusterSpec& cluster, const DialectTask& task) {
    nlohmann::ordered_json config;
    for (const Address& address : cluster.jobAddresses)
        config["cluster"]["worker"].push_back(toString(address));
    if (cluster.evaluatorAddress)
        config["cluster"]["evaluator"].push_back(toString(*cluster.evaluatorAddress));
    config["task"]["type"] = task.evaluator ? "evaluator" : "worker";
    config["task"]["index"] = task.evaluator ? 0 : task.processId.value_or(0);
    return shellLine("TF_CONFIG", config.dump());
}

/// The hosts in order of their first process, each with its number of processes.
std::vector<std::pair<std::string, int>> slotsByHost(const std::vector<std::string>& hosts) {
    std::vector<std::pair<std::string, int>> slots;
    for (const std::string& host : hosts) {
        const auto known = std::find_if(slots.begin(), slots.end(),
                                        [&host](const auto& slot) { return slot.first == host; });
        if (known == slots.end())
            slots.emplace_back(host, 1);
        else
            ++known->second;
    }
    return slots;
}

/// What torch.distributed needs; what is counted by host only where the hosts are known.
std::string torchrunText(const ClusterSpec& cluster, const std::vector<std::string>& hosts,
                         int rank) {
    const std::string needed =
        shellLine("MASTER_ADDR", cluster.jobAddresses.front().host) +
        shellLine("MASTER_PORT", std::to_string(cluster.jobAddresses.front().port)) +
        shellLine("WORLD_SIZE", std::to_string(cluster.numProcesses)) +
        shellLine("RANK", std::to_string(rank));
    if (hosts.size() != static_cast<std::size_t>(cluster.numProcesses)) return needed;
    const auto slots = slotsByHost(hosts);
    const std::string& own = hosts[static_cast<std::size_t>(rank)];
    const auto group = std::find_if(slots.begin(), slots.end(),
                                    [&own](const auto& slot) { return slot.first == own; });
    const auto localRank = std::count(hosts.begin(), hosts.begin() + rank, own);
    return needed + shellLine("LOCAL_RANK", std::to_string(localRank)) +
           shellLine("LOCAL_WORLD_SIZE", std::to_string(group->second)) +
           shellLine("GROUP_RANK", std::to_string(group - slots.begin())) +
           shellLine("GROUP_WORLD_SIZE", std::to_string(slots.size()));
}

std::string hostfileText(const std::vector<std::string>& hosts) {
    std::string text;
    for (const auto& [host, slots] : slotsByHost(hosts))
        text += fmt::format("{} slots={}\n", host, slots);
    return text;
}

/// Whether processes of one host have consecutive ids, which is how a hostfile numbers them.
bool idsFollowHosts(const std::vector<std::string>& hosts) {
    std::vector<std::string> grouped;
    for (const auto& [host, slots] : slotsByHost(hosts))
        grouped.insert(grouped.end(), static_cast<std::size_t>(slots), host);
    return grouped == hosts;
}

Result<void> checkTask(const JobSpec& spec, Dialect dialect, const DialectTask& task) {
    if (task.evaluator && !spec.cluster.evaluator)
        return fail(ErrorCode::BadInput, "the job has no evaluator: cluster.evaluator is false",
                    "Set cluster.evaluator to true or to an address.");
    if (task.evaluator && dialect != Dialect::TfConfig && dialect != Dialect::Hostfile)
        return fail(
            ErrorCode::BadInput, fmt::format("the dialect {} has no evaluator", toString(dialect)),
            "Only tf_config describes one; the evaluator is not part of the training group.");
    if (spec.cluster.jobAddresses.empty())
        return fail(ErrorCode::BadInput, "the job has no addresses",
                    "Give one \"host:port\" per process in cluster.job_addresses.");
    const int id = task.processId.value_or(0);
    if (id < 0 || id >= spec.cluster.numProcesses)
        return fail(ErrorCode::BadInput,
                    fmt::format("process {} does not exist: the job has {} processes", id,
                                spec.cluster.numProcesses),
                    fmt::format("Use 0 to {}.", spec.cluster.numProcesses - 1));
    return {};
}

Result<void> checkNamed(const JobSpec& spec, Dialect dialect, std::size_t named) {
    if (named == static_cast<std::size_t>(spec.cluster.numProcesses)) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("{} lists every process, but the job names {} of {}", toString(dialect),
                            named, spec.cluster.numProcesses),
                dialect == Dialect::TfConfig
                    ? "Give every address in cluster.job_addresses."
                    : "Give every host in launch.hosts, or every address.");
}

std::vector<std::string> notesFor(const JobSpec& spec, Dialect dialect, const DialectTask& task,
                                  const std::vector<std::string>& hosts) {
    std::vector<std::string> notes;
    if (dialect == Dialect::Hostfile) {
        if (!idsFollowHosts(hosts))
            notes.emplace_back(
                "a hostfile numbers processes host by host, so ids differ from the job's");
        return notes;
    }
    if (!task.evaluator && !task.processId && spec.cluster.numProcesses > 1)
        notes.emplace_back("this is for process 0; --process K prints another's");
    const ClusterSpec& cluster = spec.cluster;
    const auto& addresses = cluster.jobAddresses;
    if (std::any_of(addresses.begin(), addresses.end(),
                    [](const Address& a) { return a.port == 0; }))
        notes.emplace_back("port 0 is chosen at launch; other programs need the ports written out");
    if (dialect == Dialect::Torchrun &&
        hosts.size() != static_cast<std::size_t>(cluster.numProcesses))
        notes.emplace_back(
            "LOCAL_RANK and the like are left out: the job does not name every process' host");
    if (dialect == Dialect::Keras && addresses.front().host.find(':') != std::string::npos)
        notes.emplace_back("Keras on PyTorch cannot read an IPv6 address; on JAX it can");
    return notes;
}

}  // namespace

std::string_view toString(Dialect dialect) {
    for (const auto& [known, word] : kDialects)
        if (known == dialect) return word;
    return "";
}

Result<Dialect> parseDialect(std::string_view word) {
    std::vector<std::string> words;
    for (const auto& [dialect, known] : kDialects) {
        if (known == word) return dialect;
        words.emplace_back(known);
    }
    return fail(ErrorCode::BadInput,
                fmt::format("there is no dialect \"{}\"{}", sanitizeLine(word, 60),
                            didYouMean(word, words)),
                fmt::format("The dialects are {}.", joinWords(words)));
}

Result<DialectText> printDialect(const JobSpec& spec, Dialect dialect, const DialectTask& task) {
    if (auto valid = checkTask(spec, dialect, task); !valid) return fail(std::move(valid).error());
    const ClusterSpec& cluster = spec.cluster;
    const std::vector<std::string> hosts = processHosts(spec);
    const int id = task.processId.value_or(0);
    const bool needsAddresses = dialect == Dialect::TfConfig;
    if (needsAddresses || dialect == Dialect::Hostfile) {
        const std::size_t named = needsAddresses ? cluster.jobAddresses.size() : hosts.size();
        if (auto all = checkNamed(spec, dialect, named); !all) return fail(std::move(all).error());
    }
    DialectText result;
    switch (dialect) {
        case Dialect::Keras:
            result.text = kerasText(cluster, id);
            break;
        case Dialect::Jax:
            result.text = jaxText(cluster, id);
            break;
        case Dialect::TfConfig:
            result.text = tfConfigText(cluster, task);
            break;
        case Dialect::Torchrun:
            result.text = torchrunText(cluster, hosts, id);
            break;
        case Dialect::Hostfile:
            result.text = hostfileText(hosts);
            break;
    }
    result.notes = notesFor(spec, dialect, task, hosts);
    return result;
}

}  // namespace lockstep::config

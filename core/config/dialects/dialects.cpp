// SPDX-License-Identifier: Apache-2.0
#include "core/config/dialects/dialects.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/config/dialects/dialect_variables.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/keys/key_help.h"

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

std::string shellLines(const Variables& variables) {
    std::string lines;
    for (const auto& [name, value] : variables)
        lines += shellLine(name, value);
    return lines;
}

/// JAX reads no count and no id from the environment: the arguments of its call instead.
std::string jaxText(const ClusterSpec& cluster, int processId) {
    return fmt::format("coordinator_address='{}',\nnum_processes={},\nprocess_id={}\n",
                       toString(cluster.jobAddresses.front()), cluster.numProcesses, processId);
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
                    fmt::format("process {} does not exist: the job has {}", id,
                                counted(spec.cluster.numProcesses, "process")),
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
            result.text = shellLines(kerasVariables(cluster, id));
            break;
        case Dialect::Jax:
            result.text = jaxText(cluster, id);
            break;
        case Dialect::TfConfig:
            result.text = shellLines(tfConfigVariables(cluster, task));
            break;
        case Dialect::Torchrun:
            result.text = shellLines(torchrunVariables(cluster, hosts, id));
            break;
        case Dialect::Hostfile:
            result.text = hostfileText(hosts);
            break;
    }
    result.notes = notesFor(spec, dialect, task, hosts);
    return result;
}

}  // namespace lockstep::config

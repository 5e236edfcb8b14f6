// SPDX-License-Identifier: Apache-2.0
// torchrun's command line, of one node.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/config/cluster/variable_reader.h"
#include "core/config/dialects/pasted_forms.h"
#include "core/config/document/environment_lint.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/keys/key_codec.h"

namespace lockstep::config {

namespace {

constexpr int kMasterPort = 29500;  // torchrun's defaults
constexpr int kRendezvousPort = 29400;

// Options with a value; those that say something of the cluster come first.
const std::vector<std::string> kOptions = {"nnodes",
                                           "nproc-per-node",
                                           "node-rank",
                                           "master-addr",
                                           "master-port",
                                           "rdzv-endpoint",
                                           "rdzv-id",
                                           "rdzv-backend",
                                           "rdzv-conf",
                                           "max-restarts",
                                           "redirects",
                                           "tee",
                                           "log-dir",
                                           "monitor-interval",
                                           "start-method",
                                           "role",
                                           "local-addr",
                                           "local-ranks-filter",
                                           "logs-specs",
                                           "numa-binding",
                                           "signals-to-handle",
                                           "event-log-handler"};
const std::vector<std::string> kFlags = {"standalone", "module",  "no-python",
                                         "run-path",   "use-env", "m"};

std::string baseName(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

/// The words behind torchrun, or behind python's `-m torch.distributed.run`.
std::vector<std::string> optionsOf(const std::vector<std::string>& words) {
    const auto run = std::find_if(words.begin(), words.end(), [](const std::string& word) {
        return baseName(word) == "torchrun" || word == "torch.distributed.run" ||
               word == "torch.distributed.launch";
    });
    return run == words.end() ? std::vector<std::string>() : std::vector(run + 1, words.end());
}

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The options up to the program's name; their names as with dashes.
Result<Environment::Variables> readOptions(const std::vector<std::string>& words) {
    Environment::Variables values;
    for (std::size_t i = 0; i < words.size() && words[i].starts_with('-'); ++i) {
        const std::string& word = words[i];
        const std::size_t equals = word.find('=');
        std::string name = word.substr(0, equals);
        name.erase(0, name.find_first_not_of('-'));
        std::replace(name.begin(), name.end(), '_', '-');
        if (has(kFlags, name)) {
            values["--" + name] = "";
            if (name == "m" || name == "module") break;  // the program follows
            continue;
        }
        if (!has(kOptions, name))
            return unreadable(fmt::format("torchrun has no option {}{}", sanitizeLine(word, 60),
                                          didYouMean(name, kOptions)),
                              "Correct the option, or paste torchrun's variables.");
        if (equals == std::string::npos && i + 1 == words.size())
            return unreadable(fmt::format("--{} has no value", name), "Paste the whole command.");
        values["--" + name] = equals != std::string::npos ? word.substr(equals + 1) : words[++i];
    }
    return values;
}

Result<Address> masterOf(VariableReader& reader, const Environment& options) {
    if (options.has("--rdzv-endpoint")) {
        const std::string text(options.get("--rdzv-endpoint").value_or(""));
        const bool port = text.rfind(':') != std::string::npos && !text.ends_with(']');
        auto address = parseAddress(port ? text : fmt::format("{}:{}", text, kRendezvousPort));
        if (!address) return failWithin("--rdzv-endpoint", std::move(address).error());
        return address;
    }
    const auto host = reader.text("--master-addr");
    const auto port = reader.integer("--master-port", 1, 65535);
    auto address = parseAddress(
        toString(Address{host ? host->value : "127.0.0.1", port ? port->value : kMasterPort}));
    if (!address) return failWithin("--master-addr", std::move(address).error());
    return address;
}

Result<DialectReading> readingOf(const Environment& options) {
    VariableReader reader(options, OriginKind::Argument,
                          "The number of processes is fixed: give numbers for --nnodes and "
                          "--nproc-per-node.");
    const auto nodes = reader.processCount("--nnodes");
    const auto perNode = reader.processCount("--nproc-per-node");
    const auto rank = reader.processId("--node-rank");
    auto master = masterOf(reader, options);
    if (reader.problem()) return fail(*reader.problem());
    if (!master) return fail(std::move(master).error());
    const int nodeCount = nodes ? nodes->value : 1;
    const int each = perNode ? perNode->value : 1;
    if (nodeCount * each > kMostProcesses)
        return unreadable(fmt::format("torchrun would start {}, more than {}",
                                      counted(nodeCount * each, "process"), kMostProcesses),
                          "Use fewer processes.");
    if (rank && rank->value >= nodeCount)
        return unreadable(
            fmt::format("--node-rank is {}, but --nnodes is {}", rank->value, nodeCount),
            fmt::format("Node ranks go from 0 to {}.", nodeCount - 1));
    if (!rank && nodeCount > 1 && !options.has("--rdzv-endpoint"))
        return unreadable(fmt::format("--nnodes is {}, but --node-rank is missing", nodeCount),
                          "Add --node-rank; without it every node takes itself for node 0.");
    DialectReading reading;
    const int first = (rank ? rank->value : 0) * each;
    reading.facts.numProcesses = reader.said(nodeCount * each, "--nnodes and --nproc-per-node");
    reading.facts.coordinatorAddress =
        reader.said(*master, options.has("--rdzv-endpoint") ? "--rdzv-endpoint" : "--master-addr");
    if (each == 1 && (rank || nodeCount == 1))
        reading.facts.processId = reader.said(first, "--node-rank");
    if (nodeCount == 1)
        reading.facts.hosts = reader.said(
            std::vector<std::string>(static_cast<std::size_t>(each), master->host), "--nnodes");
    reading.notes = {understoodAs("a torchrun command", reading.facts)};
    if (each > 1 && rank)
        reading.notes.push_back(
            fmt::format("this node starts processes {} to {}", first, first + each - 1));
    return reading;
}

}  // namespace

bool looksLikeTorchrun(const std::vector<std::string>& words) {
    return std::any_of(words.begin(), words.end(), [](const std::string& word) {
        return baseName(word) == "torchrun" || word == "torch.distributed.run" ||
               word == "torch.distributed.launch";
    });
}

Result<DialectReading> readTorchrunCommand(const std::vector<std::string>& words) {
    auto options = readOptions(optionsOf(words));
    if (!options) return fail(std::move(options).error());
    auto reading = readingOf(Environment(std::move(*options)));
    if (reading) reading->findings = lintFacts(reading->facts);
    return reading;
}

}  // namespace lockstep::config

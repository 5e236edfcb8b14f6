// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/config/dialects/dialect_readers.h"
#include "core/config/job/cluster_spec.h"
#include "core/text/toml_text.h"

namespace lockstep::config {

namespace {

std::string tomlList(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items)
        text += (text.empty() ? "" : ", ") + tomlString(item);
    return "[" + text + "]";
}

/// The document with the keys set or removed one after the other; the first failure stays.
class Writer {
public:
    explicit Writer(JobDocument& document) : document_(document) {}

    void set(std::string_view key, const std::string& value) {
        if (done_) done_ = document_.set(key, value);
    }
    void unset(std::string_view key) {
        if (done_) done_ = document_.unset(key);
    }
    [[nodiscard]] const Result<void>& done() const { return done_; }

private:
    JobDocument& document_;
    Result<void> done_;
};

/// The addresses to write: all of them, the coordinator's alone, or hosts with open ports.
std::vector<std::string> addressesOf(const ClusterFacts& facts) {
    std::vector<std::string> items;
    if (facts.jobAddresses) {
        for (const Address& address : facts.jobAddresses->value)
            items.push_back(toString(address));
    } else if (facts.coordinatorAddress) {
        items.push_back(toString(facts.coordinatorAddress->value));
    } else if (facts.hosts) {
        for (const std::string& host : facts.hosts->value)
            items.push_back(toString(Address{host, 0}));
    }
    return items;
}

/// Whether starting the processes takes other machines, as far as the facts name any.
bool needsOtherHosts(const ClusterFacts& facts) {
    std::vector<std::string> hosts;
    if (facts.hosts) hosts = facts.hosts->value;
    if (facts.jobAddresses)
        for (const Address& address : facts.jobAddresses->value)
            hosts.push_back(address.host);
    if (facts.coordinatorAddress) hosts.push_back(facts.coordinatorAddress->value.host);
    const int count =
        facts.numProcesses ? facts.numProcesses->value : static_cast<int>(hosts.size());
    return count > 1 && std::any_of(hosts.begin(), hosts.end(),
                                    [](const std::string& host) { return !isLoopback(host); });
}

void writeProcesses(Writer& writer, const ClusterFacts& facts) {
    const std::vector<std::string> addresses = addressesOf(facts);
    if (!addresses.empty()) writer.set("cluster.job_addresses", tomlList(addresses));
    const bool coordinatorAlone = !facts.jobAddresses && facts.coordinatorAddress;
    if (facts.numProcesses && (coordinatorAlone || addresses.empty()))
        writer.set("cluster.num_processes", std::to_string(facts.numProcesses->value));
    else if (!addresses.empty())
        writer.unset("cluster.num_processes");
    if (coordinatorAlone && facts.hosts)
        writer.set("launch.hosts", tomlList(facts.hosts->value));
    else if (!addresses.empty())
        writer.unset("launch.hosts");
}

}  // namespace

Result<void> applyFacts(JobDocument& document, const ClusterFacts& facts) {
    JobDocument changed = document;
    Writer writer(changed);
    writeProcesses(writer, facts);
    if (facts.evaluatorAddress)
        writer.set("cluster.evaluator", tomlString(toString(facts.evaluatorAddress->value)));
    else if (facts.evaluator)
        writer.set("cluster.evaluator", facts.evaluator->value ? "true" : "false");
    if (facts.devicesPerProcess)
        writer.set("cluster.devices_per_process", std::to_string(facts.devicesPerProcess->value));
    if (needsOtherHosts(facts) && document.spec().launch.method == LaunchMethod::Local)
        writer.set("launch.method", "ssh");
    if (writer.done()) document = std::move(changed);
    return writer.done();
}

}  // namespace lockstep::config

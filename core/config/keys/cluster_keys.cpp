// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/cluster_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/config/job/cluster_spec.h"

namespace lockstep::config {

namespace {

using Kind = TomlValue::Kind;

constexpr const char* kAllWord = "all";
constexpr int kMostDevices = 64;  ///< Of one process.

Problem addressProblem(const TomlValue& value, std::string suffix, Error error) {
    return {placeOf(value), std::move(suffix), "is wrong: " + error.message,
            std::move(error.remedy)};
}

Problems readAddresses(const TomlValue& value, JobSpec& spec) {
    std::vector<std::pair<std::string, const TomlValue*>> items;
    Problems problems = readTextItems(value, items);
    if (problems.empty() && items.empty())
        return {{placeOf(value),
                 {},
                 fmt::format("is {}, but a job has at least one process", shownValue(value)),
                 "Leave it out for one local process, or give one \"host:port\" per process."}};
    std::vector<Address> addresses;
    for (std::size_t i = 0; i < items.size(); ++i) {
        auto address = parseAddress(items[i].first);
        if (address)
            addresses.push_back(std::move(*address));
        else
            problems.push_back(addressProblem(*items[i].second, fmt::format("[{}]", i),
                                              std::move(address).error()));
    }
    if (problems.empty()) spec.cluster.jobAddresses = std::move(addresses);
    return problems;
}

Problems readEvaluator(const TomlValue& value, JobSpec& spec) {
    if (value.kind == Kind::Boolean) {
        spec.cluster.evaluator = value.flag;
        spec.cluster.evaluatorAddress.reset();
        return {};
    }
    if (value.kind != Kind::String)
        return {{placeOf(value),
                 {},
                 fmt::format("is {}, but must be true, false or \"host:port\"", shownValue(value)),
                 {}}};
    auto address = parseAddress(value.text);
    if (!address) return {addressProblem(value, {}, std::move(address).error())};
    spec.cluster.evaluator = true;
    spec.cluster.evaluatorAddress = std::move(*address);
    return {};
}

Problems readDeviceIds(const TomlValue& value, JobSpec& spec) {
    Problems wrong{{placeOf(value),
                    {},
                    fmt::format("is {}, but must be an array of different numbers of GPUs, "
                                "from 0 to {}",
                                shownValue(value), kMostDevices - 1),
                    "Leave it out for all GPUs of a host."}};
    if (value.kind != Kind::Array) return wrong;
    std::vector<int> ids;
    for (const TomlValue& element : value.elements) {
        const bool fits =
            element.kind == Kind::Integer && element.integer >= 0 && element.integer < kMostDevices;
        if (!fits || std::ranges::find(ids, static_cast<int>(element.integer)) != ids.end())
            return wrong;
        ids.push_back(static_cast<int>(element.integer));
    }
    spec.cluster.localDeviceIds = std::move(ids);
    return {};
}

}  // namespace

Key<JobSpec> addressesKey() {
    Key<JobSpec> key;
    key.help.kind = ValueKind::AddressList;
    key.read = readAddresses;
    key.write = [](const JobSpec& spec) {
        std::string text;
        for (const Address& address : spec.cluster.jobAddresses)
            text += (text.empty() ? "" : ", ") + tomlString(toString(address));
        return text.empty() ? std::string() : "[" + text + "]";
    };
    return key;
}

Key<JobSpec> evaluatorKey() {
    Key<JobSpec> key;
    key.help.kind = ValueKind::FlagOrAddress;
    key.read = readEvaluator;
    key.write = [](const JobSpec& spec) -> std::string {
        const ClusterSpec& cluster = spec.cluster;
        if (cluster.evaluator && cluster.evaluatorAddress)
            return tomlString(toString(*cluster.evaluatorAddress));
        return cluster.evaluator ? "true" : "false";
    };
    return key;
}

Key<JobSpec> hostsKey() {
    return textListKey<JobSpec>(at<&JobSpec::launch, &LaunchSpec::hosts>);
}

Key<JobSpec> devicesPerProcessKey() {
    Key<JobSpec> key;
    key.help.kind = ValueKind::IntegerOrWord;
    key.help.words = {kAllWord};
    key.help.minimum = 1;
    key.help.maximum = kMostDevices;
    const KeyHelp help = key.help;
    key.read = [help](const TomlValue& value, JobSpec& spec) {
        Problems problems = checkScalar(value, help);
        if (problems.empty())
            spec.cluster.devicesPerProcess = value.kind == Kind::String
                                                 ? ClusterSpec::kAllDevices
                                                 : static_cast<int>(value.integer);
        return problems;
    };
    key.write = [](const JobSpec& spec) {
        const int count = spec.cluster.devicesPerProcess;
        return count == ClusterSpec::kAllDevices ? tomlString(kAllWord) : std::to_string(count);
    };
    return key;
}

Key<JobSpec> localDeviceIdsKey() {
    Key<JobSpec> key;
    key.help.kind = ValueKind::NumberList;
    key.help.minimum = 0;
    key.read = readDeviceIds;
    key.write = [](const JobSpec& spec) {
        std::string text;
        for (const int id : spec.cluster.localDeviceIds)
            text += (text.empty() ? "" : ", ") + std::to_string(id);
        return "[" + text + "]";
    };
    return key;
}

}  // namespace lockstep::config

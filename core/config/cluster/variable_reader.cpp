// SPDX-License-Identifier: Apache-2.0
#include "core/config/cluster/variable_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/config/job/cluster_spec.h"
#include "core/text/plain_text.h"

namespace lockstep::config {

namespace {
constexpr int kMostDeviceId = 4095;
}

VariableReader::VariableReader(const Environment& environment, OriginKind kind, std::string remedy)
    : environment_(environment), kind_(kind), remedy_(std::move(remedy)) {}

void VariableReader::refuse(Error error) {
    if (!problem_) problem_ = std::move(error);
}

void VariableReader::refuse(std::string_view name, std::string_view reason, std::string remedy) {
    const std::string shown = sanitizeLine(environment_.get(name).value_or(""), 200);
    refuse(Error{ErrorCode::BadInput, fmt::format("{} is \"{}\", but {}", name, shown, reason),
                 remedy_.empty() ? std::move(remedy) : remedy_});
}

Said<std::string> VariableReader::text(std::string_view name) {
    const auto value = environment_.get(name);
    if (!value) return std::nullopt;
    const std::string_view text = trimmed(*value);
    if (text.empty()) {
        refuse(name, "must not be empty", fmt::format("Set {}, or unset it.", name));
        return std::nullopt;
    }
    return said(std::string(text), name);
}

Said<int> VariableReader::integer(std::string_view name, int minimum, int maximum) {
    const auto value = environment_.get(name);
    if (!value) return std::nullopt;
    const auto number = wholeNumber(trimmed(*value));
    if (!number || *number < minimum || *number > maximum) {
        const std::string range = fmt::format("a whole number from {} to {}", minimum, maximum);
        refuse(name, "must be " + range, fmt::format("Set {} to {}, or unset it.", name, range));
        return std::nullopt;
    }
    return said(static_cast<int>(*number), name);
}

Said<int> VariableReader::processCount(std::string_view name) {
    return integer(name, 1, kMostProcesses);
}

Said<int> VariableReader::processId(std::string_view name) {
    return integer(name, 0, kMostProcesses - 1);
}

Said<Address> VariableReader::address(std::string_view name) {
    const auto value = environment_.get(name);
    if (!value) return std::nullopt;
    auto address = parseAddress(trimmed(*value));
    if (address) return said(std::move(*address), name);
    refuse(std::move(address).error().within(name));
    return std::nullopt;
}

Said<std::vector<Address>> VariableReader::addresses(std::string_view name) {
    const auto value = environment_.get(name);
    if (!value) return std::nullopt;
    auto addresses = parseAddresses(trimmed(*value));
    if (!addresses) {
        refuse(std::move(addresses).error().within(name));
        return std::nullopt;
    }
    if (addresses->size() > static_cast<std::size_t>(kMostProcesses)) {
        refuse(name,
               fmt::format("lists {}, more than {}", counted(addresses->size(), "address"),
                           kMostProcesses),
               "Give one address per process.");
        return std::nullopt;
    }
    return said(std::move(*addresses), name);
}

Said<std::vector<int>> VariableReader::deviceIds(std::string_view name) {
    const auto value = environment_.get(name);
    if (!value) return std::nullopt;
    std::vector<int> ids;
    for (const std::string_view part : splitText(*value, ',')) {
        const auto id = wholeNumber(part);
        const bool fits = id && *id >= 0 && *id <= kMostDeviceId;
        if (!fits || std::find(ids.begin(), ids.end(), static_cast<int>(*id)) != ids.end()) {
            refuse(name,
                   "must be device numbers with commas, each from 0 and each once, such as 0,1",
                   fmt::format("Correct {}, or unset it to use every device.", name));
            return std::nullopt;
        }
        ids.push_back(static_cast<int>(*id));
    }
    return said(std::move(ids), name);
}

Result<ClusterFacts> VariableReader::finish(ClusterFacts facts) const {
    if (problem_) return fail(*problem_);
    return facts;
}

}  // namespace lockstep::config

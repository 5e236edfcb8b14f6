// SPDX-License-Identifier: Apache-2.0
#include "core/config/cluster/facts_text.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace lockstep::config {

namespace {

constexpr std::size_t kMostShown = 16;
constexpr std::size_t kLongestShown = 300;

template <typename T>
std::string list(const std::vector<T>& values) {
    std::string text;
    for (std::size_t i = 0; i < values.size() && i < kMostShown; ++i)
        text += (text.empty() ? "" : ",") + shown(values[i]);
    if (values.size() > kMostShown) text += fmt::format(",... ({} in all)", values.size());
    return text;
}

}  // namespace

std::string shown(int value) {
    return std::to_string(value);
}

std::string shown(bool value) {
    return value ? "true" : "false";
}

std::string shown(const std::string& value) {
    return sanitizeLine(value, kLongestShown);
}

std::string shown(const Address& value) {
    return toString(value);
}

std::string shown(ProcessRole value) {
    return value == ProcessRole::Evaluator ? "evaluator" : "worker";
}

std::string shown(const std::vector<Address>& values) {
    return list(values);
}

std::string shown(const std::vector<int>& values) {
    return list(values);
}

std::string shown(const std::vector<std::string>& values) {
    return list(values);
}

}  // namespace lockstep::config

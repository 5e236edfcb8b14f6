// SPDX-License-Identifier: Apache-2.0
#include "core/config/cluster/launcher_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/text/plain_text.h"

namespace lockstep::config {

namespace {
constexpr int kFirstPort = 61440;
constexpr int kPorts = 4096;
constexpr int kLastPort = 65535;
constexpr std::size_t kLongestPart = 100;
constexpr std::string_view kPortVariable = "JAX_COORDINATOR_PORT";
}  // namespace

int portOf(std::int64_t jobNumber) {
    return kFirstPort + static_cast<int>(jobNumber % kPorts);
}

Said<Address> coordinatorAt(VariableReader& reader, std::string host, int port,
                            std::string_view origin) {
    const auto given = reader.integer(kPortVariable, 1, kLastPort);
    if (!given) return reader.said(Address{std::move(host), port}, origin);
    return reader.said(Address{std::move(host), given->value},
                       fmt::format("{} and {}", origin, kPortVariable));
}

Said<std::vector<int>> deviceOfLocalProcess(const Environment& environment,
                                            const Said<int>& localProcessId) {
    if (!localProcessId) return std::nullopt;
    const auto visible = environment.get("CUDA_VISIBLE_DEVICES");
    const bool one =
        visible && !trimmed(*visible).empty() && visible->find(',') == std::string_view::npos;
    return Sourced<std::vector<int>>{{one ? 0 : localProcessId->value}, localProcessId->origin};
}

std::string fileNamePart(std::string_view text) {
    std::string part(text.substr(0, kLongestPart));
    std::replace_if(
        part.begin(), part.end(),
        [](unsigned char c) {
            return c >= 0x80 || (std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.');
        },
        '-');
    return part;
}

}  // namespace lockstep::config

// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/state/process_key.h"

#include <fmt/format.h>

#include <charconv>

namespace lockstep::coordination {

namespace {

constexpr std::string_view kWorker = "worker-";
constexpr std::string_view kAgent = "agent-";
constexpr std::string_view kEvaluator = "evaluator";
constexpr std::string_view kFurtherEvaluator = "evaluator-";  // from 1 on

/// Canonical decimal only: "007" or "+7" would give one process two names.
std::optional<std::uint32_t> numberIn(std::string_view digits) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
    return value;
}

}  // namespace

std::string userIdOf(const ProcessKey& key) {
    if (key.role == wire::ROLE_EVALUATOR)
        return key.id == 0 ? std::string(kEvaluator)
                           : fmt::format("{}{}", kFurtherEvaluator, key.id);
    return fmt::format("{}{}", key.role == wire::ROLE_AGENT ? kAgent : kWorker, key.id);
}

std::optional<ProcessKey> processOf(std::string_view userId) {
    if (userId == kEvaluator) return ProcessKey{wire::ROLE_EVALUATOR, 0};
    for (const auto& [prefix, role] :
         {std::pair{kWorker, wire::ROLE_WORKER}, std::pair{kAgent, wire::ROLE_AGENT},
          std::pair{kFurtherEvaluator, wire::ROLE_EVALUATOR}}) {
        if (!userId.starts_with(prefix)) continue;
        const auto id = numberIn(userId.substr(prefix.size()));
        if (id && (role != wire::ROLE_EVALUATOR || *id > 0)) return ProcessKey{role, *id};
    }
    return std::nullopt;
}

std::string nameOf(const ProcessKey& key, std::string_view host) {
    std::string name = key.role == wire::ROLE_EVALUATOR
                           ? (key.id == 0 ? "the evaluator" : fmt::format("evaluator {}", key.id))
                       : key.role == wire::ROLE_AGENT ? fmt::format("the agent of host {}", key.id)
                                                      : fmt::format("process {}", key.id);
    if (!host.empty()) name += fmt::format(" ({})", host);
    return name;
}

}  // namespace lockstep::coordination

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

/// Which process of the job: the key of every table of the coordinator.
struct ProcessKey {
    wire::Role role = wire::ROLE_WORKER;
    std::uint32_t id = 0;

    [[nodiscard]] auto operator<=>(const ProcessKey&) const = default;
};

/// The name under which the authenticator admits the process: "worker-3", "evaluator" (the first
/// one), "evaluator-1", "agent-0".
[[nodiscard]] std::string userIdOf(const ProcessKey& key);

/// The reverse of userIdOf; nullopt for anything else.
[[nodiscard]] std::optional<ProcessKey> processOf(std::string_view userId);

/// For sentences: "process 3", "the evaluator" (the first one), "evaluator 1", "the agent of host
/// 0"; with " (host)" behind it when `host` is not empty.
[[nodiscard]] std::string nameOf(const ProcessKey& key, std::string_view host = {});

}  // namespace lockstep::coordination

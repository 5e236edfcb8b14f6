// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

/// "torn-checkpoint"; empty for a kind that this version does not know.
[[nodiscard]] std::string_view wordOf(wire::DrillKind kind);
[[nodiscard]] std::optional<wire::DrillKind> drillKindOf(std::string_view word);

/// Whether a fault of this kind lasts for as long as it is told to.
[[nodiscard]] bool hasLength(wire::DrillKind kind);

/// Whether a sentence in which the run tells of a failure, or of who holds it up, says that it is
/// one of this kind: a loss that is not a number, a killed process.
[[nodiscard]] bool namesKind(wire::DrillKind kind, std::string_view sentence);

}  // namespace lockstep::coordination

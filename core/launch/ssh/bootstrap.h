// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/launch/ssh/bundles.h"

namespace lockstep::launch {

/// How the service of a host is started by its bare login shell. The command is constant and the
/// same in sh, bash, zsh, fish and csh; it announces itself, then takes a script of known length
/// from its standard input, then everything else:
///   host: ready            (behind whatever the user's start files print)
///   here: the script, the line of offers
///   host: want MACHINE     (then the packed bundle is sent) | run | refused KIND WORDS
///   host: run              (from here on frames, both ways)
[[nodiscard]] const std::string& bootstrapCommand();

/// What goes to standard input once the host is ready: the script and what there is to offer.
[[nodiscard]] std::string bootstrapInput(const std::vector<Bundle>& bundles);

/// How much may be printed before the bootstrap is ready, and how long its lines may be.
inline constexpr std::size_t kMaxGreetingBytes = 64 << 10;

struct BootstrapAnswer {
    enum class Kind { Ready, Want, Run, Refused };
    Kind kind = Kind::Ready;
    std::string machine{};  ///< Want: the host's architecture. Refused: the kind of refusal.
    std::string words{};    ///< Refused: what the host says of it.
};

/// The answer in a line (without its newline); nullopt when it is somebody else's line.
[[nodiscard]] std::optional<BootstrapAnswer> bootstrapAnswer(std::string_view line);

/// The user's sentence for a refusal of `host`.
[[nodiscard]] Error bootstrapRefusal(const std::string& host, const BootstrapAnswer& refusal,
                                     const std::vector<Bundle>& bundles);

}  // namespace lockstep::launch

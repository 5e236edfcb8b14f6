// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/group_call.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/distribution/process_state.h"
#include "core/wire/codec.h"

namespace lockstep::distribution {

namespace {

constexpr std::string_view kPrefix = "user/";
constexpr double kLongest = 1e6;

}  // namespace

Result<std::shared_ptr<ProcessGroup>> groupFor(std::string_view what, bool ofProcesses) {
    auto group = ProcessState::instance().group();
    if (!group)
        return fail(ErrorCode::BadInput, fmt::format("there is no group of processes for {}", what),
                    "Call initialize() before, and shutdown() behind the last of such calls.");
    if (ofProcesses && group->isEvaluator())
        return fail(
            ErrorCode::BadInput,
            fmt::format("{} is of the processes that train; this one is the evaluator", what),
            "Ask isEvaluator() of the strategy before.");
    return group;
}

Result<Nanos> waitTime(double seconds) {
    if (seconds >= 0 && seconds <= kLongest) return toNanos(seconds);
    return fail(ErrorCode::BadInput,
                fmt::format("a timeout has 0 to {:.0f} seconds, not {}", kLongest, seconds));
}

Result<std::string> userName(std::string_view what, const std::string& name, std::size_t most) {
    most -= kPrefix.size();
    if (name.empty() || name.size() > most)
        return fail(ErrorCode::BadInput,
                    fmt::format("{} has 1 to {} bytes, not {}", what, most, name.size()));
    if (wire::validUtf8(name) != name)
        return fail(ErrorCode::BadInput, fmt::format("{} is text in UTF-8, which '{}' is not", what,
                                                     sanitizeLine(wire::validUtf8(name), 80)));
    return std::string(kPrefix) + name;
}

std::string userFolder() {
    return std::string(kPrefix.substr(0, kPrefix.size() - 1));
}

std::string withoutPrefix(const std::string& name) {
    return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

tl::unexpected<Error> failInUserWords(Error error) {
    const std::string quoted = fmt::format("'{}", kPrefix);
    const std::size_t at = error.message.find(quoted);
    if (at != std::string::npos) error.message.erase(at + 1, kPrefix.size());
    return fail(std::move(error));
}

}  // namespace lockstep::distribution

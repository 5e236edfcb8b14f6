// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace lockstep {

/// What kind of failure an Error is; the programs derive their exit status from it.
enum class ErrorCode : std::uint8_t {
    BadInput,     ///< The user's job, flags or data are wrong: exit status 2.
    NotFound,     ///< Something that was named does not exist.
    Unavailable,  ///< A resource cannot be had now: port in use, run folder locked, no such device.
    Timeout,      ///< A deadline passed.
    PeerLost,     ///< Another process of the job died, hung or was fenced off.
    Corrupt,      ///< Stored or received bytes fail their checks.
    Io,           ///< The operating system refused a read, write, or system call.
    NoRoom,       ///< A disk, a quota or a limit on files is full: there may be room again later.
    Cancelled,    ///< Stopped on request: exit status 3.
    Diverged,     ///< The training itself failed: a loss or weight that is not a number.
    Internal,     ///< A defect of ours that was noticed at run time.
};

/// A failure in the user's words: `message` is one sentence naming the place and the value,
/// `remedy` is what to do about it (up to four lines, may be empty).
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message;
    std::string remedy{};

    /// Prefixes the message with where it happened: "loading job.toml: <message>".
    [[nodiscard]] Error within(std::string_view place) && {
        message.insert(0, ": ").insert(0, place);
        return std::move(*this);
    }
};

/// The value, or why there is none. Expected failures travel as Result; no exception leaves a
/// folder.
template <typename T>
using Result = tl::expected<T, Error>;

/// `return fail(ErrorCode::BadInput, "…", "…");`
[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message,
                                                std::string remedy = {}) {
    return tl::unexpected<Error>(Error{code, std::move(message), std::move(remedy)});
}

/// Passes an error on, with the place prefixed: `return failWithin("reading labels",
/// result.error());`
[[nodiscard]] inline tl::unexpected<Error> failWithin(std::string_view place, Error error) {
    return tl::unexpected<Error>(std::move(error).within(place));
}

/// Passes an error on unchanged.
[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
    return tl::unexpected<Error>(std::move(error));
}

}  // namespace lockstep

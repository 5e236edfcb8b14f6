// SPDX-License-Identifier: Apache-2.0
#include "core/wire/local_receiver.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tuple>

#include "core/base/file.h"
#include "core/wire/native.h"
#include "core/wire/socket_options.h"

namespace lockstep::wire {

namespace {

/// Broken messages skipped by one `receive`, so that one sender cannot keep it busy.
constexpr int kMaxSkipped = 64;

Result<void> checkPrivate(const std::filesystem::path& folder) {
    struct stat status {};
    if (::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
        status.st_uid == ::geteuid() && (status.st_mode & 077) == 0)
        return {};
    return fail(ErrorCode::Unavailable,
                fmt::format("{} is not a folder that only this user can open", folder.string()),
                "Remove it, or set XDG_RUNTIME_DIR to a private folder.");
}

}  // namespace

struct LocalReceiver::State {
    explicit State(Context sharedContext)
        : context(std::move(sharedContext)),
          socket(context.state()->context, zmq::socket_type::pull) {}

    const Context context;
    zmq::socket_t socket;
    std::string endpoint;
    std::uint64_t malformed = 0;
};

LocalReceiver::LocalReceiver(std::unique_ptr<State> state) : state_(std::move(state)) {}
LocalReceiver::~LocalReceiver() = default;

Result<std::unique_ptr<LocalReceiver>> LocalReceiver::bind(const Context& context,
                                                           const std::filesystem::path& socket,
                                                           int queued, std::int64_t maxBytes) {
    if (socket.native().size() > kLongestPath)
        return fail(ErrorCode::BadInput,
                    fmt::format("{} is {} characters long, more than the {} of a socket's path",
                                socket.string(), socket.native().size(), kLongestPath),
                    "Set XDG_RUNTIME_DIR to a folder with a shorter path.");
    if (auto closed = checkPrivate(socket.parent_path()); !closed) return fail(closed.error());
    try {
        auto state = std::make_unique<State>(context);
        SocketLimits limits;
        limits.highWaterMark = queued;
        limits.maxMessageBytes = maxBytes;
        state->endpoint = "ipc://" + socket.string();
        setCommonOptions(state->socket, state->endpoint, limits);
        state->socket.bind(state->endpoint);
        if (::chmod(socket.c_str(), 0600) != 0)
            return fail(ErrorCode::Io, "protecting " + socket.string() + ": " + errnoText());
        return std::unique_ptr<LocalReceiver>(new LocalReceiver(std::move(state)));
    } catch (const zmq::error_t& error) {
        return fail(ErrorCode::Io,
                    fmt::format("cannot listen at {}: {}", socket.string(), error.what()));
    }
}

const std::string& LocalReceiver::endpoint() const {
    return state_->endpoint;
}

Result<std::optional<std::string>> LocalReceiver::receive() {
    try {
        for (int skipped = 0; skipped < kMaxSkipped; ++skipped) {
            zmq::message_t message;
            if (!state_->socket.recv(message, zmq::recv_flags::dontwait)) return std::nullopt;
            if (!message.more()) return std::optional(message.to_string());
            ++state_->malformed;
            for (bool more = true; more; more = message.more())
                std::ignore = state_->socket.recv(message, zmq::recv_flags::none);
        }
        return std::nullopt;
    } catch (const zmq::error_t& error) {
        return failZmq("receiving at " + state_->endpoint, error);
    }
}

std::uint64_t LocalReceiver::malformedCount() const {
    return state_->malformed;
}

std::array<void*, 2> LocalReceiver::pollHandles() const {
    return {pollHandle(state_->socket), nullptr};
}

}  // namespace lockstep::wire

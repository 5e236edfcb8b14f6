// SPDX-License-Identifier: Apache-2.0
// The other side of ask_server.h: the program as ssh starts it to ask something.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "core/base/file.h"
#include "core/launch/ssh/ask_frames.h"
#include "core/launch/ssh/ask_server.h"

namespace lockstep::launch {

namespace {

/// Longer than anybody's patience: the launcher decides when it is over, and ssh does.
constexpr std::chrono::minutes kLongest{30};
constexpr std::chrono::seconds kFrameTime{10};

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

UniqueFd connectTo(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return {};
    path.copy(address.sun_path, path.size());
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto* to = reinterpret_cast<const sockaddr*>(&address);
    if (!fd.valid() || ::connect(fd.get(), to, sizeof address) != 0) return {};
    return fd;
}

}  // namespace

std::optional<int> answerAsAskpass(int argc, char** argv) {
    const std::string socket = variable(kAskSocketVariable);
    if (socket.empty() || argc != 2) return std::nullopt;
    const UniqueFd launcher = connectTo(socket);
    const AskFrame frame{argv[1], variable("SSH_ASKPASS_PROMPT"), variable(kAskHostVariable),
                         ::getppid(), variable(kAskOpeningVariable)};
    if (!launcher.valid() || !writeAskFrame(launcher.get(), frame, kFrameTime)) return 1;
    auto reply = readAskReply(launcher.get(), kLongest);
    if (!reply || !*reply) return 1;
    **reply += '\n';
    const bool written = writeAll(STDOUT_FILENO, std::string_view(**reply)).has_value();
    ::explicit_bzero((*reply)->data(), (*reply)->size());
    return written ? 0 : 1;
}

}  // namespace lockstep::launch

// SPDX-License-Identifier: Apache-2.0
#include "core/launch/ssh/ssh_forward.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/text.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kControlTime{10};
/// Who refuses a channel does it at once; a server that speaks first (as ours do) shows sooner
/// that it is open.
constexpr std::chrono::seconds kProbeTime{2};
constexpr std::size_t kLongestSocket = 107;
constexpr int kLook = 20;  // ms

tl::unexpected<Error> cannotForward(const SshConnection& connection, const std::string& socket,
                                    const std::string& why) {
    return fail(ErrorCode::Unavailable,
                fmt::format("{} does not lead to its socket {}: {}", connection.host, socket, why),
                "Its sshd needs AllowStreamLocalForwarding yes.");
}

/// What the control command says is wrong; empty: it is done.
std::string askForForward(const SshConnection& connection, const std::string& local,
                          const std::string& socket) {
    ChildOptions options{.program = connection.program,
                         .arguments = sshForwardArguments(connection.command, local, socket),
                         .ownSession = true};
    auto child = ChildProcess::start(options);
    if (!child) return child.error().message;
    (*child)->closeInput();
    const auto status = (*child)->wait(kControlTime);
    if (!status) return "ssh does not answer";
    if (!status->signalled && status->code == 0) return {};
    std::array<char, 512> words{};
    const ssize_t count = ::read((*child)->outputFd(), words.data(), words.size());
    std::string_view said(words.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    said = said.substr(0, said.find('\n'));
    return said.empty() ? "ssh " + status->words() : sanitizeLine(said, 200);
}

Result<UniqueFd> connectTo(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto* to = reinterpret_cast<const sockaddr*>(&address);
    if (!fd.valid() || ::connect(fd.get(), to, sizeof address) != 0)
        return fail(ErrorCode::Io, errnoText());
    return fd;
}

/// Whether something at the other end keeps the connection: whom sshd forbids it closes at once.
/// Takes what ssh says meanwhile.
bool staysOpen(SshProcess& ssh, int fd) {
    const Nanos deadline = SteadyClock::read() + kProbeTime;
    while (SteadyClock::read() < deadline && !ssh.hasEnded()) {
        ssh.take(SteadyClock::read());
        pollfd entry{fd, POLLIN, 0};
        if (::poll(&entry, 1, kLook) <= 0) continue;
        char byte = 0;
        return ::recv(fd, &byte, 1, MSG_PEEK) > 0;
    }
    return !ssh.hasEnded();
}

}  // namespace

Result<std::string> forwardUnixSocket(SshConnection& connection, const std::string& socket,
                                      int number) {
    const bool isPath = socket.starts_with('/') && socket.size() <= kLongestSocket &&
                        socket.find('\0') == std::string::npos;
    if (!isPath)
        return fail(ErrorCode::BadInput,
                    fmt::format("'{}' is not the path of a socket", sanitizeLine(socket, 120)));
    std::string local = (connection.folder.path() / fmt::format("f{}", number)).string();
    if (const auto problem = askForForward(connection, local, socket); !problem.empty())
        return cannotForward(connection, socket, problem);
    const auto probe = connectTo(local);
    if (!probe) return cannotForward(connection, socket, probe.error().message);
    if (staysOpen(*connection.process, probe->get())) return local;
    connection.process->take(SteadyClock::read() + std::chrono::milliseconds(200));
    const auto& words = connection.process->words();
    const bool wasRefused = std::any_of(words.begin(), words.end(), [](const std::string& line) {
        return line.find("open failed") != std::string::npos;
    });
    return cannotForward(
        connection, socket,
        wasRefused ? "its sshd forbids it, or nothing listens there" : "it is closed at once");
}

}  // namespace lockstep::launch

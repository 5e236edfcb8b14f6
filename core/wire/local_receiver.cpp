// SPDX-License-Identifier: Apache-2.0
#include "core/wire/local_receiver.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/try.h"

namespace lockstep::wire {

namespace {

constexpr int kBacklog = 16;
constexpr std::size_t kReadBytes = 16 << 10;

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

Result<std::unique_ptr<LocalReceiver>> LocalReceiver::bind(const std::filesystem::path& socket,
                                                           std::size_t maxLineBytes) {
    if (socket.native().size() > kLongestPath)
        return fail(ErrorCode::BadInput,
                    fmt::format("{} is {} characters long, more than the {} of a socket's path",
                                socket.string(), socket.native().size(), kLongestPath),
                    "Set XDG_RUNTIME_DIR to a folder with a shorter path.");
    TRY(checkPrivate(socket.parent_path()));
    UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket.c_str(), socket.native().size());
    ::unlink(socket.c_str());
    const bool listens =
        listener.valid() &&
        ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        ::chmod(socket.c_str(), 0600) == 0 && ::listen(listener.get(), kBacklog) == 0;
    if (!listens)
        return fail(ErrorCode::Io,
                    fmt::format("cannot listen at {}: {}", socket.string(), errnoText()));
    return std::unique_ptr<LocalReceiver>(
        new LocalReceiver(std::move(listener), socket, maxLineBytes));
}

LocalReceiver::~LocalReceiver() {
    ::unlink(path_.c_str());
}

std::optional<std::string> LocalReceiver::receive() {
    if (auto line = nextLine()) return line;
    acceptSenders();
    for (const auto& sender : senders_)
        read(*sender);
    auto line = nextLine();
    std::erase_if(senders_, [](const auto& sender) {
        return sender->ended && sender->taken == sender->bytes.size();
    });
    return line;
}

/// In turn, so that nobody waits for a sender that never stops.
std::optional<std::string> LocalReceiver::nextLine() {
    for (std::size_t tried = 0; tried < senders_.size(); ++tried) {
        next_ = (next_ + 1) % senders_.size();
        if (auto line = lineOf(*senders_[next_])) return line;
    }
    return std::nullopt;
}

void LocalReceiver::acceptSenders() {
    while (senders_.size() < kMostSenders) {
        UniqueFd socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!socket.valid()) return;
        senders_.push_back(std::make_unique<Sender>());
        senders_.back()->socket = std::move(socket);
    }
}

void LocalReceiver::read(Sender& sender) {
    sender.bytes.erase(0, sender.taken);
    sender.searched -= sender.taken;
    sender.taken = 0;
    std::array<char, kReadBytes> buffer;
    while (!sender.ended && sender.bytes.size() <= maxLineBytes_) {
        const ssize_t count = ::recv(sender.socket.get(), buffer.data(), buffer.size(), 0);
        if (count > 0) {
            sender.bytes.append(buffer.data(), static_cast<std::size_t>(count));
            continue;
        }
        if (count < 0 && errno == EINTR) continue;
        sender.ended = count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
        return;
    }
}

std::optional<std::string> LocalReceiver::lineOf(Sender& sender) {
    for (;;) {
        const std::size_t end = sender.bytes.find('\n', sender.searched);
        if (end == std::string::npos) break;
        const std::string_view line(sender.bytes.data() + sender.taken, end - sender.taken);
        const bool isWhole = !std::exchange(sender.skips, false);
        const bool fits = line.size() <= maxLineBytes_;
        std::optional<std::string> taken;
        if (isWhole && fits) taken = std::string(line);
        if (isWhole && !fits) ++dropped_;
        sender.taken = sender.searched = end + 1;
        if (taken) return taken;
    }
    sender.searched = sender.bytes.size();
    const std::size_t rest = sender.bytes.size() - sender.taken;
    const bool isCut = sender.ended && rest > 0;
    if (rest <= maxLineBytes_ && !isCut) return std::nullopt;
    if (!std::exchange(sender.skips, true)) ++dropped_;
    sender.taken = sender.bytes.size();
    return std::nullopt;
}

}  // namespace lockstep::wire

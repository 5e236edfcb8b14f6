// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"

namespace lockstep::wire {

/// Takes lines of text from programs of the same user on the same machine, over a unix stream
/// socket. It knows no keys: who may speak is who can open the socket's folder, which must be this
/// user's own and closed to all others. Nothing is ever answered. What is not taken waits in the
/// system's buffer of its sender, and then in the sender. Used by one thread.
class LocalReceiver {
public:
    static constexpr std::size_t kLongestPath = 99;   ///< Of a unix socket, everywhere.
    static constexpr std::size_t kMostSenders = 256;  ///< At a time; more wait for one to end.

    /// Makes the socket (mode 0600), replacing one that was left behind. Unavailable when its
    /// folder is not this user's alone (0700), BadInput when the path is longer than kLongestPath.
    [[nodiscard]] static Result<std::unique_ptr<LocalReceiver>> bind(
        const std::filesystem::path& socket, std::size_t maxLineBytes);
    ~LocalReceiver();
    LocalReceiver(const LocalReceiver&) = delete;
    LocalReceiver& operator=(const LocalReceiver&) = delete;

    /// Where senders connect.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// The next whole line, of all senders in turn, without its end; nothing when there is none.
    /// Never waits. Lines above the limit, or cut short by their sender's end, are dropped and
    /// counted.
    [[nodiscard]] std::optional<std::string> receive();
    [[nodiscard]] std::uint64_t droppedLines() const { return dropped_; }

private:
    struct Sender {
        UniqueFd socket;
        std::string bytes;  ///< Read from it; before `taken` they have been handed out.
        std::size_t taken = 0;
        std::size_t searched = 0;  ///< Up to here there is no end of a line.
        bool skips = false;        ///< The rest of a line that is too long.
        bool ended = false;
    };

    LocalReceiver(UniqueFd socket, std::filesystem::path path, std::size_t maxLineBytes)
        : socket_(std::move(socket)), path_(std::move(path)), maxLineBytes_(maxLineBytes) {}
    void acceptSenders();
    void read(Sender& sender);
    [[nodiscard]] std::optional<std::string> lineOf(Sender& sender);
    [[nodiscard]] std::optional<std::string> nextLine();

    UniqueFd socket_;
    const std::filesystem::path path_;
    const std::size_t maxLineBytes_;
    std::vector<std::unique_ptr<Sender>> senders_;
    std::size_t next_ = 0;  ///< Whose turn it is.
    std::uint64_t dropped_ = 0;
};

}  // namespace lockstep::wire

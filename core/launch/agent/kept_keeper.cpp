// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/kept_keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <tuple>
#include <utility>

#include "core/base/runtime_folder.h"
#include "core/base/try.h"
#include "core/launch/process/child_process.h"
#include "core/run/run_files.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kAnswerTimeout{5};
constexpr std::size_t kMostPieces = 1024;
constexpr Nanos kMostPatience = std::chrono::hours(2);

/// One message, with or without a descriptor: a piece of memory, or the run's folder.
struct Word {
    enum class Kind : std::uint32_t { Piece = 1, AllTold = 2, LetGo = 3, Patience = 4, Folder = 5 };
    Kind kind = Kind::Piece;
    std::uint32_t process = 0;  ///< Of a patience: seconds.
};

Result<void> say(int line, const Word& word, int piece = -1) {
    Word copy = word;
    iovec part{&copy, sizeof copy};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (piece >= 0) {
        message.msg_control = room.data();
        message.msg_controllen = room.size();
        cmsghdr* attached = CMSG_FIRSTHDR(&message);
        attached->cmsg_level = SOL_SOCKET;
        attached->cmsg_type = SCM_RIGHTS;
        attached->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(attached), &piece, sizeof piece);
    }
    ssize_t sent = 0;
    do
        sent = ::sendmsg(line, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent == static_cast<ssize_t>(sizeof copy)) return {};
    return fail(ErrorCode::Io, "the keeper of the steps in memory is not there: " + errnoText());
}

/// PeerLost: the other end is gone, or says what makes no sense.
Result<Word> hear(int line, UniqueFd& piece) {
    Word word;
    iovec part{&word, sizeof word};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    ssize_t got = 0;
    do
        got = ::recvmsg(line, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    const cmsghdr* attached = CMSG_FIRSTHDR(&message);
    if (attached != nullptr && attached->cmsg_type == SCM_RIGHTS) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(attached), sizeof fd);
        piece.reset(fd);
    }
    if (got == static_cast<ssize_t>(sizeof word)) return word;
    return fail(ErrorCode::PeerLost, "the other end is gone");
}

/// In a folder that this user alone can open.
Result<sockaddr_un> addressOf(const std::string& name) {
    const auto folder = TRY(makeSharedRuntimeFolder("keepers"));
    const std::string path = folder / name;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return fail(ErrorCode::Unavailable, path + " is too long for a socket");
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

const sockaddr* plain(const sockaddr_un& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

tl::unexpected<Error> noSocket() {
    return fail(ErrorCode::Io, "no socket for the keeper of the steps in memory: " + errnoText());
}

Result<UniqueFd> makeSocket() {
    UniqueFd made(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (!made.valid()) return noSocket();
    const timeval timeout{.tv_sec = kAnswerTimeout.count(), .tv_usec = 0};
    ::setsockopt(made.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    ::setsockopt(made.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    return made;
}

/// It listens before it runs: whoever has started it need not wait for it.
Result<void> startKeeper(const sockaddr_un& address, const std::filesystem::path& program) {
    ::unlink(address.sun_path);  // of one that was killed
    const UniqueFd listening = TRY(makeSocket());
    if (::bind(listening.get(), plain(address), sizeof address) != 0 ||
        ::listen(listening.get(), 4) != 0)
        return noSocket();
    ChildOptions options;
    options.program = program;
    options.arguments = {"--keep", std::to_string(listening.get())};
    options.inheritedFds = {listening.get()};
    options.ownSession = true;
    options.dieWithParent = false;  // it is there for what comes behind this process
    options.captureOutput = false;
    options.separateOutput = true;
    auto keeper = TRY(ChildProcess::start(options));
    keeper->release();
    return {};
}

bool isOwnUser(int line) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(line, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           peer.uid == ::geteuid();
}

/// Now; also where its other end is closed.
bool isReadable(int line) {
    pollfd watched{line, POLLIN, 0};
    return ::poll(&watched, 1, 0) > 0;
}

/// The keeper's side.
class Keeper {
public:
    Keeper(int listening, Nanos patience)
        : listening_(listening), leastPatience_(patience), patience_(patience) {}

    void run() {
        while (turn()) {
        }
        sockaddr_un own{};
        socklen_t size = sizeof own;
        if (::getsockname(listening_, reinterpret_cast<sockaddr*>(&own), &size) == 0)
            ::unlink(own.sun_path);
    }

private:
    [[nodiscard]] bool turn() {
        const Nanos left = agent_.valid() ? Nanos(std::chrono::hours(1))
                                          : alone_ + patience_ - SteadyClock::read();
        if (left <= Nanos{0}) return false;
        std::array<pollfd, 2> watched{{{listening_, POLLIN, 0}, {agent_.get(), POLLIN, 0}}};
        ::poll(watched.data(), watched.size(),
               static_cast<int>(std::chrono::ceil<Millis>(left).count()));
        // All that an agent has said before the next one has it.
        while (agent_.valid() && isReadable(agent_.get()))
            if (!heed()) return false;
        if (watched[0].revents != 0) meet();
        return true;
    }
    /// The newest agent is the run's: a former one may be ending still.
    void meet() {
        UniqueFd next(::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC));
        if (!next.valid() || !isOwnUser(next.get())) return;
        const timeval timeout{.tv_sec = kAnswerTimeout.count(), .tv_usec = 0};
        ::setsockopt(next.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
        ::setsockopt(next.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
        agent_ = std::move(next);
        for (const auto& [process, piece] : pieces_)
            std::ignore = say(agent_.get(), {Word::Kind::Piece, process}, piece.get());
        std::ignore = say(agent_.get(), {Word::Kind::AllTold, 0});
    }
    /// False: nobody wants the pieces any more.
    [[nodiscard]] bool heed() {
        UniqueFd piece;
        const auto word = hear(agent_.get(), piece);
        if (word && word->kind == Word::Kind::LetGo) return false;
        if (word && word->kind == Word::Kind::Piece && piece.valid() &&
            (pieces_.size() < kMostPieces || pieces_.contains(word->process))) {
            pieces_[word->process] = std::move(piece);
            return true;
        }
        if (word && word->kind == Word::Kind::Patience) {
            patience_ = std::clamp<Nanos>(std::chrono::seconds(word->process), leastPatience_,
                                          kMostPatience);
            return true;
        }
        if (word && word->kind == Word::Kind::Folder && piece.valid()) {
            folder_ = std::move(piece);
            return true;
        }
        agent_.reset();
        alone_ = SteadyClock::read();
        return !wasEndedByForce();
    }
    /// That is noted before it is done.
    [[nodiscard]] bool wasEndedByForce() const {
        const std::string mark = run::RunPaths{}.forced();
        return folder_.valid() && ::faccessat(folder_.get(), mark.c_str(), F_OK, 0) == 0;
    }

    const int listening_;
    const Nanos leastPatience_;
    Nanos patience_;
    UniqueFd agent_;   ///< The connection to it.
    UniqueFd folder_;  ///< Of its run.
    Nanos alone_ = SteadyClock::read();
    KeptPieces pieces_;
};

Result<void> tell(int line, const KeeperTerms& terms) {
    const auto seconds = static_cast<std::uint32_t>(terms.patience.count());
    TRY(say(line, {Word::Kind::Patience, seconds}));
    const UniqueFd folder(::open(terms.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    return folder.valid() ? say(line, {Word::Kind::Folder, 0}, folder.get()) : Result<void>();
}

}  // namespace

Result<KeeperLine> KeeperLine::open(const std::string& name, const std::filesystem::path& program,
                                    const KeeperTerms& terms, KeptPieces& pieces) {
    const auto address = TRY(addressOf(name));
    UniqueFd line = TRY(makeSocket());
    if (::connect(line.get(), plain(address), sizeof address) != 0) {
        TRY(startKeeper(address, program));
        if (::connect(line.get(), plain(address), sizeof address) != 0) return noSocket();
    }
    for (;;) {
        UniqueFd piece;
        const Word word = TRY(hear(line.get(), piece));
        if (word.kind == Word::Kind::AllTold) {
            TRY(tell(line.get(), terms));
            return KeeperLine(std::move(line));
        }
        if (word.kind == Word::Kind::Piece && piece.valid())
            pieces[word.process] = std::move(piece);
    }
}

Result<void> KeeperLine::hand(std::uint32_t process, int piece) {
    return say(line_.get(), {Word::Kind::Piece, process}, piece);
}

void KeeperLine::letGo() {
    std::ignore = say(line_.get(), {Word::Kind::LetGo, 0});
}

int runKeeper(int listening, Nanos patience) {
    // It outlives whoever reads what this program's streams would say.
    const UniqueFd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        std::ignore = ::dup2(nowhere.get(), stream);
    std::signal(SIGHUP, SIG_IGN);
    std::signal(SIGINT, SIG_IGN);
    ::fcntl(listening, F_SETFL, O_NONBLOCK);
    Keeper(listening, patience).run();
    return 0;
}

}  // namespace lockstep::launch

// SPDX-License-Identifier: Apache-2.0
#include "core/launch/ssh/ssh_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/base/text.h"
#include "core/base/try.h"

namespace lockstep::launch {

namespace {

constexpr std::size_t kPiece = 64 << 10;
/// Above it nothing more is taken until the owner has consumed: two frames of the largest size.
constexpr std::size_t kMaxInbox = 9 << 20;
constexpr std::size_t kMaxWords = 40;
constexpr std::size_t kMaxLine = 512;
constexpr std::chrono::milliseconds kCancelLook{100};
constexpr std::chrono::seconds kEndGrace{3};

Result<void> add(int poll, int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (::epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) != 0)
        return fail(ErrorCode::Io, "cannot watch a pipe: " + errnoText());
    return {};
}

int millisUntil(Nanos deadline) {
    const auto left = std::chrono::ceil<Millis>(deadline - SteadyClock::read()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

tl::unexpected<Error> ended() {
    return fail(ErrorCode::PeerLost, "ssh has ended");
}

}  // namespace

Result<std::unique_ptr<SshProcess>> SshProcess::start(const std::filesystem::path& program,
                                                      std::vector<std::string> arguments,
                                                      std::vector<std::string> environment) {
    ChildOptions options{.program = program,
                         .arguments = std::move(arguments),
                         .environment = std::move(environment),
                         .ownSession = true,      // ssh would ask on the terminal itself
                         .dieWithParent = false,  // bound to a thread; the end of input ends it
                         .captureOutput = false,
                         .separateOutput = true,
                         .separateErrors = true};
    auto child = TRY(ChildProcess::start(options));
    auto process = std::unique_ptr<SshProcess>(new SshProcess);
    process->child_ = std::move(child);
    TRY(process->watch());
    return process;
}

Result<void> SshProcess::watch() {
    for (const int fd : {child_->inputFd(), child_->outputFd(), child_->errorFd()})
        ::fcntl(fd, F_SETFL, O_NONBLOCK);
    poll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    held_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!poll_.valid() || !held_.valid())
        return fail(ErrorCode::Io, "cannot watch ssh: " + errnoText());
    for (const int fd : {child_->outputFd(), child_->errorFd(), held_.get()})
        TRY(add(poll_.get(), fd));
    return {};
}

SshProcess::~SshProcess() {
    // In order: the host sees the end of its input, and ends what is tied to it.
    if (child_) end();
}

ExitStatus SshProcess::end() {
    child_->closeInput();
    const Nanos deadline = SteadyClock::read() + kEndGrace;
    while ((!outputEnded_ || !errorsEnded_) && SteadyClock::read() < deadline) {
        if (inbox_.size() >= kMaxInbox) inbox_.clear();  // nobody reads it any more
        if (!wait(std::min(deadline, SteadyClock::read() + kCancelLook), false) &&
            child_->wait(Nanos::zero()))
            break;
    }
    const auto left = std::max(Nanos::zero(), deadline - SteadyClock::read());
    if (const auto status = child_->wait(left)) return *status;
    return child_->terminate(std::chrono::seconds(1));
}

void SshProcess::holdReadable(bool readable) {
    if (readable == isHeld_) return;
    isHeld_ = readable;
    std::uint64_t count = 1;
    if (readable)
        std::ignore = ::write(held_.get(), &count, sizeof count);
    else
        std::ignore = ::read(held_.get(), &count, sizeof count);
}

Result<void> SshProcess::write(std::string_view& bytes, Nanos deadline,
                               const std::stop_token& cancel) {
    while (!bytes.empty()) {
        if (cancel.stop_requested()) return fail(ErrorCode::Cancelled, "it was cancelled");
        if (outputEnded_) return ended();
        const ssize_t count =
            ::write(child_->inputFd(), bytes.data(), std::min(bytes.size(), kPiece));
        if (count > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(count));
            continue;
        }
        if (count < 0 && errno != EAGAIN && errno != EINTR) return ended();
        if (SteadyClock::read() >= deadline)
            return fail(ErrorCode::Timeout, "nothing was taken in time");
        wait(std::min(deadline, SteadyClock::read() + kCancelLook), true);
    }
    return {};
}

bool SshProcess::take(Nanos deadline) {
    return wait(deadline, false);
}

bool SshProcess::wait(Nanos deadline, bool forWriting) {
    const bool isFull = inbox_.size() >= kMaxInbox;
    std::array<pollfd, 3> entries{
        pollfd{outputEnded_ || isFull ? -1 : child_->outputFd(), POLLIN, 0},
        pollfd{errorsEnded_ ? -1 : child_->errorFd(), POLLIN, 0},
        pollfd{forWriting ? child_->inputFd() : -1, POLLOUT, 0}};
    if (outputEnded_ && errorsEnded_ && !forWriting) return false;
    if (::poll(entries.data(), entries.size(), millisUntil(deadline)) <= 0) return false;
    bool got = entries[2].revents != 0;
    if (entries[0].revents != 0) got = readOutput() || got;
    if (entries[1].revents != 0) got = readErrors() || got;
    return got;
}

bool SshProcess::readOutput() {
    const std::size_t before = inbox_.size();
    inbox_.resize(before + kPiece);
    const ssize_t count = ::read(child_->outputFd(), inbox_.data() + before, kPiece);
    inbox_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (count <= 0) {
        outputEnded_ = true;
        ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, child_->outputFd(), nullptr);
        holdReadable(true);  // the end is there to be told
    }
    return true;
}

bool SshProcess::readErrors() {
    std::array<char, 4096> piece{};
    const ssize_t count = ::read(child_->errorFd(), piece.data(), piece.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    const std::string_view text(piece.data(),
                                static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    for (const char c : text) {
        if (c != '\n') {
            if (line_.size() < kMaxLine && c != '\r') line_ += c;
            continue;
        }
        if (!line_.empty()) words_.push_back(sanitizeLine(line_, kMaxLine));
        line_.clear();
        if (words_.size() > kMaxWords) words_.pop_front();
    }
    if (count > 0) return true;
    if (!line_.empty()) words_.push_back(sanitizeLine(line_, kMaxLine));
    line_.clear();
    errorsEnded_ = true;
    ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, child_->errorFd(), nullptr);
    return true;
}

}  // namespace lockstep::launch

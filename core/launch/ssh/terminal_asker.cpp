// SPDX-License-Identifier: Apache-2.0
#include "core/launch/ssh/terminal_asker.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>

namespace lockstep::launch {

namespace {

constexpr int kLook = 100;  // ms
constexpr std::size_t kMaxLine = 1024;

/// The terminal does not show what is typed for as long as this lives.
class WithoutEcho {
public:
    explicit WithoutEcho(int terminal) : terminal_(terminal) {
        if (::tcgetattr(terminal_, &before_) != 0) return;
        termios quiet = before_;
        quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        changed_ = ::tcsetattr(terminal_, TCSAFLUSH, &quiet) == 0;
    }
    ~WithoutEcho() {
        if (!changed_) return;
        ::tcsetattr(terminal_, TCSAFLUSH, &before_);
        std::ignore = ::write(terminal_, "\n", 1);
    }
    WithoutEcho(const WithoutEcho&) = delete;
    WithoutEcho& operator=(const WithoutEcho&) = delete;

private:
    int terminal_;
    bool changed_ = false;
    termios before_{};
};

/// A line, without its end; nullopt when the question is withdrawn or the terminal goes.
std::optional<std::string> readLine(int terminal, const std::stop_token& withdrawn) {
    std::string line;
    while (!withdrawn.stop_requested() && line.size() < kMaxLine) {
        pollfd entry{terminal, POLLIN, 0};
        if (::poll(&entry, 1, kLook) <= 0) continue;
        char c = 0;
        if (::read(terminal, &c, 1) != 1) return std::nullopt;
        if (c == '\n') return line;
        line += c;
    }
    return std::nullopt;
}

std::optional<AskAnswer> askYesNo(int terminal, const std::stop_token& withdrawn) {
    for (;;) {
        const auto line = readLine(terminal, withdrawn);
        if (!line || *line == "no" || *line == "n") return std::nullopt;
        if (*line == "yes") return AskAnswer{.accepted = true};
        std::ignore = writeAll(terminal, std::string_view("Please type yes or no: "));
    }
}

UniqueFd openTerminal() {
    return UniqueFd(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
}

}  // namespace

std::optional<AskAnswer> askOnTerminal(const AskQuestion& question,
                                       const std::stop_token& withdrawn) {
    using Kind = AskQuestion::Kind;
    const UniqueFd terminal = openTerminal();
    if (!terminal.valid()) return std::nullopt;
    const bool isYesNo = question.kind == Kind::HostKey || question.kind == Kind::Confirm;
    // Before the question is seen: who answers at once must not be shown.
    std::optional<WithoutEcho> quiet;
    if (!isYesNo) quiet.emplace(terminal.get());
    if (!writeAll(terminal.get(), "\n" + askSentence(question))) return std::nullopt;
    if (isYesNo) return askYesNo(terminal.get(), withdrawn);
    auto line = readLine(terminal.get(), withdrawn);
    if (!line || question.kind == Kind::Notice) return std::nullopt;
    return AskAnswer{.accepted = true, .secret = std::move(*line)};
}

std::shared_ptr<AskServer> terminalAsker() {
    if (!openTerminal().valid()) return nullptr;
    auto server = AskServer::start(askOnTerminal);
    return server ? *server : nullptr;
}

}  // namespace lockstep::launch

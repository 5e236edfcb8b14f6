// SPDX-License-Identifier: Apache-2.0
#include "core/launch/ssh/host_start.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/launch/ssh/ask_server.h"

namespace lockstep::launch {

namespace {

using Kind = BootstrapAnswer::Kind;

constexpr std::uint64_t kMaxBundle = 1ULL << 30;
constexpr std::size_t kPiece = 256 << 10;
constexpr std::size_t kMaxLine = 4096;
constexpr std::chrono::milliseconds kCancelLook{100};
constexpr std::chrono::seconds kAnswerTime{60};  // a slow disk verifies and unpacks
constexpr std::chrono::seconds kSayEvery{1};
constexpr double kMegabyte = 1e6;

}  // namespace

Error HostStart::noShell() {
    std::string words = said_.empty() ? "it printed nothing" : "it printed '" + said_ + "'";
    return {ErrorCode::Unavailable,
            fmt::format("the login shell of {} did not run Lockstep's command: {}",
                        connection_.host, words),
            fmt::format("Check what this prints: ssh {} echo ready", connection_.host)};
}

std::optional<BootstrapAnswer> HostStart::answerInInbox() {
    std::string& inbox = connection_.process->inbox();
    for (std::size_t end = inbox.find('\n'); end != std::string::npos; end = inbox.find('\n')) {
        const std::string line = inbox.substr(0, end);
        inbox.erase(0, end + 1);
        if (auto answer = bootstrapAnswer(line)) return answer;
        skipped_ += end + 1;
        if (!line.empty()) said_ = sanitizeLine(line, 200);
    }
    if (inbox.size() > kMaxLine) {  // a line without an end: not ours
        skipped_ += inbox.size();
        inbox.clear();
    }
    return std::nullopt;
}

Result<BootstrapAnswer> HostStart::answer(Nanos deadline, const char* doing) {
    SshProcess& ssh = *connection_.process;
    for (;;) {
        if (auto found = answerInInbox()) {
            if (found->kind != Kind::Refused) return *found;
            return fail(bootstrapRefusal(connection_.host, *found, bundles_));
        }
        if (cancel_.stop_requested())
            return fail(ErrorCode::Cancelled, connection_.host + ": " + doing + " was cancelled");
        if (ssh.hasEnded()) {
            // 255 is ssh's own; anything else is what the account's shell made of the command.
            const ExitStatus status = ssh.end();
            if (!isReady_ && !status.signalled && status.code != 255) return fail(noShell());
            return fail(connection_.endError(isReady_));
        }
        if (skipped_ > kMaxGreetingBytes) return fail(noShell());
        const Nanos now = SteadyClock::read();
        if (now >= deadline)
            return fail(ErrorCode::Timeout,
                        fmt::format("{}: {} took too long", connection_.host, doing),
                        fmt::format("Check how long this takes, and what it prints: ssh {} true",
                                    connection_.host));
        ssh.take(std::min(deadline, now + kCancelLook));
    }
}

Result<void> HostStart::send(std::string_view bytes, Nanos deadline) {
    auto written = connection_.process->write(bytes, deadline, cancel_);
    if (written) return {};
    if (written.error().code != ErrorCode::PeerLost)
        return failWithin(connection_.host, std::move(written.error()));
    // It may have refused before it ended.
    const auto refusal = answer(SteadyClock::read() + kAnswerTime, "the start");
    return fail(refusal ? connection_.endError(true) : refusal.error());
}

Result<void> HostStart::logIn() {
    Nanos time = options_.loginTime + std::chrono::seconds(options_.connectSeconds);
    if (options_.asker)
        time += 2 * options_.asker->patience();  // a jump host's key, and a passphrase
    const auto ready = answer(SteadyClock::read() + time, "logging in");
    if (!ready) return fail(ready.error());
    if (ready->kind != Kind::Ready) return fail(noShell());
    isReady_ = true;
    return {};
}

Result<void> HostStart::start() {
    TRY(send(bootstrapInput(bundles_), SteadyClock::read() + kAnswerTime));
    auto said = answer(SteadyClock::read() + kAnswerTime, "starting Lockstep");
    if (said && said->kind == Kind::Want) {
        TRY(copyBundle(said->machine));
        said = answer(SteadyClock::read() + kAnswerTime, "unpacking Lockstep");
    }
    if (!said) return fail(said.error());
    if (said->kind != Kind::Run) return fail(noShell());
    return {};
}

Result<void> HostStart::copyBundle(const std::string& machine) {
    const auto bundle = std::find_if(bundles_.begin(), bundles_.end(),
                                     [&](const Bundle& one) { return one.machine == machine; });
    if (bundle == bundles_.end()) return fail(noShell());
    const auto bytes = TRY(readFile(bundle->file, kMaxBundle));
    if (bytes.size() != bundle->bytes)
        return fail(ErrorCode::Corrupt, bundle->file.string() + " has changed while it was read");
    const Nanos began = SteadyClock::read();
    Nanos saidAt = began - kSayEvery;
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
        if (const Nanos now = SteadyClock::read(); say_ && now - saidAt >= kSayEvery) {
            say_(fmt::format("copying Lockstep to {}, {:.0f} of {:.0f} MB", connection_.host,
                             static_cast<double>(at) / kMegabyte,
                             static_cast<double>(bytes.size()) / kMegabyte));
            saidAt = now;
        }
        const auto piece = std::string_view(bytes).substr(at, kPiece);
        TRY(send(piece, began + options_.copyTime));
    }
    return {};
}

}  // namespace lockstep::launch

// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/server/coordinator.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/coordination/exchange/record_worth.h"
#include "core/coordination/server/coordinator_loop.h"
#include "core/wire/codec.h"

namespace lockstep::coordination {

namespace {

constexpr std::size_t kMaxSocketPath = 99;  // sun_path has 108 bytes; leave room for a suffix
constexpr Nanos kCommandPatience = 1s;

/// The folder of the monitors' socket: nobody else may even look into it.
Result<void> makePrivateFolder(const std::filesystem::path& socket) {
    if (socket.string().size() > kMaxSocketPath)
        return fail(
            ErrorCode::BadInput,
            fmt::format("the monitors' socket {} has a path of {} characters; at most {} are "
                        "possible",
                        socket.string(), socket.string().size(), kMaxSocketPath),
            "Use a folder with a shorter path, such as one below /run/user or /tmp.");
    const std::filesystem::path folder = socket.parent_path();
    std::error_code error;
    if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), error);
    const bool made = ::mkdir(folder.c_str(), 0700) == 0;
    if (!made && errno != EEXIST)
        return fail(ErrorCode::Io, fmt::format("cannot make {}: {}", folder.string(), errnoText()));
    if (::chmod(folder.c_str(), 0700) != 0)
        return fail(ErrorCode::Io, fmt::format("cannot make {} private (mode 0700): {}",
                                               folder.string(), errnoText()));
    return {};
}

Result<void> allow(wire::Authenticator& authenticator, const std::string& publicKey,
                   const std::string& userId) {
    if (!processOf(userId))
        return fail(ErrorCode::BadInput,
                    fmt::format("'{}' names no process: worker-N, evaluator or agent-N", userId));
    return authenticator.allow(publicKey, userId);
}

}  // namespace

Coordinator::Coordinator(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
Coordinator::~Coordinator() {
    shutdown();
}

Result<std::unique_ptr<Coordinator>> Coordinator::start(const wire::Context& context,
                                                        CoordinatorOptions options) {
    if (options.rules.workers == 0)
        return fail(ErrorCode::BadInput, "a job has at least one process, not 0");
    raiseOpenFileLimit();  // a connection a process and one a monitor
    TRY(makePrivateFolder(options.monitorSocket));
    auto writer = telemetry::JournalWriter::open(options.journal);
    if (!writer) return fail(std::move(writer.error()));
    auto reader = telemetry::JournalReader::open(options.journal);
    if (!reader) return fail(std::move(reader.error()));
    auto wakeup = wire::Wakeup::make();
    if (!wakeup) return fail(std::move(wakeup.error()));
    auto authenticator = wire::Authenticator::start(context);  // before any bind: fail closed
    if (!authenticator) return fail(std::move(authenticator.error()));
    for (const auto& [publicKey, userId] : options.members)
        TRY(allow(**authenticator, publicKey, userId));
    auto loop =
        std::make_unique<Loop>(context, std::move(options), std::move(*wakeup),
                               std::move(*authenticator), std::move(*writer), std::move(*reader));
    if (auto started = loop->start(); !started) return fail(std::move(started.error()));
    return std::unique_ptr<Coordinator>(new Coordinator(std::move(loop)));
}

const std::string& Coordinator::memberEndpoint() const {
    return loop_->memberEndpoint;
}
const std::string& Coordinator::monitorEndpoint() const {
    return loop_->monitorEndpoint;
}
int Coordinator::port() const {
    return loop_->port;
}

Result<void> Coordinator::allowMember(const std::string& publicKey, const std::string& userId) {
    return allow(loop_->authenticator(), publicKey, userId);
}

Result<void> Coordinator::allowMonitor(const std::string& publicKey) {
    return loop_->authenticator().allow(publicKey, kMonitorUser);
}

Result<Outcome> Coordinator::waitOutcome(Nanos timeout) {
    return loop_->waitOutcome(timeout);
}

bool Coordinator::awaitTold(Nanos timeout) {
    return loop_->awaitTold(timeout);
}

void Coordinator::post(std::function<void(CoordinatorCore&, Instant)> command) {
    if (!loop_->post(std::move(command), kCommandPatience))
        std::fprintf(stderr, "warning: the coordinator has not taken an order within 1 s\n");
}

void Coordinator::beginGeneration(std::uint32_t generation) {
    loop_->expectGeneration(generation);
    post([generation](CoordinatorCore& core, Instant at) { core.beginGeneration(generation, at); });
}

bool Coordinator::appendRecord(const wire::Record& record, telemetry::RecordWorth worth) {
    if (record.ByteSizeLong() > wire::kMaxRecordBytes) return false;
    auto command = [record](CoordinatorCore& core, Instant at) { core.appendRecord(record, at); };
    return worth == telemetry::RecordWorth::Sample
               ? loop_->postSample(std::move(command))
               : loop_->post(std::move(command), kCommandPatience);
}

bool Coordinator::appendRecord(const wire::Record& record) {
    return appendRecord(record, worthOf(record));
}

void Coordinator::reportProcessExit(const wire::ProcessExit& exit, std::uint32_t generation) {
    post([exit, generation](CoordinatorCore& core, Instant at) {
        core.processExited(exit, generation, at);
    });
}

void Coordinator::reportProcessHeld(const wire::ProcessHeld& held, std::uint32_t generation) {
    post([held, generation](CoordinatorCore& core, Instant at) {
        core.processHeld(held, generation, at);
    });
}

void Coordinator::requestStop(StopAsker asker) {
    post([asker](CoordinatorCore& core, Instant at) { core.requestStop(at, asker); });
}

void Coordinator::requestKill(StopAsker asker) {
    post([asker](CoordinatorCore& core, Instant at) { core.requestKill(at, asker); });
}

void Coordinator::endRun(const wire::RunEnd& end) {
    post([end](CoordinatorCore& core, Instant at) { core.endRun(end, at); });
}

JournalReport Coordinator::settleJournal(Nanos timeout) {
    return loop_->settleJournal(timeout);
}
Nanos Coordinator::sinceLeaseRenewal() const {
    return loop_->sinceLeaseRenewal();
}
Counters Coordinator::counters() const {
    return loop_->counters();
}
CopyTally Coordinator::copies() const {
    return loop_->copies();
}
Nanos Coordinator::lastTurn() const {
    return loop_->lastTurn();
}
bool Coordinator::killRequested() const {
    return loop_->killRequested();
}
Nanos Coordinator::askingAgentHeard() const {
    return loop_->askingAgentHeard();
}
void Coordinator::shutdown(Nanos linger, bool awaitReader) {
    loop_->shutdown(linger, awaitReader);
}

}  // namespace lockstep::coordination

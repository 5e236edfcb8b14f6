// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/scheduled_member.h"

#include <fmt/format.h>

#include <optional>
#include <thread>

#include "core/base/exit_status.h"
#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/coordination/state/process_key.h"
#include "core/coordination/ticket/start_ticket.h"
#include "core/coordination/ticket/ticket_search.h"
#include "core/launch/agent/job_difference.h"
#include "core/launch/agent/other_agents.h"

namespace lockstep::launch {

namespace {

constexpr Millis kTick{50};
constexpr Millis kJoinSlice{500};
constexpr std::chrono::seconds kSayAgain{5};
constexpr std::chrono::seconds kAfterTheCoordinator{5};  ///< Its sentence names who is missing.

/// The process that a ticket in a file is for: waits for it, then is a MemberAgent.
class MemberStart {
public:
    MemberStart(const ScheduledMember& options, const std::atomic<bool>& terminate)
        : options_(options),
          terminate_(terminate),
          search_(options.ticketFile, options.ticketNamesStart),
          deadline_(SteadyClock::read() +
                    toNanos(options.job.cluster.initializationTimeoutSeconds) +
                    kAfterTheCoordinator),
          began_(SteadyClock::read()) {}

    ScheduledEnd run();

private:
    [[nodiscard]] std::string name() const {
        return coordination::nameOf({options_.role, options_.processId}, hostName());
    }
    Result<void> awaitTicket();
    Result<void> join();
    Result<void> makeMember();
    Result<void> joinOnce();
    [[nodiscard]] bool isBelievable(const wire::StartTicket& ticket) const;
    bool ticketIsOfAFormerStart(const Error& failure);
    [[nodiscard]] MemberEnd endOf(const Error& error) const;
    void sayAwaiting();

    const ScheduledMember& options_;
    const std::atomic<bool>& terminate_;
    coordination::TicketSearch search_;
    const Nanos deadline_;
    const Nanos began_;
    Nanos saidAt_{};
    wire::StartTicket ticket_;
    std::unique_ptr<MemberAgent> member_;
};

ScheduledEnd MemberStart::run() {
    auto joined = join();
    if (joined) {
        LauncherLine nobody(-1, false);
        MemberEnd end = member_->supervise(nobody, terminate_);
        if (options_.ends) options_.ends(end);
        return {std::move(end), ticket_.run_dir()};
    }
    if (ticket_.error().empty()) return {endOf(joined.error()), ticket_.run_dir()};
    return {{static_cast<int>(ticket_.exit_status()), ticket_.error(), ticket_.remedy()},
            ticket_.run_dir()};
}

MemberEnd MemberStart::endOf(const Error& error) const {
    MemberEnd end{exitStatusOf(error.code), {}, error.remedy};
    if (end.exitStatus == kExitFailed) end.error = name() + ": " + error.message;
    if (end.exitStatus == kExitBadInput) end.error = error.message;
    return end;
}

void MemberStart::sayAwaiting() {
    const Nanos now = SteadyClock::read();
    if (saidAt_ != Nanos{} && now - saidAt_ < kSayAgain) return;
    saidAt_ = now;
    options_.say(fmt::format("{} waits for process 0 at {} to write {} ({:.0f} s of {:.0f} s)",
                             name(), options_.process0, options_.ticketFile.string(),
                             Seconds(now - began_).count(),
                             options_.job.cluster.initializationTimeoutSeconds));
}

Result<void> MemberStart::awaitTicket() {
    const Nanos deadline = deadline_ - kAfterTheCoordinator;
    while (!terminate_.load()) {
        auto ticket = TRY(search_.look());
        if (ticket && isBelievable(*ticket)) {
            ticket_ = std::move(*ticket);
            if (ticket_.error().empty()) return {};
            return fail(ErrorCode::BadInput, ticket_.error(), ticket_.remedy());
        }
        if (SteadyClock::read() >= deadline)
            return fail(
                ErrorCode::Timeout,
                fmt::format("process 0 ({}) is missing: it did not write {} within {:.3g} s{}",
                            options_.process0, options_.ticketFile.string(),
                            options_.job.cluster.initializationTimeoutSeconds,
                            search_.passedOverWords()),
                "Check that process 0 was started, and that its folder is on a file system that "
                "all hosts share.\n"
                "For slow starts raise cluster.initialization_timeout_seconds.");
        sayAwaiting();
        std::this_thread::sleep_for(kTick);
    }
    return fail(ErrorCode::Cancelled, "stopped before process 0 was there");
}

/// A refusal that a dead process 0 has left was said to an earlier start.
bool MemberStart::isBelievable(const wire::StartTicket& ticket) const {
    return ticket.error().empty() || options_.ticketNamesStart ||
           coordination::isHeld(options_.ticketFile);
}

/// Joins the coordinator that the ticket names. An abandoned ticket of a former start may lie
/// there until the new process 0 replaces it: then all begins anew.
Result<void> MemberStart::join() {
    for (;;) {
        TRY(awaitTicket());
        auto joined = makeMember();
        if (joined) joined = joinOnce();
        if (joined || terminate_.load()) return joined;
        if (!ticketIsOfAFormerStart(joined.error())) return joined;
        member_.reset();
    }
}

Result<void> MemberStart::makeMember() {
    MemberAgentOptions options;
    options.ticket = ticket_;
    options.agentId = options_.processId;
    options.processes = {{options_.role, options_.processId}};
    if (options_.role == wire::ROLE_EVALUATOR) options.processes = evaluatorsOf(options_.job);
    options.job = options_.job;
    options.jobToml = [this]() -> Result<std::string> {
        TRY(checkSameJob(options_.job, ticket_.job_toml(), name()));
        return jobHere(ticket_.job_toml(), options_.job, options_.jobFolder);
    };
    options.jobFolder = options_.jobFolder;
    options.process0 = options_.process0;
    options.ownHost = options_.ownHost;
    options.deviceChoice = options_.deviceChoice;
    options.places = {ticket_.run_dir()};
    options.workerProgram = options_.workerProgram;
    options.say = options_.say;
    member_ = std::make_unique<MemberAgent>(std::move(options));
    return member_->connect();
}

Result<void> MemberStart::joinOnce() {
    while (!terminate_.load()) {
        auto joined = member_->join(kJoinSlice);
        if (joined || joined.error().code != ErrorCode::Timeout) return joined;
        auto replaced = TRY(search_.isReplaced());
        if (replaced) return joined;
        if (SteadyClock::read() >= deadline_)
            return fail(ErrorCode::Timeout,
                        fmt::format("the coordinator of process 0 at {} did not answer within "
                                    "{:.3g} s",
                                    ticket_.coordinator_address(),
                                    options_.job.cluster.initializationTimeoutSeconds),
                        "Check that this host reaches that address and port.");
        sayAwaiting();
    }
    return fail(ErrorCode::Cancelled, "stopped before the job began");
}

/// What led nowhere, or does not fit this process, may be what an earlier start has left, and
/// process 0 is yet to come.
bool MemberStart::ticketIsOfAFormerStart(const Error& failure) {
    return (SteadyClock::read() < deadline_ && search_.passOver(failure)) ||
           search_.isReplacedSoon([this] { return terminate_.load(); });
}

}  // namespace

ScheduledEnd runScheduledMember(const ScheduledMember& member, const std::atomic<bool>& terminate) {
    return MemberStart(member, terminate).run();
}

}  // namespace lockstep::launch

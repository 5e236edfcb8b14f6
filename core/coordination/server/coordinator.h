// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/coordination/state/copy_tally.h"
#include "core/coordination/state/counters.h"
#include "core/coordination/state/job_rules.h"
#include "core/coordination/state/outcome.h"
#include "core/telemetry/journal.h"
#include "core/wire/context.h"
#include "core/wire/keys.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::coordination {

class CoordinatorCore;

struct CoordinatorOptions {
    JobRules rules;
    std::string bindHost = "127.0.0.1";   ///< Address, interface or name to listen at; * for all.
    int port = 0;                         ///< 0: chosen by the system.
    std::filesystem::path monitorSocket;  ///< Unix socket; its folder is made with mode 0700.
    std::filesystem::path journal;        ///< Appended to, or created.
    /// Committed checkpoints are handed from here to members who ask; empty: none are.
    std::filesystem::path checkpoints{};
    wire::KeyPair keys;  ///< The coordinator's own.
    /// Admitted before it listens, as by allowMember(): public key, and whose. For those who can be
    /// there first.
    std::vector<std::pair<std::string, std::string>> members{};
};

/// How the journal stands.
struct JournalReport {
    std::uint64_t lostRecords = 0;
    std::string missing;  ///< What of the run's records is lost, or not written, in words.
};

/// The meeting point of a job: registration, key-value store, barriers, liveness, the one named
/// cause when something dies, and the journal with its monitors.
///
/// One thread, "coord", runs CoordinatorCore behind two sockets: tcp for members, a unix socket
/// for monitors; others write the journal and read it ("journal", "journal-read"), so that no disk
/// delays heartbeats; "zap" admits keys. Hosted by an agent, never by a process that
/// trains. At most one per wire::Context. All calls are thread-safe and return at once unless
/// they name a timeout.
class Coordinator {
public:
    /// Listens and starts waiting for the workers of generation 0. Unavailable when the port or
    /// the socket is taken, BadInput for a socket path of 100 characters or more, Io.
    [[nodiscard]] static Result<std::unique_ptr<Coordinator>> start(const wire::Context& context,
                                                                    CoordinatorOptions options);
    /// Shuts down as `shutdown` does.
    ~Coordinator();
    Coordinator(const Coordinator&) = delete;
    Coordinator& operator=(const Coordinator&) = delete;

    [[nodiscard]] const std::string& memberEndpoint() const;  ///< tcp://host:port, the real port.
    [[nodiscard]] int port() const;
    [[nodiscard]] const std::string& monitorEndpoint() const;  ///< ipc://path

    /// Admits the holder of `publicKey` as the member `userId`: worker-3, evaluator, agent-0.
    [[nodiscard]] Result<void> allowMember(const std::string& publicKey, const std::string& userId);
    /// Admits the holder of `publicKey` to watch and to stop the job, and to admit other keys of
    /// the same kind (admitMonitor).
    [[nodiscard]] Result<void> allowMonitor(const std::string& publicKey);

    /// Waits until the present generation has ended. Timeout when it has not by then; Unavailable
    /// when the loop itself had to end (journal not writable, ...).
    [[nodiscard]] Result<Outcome> waitOutcome(Nanos timeout);

    /// Waits until all who were told why the generation is over have confirmed it, or are gone: who
    /// hears of it later would see no more than the coordinator's end. Returns at once while no end
    /// was told, and 3 s after it was. False: not by then.
    bool awaitTold(Nanos timeout);

    /// Starts over for the workers of `generation` (the former plus one): nothing is known, and
    /// members of former generations are refused. Agents stay.
    void beginGeneration(std::uint32_t generation);

    /// What the hosting agent has to say: log lines, RunInfo, figures. False where it was not
    /// taken: it is above wire::kMaxRecordBytes, or there is no room. Samples do not wait for that,
    /// all else does for up to a second.
    [[nodiscard]] bool appendRecord(const wire::Record& record, telemetry::RecordWorth worth);
    /// Of the worth that such a record has.
    [[nodiscard]] bool appendRecord(const wire::Record& record);
    /// A process of this host has ended. One of a former generation is ignored.
    void reportProcessExit(const wire::ProcessExit& exit, std::uint32_t generation);

    /// What keeps a process of this host from running has changed.
    void reportProcessHeld(const wire::ProcessHeld& held, std::uint32_t generation);

    /// The workers end after the step in flight, with a checkpoint.
    void requestStop(StopAsker asker);
    /// Ends the generation now, as Stopped.
    void requestKill(StopAsker asker);

    /// Writes the last state and `end` (its status: completed | failed | stopped); nothing is
    /// journalled after it. Monitors are still served until `shutdown`.
    void endRun(const wire::RunEnd& end);

    /// Waits until what was journalled so far is in the file, at most for `timeout`.
    [[nodiscard]] JournalReport settleJournal(Nanos timeout);

    /// Time since a monitor last renewed its lease; since start when none ever did.
    [[nodiscard]] Nanos sinceLeaseRenewal() const;
    [[nodiscard]] Counters counters() const;
    /// As of a moment ago.
    [[nodiscard]] CopyTally copies() const;
    /// When its thread has turned last, by the steady clock: it does so many times a second.
    [[nodiscard]] Nanos lastTurn() const;
    /// Somebody wants the run to end at once.
    [[nodiscard]] bool killRequested() const;
    /// When the agent that asks for parts of the run's folder was last heard, be it a heartbeat, by
    /// the steady clock; zero: none asks.
    [[nodiscard]] Nanos askingAgentHeard() const;

    /// Gives monitors up to `linger` to take the rest of the journal, then closes the sockets and
    /// joins the threads. Idempotent.
    /// `awaitReader`: waits within `linger` for the first monitor, too, where none has come yet:
    /// for a run whose journal nobody will find afterwards.
    void shutdown(Nanos linger = 500ms, bool awaitReader = false);

private:
    class Loop;
    void post(std::function<void(CoordinatorCore&, Instant)> command);
    explicit Coordinator(std::unique_ptr<Loop> loop);
    std::unique_ptr<Loop> loop_;
};

}  // namespace lockstep::coordination

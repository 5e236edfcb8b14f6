// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/collective/store.h"
#include "core/wire/context.h"
#include "core/wire/keys.h"
#include "core/wire/messages/member.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

using namespace std::chrono_literals;

struct ClientOptions {
    std::string endpoint;  ///< tcp://host:port
    std::string serverPublicKey;
    wire::KeyPair keys;
    std::string runId;
    std::uint32_t generation = 0;
    std::uint64_t incarnation = 0;  ///< 0: a new one is drawn.
    wire::Register self;            ///< Role, process id, host, devices, build.
    Nanos heartbeatInterval = 1s;   ///< At most: four of them come within the timeout.
    Nanos heartbeatTimeout = 10s;   ///< Also: silence after which the coordinator counts as lost.
};

/// Called on the client's thread; must return at once. `onAbort` and `onStop` are called at most
/// once each (an agent's once a generation). An empty function is not called.
struct ClientCallbacks {
    /// Completes the heartbeat with the progress of this process's replicas. From join() on, whose
    /// Welcome says which numbers the replicas have.
    std::function<void(wire::Heartbeat&)> fillHeartbeat{};
    /// The generation is over: `culprit` is a process id, or -1; also when the coordinator is lost.
    std::function<void(const std::string& cause, int culprit)> onAbort{};
    std::function<void(const std::string& reason)> onStop{};
    /// A fault to inflict on this process; told again until the coordinator has heard of it.
    std::function<void(const wire::DrillRequest&)> onInflict{};
    /// The process is stuck: where its threads are is to be said in its log.
    std::function<void(const wire::TellStacks&)> onTellStacks{};
    /// All workers wait: which of the others does this process reach? (LinkReport)
    std::function<void(const wire::ProbeLinks&)> onProbeLinks{};
    /// Agents: the generation that runs now, on joining and whenever a new one begins.
    std::function<void(std::uint32_t generation)> onGeneration{};
    /// Agents: the run has ended like this; nothing comes after it.
    std::function<void(const wire::RunEnd&)> onRunOver{};
    /// The coordinator itself is lost; where this is empty, onAbort tells.
    std::function<void(const std::string& cause)> onLost{};
};

/// A process's connection to the coordinator: one thread, "control", owns the socket, sends the
/// heartbeats whatever the training does, and makes the callbacks. All calls are thread-safe.
/// After an abort every call fails with PeerLost and the cause, but for agents, who go on, and for
/// sendRecord and flush: what a survivor has measured is part of the run's history.
class Client final : public collective::Store {
public:
    /// Returns at once; the connection comes about in the background. BadInput for a malformed
    /// endpoint or key.
    [[nodiscard]] static Result<std::unique_ptr<Client>> connect(const wire::Context& context,
                                                                 ClientOptions options,
                                                                 ClientCallbacks callbacks);
    /// Joins the thread, whatever is still to be sent is lost: `leave` or `flush` before.
    ~Client() override;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// Registers and waits until all workers have (evaluator and agents: until it is noted).
    /// Unavailable with the coordinator's sentence when it refuses this process, Cancelled when the
    /// run was stopped meanwhile, PeerLost when it was aborted, Timeout.
    [[nodiscard]] Result<wire::Welcome> join(Nanos timeout);
    /// After join() was Unavailable or PeerLost: only because this process has another life in the
    /// job, or the job's run is over. A start of the job that is yet to come may take it.
    [[nodiscard]] bool isRefusedByThisStartAlone() const;
    [[nodiscard]] std::uint64_t incarnation() const;

    /// The job's key-value store; a later value replaces the former one. BadInput above the
    /// limits of the store (keys of 512 bytes, values of 256 KiB).
    [[nodiscard]] Result<void> set(std::string_view key, std::string_view value) override;
    /// Waits until somebody has set the key: Timeout, PeerLost.
    [[nodiscard]] Result<std::string> get(std::string_view key, Nanos timeout) override;
    /// Waits until all workers have entered the barrier of this name. Timeout names the missing;
    /// the first to enter sets the deadline.
    [[nodiscard]] Result<void> barrier(const std::string& name, Nanos timeout);

    /// Asks the coordinator for something of its run folder (fetch_list, fetch_piece,
    /// fetch_journal) or of the checkpoints that are to be scored (offer, ask_work) and waits for
    /// the bytes. NotFound, BadInput or Corrupt as it says; Timeout, PeerLost.
    [[nodiscard]] Result<std::string> fetch(const wire::ToCoordinator& question, Nanos timeout);
    /// The same for whoever must not wait longer: fetch() leaves time for a late answer besides.
    [[nodiscard]] Result<std::string> fetchWithin(const wire::ToCoordinator& question,
                                                  Nanos patience);

    /// Questions that wait for an answer, and all later ones, fail with Cancelled: whoever asks
    /// wants to end. Records and leaving are not concerned.
    void cancelQuestions();

    /// Queues a record for the journal; fills in its time when it has none. Records of steps, named
    /// figures of replicas, heartbeats, figures and logs are samples: over the limit they are
    /// dropped, which the journal says in their place. All others are state: waits up to a second
    /// for room, then Unavailable. BadInput for a record above 256 KiB.
    [[nodiscard]] Result<void> sendRecord(wire::Record record);
    /// Waits until the coordinator has taken every record queued so far, also after an abort.
    /// Timeout; PeerLost at once when the coordinator itself is lost.
    [[nodiscard]] Result<void> flush(Nanos timeout);

    /// Tells why this process cannot go on. `report.secondary`: only because another one is gone.
    /// Waits up to `timeout` until the coordinator has named the cause to all (true).
    bool reportError(const wire::ReportError& report, Nanos timeout);
    /// Agents: a process of this host, of `generation`, has ended.
    void reportProcessExit(const wire::ProcessExit& exit, std::uint32_t generation);
    /// Supervisors: the job's own program has ended so here; this process does a little later.
    void reportProgramEnd(bool signalled, int status);
    /// Who was asked for its stacks (onTellStacks): so many of its threads are deaf.
    void reportThreads(std::uint32_t deaf);
    /// Agents: what keeps a process of this host, of `generation`, from running has changed.
    void reportProcessHeld(const wire::ProcessHeld& held, std::uint32_t generation);
    /// Agents: the job shall end after the step in flight, with a checkpoint.
    void requestStop();

    /// Leaves in order, after everything queued has been sent; the chief brings the summary.
    /// Timeout when the coordinator has not confirmed by then.
    [[nodiscard]] Result<void> leave(const std::string& status, const std::string& summaryJson,
                                     Nanos timeout);

private:
    class Loop;
    explicit Client(std::unique_ptr<Loop> loop);
    std::unique_ptr<Loop> loop_;
};

}  // namespace lockstep::coordination

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/launch/host/link_set.h"
#include "core/launch/host/relay_socket.h"
#include "core/launch/host/remote_launch.h"
#include "core/launch/process/child_process.h"
#include "core/wire/keys.h"

namespace lockstep::launch {

/// A run on other hosts, from its launch (or from coming back to it) to its end: a thread, "links",
/// holds the connections, renews the leases, connects again by itself after an interruption of a
/// detached run, and says where the coordinator is reached. Thread-safe.
class RemoteRun {
public:
    /// A run that goes on without its launcher.
    struct Comeback {
        RemotePlace place;
        double leaseSeconds = 10;
    };

    RemoteRun(std::variant<RemoteOrder, Comeback> what, MakeLinks makeLinks);
    /// Closes the connections: what is tied to them ends. Waits for what is being opened to give
    /// up.
    ~RemoteRun();
    RemoteRun(const RemoteRun&) = delete;
    RemoteRun& operator=(const RemoteRun&) = delete;

    enum class Phase : std::uint8_t {
        Starting,
        Connected,  ///< The coordinator is at `socket`.
        Broken,     ///< The connection to its host is lost and tried again.
        Ended,      ///< The run's agent has ended; its files can be read while this lives.
        Failed,     ///< Nothing will come of it: `failure`.
    };
    struct State {
        Phase phase = Phase::Starting;
        std::string sentence;
        bool linked = false;           ///< Its host is connected; the run may not be reached yet.
        std::uint64_t connection = 0;  ///< Counts: another one, another socket.
        std::string socket;            ///< ipc://… on this machine.
        std::string serverPublic;
        std::uint64_t journalStart = 0;    ///< Of a start that takes the place of a lost one.
        std::optional<RemotePlace> place;  ///< Once it is decided.
        std::optional<RemoteFailure> failure;
        /// The first host whose connection broke, or said nothing of the run's end, or whose agent
        /// was killed, while the run was tied to it.
        std::optional<RemoteFailure> lostHost;
        bool lostConnection = false;  ///< What was tied to it lives until its lease has expired.
        std::string agentsWords;  ///< Why process 0's agent says nothing; empty: nothing is known.
        std::string agentEnd;  ///< How process 0's agent has ended: "was killed by signal 9 …".
        bool agentKilled = false;
        bool agentCrashed = false;  ///< Likewise, of a fault of its own.
        bool forced = false;        ///< By a user of its host, who wants the run to end.
    };
    [[nodiscard]] State state() const;
    /// Waits up to `timeout` for the state to become another one.
    void waitForChange(Nanos timeout) const;
    /// The key that the coordinator admits.
    [[nodiscard]] const wire::KeyPair& monitorKeys() const { return keys_; }

    /// A part of a file of the run ("journal", "summary.json"), when nobody serves it any more; a
    /// lost connection is tried again meanwhile. BadInput or NotFound when the run left nothing;
    /// others may pass: Unavailable, Timeout, PeerLost.
    [[nodiscard]] Result<wire::RunFileBytes> readFile(const std::string& name, std::uint64_t offset,
                                                      Nanos timeout);
    /// Asks the host again where the run is: its socket does not answer.
    void askAgain() { askAgain_ = true; }
    /// Ends a launch that has not come to an end; no effect later.
    void cancel() { cancelled_ = true; }
    /// Has its host kill process 0's agent, as soon as the host is reached: a user wants the run to
    /// end, and the agent does not hear that.
    void killAgent() { killWanted_ = true; }

private:
    struct FileRequest {
        std::string name;
        std::uint64_t offset = 0;
        std::promise<Result<wire::RunFileBytes>> answer;
    };

    void loop(const std::stop_token& stop);
    [[nodiscard]] bool begin();
    [[nodiscard]] Result<void> attach();
    [[nodiscard]] Result<void> attachFirst();
    void lookAgain();
    [[nodiscard]] Result<void> comeBack(std::unique_ptr<HostLink> link);
    [[nodiscard]] bool hasLink() const;  ///< To process 0's host.
    [[nodiscard]] Result<std::string> reachSocket(const std::string& socketOfHost);
    void turn();
    void takeNews();
    void noteAgentEnd(std::size_t link, const wire::AgentEnded& end);
    void noteStop(std::size_t link, const wire::AgentStopped& stop);
    void noteLostAgent(std::size_t link, const wire::AgentEnded& end);
    void noteLostHost(std::size_t link, const Error& error, bool isOwnFault = false);
    void settle();
    void noteLostLinks();
    void noteLink();
    void killIfWanted();
    void tryAgain();
    void readFiles();
    void refuseFiles();
    void say(const std::string& sentence);
    void fail(RemoteFailure failure);
    template <typename Change>
    void change(const Change& how) {
        {
            Lock lock(mutex_);
            how(state_);
            ++version_;
        }
        changed_.notify_all();
    }
    [[nodiscard]] bool tied() const;
    [[nodiscard]] double leaseSeconds() const;

    /// For the agents of the other hosts, once process 0's has ended.
    static constexpr std::chrono::seconds kAgentsSettle{3};

    const std::variant<RemoteOrder, Comeback> what_;
    const MakeLinks makeLinks_;
    wire::KeyPair keys_;
    std::atomic<bool> cancelled_{false};
    std::atomic<bool> askAgain_{false};
    std::atomic<bool> killWanted_{false};

    // Of the thread "links" alone:
    std::unique_ptr<LinkSet> links_;
    std::unique_ptr<LinkOpener> opener_;
    std::filesystem::path folder_;  ///< Private, for the relay's socket.
    std::optional<RelaySocket> relay_;
    RemotePlace place_;
    std::vector<bool> agentRuns_;  ///< By link.
    bool filesWanted_ = false;
    Nanos fileRead_{};  ///< When the last piece was.
    Nanos nextAttempt_{};
    Nanos pause_{};
    Nanos settleDeadline_{};  ///< Of kAgentsSettle.
    Nanos nextKill_{};        ///< Not before it is a refused one asked for again.

    mutable Mutex mutex_;
    mutable ConditionVariable changed_;
    State state_ LS_GUARDED_BY(mutex_);
    std::uint64_t version_ LS_GUARDED_BY(mutex_) = 0;
    std::deque<FileRequest> files_ LS_GUARDED_BY(mutex_);
    bool over_ LS_GUARDED_BY(mutex_) = false;  ///< The thread takes no requests any more.
    std::jthread thread_;
};

}  // namespace lockstep::launch

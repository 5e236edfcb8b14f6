// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "core/coordination/state/counters.h"
#include "core/coordination/state/job_state.h"
#include "core/coordination/state/membership.h"
#include "core/coordination/state/outcome.h"
#include "core/telemetry/journal.h"
#include "core/telemetry/journalled_steps.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::coordination {

struct SendAction {
    std::string connection;
    wire::FromCoordinator message;
    bool onceWritten = false;  ///< Not before the journal's file has all that was appended before.
};
struct AppendAction {
    std::string record;  ///< A serialised wire::Record.
    telemetry::RecordWorth worth = telemetry::RecordWorth::Event;
    telemetry::StepNews steps{};  ///< What it says of steps, for CoordinatorCore::settle.
};
struct FinishAction {
    Outcome outcome;
};
/// What the caller of the core has to do, in order.
using Action = std::variant<SendAction, AppendAction, FinishAction>;

/// How grave a line of the journal is; the values are those of wire::LogLine.
enum class LogLevel : std::uint8_t { Info = 1, Warning = 2, Error = 3 };

/// All that the coordinator's parts want done: messages to send, records to journal, the outcome
/// to tell, and counts of what was thrown away. Whoever runs the core takes it and does it.
class Outbox {
public:
    explicit Outbox(const JobState& job) : job_(job) {}

    /// To whoever is behind the connection, a member or not.
    void send(const std::string& connection, wire::FromCoordinator message);
    /// Every message to a member also tells it how far its own have been taken.
    void send(const Member& member, wire::FromCoordinator message);
    /// The same, once the journal's file has what was journalled so far.
    void sendOnceWritten(const Member& member, wire::FromCoordinator message);
    /// `ofThisStart`: the job's next start may take whoever it is.
    void refuse(const std::string& connection, const std::string& sentence,
                bool ofThisStart = false);
    void abort(const std::string& connection, std::int32_t culprit, const std::string& cause);

    /// Nothing is journalled once the run has ended, here and below.
    void journal(wire::Record record, Instant at);
    /// A record as its sender serialised it: fields that this version does not know are kept.
    void journalAsItCame(const std::string& bytes, telemetry::RecordWorth worth,
                         const telemetry::StepNews& steps);
    void journalState(wire::RunState state, std::string sentence, Instant at);
    void journalFailure(const wire::Failure& failure, Instant at);
    void log(const ProcessKey& about, LogLevel level, const std::string& text, Instant at);

    /// Called with each record of the coordinator's own that is to be journalled, but for drills.
    void watch(std::function<void(const wire::Record&, Instant)> watcher) {
        watcher_ = std::move(watcher);
    }

    void finish(Outcome outcome);
    [[nodiscard]] std::vector<Action> take();
    [[nodiscard]] Counters& counters() { return counters_; }

private:
    const JobState& job_;
    std::vector<Action> actions_;
    Counters counters_;
    std::function<void(const wire::Record&, Instant)> watcher_;
};

}  // namespace lockstep::coordination

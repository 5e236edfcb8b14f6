// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/state/outbox.h"

#include <utility>

#include "core/base/text.h"
#include "core/wire/codec.h"

namespace lockstep::coordination {

void Outbox::send(const std::string& connection, wire::FromCoordinator message) {
    if (connection.empty()) {
        ++counters_.undelivered;
        return;
    }
    message.set_protocol(wire::kProtocol);
    message.set_run_id(job_.rules().runId);
    message.set_generation(job_.generation());
    actions_.emplace_back(SendAction{.connection = connection, .message = std::move(message)});
}

void Outbox::send(const Member& member, wire::FromCoordinator message) {
    message.set_acknowledged(member.inbound.taken());
    send(member.connection, std::move(message));
}

void Outbox::sendOnceWritten(const Member& member, wire::FromCoordinator message) {
    const std::size_t before = actions_.size();
    send(member, std::move(message));
    if (actions_.size() > before) std::get<SendAction>(actions_.back()).onceWritten = true;
}

void Outbox::refuse(const std::string& connection, const std::string& sentence, bool ofThisStart) {
    wire::FromCoordinator message;
    message.mutable_refused()->set_sentence(sentence);
    message.mutable_refused()->set_of_this_start(ofThisStart);
    send(connection, std::move(message));
}

void Outbox::abort(const std::string& connection, std::int32_t culprit, const std::string& cause) {
    wire::FromCoordinator message;
    message.mutable_abort()->set_process_id(culprit);
    message.mutable_abort()->set_cause(cause);
    send(connection, std::move(message));
}

void Outbox::journal(wire::Record record, Instant at) {
    if (record.wall_time() == 0) record.set_wall_time(at.wall);
    journalAsItCame(record.SerializeAsString(), telemetry::RecordWorth::Event,
                    telemetry::stepNewsOf(record));
    if (watcher_ && !record.has_drill()) watcher_(record, at);
}

void Outbox::journalAsItCame(const std::string& bytes, telemetry::RecordWorth worth,
                             const telemetry::StepNews& steps) {
    if (!job_.runEnd()) actions_.emplace_back(AppendAction{bytes, worth, steps});
}

void Outbox::journalState(wire::RunState state, std::string sentence, Instant at) {
    wire::Record record;
    record.mutable_run_state()->set_state(state);
    record.mutable_run_state()->set_sentence(std::move(sentence));
    journal(std::move(record), at);
}

void Outbox::journalFailure(const wire::Failure& failure, Instant at) {
    wire::Record record;
    *record.mutable_failure() = failure;
    journal(std::move(record), at);
}

void Outbox::log(const ProcessKey& about, LogLevel level, const std::string& text, Instant at) {
    wire::Record record;
    wire::LogLine& line = *record.mutable_log();
    line.set_process_id(about.id);
    line.set_role(about.role);
    line.set_level(static_cast<std::uint32_t>(level));
    line.set_text(wire::validUtf8(sanitizeLine(text)));
    journal(std::move(record), at);
}

void Outbox::finish(Outcome outcome) {
    actions_.emplace_back(FinishAction{std::move(outcome)});
}

std::vector<Action> Outbox::take() {
    return std::exchange(actions_, {});
}

}  // namespace lockstep::coordination

// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/client/client.h"

#include <fmt/format.h>

#include "core/base/ids.h"
#include "core/base/record_clock.h"
#include "core/base/text.h"
#include "core/coordination/client/client_loop.h"
#include "core/coordination/exchange/key_value_store.h"
#include "core/wire/codec.h"

namespace lockstep::coordination {

namespace {

/// The coordinator's own timeout answer is the better one.
constexpr Nanos kAnswerSlack = std::chrono::seconds(2);

std::uint32_t milliseconds(Nanos timeout) {
    const auto count = std::chrono::ceil<Millis>(timeout).count();
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(count, 0, UINT32_MAX));
}

}  // namespace

Client::Client(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
Client::~Client() = default;

Result<std::unique_ptr<Client>> Client::connect(const wire::Context& context, ClientOptions options,
                                                ClientCallbacks callbacks) {
    if (options.incarnation == 0) options.incarnation = newIncarnation();
    auto wakeup = wire::Wakeup::make();
    if (!wakeup) return fail(std::move(wakeup.error()));
    auto loop = std::make_unique<Loop>(context, std::move(options), std::move(callbacks),
                                       std::move(*wakeup));
    if (auto started = loop->start(); !started) return fail(std::move(started.error()));
    return std::unique_ptr<Client>(new Client(std::move(loop)));
}

Result<wire::Welcome> Client::join(Nanos timeout) {
    return loop_->join(timeout);
}
bool Client::isRefusedByThisStartAlone() const {
    return loop_->isRefusedByThisStartAlone();
}
std::uint64_t Client::incarnation() const {
    return loop_->options().incarnation;
}

Result<void> Client::set(std::string_view key, std::string_view value) {
    if (key.empty() || key.size() > KeyValueStore::kMaxKeyBytes ||
        value.size() > KeyValueStore::kMaxValueBytes)
        return fail(ErrorCode::BadInput,
                    fmt::format("the store takes keys of 1 to {} bytes and values of up to {}; "
                                "'{}' has {}, its value {}",
                                KeyValueStore::kMaxKeyBytes, KeyValueStore::kMaxValueBytes,
                                sanitizeLine(key, 80), key.size(), value.size()));
    wire::ToCoordinator message;
    message.mutable_set()->set_key(wire::validUtf8(key));
    message.mutable_set()->set_value(std::string(value));
    return loop_->post(std::move(message));
}

Result<std::string> Client::get(std::string_view key, Nanos timeout) {
    wire::ToCoordinator message;
    message.mutable_get()->set_key(wire::validUtf8(key));
    message.mutable_get()->set_timeout_ms(milliseconds(timeout));
    return loop_->request(message, timeout + kAnswerSlack);
}

Result<void> Client::barrier(const std::string& name, Nanos timeout) {
    wire::ToCoordinator message;
    message.mutable_barrier()->set_name(wire::validUtf8(name));
    message.mutable_barrier()->set_timeout_ms(milliseconds(timeout));
    auto done = loop_->request(message, timeout + kAnswerSlack);
    if (!done) return fail(std::move(done.error()));
    return {};
}

Result<std::string> Client::fetch(const wire::ToCoordinator& question, Nanos timeout) {
    return loop_->request(question, timeout + kAnswerSlack);
}

Result<std::string> Client::fetchWithin(const wire::ToCoordinator& question, Nanos patience) {
    return loop_->request(question, patience);
}

void Client::cancelQuestions() {
    loop_->cancelQuestions();
}

Result<void> Client::sendRecord(wire::Record record) {
    if (record.wall_time() == 0) record.set_wall_time(recordSeconds());
    auto bytes = wire::encode(record);
    if (!bytes) return fail(std::move(bytes.error()));
    return loop_->sendRecord(record, std::move(*bytes));
}

Result<void> Client::flush(Nanos timeout) {
    return loop_->flush(timeout);
}

bool Client::reportError(const wire::ReportError& report, Nanos timeout) {
    wire::ToCoordinator message;
    *message.mutable_report_error() = report;
    message.mutable_report_error()->set_cause(wire::validUtf8(report.cause()));
    message.mutable_report_error()->set_remedy(wire::validUtf8(report.remedy()));
    std::ignore = loop_->post(std::move(message));  // fails when the cause is named already
    return loop_->waitAborted(timeout);
}

void Client::reportProcessExit(const wire::ProcessExit& exit, std::uint32_t generation) {
    wire::ToCoordinator message;
    message.set_generation(generation);
    *message.mutable_process_exit() = exit;
    message.mutable_process_exit()->set_last_error(wire::validUtf8(exit.last_error()));
    std::ignore = loop_->post(std::move(message));  // without a coordinator there is nobody to tell
}

void Client::reportProgramEnd(bool signalled, int status) {
    wire::ToCoordinator message;
    message.mutable_program_end()->set_signalled(signalled);
    message.mutable_program_end()->set_status(status);
    std::ignore = loop_->post(std::move(message));  // likewise
}

void Client::reportThreads(std::uint32_t deaf) {
    wire::ToCoordinator message;
    message.mutable_threads_answer()->set_deaf(deaf);
    std::ignore = loop_->post(std::move(message));  // likewise
}

void Client::reportProcessHeld(const wire::ProcessHeld& held, std::uint32_t generation) {
    wire::ToCoordinator message;
    message.set_generation(generation);
    *message.mutable_process_held() = held;
    std::ignore = loop_->post(std::move(message));  // likewise
}

void Client::requestStop() {
    wire::ToCoordinator message;
    message.mutable_stop();
    std::ignore = loop_->post(std::move(message));  // nor anybody to ask
}

Result<void> Client::leave(const std::string& status, const std::string& summaryJson,
                           Nanos timeout) {
    wire::Leave leave;
    leave.set_status(status);
    leave.set_summary_json(summaryJson);
    return loop_->leave(leave, timeout);
}

}  // namespace lockstep::coordination

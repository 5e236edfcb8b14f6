// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/program_telemetry.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "core/base/record_clock.h"
#include "core/base/text.h"
#include "core/launch/program/program_start.h"
#include "core/wire/codec.h"

namespace lockstep::launch {

namespace {

constexpr int kReportsPerPoll = 100;  ///< More wait in the socket, and then in the program.
constexpr int kReportsQueued = 256;
constexpr std::chrono::seconds kFiguresInterval{2};
constexpr std::chrono::seconds kBeginningTimeout{2};
constexpr const char* kBegunKey = "program/begun";

nlohmann::json numberOrNull(double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

}  // namespace

ProgramTelemetry::ProgramTelemetry(const wire::WorkerConfig& config, const config::JobSpec& job)
    : config_(config), job_(job), reports_(config.process_id(), config.process_id() == 0) {}

wire::ReplicaProgress ProgramTelemetry::progress() {
    const Lock lock(mutex_);
    return reports_.progress(SteadyClock::read());
}

std::string ProgramTelemetry::listen(const wire::Context& context) {
    auto inbox = wire::LocalReceiver::bind(
        context, std::filesystem::path(config_.report_folder()) / "reports", kReportsQueued,
        static_cast<std::int64_t>(wire::kMaxRecordBytes));
    if (!inbox) {
        std::fprintf(stderr, "warning: no reports are taken from the program: %s\n",
                     inbox.error().message.c_str());
        return {};
    }
    inbox_ = std::move(*inbox);
    return inbox_->endpoint();
}

void ProgramTelemetry::begin(coordination::Client& client, pid_t pid) {
    client_ = &client;
    probe_.emplace(pid);
    began_ = SteadyClock::read();
    if (!isChief()) return;
    if (!goesOn()) sendRunInfo();
    sendState();
}

void ProgramTelemetry::poll() {
    sendFigures(SteadyClock::read());
    if (inbox_ == nullptr) return;
    for (int taken = 0; taken < kReportsPerPoll; ++taken) {
        auto bytes = inbox_->receive();
        if (!bytes || !*bytes) return;
        take(**bytes);
    }
}

void ProgramTelemetry::finish() {
    const Lock lock(mutex_);
    reports_.finish(SteadyClock::read());
}

void ProgramTelemetry::take(const std::string& bytes) {
    Result<std::optional<wire::Record>> record;
    {
        const Lock lock(mutex_);
        record = reports_.take(bytes, SteadyClock::read(), recordSeconds());
    }
    if (record) noteBeginning();
    if (record && *record) send(std::move(**record));
    if (record || std::exchange(saidMalformed_, true)) return;
    std::fprintf(stderr, "warning: the program sent a report that cannot be used: %s (said once)\n",
                 record.error().message.c_str());
}

/// Where an earlier start of the run has trained, readers of its history must know from which step
/// on it is trained again before they see these steps, whichever process reports them.
void ProgramTelemetry::noteBeginning() {
    bool hasBegun = false;
    {
        const Lock lock(mutex_);
        hasBegun = reports_.hasBegun();
    }
    if (!hasBegun) return;
    const bool first = !std::exchange(saidBeginning_, true);
    if (isChief()) {
        sendRunInfo();
        if (!first || !goesOn()) return;
        std::ignore = client_->flush(kBeginningTimeout);
        std::ignore = client_->set(kBegunKey, "1");
    } else if (first && goesOn()) {
        std::ignore = client_->get(kBegunKey, kBeginningTimeout);  // it may never say anything
    }
}

/// Once it is known, and again when the program has said how much there is to do.
void ProgramTelemetry::sendRunInfo() {
    wire::ProgramPlan plan;
    {
        const Lock lock(mutex_);
        plan = reports_.plan();
    }
    const std::string words = plan.SerializeAsString();
    if (sentPlan_ == words) return;
    wire::Record record;
    wire::RunInfo& info = *record.mutable_run_info();
    info.set_run_id(config_.run_id());
    info.set_name(job_.name);
    info.set_job_toml(config_.job_toml());
    info.set_generation(config_.generation());
    info.set_total_steps(plan.total_steps());
    info.set_first_step(plan.first_step());
    info.set_steps_per_epoch(plan.steps_per_epoch());
    info.set_epochs(plan.epochs());
    info.set_global_batch_size(plan.global_batch_size());
    info.set_replica_count(static_cast<std::uint32_t>(job_.cluster.numProcesses));
    info.set_backend("program");
    info.set_amends(sentPlan_.has_value());
    sentPlan_ = words;
    send(std::move(record));
}

void ProgramTelemetry::sendState() {
    wire::Record state;
    state.mutable_run_state()->set_state(wire::RUN_STATE_TRAINING);
    state.mutable_run_state()->set_sentence(fmt::format(
        "running {}", wire::validUtf8(sanitizeLine(programLabel(job_.launch.command)))));
    send(std::move(state));
}

void ProgramTelemetry::sendFigures(Nanos now) {
    if (now < nextFigures_) return;
    nextFigures_ = now + kFiguresInterval;
    auto figures = probe_->sample(config_.process_id(), wire::ROLE_WORKER, now);
    if (!figures) return;  // it has just ended
    wire::Record record;
    *record.mutable_figures() = std::move(*figures);
    send(std::move(record));
}

std::string ProgramTelemetry::summary() {
    const Lock lock(mutex_);
    const ProgramResults& results = reports_.results();
    const double seconds = Seconds(SteadyClock::read() - began_).count();
    nlohmann::json summary = {{"backend", "program"},
                              {"train_loss", numberOrNull(results.trainLoss)},
                              {"train_accuracy", numberOrNull(results.trainAccuracy)},
                              {"validation_loss", numberOrNull(results.validationLoss)},
                              {"validation_accuracy", numberOrNull(results.validationAccuracy)},
                              {"test_loss", numberOrNull(results.testLoss)},
                              {"test_accuracy", numberOrNull(results.testAccuracy)},
                              {"train_seconds", seconds}};
    if (results.steps > 0) summary["steps"] = results.steps;
    if (results.epochs > 0) summary["epochs"] = results.epochs;
    return summary.dump();
}

void ProgramTelemetry::send(wire::Record record) {
    record.set_wall_time(recordSeconds());
    // Samples that the client has no room for are counted there and said in the journal.
    auto sent = client_->sendRecord(std::move(record));
    if (sent || std::exchange(saidLoss_, true)) return;
    std::fprintf(stderr, "warning: not journalled: %s (said once)\n", sent.error().message.c_str());
}

}  // namespace lockstep::launch

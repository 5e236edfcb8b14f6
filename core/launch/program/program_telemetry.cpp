// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/program_telemetry.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/plural.h"
#include "core/base/record_clock.h"
#include "core/base/text.h"
#include "core/launch/program/program_start.h"
#include "core/text/json.h"
#include "core/wire/codec.h"

namespace lockstep::launch {

namespace {

constexpr std::size_t kMaxLineBytes = 256 << 10;
constexpr int kReportsPerPoll = 100;  ///< More wait in the socket, and then in the program.
constexpr int kLastReports = 10'000;  ///< Whatever a socket's buffer holds.
constexpr std::size_t kManyScalars = telemetry::ScalarRecorder::kMostWaiting / 2;
constexpr std::chrono::seconds kFiguresInterval{2};
constexpr std::chrono::seconds kBeginningTimeout{2};
constexpr const char* kBegunKey = "program/begun";
}  // namespace

ProgramTelemetry::ProgramTelemetry(const wire::WorkerConfig& config, const config::JobSpec& job)
    : config_(config), job_(job), reports_(config.process_id(), config.process_id() == 0) {}

wire::ReplicaProgress ProgramTelemetry::progress() {
    const Lock lock(mutex_);
    return reports_.progress(SteadyClock::read());
}

std::string ProgramTelemetry::listen() {
    auto inbox = wire::LocalReceiver::bind(
        std::filesystem::path(config_.report_folder()) / "reports", kMaxLineBytes);
    if (!inbox) {
        std::fprintf(stderr, "warning: no reports are taken from the program: %s\n",
                     inbox.error().message.c_str());
        return {};
    }
    inbox_ = std::move(*inbox);
    return inbox_->path();
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
    takeReports(kReportsPerPoll);
}

void ProgramTelemetry::pollLast() {
    takeReports(kLastReports);
    std::string refused;
    {
        const Lock lock(mutex_);
        refused = reports_.figures().refusedInAll();
    }
    if (!refused.empty()) std::fprintf(stderr, "warning: %s\n", refused.c_str());
}

void ProgramTelemetry::takeReports(int most) {
    for (int taken = 0; inbox_ != nullptr && taken < most; ++taken) {
        const auto line = inbox_->receive();
        if (!line) break;
        take(*line);
    }
    sendScalars();
    if (inbox_ == nullptr || inbox_->droppedLines() == 0 || std::exchange(saidDropped_, true))
        return;
    std::fprintf(stderr,
                 "warning: a report of the program was above %zu bytes or cut short (said once)\n",
                 kMaxLineBytes);
}

telemetry::ScalarRecorder::Added ProgramTelemetry::reportScalar(std::string_view name,
                                                                std::uint64_t step, double wallTime,
                                                                double value,
                                                                std::string_view unit) {
    const Lock lock(mutex_);
    return reports_.addFigure(name, step, wallTime, value, unit);
}

void ProgramTelemetry::sendScalars() {
    std::vector<wire::Record> records;
    std::vector<std::string> complaints;
    {
        const Lock lock(mutex_);
        reports_.figures().take(records);
        complaints = reports_.figures().takeComplaints();
    }
    if (!records.empty()) noteBeginning();
    for (wire::Record& record : records)
        send(std::move(record));
    for (const std::string& complaint : complaints)
        std::fprintf(stderr, "warning: %s (said once)\n", complaint.c_str());
}

void ProgramTelemetry::finish() {
    const Lock lock(mutex_);
    reports_.finish(SteadyClock::read());
}

void ProgramTelemetry::take(const std::string& line) {
    Result<std::optional<wire::Record>> record;
    std::vector<wire::Record> waiting;
    std::uint64_t lost = 0;
    {
        const Lock lock(mutex_);
        // Those of files come from another thread: only under one lock there is room for a report.
        if (reports_.figures().waiting() > kManyScalars) reports_.figures().take(waiting);
        record = reports_.take(line, SteadyClock::read(), recordSeconds());
        lost = reports_.takeLost();
    }
    if (!waiting.empty()) noteBeginning();
    for (wire::Record& figures : waiting)
        send(std::move(figures));
    if (lost > 0 && !std::exchange(saidLost_, true))
        std::fprintf(stderr, "warning: %s of the program left out, too many at once (said once)\n",
                     countedWas(lost, "figure").c_str());
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
    ProgramPlan plan;
    {
        const Lock lock(mutex_);
        plan = reports_.plan();
    }
    if (sentPlan_ == plan) return;
    wire::Record record;
    wire::RunInfo& info = *record.mutable_run_info();
    info.set_run_id(config_.run_id());
    info.set_name(job_.name);
    info.set_job_toml(config_.job_toml());
    info.set_generation(config_.generation());
    info.set_total_steps(plan.totalSteps);
    info.set_first_step(plan.firstStep);
    info.set_steps_per_epoch(plan.stepsPerEpoch);
    info.set_epochs(plan.epochs);
    info.set_global_batch_size(plan.globalBatchSize);
    info.set_replica_count(static_cast<std::uint32_t>(job_.cluster.numProcesses));
    info.set_backend("program");
    info.set_amends(sentPlan_.has_value());
    sentPlan_ = plan;
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
    auto summary = text::Json::object({{"backend", "program"},
                                       {"train_loss", results.trainLoss},
                                       {"train_accuracy", results.trainAccuracy},
                                       {"validation_loss", results.validationLoss},
                                       {"validation_accuracy", results.validationAccuracy},
                                       {"test_loss", results.testLoss},
                                       {"test_accuracy", results.testAccuracy},
                                       {"train_seconds", seconds}});
    if (results.steps > 0) summary["steps"] = results.steps;
    if (results.epochs > 0) summary["epochs"] = results.epochs;
    return summary.text();
}

void ProgramTelemetry::send(wire::Record record) {
    record.set_wall_time(recordSeconds());
    // Samples that the client has no room for are counted there and said in the journal.
    auto sent = client_->sendRecord(std::move(record));
    if (sent || std::exchange(saidLoss_, true)) return;
    std::fprintf(stderr, "warning: not journalled: %s (said once)\n", sent.error().message.c_str());
}

}  // namespace lockstep::launch

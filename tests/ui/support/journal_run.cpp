// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/journal_run.h"

#include <QDir>
#include <QFile>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/job/folding_session.h"
#include "core/wire/codec.h"

namespace lockstep::testsupport {
namespace {

constexpr double kStepSeconds = 0.01;

double now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

/// Reads on as the journal grows; has reached the end of a run where its RunEnd is read.
class JournalTail final : public job::JournalSource {
public:
    explicit JournalTail(telemetry::JournalReader reader) : reader_(std::move(reader)) {}

    Result<std::optional<Piece>> next(Nanos timeout) override {
        auto frames = reader_.read(offset_, 1 << 20);
        if (!frames) return fail(frames.error());
        if (frames->empty()) {
            caughtUp_ = true;
            // a pause: between two looks at a file that may have grown
            std::this_thread::sleep_for(std::min<Nanos>(timeout, Millis(2)));
            return std::nullopt;
        }
        const std::uint64_t offset = std::exchange(offset_, offset_ + frames->size());
        return Piece{offset, std::move(*frames)};
    }
    Status status() const override {
        Status status;
        status.link = {true, caughtUp_, "Connected to a test", {}};
        return status;
    }
    void requestStop() override {}
    void kill() override {}
    void waitLonger() override {}

private:
    telemetry::JournalReader reader_;
    std::uint64_t offset_ = 0;
    bool caughtUp_ = false;
};

}  // namespace

JournalRun::JournalRun() {
    QDir(folder_.path()).mkdir(QStringLiteral("checkpoints"));
    writer_ = telemetry::JournalWriter::open(folder() / "journal").value();
}

std::filesystem::path JournalRun::folder() const {
    return folder_.path().toStdString();
}

std::unique_ptr<job::Session> JournalRun::follow() const {
    auto reader = telemetry::JournalReader::open(folder() / "journal").value();
    return std::make_unique<job::FoldingSession>(folder(),
                                                 std::make_unique<JournalTail>(std::move(reader)));
}

wire::Record JournalRun::record(double secondsAgo) const {
    wire::Record record;
    record.set_wall_time(now() - age_ - secondsAgo);
    return record;
}

void JournalRun::write(const wire::Record& record) {
    if (!writer_->append(wire::encode(record).value()) || !writer_->flush()) std::abort();
}

void JournalRun::launch(const Shape& shape) {
    state(wire::RUN_STATE_LAUNCHING,
          "waiting for " + std::to_string(shape.processes) + " processes to register");
}

void JournalRun::train(const Shape& shape, int firstStep) {
    for (int process = 0; process < shape.processes + (shape.evaluator ? 1 : 0); ++process) {
        const bool isWorker = process < shape.processes;
        wire::Record registered = record();
        wire::ReplicaInfo& info = *registered.mutable_replica_info();
        info.set_process_id(isWorker ? std::uint32_t(process) : 0U);
        info.set_replica(isWorker ? std::uint32_t(process) : 0U);
        info.set_role(isWorker ? wire::ROLE_WORKER : wire::ROLE_EVALUATOR);
        const int host = isWorker ? process * shape.hosts / shape.processes : 0;
        info.set_host(shape.hosts == 1 ? "127.0.0.1" : "node-" + std::to_string(host));
        info.set_address("127.0.0.1:" + std::to_string(41200 + process));
        info.set_pid(5000 + process);
        info.set_device("cpu:0");
        write(registered);
    }
    state(wire::RUN_STATE_TRAINING, "training on " + std::to_string(shape.processes) + " replicas");
    wire::Record introduced = record();
    wire::RunInfo& info = *introduced.mutable_run_info();
    info.set_run_id("scale-1");
    info.set_name("scale");
    info.set_job_toml(std::string("[job]\nname = \"scale\"\n[cluster]\nevaluator = ") +
                      (shape.evaluator ? "true" : "false") + "\n[checkpoint]\nkeep = 2\n");
    info.set_replica_count(std::uint32_t(shape.processes));
    info.set_first_step(std::uint64_t(firstStep));
    if (!shape.program) {
        info.set_total_steps(std::uint64_t(shape.totalSteps));
        info.set_steps_per_epoch(std::uint64_t(shape.stepsPerEpoch));
        info.set_epochs(std::uint32_t(shape.totalSteps / shape.stepsPerEpoch));
        info.set_global_batch_size(std::uint32_t(32 * shape.processes));
    }
    for (int name = 0; name < 10; ++name)
        info.add_class_names(std::to_string(name));
    info.set_image_width(4);
    info.set_image_height(4);
    write(introduced);
}

void JournalRun::writeBatch(const Shape& shape, int replica, int first, int count,
                            double endedAgo) {
    wire::Record batched = record(endedAgo);
    wire::StepBatch& batch = *batched.mutable_steps();
    batch.set_replica(std::uint32_t(replica));
    batch.set_first_step(std::uint64_t(first));
    batch.set_first_end_wall_time(batched.wall_time() - kStepSeconds * (count - 1));
    for (int step = first; step < first + count; ++step) {
        const double wave = 0.06 * std::sin(0.37 * step + 1.7 * replica);
        const double loss = (0.1 + 2 * std::exp(-step / 120.0)) * (1 + wave + 0.002 * replica);
        const bool isIdle =
            step % shape.stepsPerEpoch == 0 && replica >= shape.processes - shape.idle;
        batch.add_loss(isIdle ? NAN : float(loss));
        batch.add_accuracy(isIdle ? NAN : float(std::clamp(1 - loss / 2.4, 0.0, 1.0)));
        batch.add_step_us(float(1e6 * kStepSeconds * (1 + 0.1 * wave)));
        batch.add_data_us(200);
        const float longer = replica == shape.slow ? 1600 : 0;
        batch.add_forward_us(2600 + longer);
        batch.add_backward_us(4200);
        // The work is what is left of the step.
        const float waited = (shape.slow < 0 ? 1800 : 3400) + 20 * float(replica % 20);
        batch.add_all_reduce_us(replica == shape.slow ? 200 : waited);
        batch.add_update_us(1100);
    }
    write(batched);
}

void JournalRun::steps(const Shape& shape, int first, int last) {
    const auto ago = [&](int step) { return kStepSeconds * (last - step); };
    for (int from = first; from <= last;) {
        const int to = std::min(
            last, (from - 1) / shape.stepsPerEpoch * shape.stepsPerEpoch + shape.stepsPerEpoch);
        for (int replica = 0; replica < shape.processes; ++replica)
            writeBatch(shape, replica, from, to - from + 1, ago(to));
        from = to + 1;
        if (to % shape.stepsPerEpoch != 0) continue;
        wire::Record ended = record(ago(to));
        wire::EpochResult& epoch = *ended.mutable_epoch();
        epoch.set_epoch(std::uint32_t(to / shape.stepsPerEpoch));
        epoch.set_step(std::uint64_t(to));
        epoch.set_train_loss(0.1 + 2 * std::exp(-to / 120.0));
        epoch.set_has_validation(true);
        epoch.set_validation_loss(0.25 + 2 * std::exp(-to / 140.0));
        epoch.set_validation_accuracy(0.9 - std::exp(-to / 140.0));
        write(ended);
        wire::Record written = record(ago(to));
        const std::string name = "step-" + std::to_string(to);
        written.mutable_checkpoint()->set_step(std::uint64_t(to));
        written.mutable_checkpoint()->set_path("checkpoints/" + name);
        QDir(folder_.filePath(QStringLiteral("checkpoints"))).mkdir(QString::fromStdString(name));
        write(written);
    }
}

void JournalRun::scalars(const std::string& name, const std::string& unit, int first, int end,
                         int step, double value) {
    const auto id = std::uint32_t(ids_.try_emplace(name, ids_.size() + 1).first->second);
    for (int replica = first; replica < end; ++replica) {
        wire::Record registered = record();
        wire::ScalarSeries& series = *registered.mutable_scalar_series();
        series.set_id(id);
        series.set_role(wire::ROLE_WORKER);
        series.set_replica(replica);
        series.set_name(name);
        series.set_unit(unit);
        write(registered);
        wire::Record said = record();
        wire::ScalarBatch& batch = *said.mutable_scalars();
        batch.set_role(wire::ROLE_WORKER);
        batch.set_replica(replica);
        wire::ScalarColumn& column = *batch.add_columns();
        column.set_id(id);
        column.add_steps(std::uint64_t(step));
        column.set_first_wall_time(said.wall_time());
        column.add_after_seconds(0);
        column.add_values(value * (1 + 0.01 * replica));
        write(said);
    }
}

void JournalRun::beats(const Shape& shape, int secondsAgo, int step, wire::Phase phase) {
    for (int ago = secondsAgo; ago >= 0; --ago) {
        for (int process = 0; process < shape.processes + (shape.evaluator ? 1 : 0); ++process) {
            const bool isWorker = process < shape.processes;
            wire::Record beaten = record(ago + 0.004 * (process % 200));
            wire::Heartbeat& beat = *beaten.mutable_heartbeat();
            beat.set_process_id(isWorker ? std::uint32_t(process) : 0U);
            beat.set_role(isWorker ? wire::ROLE_WORKER : wire::ROLE_EVALUATOR);
            wire::ReplicaProgress& progress = *beat.add_replicas();
            progress.set_replica(beat.process_id());
            progress.set_step(isWorker ? std::uint64_t(step) : 0U);
            const bool computes = phase == wire::PHASE_FORWARD && (ago + process) % 3 == 0;
            progress.set_phase(!isWorker  ? wire::PHASE_WAITING
                               : computes ? wire::PHASE_ALL_REDUCE
                                          : phase);
            write(beaten);
        }
    }
}

void JournalRun::figures(const Shape& shape, int secondsAgo, bool gpus) {
    for (int ago = secondsAgo; ago >= 0; --ago) {
        for (int process = 0; process < shape.processes; ++process) {
            wire::Record measured = record(ago);
            wire::ProcessFigures& figures = *measured.mutable_figures();
            figures.set_process_id(std::uint32_t(process));
            figures.set_role(wire::ROLE_WORKER);
            figures.set_cpu_percent(float(50 + 10 * process));
            figures.set_resident_bytes(1ULL << 30);
            if (gpus) {
                figures.add_gpus()->set_uuid("GPU-" + std::to_string(process));
                figures.mutable_gpus(0)->set_compute_percent(90);
            }
            write(measured);
        }
    }
}

void JournalRun::state(wire::RunState state, const std::string& sentence) {
    wire::Record changed = record();
    changed.mutable_run_state()->set_state(state);
    changed.mutable_run_state()->set_sentence(sentence);
    write(changed);
}

void JournalRun::fail(int process, const std::string& cause, int step) {
    wire::Record failed = record();
    wire::Failure& failure = *failed.mutable_failure();
    failure.set_process_id(std::uint32_t(process));
    failure.set_host("127.0.0.1");
    failure.set_cause(cause);
    failure.set_step(std::uint64_t(step));
    write(failed);
}

void JournalRun::score(int step, double accuracy) {
    wire::Record scored = record();
    wire::Evaluation& evaluation = *scored.mutable_evaluation();
    evaluation.set_step(std::uint64_t(step));
    evaluation.set_split("validation");
    evaluation.set_accuracy(accuracy);
    evaluation.set_loss(1 - accuracy);
    for (int truth = 0; truth < 10; ++truth) {
        evaluation.add_per_class_accuracy(float(accuracy));
        for (int prediction = 0; prediction < 10; ++prediction)
            evaluation.add_confusion(truth == prediction             ? 95U
                                     : truth == 4 && prediction == 9 ? 5U
                                                                     : 0U);
    }
    for (std::uint32_t i = 0; i < 24; ++i) {
        wire::SamplePrediction& sample = *evaluation.add_samples();
        sample.set_index(i);
        sample.set_truth(i < 3 ? 4 : i % 10);
        sample.set_prediction(i < 3 ? 9 : i % 10);
        sample.set_probability(0.5F);
        sample.set_pixels(std::string(16, char(i * 10)));
    }
    write(scored);
}

void JournalRun::end(const std::string& status) {
    wire::Record over = record();
    over.mutable_run_end()->set_status(status);
    over.mutable_run_end()->set_summary_json("{}");
    write(over);
}

}  // namespace lockstep::testsupport

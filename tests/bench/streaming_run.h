// SPDX-License-Identifier: Apache-2.0
// A run that goes on: a real coordinator in this process, to whose journal a thread adds what
// replicas measure, at the pace of a clock.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/rng.h"
#include "core/base/thread.h"
#include "core/coordination/client/client.h"
#include "core/coordination/server/coordinator.h"
#include "core/run/run_folder.h"
#include "tests/bench/figures.h"

namespace lockstep::bench {

class StreamingRun {
public:
    struct Pace {
        int replicas = 64;
        int samplesASecond = 10;
        int history = 600;  ///< Steps of each replica that are there from the start.
        bool heartbeats =
            false;  ///< Each replica's process is one of its own, which says that it lives.
    };

    StreamingRun(const std::filesystem::path& place, const Pace& pace)
        : pace_(pace), folder_(valueOrExit(run::RunFolder::open(place / "run", false))) {
        using namespace std::chrono_literals;
        coordination::CoordinatorOptions options;
        options.rules.runId = runId_;
        options.journal = folder_.paths().journal();
        options.monitorSocket = place / "private" / "monitor";
        options.keys = serverKeys_;
        coordinator_ = valueOrExit(coordination::Coordinator::start(context_, options));
        const wire::KeyPair keys = valueOrExit(wire::newKeyPair());
        valueOrExit(coordinator_->allowMonitor(keys.publicKey));
        const auto keyFile = place / "monitor.key";
        valueOrExit(replaceFileDurably(
            keyFile,
            fmt::format("{}\n{}\n{}\n", serverKeys_.publicKey, keys.publicKey, keys.secretKey),
            0600));
        valueOrExit(
            run::writeContact(folder_.paths(), {runId_, coordinator_->monitorEndpoint(), keyFile}));
        join();
        begin();
        thread_ = startThread("feed", [this](std::stop_token stop) { feed(stop); });
    }
    ~StreamingRun() {
        thread_.request_stop();
        thread_.join();
    }
    StreamingRun(const StreamingRun&) = delete;
    StreamingRun& operator=(const StreamingRun&) = delete;

    [[nodiscard]] std::string folder() const { return folder_.paths().folder.string(); }

private:
    /// One worker, without which the run would be starting for as long as it lasts.
    void join() {
        using namespace std::chrono_literals;
        coordination::ClientOptions options;
        options.endpoint = coordinator_->memberEndpoint();
        options.serverPublicKey = serverKeys_.publicKey;
        options.keys = valueOrExit(wire::newKeyPair());
        options.runId = runId_;
        options.self.set_host("host0");
        options.self.set_host_group("host0");
        options.self.set_replicas(1);
        options.self.set_device("cpu");
        options.self.set_build("build");
        valueOrExit(coordinator_->allowMember(options.keys.publicKey, "worker-0"));
        worker_ = valueOrExit(coordination::Client::connect(context_, std::move(options), {}));
        std::ignore = valueOrExit(worker_->join(30s));
    }

    static constexpr Nanos kBeat = std::chrono::seconds(1);

    void begin() {
        wire::Record record;
        record.set_wall_time(wallSeconds());
        wire::RunInfo& info = *record.mutable_run_info();
        info.set_run_id(runId_);
        info.set_name("stream");
        info.set_total_steps(1'000'000);
        info.set_steps_per_epoch(10'000);
        info.set_epochs(100);
        info.set_global_batch_size(static_cast<std::uint32_t>(32 * pace_.replicas));
        info.set_replica_count(static_cast<std::uint32_t>(pace_.replicas));
        append(record);
        if (pace_.heartbeats) introduce();
        for (int first = 1; first <= pace_.history; first += 50)
            for (int replica = 0; replica < pace_.replicas; ++replica)
                append(steps(replica, first, 50));
        next_ = pace_.history + 1;
    }

    /// Who the replicas are, and that they train.
    void introduce() {
        for (int replica = 0; replica < pace_.replicas; ++replica) {
            wire::Record record;
            record.set_wall_time(wallSeconds());
            wire::ReplicaInfo& info = *record.mutable_replica_info();
            info.set_process_id(static_cast<std::uint32_t>(replica));
            info.set_replica(static_cast<std::uint32_t>(replica));
            info.set_host(fmt::format("host{}", replica / 8));
            append(record);
        }
        wire::Record record;
        record.set_wall_time(wallSeconds());
        record.mutable_run_state()->set_state(wire::RUN_STATE_TRAINING);
        append(record);
    }

    void beat() {
        for (int replica = 0; replica < pace_.replicas; ++replica) {
            wire::Record record;
            record.set_wall_time(wallSeconds());
            wire::Heartbeat& beat = *record.mutable_heartbeat();
            beat.set_process_id(static_cast<std::uint32_t>(replica));
            wire::ReplicaProgress& progress = *beat.add_replicas();
            progress.set_replica(static_cast<std::uint32_t>(replica));
            progress.set_step(static_cast<std::uint64_t>(next_ - 1));
            append(record);
        }
    }

    /// Ten times a second, as workers' telemetry comes together.
    void feed(const std::stop_token& stop) {
        using namespace std::chrono_literals;
        Nanos due = SteadyClock::read();
        Nanos beaten{0};
        const int count = std::max(1, pace_.samplesASecond / 10);
        while (!stop.stop_requested()) {
            due += 1'000'000'000ns * count / pace_.samplesASecond;
            std::this_thread::sleep_for(std::max(0ns, due - SteadyClock::read()));
            for (int replica = 0; replica < pace_.replicas; ++replica)
                append(steps(replica, next_, count));
            next_ += count;
            if (pace_.heartbeats && SteadyClock::read() > beaten + kBeat) {
                beaten = SteadyClock::read();
                beat();
            }
        }
    }

    void append(const wire::Record& record) {
        if (!coordinator_->appendRecord(record))
            valueOrExit(
                Result<void>(fail(ErrorCode::Unavailable, "the coordinator's queue is full")));
    }

    wire::Record steps(int replica, int first, int count) {
        wire::Record record;
        record.set_wall_time(wallSeconds());
        wire::StepBatch& batch = *record.mutable_steps();
        batch.set_replica(static_cast<std::uint32_t>(replica));
        batch.set_first_step(static_cast<std::uint64_t>(first));
        batch.set_first_end_wall_time(wallSeconds());
        for (int i = 0; i < count; ++i) {
            batch.add_loss(rng_.nextFloat(0.5F, 1.5F) /
                           (1 + 0.001F * static_cast<float>(first + i)));
            batch.add_accuracy(rng_.nextFloat(0.5F, 1));
            batch.add_step_us(rng_.nextFloat(98'000, 102'000));
            batch.add_data_us(rng_.nextFloat(10, 20));
            batch.add_forward_us(rng_.nextFloat(20'000, 21'000));
            batch.add_backward_us(rng_.nextFloat(40'000, 42'000));
            batch.add_all_reduce_us(rng_.nextFloat(30'000, 31'000));
            batch.add_update_us(rng_.nextFloat(6'000, 7'000));
        }
        return record;
    }

    Pace pace_;
    std::string runId_ = "stream-" + randomHex(4);
    wire::Context context_ = valueOrExit(wire::Context::make());
    wire::KeyPair serverKeys_ = valueOrExit(wire::newKeyPair());
    run::RunFolder folder_;
    CounterRng rng_{1};
    int next_ = 1;
    std::unique_ptr<coordination::Coordinator> coordinator_;
    std::unique_ptr<coordination::Client> worker_;
    std::jthread thread_;
};

}  // namespace lockstep::bench

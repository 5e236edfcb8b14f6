// SPDX-License-Identifier: Apache-2.0
// A monitor attaches late: one million steps of four replicas come from a real coordinator over
// its CURVE-encrypted unix socket into a real session, until the view has caught up. Also with a
// second monitor that stops reading, which must cost the first one nothing. Then all numbers of
// the run as CSV into a pipe.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>
#include <tuple>
#include <vector>

#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/rng.h"
#include "core/coordination/monitor/monitor_client.h"
#include "core/coordination/server/coordinator.h"
#include "core/job/fold/session.h"
#include "core/run/run_folder.h"
#include "core/telemetry/csv_export.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "tests/bench/figures.h"

using namespace lockstep;
using namespace lockstep::bench;
using namespace std::chrono_literals;

namespace {

constexpr int kReplicas = 4;
constexpr int kSteps = 1'000'000;
constexpr int kStepsARecord = 64;
constexpr std::int64_t kStepRecords = std::int64_t{kReplicas} * kSteps;
constexpr int kRounds = 5;
constexpr Nanos kPatience = 120s;
constexpr double kReplayGoalSeconds = 5;
constexpr double kBytesGoal = 40;
constexpr double kSilentGoal = 1.1;
constexpr double kExportGoalSeconds = 15;
constexpr double kStart = 1'700'000'000;

wire::Record runInfo(const std::string& runId) {
    wire::Record record;
    record.set_wall_time(kStart);
    wire::RunInfo& info = *record.mutable_run_info();
    info.set_run_id(runId);
    info.set_name("replay");
    info.set_total_steps(kSteps);
    info.set_steps_per_epoch(kSteps);
    info.set_epochs(1);
    info.set_global_batch_size(32);
    info.set_replica_count(kReplicas);
    return record;
}

/// Steps of half a millisecond, as a small network's are.
wire::Record steps(std::uint32_t replica, int first, int count, CounterRng& rng) {
    wire::Record record;
    record.set_wall_time(kStart + 0.0005 * (first + count));
    wire::StepBatch& batch = *record.mutable_steps();
    batch.set_replica(replica);
    batch.set_first_step(static_cast<std::uint64_t>(first));
    batch.set_first_end_wall_time(kStart + 0.0005 * first);
    for (int i = 0; i < count; ++i) {
        batch.add_loss(rng.nextFloat(0, 1));
        batch.add_accuracy(rng.nextFloat(0, 1));
        batch.add_step_us(rng.nextFloat(480, 520));
        batch.add_data_us(rng.nextFloat(10, 20));
        batch.add_forward_us(rng.nextFloat(100, 110));
        batch.add_backward_us(rng.nextFloat(200, 220));
        batch.add_all_reduce_us(rng.nextFloat(50, 60));
        batch.add_update_us(rng.nextFloat(60, 70));
    }
    return record;
}

/// Returns the journal's bytes.
std::uint64_t writeJournal(const std::filesystem::path& path, const std::string& runId) {
    telemetry::JournalWriter::Options options;
    options.mostWaitingBytes = std::size_t{1} << 30;  // nothing is lost, however slow the disk
    auto writer = valueOrExit(telemetry::JournalWriter::open(path, options));
    const auto append = [&](const wire::Record& record) {
        valueOrExit(writer->append(valueOrExit(wire::encode(record))));
    };
    append(runInfo(runId));
    CounterRng rng(1);
    for (int first = 1; first <= kSteps; first += kStepsARecord)
        for (std::uint32_t replica = 0; replica < kReplicas; ++replica)
            append(steps(replica, first, std::min(kStepsARecord, kSteps - first + 1), rng));
    valueOrExit(writer->sync(60s));
    return writer->end();
}

/// A run folder with a million steps, and its coordinator, as an agent would hold them.
class Run {
public:
    explicit Run(const std::filesystem::path& place)
        : folder_(valueOrExit(run::RunFolder::open(place / "run", false))) {
        seconds = secondsOf([&] { bytes = writeJournal(folder_.paths().journal(), runId_); });
        coordination::CoordinatorOptions options;
        options.rules.runId = runId_;
        options.rules.initializationTimeout = 24h;  // no worker will come
        options.journal = folder_.paths().journal();
        options.monitorSocket = place / "private" / "monitor";
        options.keys = serverKeys_;
        coordinator_ = valueOrExit(coordination::Coordinator::start(context_, options));
        const wire::KeyPair keys = admit();
        const auto keyFile = place / "monitor.key";
        valueOrExit(replaceFileDurably(
            keyFile,
            fmt::format("{}\n{}\n{}\n", serverKeys_.publicKey, keys.publicKey, keys.secretKey),
            0600));
        valueOrExit(
            run::writeContact(folder_.paths(), {runId_, coordinator_->monitorEndpoint(), keyFile}));
    }

    /// Seconds from attaching until every step is taken and the view has caught up.
    [[nodiscard]] double replay() const {
        const Nanos begin = SteadyClock::read();
        auto session = valueOrExit(job::attach(folder_.paths().folder));
        std::int64_t taken = 0;
        while (taken < kStepRecords || !session->view()->caughtUp) {
            for (const job::StepColumns& columns : session->takeSteps())
                taken += static_cast<std::int64_t>(columns.loss.size());
            if (SteadyClock::read() - begin > kPatience)
                valueOrExit(Result<void>(fail(
                    ErrorCode::Timeout, fmt::format("{} of {} steps came: {}", taken, kStepRecords,
                                                    session->view()->connectionSentence))));
            std::this_thread::sleep_for(2ms);
        }
        const double took = Seconds(SteadyClock::read() - begin).count();
        if (session->view()->connectionSentence != "live" || session->view()->step != kSteps)
            valueOrExit(Result<void>(fail(ErrorCode::Corrupt, "this was not a live replay")));
        return took;
    }

    /// A monitor that takes one piece of the journal and then nothing more.
    [[nodiscard]] std::unique_ptr<coordination::MonitorClient> silentMonitor() {
        coordination::MonitorOptions options;
        options.endpoint = coordinator_->monitorEndpoint();
        options.serverPublicKey = serverKeys_.publicKey;
        options.keys = admit();
        options.runId = runId_;
        auto client =
            valueOrExit(coordination::MonitorClient::connect(context_, std::move(options)));
        if (!valueOrExit(client->poll(10s)))
            valueOrExit(Result<void>(fail(ErrorCode::Timeout, "the silent monitor heard nothing")));
        return client;
    }

    /// Seconds for all numbers of the run as CSV, into a pipe.
    [[nodiscard]] double exported() const {
        return secondsOf([&] {
            FILE* const pipe = ::popen("cat > /dev/null", "w");
            const auto write = [pipe](std::string_view lines) -> Result<void> {
                if (std::fwrite(lines.data(), 1, lines.size(), pipe) == lines.size()) return {};
                return fail(ErrorCode::Io, "the pipe is closed");
            };
            std::ignore = valueOrExit(telemetry::exportCsv(folder_.paths().journal(), write));
            ::pclose(pipe);
        });
    }

    std::uint64_t bytes = 0;  ///< Of the journal,
    double seconds = 0;       ///< and what it took to write them.

private:
    [[nodiscard]] wire::KeyPair admit() {
        wire::KeyPair keys = valueOrExit(wire::newKeyPair());
        valueOrExit(coordinator_->allowMonitor(keys.publicKey));
        return keys;
    }

    std::string runId_ = "replay-" + randomHex(4);
    wire::Context context_ = valueOrExit(wire::Context::make());
    wire::KeyPair serverKeys_ = valueOrExit(wire::newKeyPair());
    run::RunFolder folder_;
    std::unique_ptr<coordination::Coordinator> coordinator_;
};

void measure(const std::filesystem::path& place) {
    Run run(place);
    std::vector<double> alone, besideSilent;
    for (int round = 0; round < kRounds; ++round) {
        alone.push_back(run.replay());
        const auto silent = run.silentMonitor();
        besideSilent.push_back(run.replay());
    }
    fmt::print("  {} steps of {} replicas in records of {}, {} rounds\n", kSteps, kReplicas,
               kStepsARecord, kRounds);
    rowWithGoal("journal, a step of a replica", double(run.bytes) / double(kStepRecords), "bytes",
                kBytesGoal);
    row("journal, written", double(kStepRecords) / run.seconds / 1e6, "M/s",
        "steps of a replica, synced at the end");
    rowWithGoal("replay into an attaching monitor, median", median(alone), "s", kReplayGoalSeconds);
    row("replay, steps of a replica", double(kStepRecords) / median(alone) / 1e6, "M/s");
    row("replay beside a monitor that stopped reading", median(besideSilent), "s");
    rowWithGoal("the one to the other", median(besideSilent) / median(alone), "times", kSilentGoal);
    rowWithGoal("export with the phases, into a pipe", run.exported(), "s", kExportGoalSeconds);
}

}  // namespace

int main() {
    const auto place = std::filesystem::temp_directory_path() / ("bench-" + randomHex(6));
    std::filesystem::create_directories(place);
    measure(place);
    std::filesystem::remove_all(place);
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/scripted_session.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lockstep::testsupport {
namespace {

constexpr double kStart = ExampleRun::kStartWallTime;
constexpr int kClasses = 10;
constexpr int kSide = 28;

/// A value in [0, 1) that depends on its arguments only.
double noise(std::uint64_t a, std::uint64_t b) {
    std::uint64_t x = a * 0x9E3779B97F4A7C15ULL + b * 0xBF58476D1CE4E5B9ULL + 0x94D049BB133111EBULL;
    x ^= x >> 30;
    x *= 0xBF58476D1CE4E5B9ULL;
    x ^= x >> 27;
    x *= 0x94D049BB133111EBULL;
    x ^= x >> 31;
    return double(x >> 11) * 0x1.0p-53;
}

float lossAt(std::int64_t step, int replica) {
    const double trend = 0.08 + 2.2 * std::exp(-double(step) / 220.0);
    return float(trend * (0.75 + 0.5 * noise(std::uint64_t(step), std::uint64_t(replica))));
}

/// A ring, a bar or a hook, by class: enough to be told apart in a picture.
job::EvaluationView::Pixels drawing(int shape) {
    std::vector<std::uint8_t> pixels(kSide * kSide, 0);
    for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x) {
            const double radius = std::hypot(x - 13.5, (y - 13.5) * 0.8);
            const bool ring = std::abs(radius - 7.5) < 1.6 && (shape % 2 == 0 || x > 11);
            const bool bar = shape % 3 == 1 && std::abs(x - 13.5) < 1.8 && y > 5 && y < 23;
            const bool beam = shape % 5 > 2 && std::abs(y - 13.5) < 1.6 && x > 6 && x < 21;
            if (ring || bar || beam) pixels[std::size_t(y * kSide + x)] = 235;
        }
    }
    return std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels));
}

std::shared_ptr<const job::EvaluationView> evaluation(std::int64_t step) {
    job::EvaluationView result;
    result.step = step;
    result.epoch = int(step / 1563) + 1;
    result.split = "validation";
    result.accuracy =
        0.975 - 0.28 * std::exp(-double(step) / 420.0) + 0.004 * noise(std::uint64_t(step), 7);
    result.loss = 2.6 * (1 - result.accuracy) + 0.03;
    result.seconds = 0.4;
    result.wallTime = kStart + double(step) * 0.002;
    for (int truth = 0; truth < kClasses; ++truth) {
        const double accuracy =
            result.accuracy - 0.03 + 0.05 * noise(std::uint64_t(step), std::uint64_t(truth));
        result.perClassAccuracy.push_back(float(std::min(0.999, accuracy)));
        for (int prediction = 0; prediction < kClasses; ++prediction) {
            const double wrong =
                (1 - accuracy) * 1000 * noise(std::uint64_t(truth), std::uint64_t(prediction)) / 4;
            result.confusion.push_back(
                std::uint32_t(truth == prediction ? accuracy * 1000 : wrong));
        }
    }
    for (int i = 0; i < 24; ++i) {
        const int truth = i % kClasses;
        const int prediction = i < 9 ? (truth + 3) % kClasses : truth;
        result.samples.push_back({i * 37, truth, prediction, float(0.5 + 0.02 * i),
                                  truth == prediction ? float(0.5 + 0.02 * i) : 0.3F,
                                  drawing(truth)});
    }
    return std::make_shared<const job::EvaluationView>(std::move(result));
}

job::ReplicaView replica(int index, std::int64_t step) {
    job::ReplicaView result;
    result.processId = index;
    result.replica = index;
    result.host = "127.0.0.1";
    result.address = "127.0.0.1:" + std::to_string(41200 + index);
    result.pid = 48210 + index;
    result.device = "cpu";
    result.liveness = job::Liveness::Alive;
    result.state = "training";
    result.phase = job::Phase::Backward;
    result.heartbeatAgeSeconds = 0.3 + 0.2 * index;
    result.step = step;
    result.loss = lossAt(step, index);
    result.accuracy = 0.96F;
    result.stepMilliseconds = 1.84F + 0.07F * float(index);
    result.phaseMicroseconds = {40, 420, 780, 390, 210};
    result.residentBytes = 143'000'000;
    result.cpuPercent = 97;
    return result;
}

job::ReplicaView evaluator(std::int64_t step) {
    job::ReplicaView result = replica(2, step);
    result.replica = -1;
    result.role = job::Role::Evaluator;
    result.state = "waiting for a checkpoint";
    result.phase = job::Phase::Waiting;
    result.loss = NAN;
    result.stepMilliseconds = 0;
    result.phaseMicroseconds = {};
    return result;
}

}  // namespace

job::RunView ExampleRun::view(std::int64_t steps, job::RunState state) {
    job::RunView run;
    run.runId = "digits-mlp-20261120-140512";
    run.name = "digits-mlp";
    run.runDir = "/home/ada/runs/digits-mlp-20261120-140512";
    run.state = state;
    run.sentence = "Training: all replicas advance together.";
    run.connected = true;
    run.caughtUp = true;
    run.connectionSentence = "Connected to 127.0.0.1";
    run.step = steps;
    run.totalSteps = 3126;
    run.stepsPerEpoch = 1563;
    run.epochs = 2;
    run.globalBatchSize = 32;
    run.replicaCount = 2;
    run.replicasAlive = 2;
    run.backend = "shm";
    run.device = "cpu";
    run.samplesPerSecond = 16'840;
    run.etaSeconds = double(run.totalSteps - steps) * 0.0019;
    run.startedWallTime = kStart;
    for (int i = 0; i < kClasses; ++i)
        run.classNames.push_back(std::to_string(i));
    run.imageWidth = kSide;
    run.imageHeight = kSide;
    run.replicas = {replica(0, steps), replica(1, steps), evaluator(steps / 500 * 500)};
    for (std::int64_t step = 250; step <= steps; step += 250)
        run.evaluations.push_back(evaluation(step));
    return run;
}

job::RunView ExampleRun::failedView(std::int64_t steps) {
    job::RunView run = view(steps, job::RunState::Failed);
    run.sentence = "Process 1 was killed by signal 9.";
    run.verdictSeverity = 3;
    run.endedWallTime = kStart + 60;
    run.ranSeconds = 60;
    run.exitStatus = 1;
    run.error = "process 1 (127.0.0.1): killed by signal 9";
    run.failures.push_back(
        {1, job::Role::Worker, "127.0.0.1", "killed by signal 9", steps, 0.4, kStart + 59});
    run.checkpoints.push_back(
        {2000, 2, "checkpoints/step-2000", 3'200'000, 0.001, 0.014, kStart + 50, {}});
    run.replicas[1].liveness = job::Liveness::Lost;
    run.replicas[1].state = "lost: killed by signal 9";
    run.replicasAlive = 1;
    run.jobToml =
        "[data]\ndataset = \"digits\"\n[model]\nlayers = [{ type = \"dense\", units = 10 }]\n";
    return run;
}

namespace {

/// As of a job that was launched with other settings each time.
void addSettings(job::RunEntry& run, const char* rate, const char* batch, const char* seed) {
    run.settings = {{"job.name", '"' + run.name + '"'},
                    {"data.dataset", run.name == "mnist-mlp" ? "\"mnist\"" : "\"digits\""},
                    {"training.global_batch_size", batch},
                    {"training.epochs", "2"},
                    {"training.optimizer", "\"adam\""},
                    {"training.learning_rate", rate},
                    {"training.seed", seed}};
}

}  // namespace

std::vector<job::RunEntry> ExampleRun::entries(const std::filesystem::path& folder) {
    std::vector<job::RunEntry> runs{
        {folder / "digits-mlp-20261120-140512",
         "digits-mlp-20261120-140512",
         "digits-mlp",
         true,
         "running",
         kStart,
         {}},
        {folder / "digits-mlp-20261120-131002", "digits-mlp-20261120-131002", "digits-mlp", false,
         "completed", kStart - 3310, 0.9721, job::Score{"accuracy", 0.9721, true}},
        {folder / "mnist-mlp-20261119-184417",
         "mnist-mlp-20261119-184417",
         "mnist-mlp",
         false,
         "failed",
         kStart - 69655,
         {}},
        {folder / "mnist-mlp-20261119-183009",
         "mnist-mlp-20261119-183009",
         "mnist-mlp",
         false,
         "stopped",
         kStart - 70503,
         {}},
    };
    addSettings(runs[0], "0.001", "32", "1");
    addSettings(runs[1], "0.01", "64", "1");
    addSettings(runs[2], "0.001", "32", "7");
    addSettings(runs[3], "0.001", "32", "1");
    runs[1].tookSeconds = 74;
    runs[1].validationScore = job::Score{"accuracy", 0.9688, true};
    runs[2].tookSeconds = 12;
    runs[3].tookSeconds = 3725;
    runs[3].validationScore = job::Score{"accuracy", 0.9533, true};
    return runs;
}

std::vector<job::StepColumns> ExampleRun::steps(std::int64_t first, std::int64_t last,
                                                int replicas) {
    std::vector<job::StepColumns> result;
    for (int r = 0; r < replicas; ++r) {
        job::StepColumns columns;
        columns.replica = r;
        columns.firstStep = first;
        columns.firstEndWallTime = kStart + double(first) * 0.0019;
        for (std::int64_t step = first; step <= last; ++step) {
            const double jitter = noise(std::uint64_t(step), std::uint64_t(r + 20));
            const auto micro = float(1780 + 160 * jitter + (step % 500 == 0 ? 2400 : 0));
            const float loss = lossAt(step, r);
            columns.loss.push_back(loss);
            columns.accuracy.push_back(std::clamp(1 - loss / 2.6F, 0.05F, 1.0F));
            columns.stepMicroseconds.push_back(micro);
            const std::array<float, job::kStepPhases> shares{0.02F, 0.23F, 0.42F, 0.21F, 0.12F};
            for (std::size_t phase = 0; phase < job::kStepPhases; ++phase) {
                columns.phaseMicroseconds[phase].push_back(shares[phase] * micro);
            }
        }
        result.push_back(std::move(columns));
    }
    return result;
}

std::vector<job::ScalarColumns> ExampleRun::scalars(int names, std::int64_t last, int replicas) {
    static constexpr std::array kNames{"train/f1",     "learning_rate", "grad_norm",  "precision",
                                       "recall",       "auc",           "perplexity", "tokens",
                                       "weight_decay", "loss_scale",    "entropy",    "kl"};
    std::vector<job::ScalarColumns> result;
    for (int n = 0; n < names; ++n) {
        for (int r = 0; r < replicas; ++r) {
            job::ScalarColumns columns;
            columns.name = n < int(kNames.size()) ? kNames[std::size_t(n)] : std::to_string(n);
            columns.replica = r;
            for (std::int64_t step = 10; step <= last; step += 10) {
                columns.steps.push_back(step);
                columns.wallTimes.push_back(kStart + double(step) * 0.0019);
                columns.values.push_back((n + 1) * double(lossAt(step, r + 2 * n)));
            }
            result.push_back(std::move(columns));
        }
    }
    return result;
}

std::vector<job::HeartbeatMark> ExampleRun::heartbeats(double fromWallTime, int seconds) {
    std::vector<job::HeartbeatMark> marks;
    for (int second = 0; second < seconds; ++second) {
        for (int process = 0; process < 3; ++process) {
            if (process == 1 && second > 20 && second < 26) continue;  // a gap to be seen
            const auto role = process == 2 ? job::Role::Evaluator : job::Role::Worker;
            const auto phase = process == 2 ? job::Phase::Waiting : job::Phase::Backward;
            marks.push_back(
                {process, role, fromWallTime + second + 0.1 * process, second * 500, phase});
        }
    }
    return marks;
}

std::vector<job::LogEntry> ExampleRun::logs() {
    using job::Role;
    return {
        {kStart + 0.1, 0, Role::Agent, 1, "agent of 127.0.0.1: 2 workers and the evaluator"},
        {kStart + 0.3, 0, Role::Worker, 1, "listening at 127.0.0.1:41200 as coordinator"},
        {kStart + 0.4, 1, Role::Worker, 1, "registered with 127.0.0.1:41200 as process 1 of 2"},
        {kStart + 0.5, 0, Role::Worker, 1, "digits: 50,000 training and 10,000 validation samples"},
        {kStart + 0.6, 0, Role::Worker, 1, "network 784 -> 256 -> 256 -> 10: 269,322 parameters"},
        {kStart + 1.6, 0, Role::Worker, 1, "checkpoint of step 500 committed in 14 ms"},
        {kStart + 1.9, 2, Role::Evaluator, 1, "step 500: validation accuracy 0.9312, loss 0.2310"},
        {kStart + 2.2, 1, Role::Worker, 2, "heartbeat 1.4 s late: the machine was busy"},
        {kStart + 2.6, 0, Role::Worker, 1, "checkpoint of step 1,000 committed in 15 ms"},
        {kStart + 2.9, 2, Role::Evaluator, 1,
         "step 1,000: validation accuracy 0.9561, loss 0.1480"},
    };
}

}  // namespace lockstep::testsupport

// SPDX-License-Identifier: Apache-2.0
// What N replicas train, held against what one trains; asked by replicas.py. Replicas are threads
// that meet as processes do, in shared memory or over Gloo, so that hundreds of starts take
// seconds.
//   replica_steps checkpoints JOB COUNT EVERY [KEY=VALUE...]
//       a step on 1, 2 and 4 processes from COUNT checkpoints of a run of one, EVERY steps apart
//   replica_steps free JOB STEPS [KEY=VALUE...]
//       runs of 1, 2 and 4 processes from the beginning
//   replica_steps transports JOB STEPS [KEY=VALUE...]
//       state hashes of 2 and 4 processes on shared memory and on Gloo
// Prints a JSON object for each number of processes, on a line of its own.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "core/base/thread.h"
#include "core/config/document/job_file.h"
#include "core/train/replica/job_context.h"
#include "tests/core/train/one_step.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

[[noreturn]] void giveUp(const std::string& sentence) {
    fmt::print(stderr, "error: {}\n", sentence);
    std::exit(1);
}

template <typename T>
T valueOrExit(Result<T> result) {
    if (!result) giveUp(result.error().message);
    return std::move(*result);
}

std::int64_t numberIn(std::string_view text) {
    std::int64_t number = 0;
    const auto end = text.data() + text.size();
    if (std::from_chars(text.data(), end, number).ptr != end || number < 1)
        giveUp(fmt::format("\"{}\" is not a number above 0", text));
    return number;
}

config::JobSpec specOf(const char* file, std::span<char*> settings) {
    auto document = valueOrExit(config::loadJobFile(file));
    for (const char* setting : settings)
        if (const auto set = document.applySetting(setting); !set) giveUp(set.error().message);
    return valueOrExit(document.checked());
}

/// Validation and test are not what is asked: eight samples of each.
SmallJob jobOf(const config::JobSpec& spec, const char* file) {
    const auto folder = std::filesystem::absolute(file).parent_path().string();
    const auto context = valueOrExit(train::makeJobContext(spec, folder));
    data::Dataset data = context->data;
    for (auto* split : {&data.validation, &data.test}) {
        auto few = **split;
        few.count = std::min<std::uint32_t>(few.count, 8);
        *split = std::make_shared<const data::Split>(std::move(few));
    }
    return {spec, std::move(data)};
}

/// Processes of one replica each, that share memory.
std::vector<std::vector<int>> processes(int count) {
    return {std::vector<int>(static_cast<std::size_t>(count), 1)};
}

RunResult trained(const SmallJob& small, Spread& spread) {
    RunResult result = trainSmall(small, spread);
    for (const auto& outcome : result.outcomes)
        if (!outcome) giveUp(outcome.error().message);
    return result;
}

void fromCheckpoints(const char* file, std::int64_t count, std::int64_t every,
                     std::span<char*> settings) {
    auto spec = specOf(file, settings);
    spec.checkpoint.everySteps = static_cast<int>(every);
    const SmallJob small = jobOf(spec, file);
    std::vector<checkpoint::LoadedCheckpoint> checkpoints;
    RecordedEvents events;
    events.onCheckpoint = [&](const checkpoint::Snapshot& snapshot) {
        if (snapshot.state.step % every == 0) checkpoints.push_back(ownCopy(snapshot));
    };
    Spread spread{.start = {.seed = spec.training.seed.value_or(1)},
                  .totalSteps = count * every,
                  .events = &events};
    const RunResult free = trained(small, spread);
    std::map<int, Apart> far;
    for (const auto& from : checkpoints) {
        const StepTaken one = stepFrom(small, from, processes(1));
        if (!one.failure.empty()) giveUp(one.failure);
        for (const int replicas : {2, 4}) {
            const StepTaken many = stepFrom(small, from, processes(replicas));
            if (!many.failure.empty()) giveUp(many.failure);
            far[replicas].add(apart(one, many));
        }
    }
    for (const auto& [replicas, worst] : far)
        fmt::print(
            "{{\"processes\": {}, \"checkpoints\": {}, \"first_loss\": {:.4f}, \"last_loss\": "
            "{:.4f}, \"loss\": {:.2e}, \"gradients\": {:.2e}, \"worst_gradient\": \"{}\", "
            "\"statistics\": {:.2e}, \"same_pixels\": {}}}\n",
            replicas, checkpoints.size(), free.losses.front(), free.losses.back(), worst.loss,
            worst.gradients, worst.worstGradient, worst.statistics, worst.samePixels);
}

void freeRuns(const char* file, std::int64_t steps, std::span<char*> settings) {
    const auto spec = specOf(file, settings);
    const SmallJob small = jobOf(spec, file);
    std::vector<double> ones;
    for (const int replicas : {1, 2, 4}) {
        Spread spread{.hosts = processes(replicas),
                      .start = {.seed = spec.training.seed.value_or(1)},
                      .totalSteps = steps};
        const auto losses = trained(small, spread).losses;
        if (replicas == 1) ones = losses;
        double loss = 0;
        for (std::size_t i = 0; i < losses.size(); ++i)
            loss = std::max(loss, std::abs(losses[i] / ones.at(i) - 1));
        if (replicas > 1)
            fmt::print(
                "{{\"processes\": {}, \"steps\": {}, \"last_loss\": {:.4f}, \"loss\": "
                "{:.2e}}}\n",
                replicas, losses.size(), losses.back(), loss);
    }
}

void transports(const char* file, std::int64_t steps, std::span<char*> settings) {
    using collective::TransportChoice;
    const auto spec = specOf(file, settings);
    const SmallJob small = jobOf(spec, file);
    for (const int replicas : {2, 4}) {
        std::string text = fmt::format("{{\"processes\": {}", replicas);
        for (const auto transport : {TransportChoice::Shm, TransportChoice::Gloo}) {
            Spread spread{.hosts = processes(replicas),
                          .transport = transport,
                          .start = {.seed = spec.training.seed.value_or(1)},
                          .totalSteps = steps};
            const RunResult result = trained(small, spread);
            text += fmt::format(", \"{}\": \"{}\"", result.backend, result.outcomes[0]->stateHash);
        }
        fmt::print("{}}}\n", text);
    }
}

}  // namespace

int main(int argc, char** argv) {
    ignoreSigpipe();
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    const std::string_view what = argc > 3 ? arguments[1] : "";
    if (what == "checkpoints" && argc > 4)
        fromCheckpoints(argv[2], numberIn(argv[3]), numberIn(argv[4]), arguments.subspan(5));
    else if (what == "free")
        freeRuns(argv[2], numberIn(argv[3]), arguments.subspan(4));
    else if (what == "transports")
        transports(argv[2], numberIn(argv[3]), arguments.subspan(4));
    else
        giveUp("replica_steps checkpoints JOB COUNT EVERY, or free or transports JOB STEPS");
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// The guide's job (784-256-256-10, Adam) as a worker without a coordinator trains it: the real
// step loop, prefetching included, over synthetic images.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "core/base/rng.h"
#include "core/collective/make_communicators.h"
#include "core/program/job_network.h"
#include "core/train/checkpoints/start_point.h"
#include "core/train/replica/replica_loop.h"
#include "tests/bench/figures.h"

namespace lockstep::bench {

inline constexpr std::size_t kFeatures = 784;
inline constexpr std::size_t kHidden = 256;
inline constexpr std::size_t kClasses = 10;

/// Images of which one pixel in five is not black, as in handwriting; random labels.
inline std::shared_ptr<const data::Split> randomSplit(std::uint32_t count) {
    std::vector<std::uint8_t> pixels(count * kFeatures);
    std::vector<std::uint8_t> labels(count);
    CounterRng rng(1);
    for (auto& pixel : pixels) {
        const std::uint32_t drawn = rng.nextBelow(1280);
        pixel = static_cast<std::uint8_t>(drawn < 256 ? drawn : 0);
    }
    for (auto& label : labels)
        label = static_cast<std::uint8_t>(rng.nextBelow(kClasses));
    return std::make_shared<data::Split>(
        data::imageSplit(count, {28, 28, 1}, std::move(pixels), data::labelBytes(labels)));
}

/// Of a run that nobody watches; what is wanted of it is overridden.
struct UnwatchedEvents : train::RunEvents {
    void stateChanged(wire::RunState /*state*/, const std::string& /*sentence*/) override {}
    void stoppedEarly(const std::string& /*sentence*/) override {}
    void epochEnded(const wire::EpochResult& /*result*/) override {}
    void checkpoint(const checkpoint::Snapshot& /*snapshot*/, bool /*isLast*/,
                    const checkpoint::CopyCheck& isRight) override {
        std::ignore = isRight();
    }
    [[nodiscard]] Result<checkpoint::LoadedCheckpoint> bestCheckpoint(
        std::int64_t /*step*/) override {
        return fail(ErrorCode::NotFound, "a benchmark keeps no checkpoints");
    }
};

/// One replica of the guide's job on the calling thread.
class GuideJob {
public:
    explicit GuideJob(std::shared_ptr<const data::Split> images)
        : data_(datasetOf(std::move(images))),
          network_(valueOrExit(program::makeNetwork(model(), data_.facts))),
          optimizer_(valueOrExit(optim::Optimizer::make(config::TrainingSpec{}))),
          objective_(valueOrExit(train::Objective::make(config::TrainingSpec{}, data_))) {}

    /// Trains from fresh weights: steps of `batch` samples, over and over through the images.
    /// `identityEverySteps` 0: nobody looks whether weights are what updates made of them.
    train::TrainingOutcome train(
        std::uint32_t batch, std::int64_t steps, telemetry::StepRing* ring,
        train::RunEvents* events,
        std::int64_t identityEverySteps = config::TrainingSpec{}.identityEverySteps) {
        config::JobSpec job;
        job.name = "guide";
        job.model = model();
        job.training.globalBatchSize = static_cast<int>(batch);
        job.training.identityEverySteps = identityEverySteps;
        const auto batches =
            valueOrExit(data::BatchPlan::make(data_.train->count, batch, 1, kSeed));
        auto plan = train::TrainingPlan::make(job, batches.stepsPerEpoch(), kSeed);
        plan.totalSteps = steps;
        const auto communicators =
            valueOrExit(collective::makeCommunicators(communicatorOptions()));
        collective::Communicator& communicator = *communicators.front();
        valueOrExit(train::applyStart({.seed = kSeed}, network_, optimizer_, communicator));
        const auto device = tensor::openCpuDevice();
        auto loop = valueOrExit(train::ReplicaLoop::make({.job = job,
                                                          .plan = plan,
                                                          .data = data_,
                                                          .batches = batches,
                                                          .network = network_,
                                                          .optimizer = optimizer_,
                                                          .objective = objective_,
                                                          .device = *device,
                                                          .communicator = communicator,
                                                          .ring = ring,
                                                          .progress = progress_,
                                                          .stopRequested = stopRequested_,
                                                          .events = events,
                                                          .epochSoFar = {}}));
        return valueOrExit(loop.run());
    }

    [[nodiscard]] std::size_t parameterCount() const { return network_.parameterCount(); }

    static config::ModelSpec model() {
        config::ModelSpec model;
        for (int layer = 0; layer < 2; ++layer)
            model.layers.push_back({.units = kHidden, .activation = config::Activation::Relu});
        model.layers.push_back({.units = kClasses});
        return model;
    }

private:
    static constexpr std::uint64_t kSeed = 1;

    static data::Dataset datasetOf(std::shared_ptr<const data::Split> images) {
        data::Dataset dataset;
        dataset.train = std::move(images);
        dataset.validation = dataset.test = randomSplit(0);
        dataset.facts = {.input = {28, 28, 1}, .classes = kClasses};
        dataset.fingerprint = "00112233445566778899aabbccddeeff";
        return dataset;
    }

    [[nodiscard]] collective::CommunicatorOptions communicatorOptions() const {
        collective::CommunicatorOptions options;
        options.topology.processes = {{0, 1}};
        options.layout.parameters = network_.parameterCount();
        options.layout.buckets =
            collective::planBuckets(network_.cuts(), network_.parameterCount());
        options.layout.moments = optimizer_.momentCount();
        return options;
    }

    data::Dataset data_;
    program::Network network_;
    optim::Optimizer optimizer_;
    train::Objective objective_;
    telemetry::ReplicaProgressCell progress_;
    std::atomic<bool> stopRequested_{false};
};

}  // namespace lockstep::bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/tensor/loss_totals.h"
#include "core/tensor/precision.h"

namespace lockstep::tensor {

/// A product of the network: y [positions, units] = x [positions, inputs] weightᵀ for each sample.
struct EngineProduct {
    std::size_t positions = 1;
    std::size_t inputs = 0;
    std::size_t units = 0;
};

/// What becomes of weights, as core/optim/optimizer.h has it.
enum class UpdateRule : std::uint32_t { Sgd, Momentum, Nesterov, Adam, RmsProp, Lion };

/// The rule's numbers that stay the same in all steps; which are used depends on it.
struct UpdateSettings {
    UpdateRule rule = UpdateRule::Sgd;
    float momentum = 0;
    float beta1 = 0;
    float oneMinusBeta1 = 0;  ///< 1 - rho for RmsProp, whose rho is beta1.
    float beta2 = 0;
    float oneMinusBeta2 = 0;
    float epsilon = 0;
    float clipValue = 0;  ///< Gradients are kept within it; 0: they are taken as they are.

    /// State arrays as long as the parameters.
    [[nodiscard]] std::size_t momentCount() const {
        switch (rule) {
            case UpdateRule::Sgd:
                return 0;
            case UpdateRule::Momentum:
            case UpdateRule::Nesterov:
            case UpdateRule::Lion:
                return 1;
            case UpdateRule::Adam:
                return 2;
            case UpdateRule::RmsProp:
                return momentum != 0 ? 2 : 1;
        }
        return 0;
    }
};

/// A part of the flat buffers that is trained.
struct EnginePiece {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool decays = false;
};

/// Half-open range of the flat buffers; buckets are listed in the order in which backward
/// completes them.
struct EngineBucket {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// Images in host memory that the engine copies to the device when it is made.
struct EngineSplit {
    std::span<const std::uint8_t> images;  ///< count x features bytes.
    std::vector<std::uint8_t> labels;      ///< count.
};

/// Everything about a training step that does not change between steps.
struct EngineProgram {
    std::size_t features = 0;
    std::size_t classes = 0;              ///< Logits of a sample.
    std::size_t parameters = 0;           ///< Floats of a flat buffer.
    std::size_t statistics = 0;           ///< Floats of what normalisations keep.
    std::vector<EngineProduct> products;  ///< For figures alone.
    std::vector<EngineBucket> buckets;
    UpdateSettings update;
    std::vector<EnginePiece> pieces;  ///< What lies between them stays as it is.
    std::uint64_t seed = 0;           ///< Of dropout.
    Precision precision = Precision::Float32;
    std::uint32_t maxBatch = 0;  ///< Most samples of a step of this replica.
    /// A loss that is not finite ends the run: no step behind it is applied. False: it is left out
    /// itself, and the steps go on.
    bool endsOnNonFinite = true;
    /// One CUDA graph a step; false: launch by launch. Not with several replicas of one process
    /// that a reducer joins, which NCCL's documentation warns may deadlock.
    bool captured = true;
    std::vector<EngineSplit> splits;  ///< 0 is trained on, all can be scored.
    /// Samples, loss and its gradient are the host's, step by step; there are no splits.
    bool isFed = false;
    double globalClipNorm = 0;  ///< Of all gradients together; 0: they are taken as they are.
};

/// What changes from step to step. Plain data: a table of them lies on the device.
struct EngineStep {
    std::uint32_t first = 0;  ///< Place in the epoch's order of this replica's first sample.
    std::uint32_t count = 0;  ///< Samples of this replica.
    /// Samples of all replicas. They decide every replica's share: steps of equal `allCount` have
    /// equal shares everywhere, so that all replicas meet a new kind of step at the same time.
    std::uint32_t allCount = 0;
    float gradientScale = 0;  ///< 1 / samples of all replicas.
    float adamStepSize = 0;   ///< As optim::adamStepSize().
    float learningRate = 0;
    float decay = 0;               ///< Share of itself that a weight loses.
    std::uint64_t index = 0;       ///< Over all epochs, from 0: what dropout depends on.
    std::uint64_t firstPlace = 0;  ///< Of this replica's first sample within the step's.
};

/// What a step left behind: this replica's figures, then their sums over all replicas.
struct EngineFigures {
    LossTotals mine;
    LossTotals all;
    double stop = 0;          ///< More than 0: some replica was asked to stop.
    double notFinite = 0;     ///< More than 0: some replica's loss is not finite; not applied.
    double gradientNorm = 0;  ///< Before it is clipped; where that is asked for.
    /// Nanoseconds of the device's clock: end of the step before, begin, forward done, backward
    /// done, sums there, end.
    std::uint64_t stamps[6] = {};
};

/// Sums over all replicas that share a batch, enqueued on the device. `stream` is the device's
/// native one (cudaStream_t). Implemented by the communicator.
class DeviceReducer {
public:
    virtual ~DeviceReducer() = default;
    [[nodiscard]] virtual int reducerReplicas() const = 0;
    /// Of the job, in this process.
    [[nodiscard]] virtual int localReplicas() const = 0;
    /// Waits until every replica of this process has called it as often. To be called between the
    /// last allocation and the first sum: an allocation on one GPU may wait for the work of
    /// another, which is a sum that waits for the first.
    [[nodiscard]] virtual Result<void> meetLocal() = 0;
    /// values = their sum over all replicas, in place. Can be captured into a graph.
    [[nodiscard]] virtual Result<void> enqueueSum(void* stream, std::span<float> values) = 0;
    [[nodiscard]] virtual Result<void> enqueueSum(void* stream, std::span<double> values) = 0;
    /// What broke on the connection to the others, if anything did. Does not wait.
    [[nodiscard]] virtual Result<void> healthy() = 0;
};

/// What the members of a mesh's row, who share the tensors of one network, have: gathered on the
/// device, enqueued as sums are. Implemented by the communicator of the row.
class DeviceGatherer {
public:
    virtual ~DeviceGatherer() = default;
    [[nodiscard]] virtual int members() const = 0;
    /// all = `mine` of every member, in their order. Can be captured into a graph.
    [[nodiscard]] virtual Result<void> enqueueGather(void* stream, std::span<const float> mine,
                                                     std::span<float> all) = 0;
};

/// How an engine reaches the others. Borrowed; both break together, and then say so through the
/// reducer's healthy().
struct EngineLinks {
    DeviceReducer* reducer = nullptr;    ///< Null: this replica is alone.
    DeviceGatherer* gatherer = nullptr;  ///< Null: it has the whole network. Not without the other.
};

/// Trains one replica on one device without the host in the step: the data, the weights, the
/// optimiser's state and the figures stay on the device; the host enqueues windows of steps and
/// collects their figures later. Belongs to one thread, requestStop() excepted. Errors are kept:
/// after one, every call returns one. Unavailable: the device failed; Timeout: it did not answer.
class StepEngine {
public:
    /// Most steps of one window; two windows may be under way.
    static constexpr std::size_t kWindow = 64;

    virtual ~StepEngine() = default;

    /// Replaces weights, statistics and as many moments as the rule has; host memory. Waits.
    [[nodiscard]] virtual Result<void> upload(std::span<const float> parameters,
                                              std::span<const float> statistics,
                                              std::span<const std::span<float>> moments) = 0;
    /// The same way back. Waits for all steps.
    [[nodiscard]] virtual Result<void> download(std::span<float> parameters,
                                                std::span<float> statistics,
                                                std::span<const std::span<float>> moments) = 0;
    /// Sample at each place of the epoch, for the windows enqueued afterwards.
    [[nodiscard]] virtual Result<void> setOrder(std::span<const std::uint32_t> order) = 0;

    /// Starts 1 to kWindow steps with their updates. At most two windows may be uncollected. Behind
    /// a step whose votes ask to stop, or whose loss ends the run, no step changes the weights, on
    /// any replica.
    [[nodiscard]] virtual Result<void> enqueue(std::span<const EngineStep> steps) = 0;
    /// Windows that are enqueued and not collected.
    [[nodiscard]] virtual int underWay() const = 0;
    /// Waits for the oldest window and gives the figures of its steps, valid until the next call.
    [[nodiscard]] virtual Result<std::span<const EngineFigures>> collect(Nanos timeout) = 0;
    /// The votes of the steps to come ask all replicas to stop. Any thread.
    virtual void requestStop() = 0;

    /// Of an engine that is fed: room for the samples of a step, [maxBatch, features]; not between
    /// enqueueing it and its outputs.
    [[nodiscard]] virtual std::span<float> samplesOfStep() = 0;
    /// Enqueues the step up to the network's outputs and waits for these: [count, classes], valid
    /// until backward(). Steps before it are done then.
    [[nodiscard]] virtual Result<std::span<const float>> forward(const EngineStep& step) = 0;
    /// Where the host writes the gradient of those outputs; as many numbers.
    [[nodiscard]] virtual std::span<float> outputGradient() = 0;
    /// Enqueues the rest of the step, whose loss this is: a window of one step.
    [[nodiscard]] virtual Result<void> backward(const LossTotals& loss) = 0;

    /// Forward and backward alone: this replica's gradients, into host memory; normalisations take
    /// its own samples. Waits.
    [[nodiscard]] virtual Result<LossTotals> gradients(const EngineStep& step,
                                                       std::span<float> gradients) = 0;
    /// Loss and hits of samples [first, first + count) of a split with the present weights and
    /// statistics. Waits.
    [[nodiscard]] virtual Result<LossTotals> score(std::size_t split, std::uint32_t first,
                                                   std::uint32_t count) = 0;
    /// In words: "float32, 12 of 14 epilogues fused, CUDA graphs".
    [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace lockstep::tensor

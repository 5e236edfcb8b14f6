// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <optional>
#include <vector>

#include "core/tensor/cuda/device_network.h"
#include "core/tensor/cuda/memory.h"
#include "core/tensor/step_engine.h"

namespace lockstep::tensor::cuda {

/// The memory as values of type T.
template <typename T>
T* dataOf(const Buffer& buffer) {
    return static_cast<T*>(buffer.data());
}

/// StepEngine on one GPU, on the current thread's choice of device at every call.
class CudaEngine final : public StepEngine {
public:
    /// `makeNetwork` is asked once, on the device, with the state's places.
    [[nodiscard]] static Result<std::unique_ptr<StepEngine>> make(
        int device, const EngineProgram& program, const DeviceNetworkMaker& makeNetwork,
        const EngineLinks& links);
    ~CudaEngine() override;

    [[nodiscard]] Result<void> upload(std::span<const float> parameters,
                                      std::span<const float> statistics,
                                      std::span<const std::span<float>> moments) override;
    [[nodiscard]] Result<void> download(std::span<float> parameters, std::span<float> statistics,
                                        std::span<const std::span<float>> moments) override;
    [[nodiscard]] Result<void> setOrder(std::span<const std::uint32_t> order) override;
    [[nodiscard]] Result<void> enqueue(std::span<const EngineStep> steps) override;
    [[nodiscard]] int underWay() const override { return static_cast<int>(windows_.size()); }
    [[nodiscard]] Result<std::span<const EngineFigures>> collect(Nanos timeout) override;
    void requestStop() override;
    [[nodiscard]] std::span<float> samplesOfStep() override;
    [[nodiscard]] Result<std::span<const float>> forward(const EngineStep& one) override;
    [[nodiscard]] std::span<float> outputGradient() override;
    [[nodiscard]] Result<void> backward(const LossTotals& loss) override;
    [[nodiscard]] Result<LossTotals> gradients(const EngineStep& one,
                                               std::span<float> gradients) override;
    [[nodiscard]] Result<LossTotals> score(std::size_t split, std::uint32_t first,
                                           std::uint32_t count) override;
    [[nodiscard]] std::string describe() const override;

private:
    /// Steps enqueued together; their places in the rings follow each other.
    struct Window {
        std::uint32_t begin = 0;
        std::uint32_t count = 0;
        EventHandle done;
    };
    struct SplitOnDevice {
        Buffer images;
        Buffer labels;
        std::uint32_t count = 0;
        bool resident = true;
    };

    /// Places of the rings: those of two windows.
    static constexpr std::uint32_t kPlaces = 2 * StepEngine::kWindow;
    /// Of a copy, and of two batches of a score; steps have the caller's.
    static constexpr std::chrono::seconds kCopyTimeout{120};
    /// A wait looks again and again for so long, then now and then.
    static constexpr std::chrono::microseconds kSpin{200};
    /// What the host tells the device, and is told by it, in pinned memory.
    struct Control {
        std::uint32_t stop = 0;
        LossTotals totals;
        StepMoment moment;
    };

    CudaEngine(int device, const EngineProgram& program, const EngineLinks& links);
    [[nodiscard]] Result<void> open(const EngineProgram& program,
                                    const DeviceNetworkMaker& makeNetwork);
    [[nodiscard]] Result<void> reserveState();
    [[nodiscard]] Result<void> reserveRows(std::size_t rows);
    [[nodiscard]] Result<void> copySplits(const EngineProgram& program);
    [[nodiscard]] Result<void> warmUpReducer();

    [[nodiscard]] Result<void> enter();
    /// Waits without blocking in the driver, so that a lost peer or the timeout ends it.
    [[nodiscard]] Result<void> await(cudaEvent_t event, Nanos timeout, Nanos spin = kSpin);
    [[nodiscard]] Result<void> awaitStream(Nanos timeout);
    [[nodiscard]] Result<void> copyRing(void* to, const void* from, std::size_t element,
                                        std::uint32_t begin, std::uint32_t count);

    [[nodiscard]] Result<void> copySteps(std::span<const EngineStep> steps);
    /// The steps of the newest window are enqueued: their figures follow them.
    [[nodiscard]] Result<void> closeWindow(std::uint32_t count);

    [[nodiscard]] Result<void> beginStep(std::uint32_t rows);
    /// What comes behind the loss.
    [[nodiscard]] Result<void> finishStep(bool reduced);
    // cuda_engine_fed.cpp
    [[nodiscard]] Result<void> reserveFed();
    [[nodiscard]] Result<void> enqueueForward(std::uint32_t rows);
    [[nodiscard]] Result<void> enqueueBackward(std::uint32_t rows);
    [[nodiscard]] Result<void> runHalf(std::size_t half);
    /// One step, enqueued launch by launch.
    [[nodiscard]] Result<void> step(std::uint32_t rows, bool reduced);
    [[nodiscard]] Result<void> lossOf(const float* logits, std::uint32_t rows, float scale,
                                      const StepState* state, float* gradient);
    [[nodiscard]] Result<void> sumNow(std::span<double> values);
    [[nodiscard]] Result<void> gatherNow(std::span<const float> mine, std::span<float> all);
    [[nodiscard]] OtherReplicas others(bool reduced);
    [[nodiscard]] Result<void> waitForPass();
    [[nodiscard]] Result<void> sumVotes();
    [[nodiscard]] Result<void> reduceFrom(std::size_t begin);
    [[nodiscard]] Result<void> joinReduction();
    void update();
    [[nodiscard]] Result<cudaGraphExec_t> graphOf(const EngineStep& one);
    using Enqueue = std::function<Result<void>()>;
    [[nodiscard]] Result<void> rehearse(const Enqueue& enqueue);
    [[nodiscard]] Result<GraphHandle> capture(const Enqueue& enqueue);
    [[nodiscard]] GatherSource sourceOf(const SplitOnDevice& split, bool ordered) const;
    [[nodiscard]] Result<void> send(const Buffer& to, std::span<const float> values);
    [[nodiscard]] Result<void> fetch(const Buffer& from, std::span<float> values);
    /// Who share the network.
    [[nodiscard]] std::size_t members() const {
        return gatherer_ == nullptr ? 1 : static_cast<std::size_t>(gatherer_->members());
    }
    [[nodiscard]] bool isHalf() const { return program_.precision == Precision::BFloat16; }

    int device_;
    EngineProgram program_;
    DeviceReducer* reducer_;
    DeviceGatherer* gatherer_;
    StreamHandle stream_;
    StreamHandle reduceStream_;
    EventHandle gradientsReady_;
    EventHandle sumsReady_;
    EventHandle marker_;
    std::array<EventHandle, 2> scored_;  ///< Batches of a score, in turn.
    Buffer parameters_;
    Buffer shadow_;
    Buffer gradients_;
    std::array<Buffer, 2> moments_;
    Buffer steps_;
    Buffer figures_;
    Buffer cursor_;
    Buffer votes_;
    Buffer order_;
    Buffer statistics_;
    Buffer statisticsBefore_;  ///< The step that runs.
    Buffer moment_;            ///< Where it stands.
    Buffer samples_;           ///< Of its batch, as floats.
    Buffer labels_;
    Buffer rowLoss_;
    Buffer rowHit_;
    Buffer rowVotes_;       ///< Of a mesh: what the columns' votes are, of each member of the row.
    Buffer warmUpSums_;     ///< Stays: memory must not be freed under a sum.
    Buffer warmUpGathers_;  ///< Likewise.
    Buffer stepsHost_;      ///< Pinned, as are all that end so.
    Buffer figuresHost_;
    Buffer orderHost_;
    Buffer arrayHost_;
    Buffer controlHost_;  ///< The stop flag, and the totals of a score.
    /// Of an engine that is fed, as are the next; pinned, as their names say.
    Buffer samplesHost_;
    Buffer outputsHost_;
    Buffer outputGradientHost_;
    EventHandle outputsReady_;
    std::uint32_t fedRows_ = 0;  ///< Samples of the step that is under way.
    /// By samples: up to the outputs, and from their gradient on.
    std::map<std::uint32_t, std::array<GraphHandle, 2>> halves_;
    Buffer norm_;  ///< Of the gradients, where it is clipped.
    StepState state_;
    std::vector<SplitOnDevice> splits_;
    std::unique_ptr<DeviceNetwork> network_;
    /// By EngineStep's allCount and count.
    std::map<std::pair<std::uint32_t, std::uint32_t>, GraphHandle> graphs_;
    std::vector<Window> windows_;  ///< Oldest first; at most two.
    std::uint32_t nextPlace_ = 0;
    std::size_t reducedBuckets_ = 0;  ///< Of the step that is being enqueued.
    std::vector<EngineFigures> collected_;
};

}  // namespace lockstep::tensor::cuda

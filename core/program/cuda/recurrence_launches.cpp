// SPDX-License-Identifier: Apache-2.0
// Recurrent layers: a product and a kernel for each step, all of a batch at once.
#include "core/tensor/cuda/layers/recurrence.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <variant>

#include "core/base/try.h"
#include "core/program/cuda/device_kernels.h"
#include "core/tensor/cuda/kernels.h"
#include "core/tensor/cuda/layers/channel_sums.h"
#include "core/tensor/cuda/layers/moves.h"

namespace lockstep::program {

namespace {

using namespace tensor::cuda;

/// What the steps of a batch leave, by samples and positions.
struct DeviceSteps {
    float* gates = nullptr;   ///< In the order of positions.
    float* extra = nullptr;   ///< In the order of steps, as the states.
    float* states = nullptr;  ///< Null: they are not kept.
};

/// A node's sizes, where its tensors lie, and where it works.
class DeviceRecurrence {
public:
    explicit DeviceRecurrence(DeviceKernelSource& source)
        : operation_(std::get<model::Recurrence>(source.node().operation)),
          products_(&source.products()) {
        units_ = static_cast<std::size_t>(source.node().shape.back());
        width_ = static_cast<std::size_t>(operation_.gates()) * units_;
        positions_ = static_cast<std::size_t>(model::elementCount(source.inputShape())) / width_;
        weight_ = source.parameter(0);
        if (source.node().tensors.size() > 1) bias_ = source.parameter(1);
        const std::size_t batch = source.maxBatch();
        stateAt_ = source.reserve(batch * units_ * sizeof(float));
        productAt_ = source.reserve(batch * width_ * sizeof(float));
        hiddenAt_ = source.reserve(batch * width_ * sizeof(float));
        gatesAt_ = source.reserve(batch * width_ * sizeof(float));
        extraAt_ = source.reserve(batch * units_ * sizeof(float));
        factorAt_ = source.reserve(products_->factorBytes(batch * width_));
        weightAt_ = source.reserve(products_->factorBytes(width_ * units_));
    }

    [[nodiscard]] bool isLstm() const { return operation_.kind == model::Recurrence::Kind::Lstm; }
    [[nodiscard]] bool givesAll() const { return operation_.returnsSequences; }

    /// Steps that are kept, or all in one place where `steps` has none. y: as the layer gives it.
    [[nodiscard]] Result<void> forward(const DeviceFrame& frame, const float* x,
                                       const DeviceSteps& steps, float* y) const {
        if (frame.rows == 0) return {};
        const void* weight = weightFactor(frame);
        for (std::size_t index = 0; index < positions_; ++index) {
            float* product = index > 0 ? scratchAt<float>(frame, productAt_) : nullptr;
            if (index > 0) TRY(multiplyState(frame, weight, product));
            const ForwardStep step{
                .rows = rowsOf(frame),
                .units = units_,
                .x = at(x, positionOf(index), width_),
                .product = {product, width_},
                .bias = bias_ ? bias_->read(frame) : nullptr,
                .extraBefore = index > 0 ? extraOf<const float>(frame, steps, index - 1)
                                         : StepRows<const float>(),
                .gates = steps.gates != nullptr
                             ? at(steps.gates, positionOf(index), width_)
                             : StepRows<float>{scratchAt<float>(frame, gatesAt_), width_},
                .extra = extraOf<float>(frame, steps, index),
                .state = scratchAt<float>(frame, stateAt_),
                .given = givenOf(steps, y, index)};
            if (isLstm())
                launchLstmStep(frame.stream, step);
            else
                launchGruStep(frame.stream, step);
        }
        if (givesAll() || steps.states == nullptr) return {};
        launchTakeColumns(frame.stream,
                          {.rows = rowsOf(frame),
                           .columns = units_,
                           .first = (positions_ - 1) * units_,
                           .whole = positions_ * units_},
                          steps.states, y);
        return {};
    }

    [[nodiscard]] Result<void> inputGradient(const DeviceFrame& frame, const float* dy,
                                             const DeviceSteps& steps, float* dx) const {
        if (frame.rows == 0) return {};
        const void* weight = weightFactor(frame);
        const float* before = isLstm() ? steps.extra : steps.states;
        float* hidden = scratchAt<float>(frame, hiddenAt_);
        for (std::size_t index = positions_; index-- > 0;) {
            const bool isLast = index + 1 == positions_;
            float* product = isLast ? nullptr : scratchAt<float>(frame, productAt_);
            if (!isLast) TRY(multiplyHidden(frame, weight, hidden, product));
            const StepRows<const float> last{isLast ? dy : nullptr, units_};
            const BackwardStep step{
                .rows = rowsOf(frame),
                .units = units_,
                .dy = givesAll() ? at(dy, index, units_) : last,
                .product = {product, units_},
                .gates = at<const float>(steps.gates, positionOf(index), width_),
                .extra = at<const float>(steps.extra, index, units_),
                .before = index > 0 ? at(before, index - 1, units_) : StepRows<const float>(),
                .dx = at(dx, positionOf(index), width_),
                .hidden = hidden,
                .carry = scratchAt<float>(frame, stateAt_)};
            if (isLstm())
                launchLstmGradient(frame.stream, step);
            else
                launchGruGradient(frame.stream, step);
        }
        return {};
    }

private:
    [[nodiscard]] std::size_t positionOf(std::size_t index) const {
        return operation_.goesBackwards ? positions_ - 1 - index : index;
    }
    template <typename T>
    [[nodiscard]] StepRows<T> at(T* data, std::size_t index, std::size_t width) const {
        return {data + index * width, positions_ * width};
    }
    template <typename T>
    [[nodiscard]] StepRows<T> extraOf(const DeviceFrame& frame, const DeviceSteps& steps,
                                      std::size_t index) const {
        if (steps.extra == nullptr) return {scratchAt<float>(frame, extraAt_), units_};
        return at<T>(steps.extra, index, units_);
    }
    [[nodiscard]] StepRows<float> givenOf(const DeviceSteps& steps, float* y,
                                          std::size_t index) const {
        if (givesAll()) return at(y, index, units_);
        if (steps.states != nullptr) return at(steps.states, index, units_);
        return {y, units_};
    }
    [[nodiscard]] const void* weightFactor(const DeviceFrame& frame) const {
        return weightFactorOf(frame, *products_, weight_, width_ * units_, weightAt_);
    }
    [[nodiscard]] ProductSizes sizes(const DeviceFrame& frame) const {
        return {rowsOf(frame), units_, width_};
    }
    [[nodiscard]] Result<void> multiplyState(const DeviceFrame& frame, const void* weight,
                                             float* product) const {
        const void* state = products_->factor(frame.stream, scratchAt<float>(frame, stateAt_),
                                              rowsOf(frame) * units_, frame.scratch + factorAt_);
        std::ignore = TRY(
            products_->forward(frame.stream, sizes(frame), state, weight, nullptr, false, product));
        return {};
    }
    [[nodiscard]] Result<void> multiplyHidden(const DeviceFrame& frame, const void* weight,
                                              const float* hidden, float* product) const {
        const void* factor = products_->factor(frame.stream, hidden, rowsOf(frame) * width_,
                                               frame.scratch + factorAt_);
        return products_->inputGradient(frame.stream, sizes(frame), factor, weight, product);
    }

    model::Recurrence operation_;
    DeviceProducts* products_;
    std::size_t positions_ = 1;
    std::size_t units_ = 1;
    std::size_t width_ = 1;
    TensorPlace weight_;
    std::optional<TensorPlace> bias_{};
    std::size_t stateAt_ = 0;
    std::size_t productAt_ = 0;
    std::size_t hiddenAt_ = 0;
    std::size_t gatesAt_ = 0;
    std::size_t extraAt_ = 0;
    std::size_t factorAt_ = 0;
    std::size_t weightAt_ = 0;
};

/// The gradients of the weight and the bias, some samples at a time.
class DeviceRecurrenceGradient {
public:
    explicit DeviceRecurrenceGradient(DeviceKernelSource& source)
        : operation_(std::get<model::Recurrence>(source.node().operation)),
          products_(&source.products()),
          trainsWeight_(source.tensor(0).isTrainable) {
        units_ = static_cast<std::size_t>(source.node().shape.back());
        width_ = static_cast<std::size_t>(operation_.gates()) * units_;
        positions_ = static_cast<std::size_t>(model::elementCount(source.inputShape())) / width_;
        weight_ = source.parameter(0);
        if (source.node().tensors.size() > 1 && source.tensor(1).isTrainable)
            bias_ = source.parameter(1);
        chunk_ = chunkOf(source.maxBatch(), source.workBytes());
        const std::size_t rows = chunk_ * positions_;
        beforeAt_ = source.reserve(rows * units_ * sizeof(float));
        gradientAt_ = source.reserve(isGru() ? rows * width_ * sizeof(float) : 0);
        beforeFactorAt_ = source.reserve(products_->factorBytes(rows * units_));
        gradientFactorAt_ = source.reserve(products_->factorBytes(rows * width_));
        biasAt_ = source.reserve(width_ * sizeof(float));
        sumsAt_ = source.reserve(columnSumsScratch(rows, width_));
    }

    [[nodiscard]] Result<void> run(const DeviceFrame& frame, const float* dx, const float* states,
                                   const float* gates) const {
        if (frame.rows == 0) {
            if (trainsWeight_)
                launchFill(frame.stream, weight_.gradient(frame), 0, width_ * units_);
            if (bias_) launchFill(frame.stream, bias_->gradient(frame), 0, width_);
        }
        for (std::size_t first = 0; first < rowsOf(frame); first += chunk_) {
            const std::size_t samples = std::min(chunk_, rowsOf(frame) - first);
            const std::size_t rows = samples * positions_;
            const float* gradient = dx + first * positions_ * width_;
            if (isGru()) {
                float* scratch = scratchAt<float>(frame, gradientAt_);
                launchGruProducts(frame.stream, rows, units_, gradient,
                                  gates + first * positions_ * width_, scratch);
                gradient = scratch;
            }
            if (trainsWeight_)
                TRY(addWeight(frame, samples, gradient, states + first * positions_ * units_,
                              first > 0));
            if (bias_) addBias(frame, rows, gradient, first > 0);
        }
        return {};
    }

private:
    [[nodiscard]] bool isGru() const { return operation_.kind == model::Recurrence::Kind::Gru; }
    /// Parts of a batch begin where cuBLASLt may read: at multiples of eight samples.
    [[nodiscard]] std::size_t chunkOf(std::size_t batch, std::size_t workBytes) const {
        constexpr std::size_t kAligned = 8;
        const std::size_t sample = positions_ * (width_ + units_) * sizeof(float);
        const std::size_t fitting = std::max<std::size_t>(workBytes / sample / kAligned, 1);
        return std::min(batch, fitting * kAligned);
    }
    [[nodiscard]] Result<void> addWeight(const DeviceFrame& frame, std::size_t samples,
                                         const float* gradient, const float* states,
                                         bool adds) const {
        const std::size_t rows = samples * positions_;
        float* before = scratchAt<float>(frame, beforeAt_);
        launchStatesBefore(frame.stream,
                           {.samples = samples,
                            .positions = positions_,
                            .units = units_,
                            .goesBackwards = operation_.goesBackwards ? 1U : 0U},
                           states, before);
        const void* x =
            products_->factor(frame.stream, before, rows * units_, frame.scratch + beforeFactorAt_);
        const void* dy = products_->factor(frame.stream, gradient, rows * width_,
                                           frame.scratch + gradientFactorAt_);
        std::ignore = TRY(products_->weightGradient(frame.stream, {rows, units_, width_}, x, dy,
                                                    adds, weight_.gradient(frame), nullptr));
        return {};
    }
    void addBias(const DeviceFrame& frame, std::size_t rows, const float* gradient,
                 bool adds) const {
        float* all = bias_->gradient(frame);
        float* part = adds ? scratchAt<float>(frame, biasAt_) : all;
        sumColumns(frame, gradient, rows, width_, sumsAt_, part);
        if (adds) launchAdd(frame.stream, {}, all, part, all, width_);
    }

    model::Recurrence operation_;
    DeviceProducts* products_;
    bool trainsWeight_;
    std::size_t positions_ = 1;
    std::size_t units_ = 1;
    std::size_t width_ = 1;
    TensorPlace weight_;
    std::optional<TensorPlace> bias_{};  ///< Where it is trained.
    std::size_t chunk_ = 1;              ///< Samples.
    std::size_t beforeAt_ = 0;
    std::size_t gradientAt_ = 0;
    std::size_t beforeFactorAt_ = 0;
    std::size_t gradientFactorAt_ = 0;
    std::size_t biasAt_ = 0;
    std::size_t sumsAt_ = 0;
};

DeviceKernel forward(DeviceKernelSource& source) {
    const std::size_t writes = source.instruction().writes.size();
    DeviceRecurrence steps(source);
    if (writes == 1)
        return [steps, x = source.read(0),
                y = source.write()](const DeviceFrame& frame) -> Result<void> {
            return steps.forward(frame, x.read(frame), {}, y.write(frame));
        };
    const bool keepsStates = writes > 3;
    return [steps, x = source.read(0), gates = source.write(0), y = source.write(1),
            extra = source.write(2), states = keepsStates ? source.write(3) : Place(),
            keepsStates](const DeviceFrame& frame) -> Result<void> {
        return steps.forward(frame, x.read(frame),
                             {.gates = gates.write(frame),
                              .extra = extra.write(frame),
                              .states = keepsStates ? states.write(frame) : nullptr},
                             y.write(frame));
    };
}

DeviceKernel inputGradient(DeviceKernelSource& source) {
    return [steps = DeviceRecurrence(source), gates = source.read(0), extra = source.read(1),
            states = source.read(2), dy = source.read(3),
            dx = source.write()](const DeviceFrame& frame) -> Result<void> {
        return steps.inputGradient(frame, dy.read(frame),
                                   {.gates = gates.write(frame),
                                    .extra = extra.write(frame),
                                    .states = states.write(frame)},
                                   dx.write(frame));
    };
}

DeviceKernel parameterGradient(DeviceKernelSource& source) {
    const bool hasGates = source.instruction().reads.size() > 2;
    return [gradient = DeviceRecurrenceGradient(source), dx = source.read(0),
            states = source.read(1), gates = hasGates ? source.read(2) : Place(),
            hasGates](const DeviceFrame& frame) -> Result<void> {
        return gradient.run(frame, dx.read(frame), states.read(frame),
                            hasGates ? gates.read(frame) : nullptr);
    };
}

}  // namespace

Result<DeviceKernel> makeDeviceRecurrence(DeviceKernelSource& source) {
    return byAction(source, {forward, parameterGradient, inputGradient});
}

}  // namespace lockstep::program

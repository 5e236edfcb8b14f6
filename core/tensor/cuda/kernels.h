// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/tensor/loss_totals.h"
#include "core/tensor/step_engine.h"

// Launches of the kernels that cuBLASLt has not: each enqueues on a stream and returns; a launch
// that fails is found by cudaGetLastError(). All pointers are to memory that the device reads.
namespace lockstep::tensor::cuda {

using BFloat = __nv_bfloat16;

/// Positions of the sums that travel together.
enum Vote : std::uint8_t { kLossSum, kCorrect, kSamples, kStop, kNotFinite, kVotes };

/// Where the steps stand, on the device.
struct Cursor {
    std::uint32_t position = 0;  ///< In the rings of steps and figures.
    std::uint32_t poisoned = 0;  ///< A loss was not finite, or all stop: no step applies.
    std::uint64_t lastEnd = 0;   ///< Device time of the end of the step before.
};

/// What the kernels of a step share; pointers stay the same, so that a graph can be replayed.
struct StepState {
    EngineStep* steps = nullptr;       ///< Ring of `places`.
    EngineFigures* figures = nullptr;  ///< Ring of `places`.
    std::uint32_t places = 0;
    Cursor* cursor = nullptr;
    double* votes = nullptr;  ///< kVotes.
    std::uint32_t endsOnNonFinite = 1;
    const std::uint32_t* stop = nullptr;  ///< Host memory.
};

struct GatherSource {
    const std::uint8_t* images = nullptr;
    const std::uint8_t* labels = nullptr;
    const std::uint32_t* order = nullptr;  ///< Null: samples in their own order.
    std::uint32_t pixels = 0;              ///< Of an image.
};

/// x[i] = images[sample i] / 255, y[i] = labels[sample i] for `rows` samples from place `first`.
template <typename T>
void launchGather(cudaStream_t stream, const GatherSource& source, std::uint32_t first,
                  std::uint32_t rows, T* x, std::int32_t* y);
/// The same for the step at the cursor, which begins with it.
template <typename T>
void launchStepGather(cudaStream_t stream, const GatherSource& source, const StepState& state,
                      std::uint32_t rows, T* x, std::int32_t* y);

struct LossShape {
    std::uint32_t rows = 0;
    std::uint32_t classes = 0;
};
/// Cross-entropy and hit of each row; dLogits = scale * (softmax - onehot) unless it is null. With
/// a state, `scale` is the step's and the time is taken.
template <typename T>
void launchSoftmaxLoss(cudaStream_t stream, const float* logits, const std::int32_t* labels,
                       LossShape shape, float scale, T* dLogits, double* rowLoss,
                       std::uint8_t* rowHit, const StepState* state);
/// totals += the rows' sums, in an order that depends on `rows` alone.
void launchAddTotals(cudaStream_t stream, const double* rowLoss, const std::uint8_t* rowHit,
                     std::uint32_t rows, LossTotals* totals);
/// The step's votes from its rows.
void launchVotes(cudaStream_t stream, const double* rowLoss, const std::uint8_t* rowHit,
                 std::uint32_t rows, const StepState& state);

/// The same from what the host knows of the step; `loss` is memory that the device reads.
void launchHostVotes(cudaStream_t stream, const LossTotals* loss, const StepState& state);

/// Of a mesh: the votes of all members of a row, [members, kVotes], become the step's. Figures are
/// the first one's; stop and not-finite are what anybody says.
void launchRowVotes(cudaStream_t stream, const double* all, std::size_t members,
                    const StepState& state);

enum class Stamp : std::uint8_t { End0, Begin, Forward, Backward, Sums, End };
/// Takes the device's time for the step at the cursor.
void launchStamp(cudaStream_t stream, const StepState& state, Stamp stamp);

struct UpdateArrays {
    const float* gradients = nullptr;
    float* parameters = nullptr;
    float* first = nullptr;
    float* second = nullptr;
    BFloat* shadow = nullptr;  ///< Of the parameters; may be null.
    std::size_t count = 0;
};

/// Keeps the step's figures and moves the cursor on.
void launchFinishStep(cudaStream_t stream, const StepState& state);

void launchToBFloat16(cudaStream_t stream, const float* from, BFloat* to, std::size_t count);
void launchFill(cudaStream_t stream, float* values, float value, std::size_t count);

}  // namespace lockstep::tensor::cuda

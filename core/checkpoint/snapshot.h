// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace lockstep::checkpoint {

/// The best checkpoint of a run so far. Other states of a run than that of the same `monitor` say
/// nothing about it.
struct BestState {
    std::string monitor;    ///< The figure and its direction; empty: none is kept.
    std::int64_t step = 0;  ///< 0: no epoch had a figure yet.
    std::int64_t epoch = 0;
    double value = 0;

    [[nodiscard]] bool operator==(const BestState&) const = default;
};

/// How long a watched figure has not got better.
struct PatienceState {
    std::string monitor;         ///< The figure and its direction; empty: nothing is watched.
    std::int64_t bestEpoch = 0;  ///< 0: no epoch had a figure yet.
    double bestValue = 0;
    std::int64_t epochsWaited = 0;

    [[nodiscard]] bool operator==(const PatienceState&) const = default;
};

/// Where a learning rate stands that plateaus of the validation loss reduce.
struct PlateauState {
    double rate = 0;         ///< 0: the job has another schedule.
    double initialRate = 0;  ///< training.learning_rate of that job; 0: of an older version.
    bool hasBest = false;
    double best = 0;
    std::int64_t waited = 0;    ///< Epochs without a better loss.
    std::int64_t cooldown = 0;  ///< Epochs that are not counted yet.

    [[nodiscard]] bool operator==(const PlateauState&) const = default;
};

/// Where a training stands, beside its tensors. A resume needs nothing else: the order of samples
/// is a function of seed and position.
struct TrainingState {
    std::int64_t step = 0;             ///< Completed steps, over all epochs.
    std::int64_t epoch = 0;            ///< Completed epochs: from one evaluation to the next.
    std::uint64_t samplePosition = 0;  ///< How far it is in the order of the training set.
    double epochLossSum = 0;           ///< Over the samples of the epoch in progress that are done,
    double epochCorrect = 0;           ///< so that a resumed epoch is scored as a whole.
    double epochSamples = 0;
    std::uint64_t seed = 0;
    std::string optimizer;  ///< As training.optimizer.
    int worldSize = 1;      ///< Replicas of the run that wrote it.
    int globalBatchSize = 0;
    std::string jobName;
    std::string dataFingerprint;
    std::string buildId;
    double wallTime = 0;  ///< Seconds since 1970 when the snapshot was taken.
    /// How often a step sees the training set's order: 1, or with data.auto_shard = "off" once a
    /// process.
    int datasetCopies = 1;
    std::int64_t skippedSteps = 0;   ///< Left out, because a loss was not finite.
    std::int64_t stepsPerEpoch = 0;  ///< From one evaluation to the next; 0: of an older version.
    BestState best{};
    PatienceState patience{};
    PlateauState plateau{};
    /// The epoch's steps are done and in epochLossSum and the like, but the run was stopped while
    /// it validated: a resume begins with the epoch's end.
    bool epochEndDue = false;
    std::vector<std::string> metrics{};  ///< Of the run that wrote it, besides loss and accuracy.
    std::vector<double> epochMetrics{};  ///< Their sums over the epoch in progress.
    std::string model{};  ///< Its layers in words; empty in the checkpoints of older versions.
    /// contentHash of the file with which the run began; empty: it had none.
    std::string initialWeights{};
    /// What training.tune chose for each convolution, in words; empty: the shipped rule.
    std::map<std::string, std::string> convolutions{};
    /// What a sample is, as data::encodeSampleFacts writes it; empty in the checkpoints of older
    /// versions.
    std::string sampleFacts{};

    [[nodiscard]] bool operator==(const TrainingState&) const = default;
};

/// A float32 tensor in memory that somebody else owns; row-major, shape as in PyTorch
/// (`layers.0.weight` is [out, in]). `values` has the product of `shape` elements.
struct TensorRef {
    std::string name;
    std::vector<std::int64_t> shape;
    std::span<const float> values;
    /// Of a part of a tensor: where it begins in the whole one, an index a dimension. Of a tensor
    /// that is whole it may be empty.
    std::vector<std::int64_t> offsets{};
    int shard = 0;  ///< Of a sharded checkpoint: the file's number, from 1. One holds a name once.
};

/// What a checkpoint is made of. Names of the model follow PyTorch (`layers.0.weight`,
/// `layers.0.bias`); the optimiser's add PyTorch's names of the moments: `layers.0.weight.exp_avg`,
/// `layers.0.weight.exp_avg_sq` (Adam) and `layers.0.weight.momentum_buffer` (SGD with momentum).
/// Adam's step count is TrainingState::step.
struct Snapshot {
    TrainingState state;
    std::vector<TensorRef> model;
    std::vector<TensorRef> optimizer;
    /// It is written as shards: what is here is what its owner writes, others may write more of
    /// them. Else as one file for the model and one for the optimiser.
    bool isSharded = false;
    /// Counts the checkpoints of a training from 1, so that all who write one mean the same; 0
    /// where nobody else writes.
    std::uint64_t number = 0;
    /// The best so far, by the figure that the job watches: no hung disk makes it be left out.
    bool isBest = false;
};

/// A float32 tensor that owns its values.
struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};

/// Of the checkpoints that are written as one file each. 2: `momentum_buffer` has PyTorch's value.
/// Before, it was that times the negative learning rate.
inline constexpr int kCheckpointFormat = 2;
/// Of those that are written as shards; 1 to this are read.
inline constexpr int kShardedFormat = 3;

/// What of a checkpoint is read: who does not train on needs no optimiser's state.
enum class Contents : std::uint8_t { All, Model };

/// A checkpoint read back and verified against its manifest.
struct LoadedCheckpoint {
    int format = kCheckpointFormat;
    TrainingState state;
    std::vector<Tensor> model;
    std::vector<Tensor> optimizer;  ///< Empty where the model alone was read.
    std::uint64_t bytes = 0;        ///< Of all its files.
    /// XXH3-128 of model.safetensors, or of what that would be: which weights were evaluated.
    std::string modelHash;
};

}  // namespace lockstep::checkpoint

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/config/job/task.h"
#include "core/data/dataset.h"
#include "core/tensor/matrix.h"
#include "core/train/objective/batch_targets.h"
#include "core/train/objective/metric_set.h"
#include "core/train/objective/score.h"

namespace lockstep::train {

/// What a job makes small, and what it measures: its loss and metrics for its data. Immutable, so
/// all replicas share one.
class Objective {
public:
    /// As training.class_weights has it, weights hold while training; what is scored is not
    /// weighted, as in Keras.
    enum class Use : std::uint8_t { Training, Scoring };

    /// BadInput, naming the key, where [training] does not fit the data.
    [[nodiscard]] static Result<Objective> make(const config::TrainingSpec& training,
                                                const data::Dataset& data);

    [[nodiscard]] const config::Task& task() const { return task_; }
    [[nodiscard]] const MetricSet& metrics() const { return metrics_; }
    /// Whether there are right and wrong answers.
    [[nodiscard]] bool hasAccuracy() const { return task_.output != config::Task::Output::Numbers; }
    /// Whose samples do not count; -1: all do.
    [[nodiscard]] int ignoredClass() const { return loss_.ignoredClass; }
    /// What is answered of each sample: its positions, or 1.
    [[nodiscard]] std::size_t itemsPerSample() const {
        return task_.answer == config::Task::Answer::NextToken
                   ? static_cast<std::size_t>(task_.shape.front())
                   : 1;
    }

    /// Adds the loss, the hits and the metrics of a batch to `sums`, whose `metrics` are as many as
    /// metrics().size(). `outputs` are the samples' of the network, one behind the other; where
    /// `gradient` is not empty it becomes `scale` times the derivative of the sum of losses.
    void add(std::span<const float> outputs, const BatchTargets& targets, Use use, float scale,
             std::span<float> gradient, SplitScore& sums) const;

private:
    Objective(const config::TrainingSpec& training, config::Task task, double targetScale);

    /// Add loss, hits and samples; give the loss without smoothing and weights, of classes.
    double addClasses(tensor::ConstMatrix outputs, const BatchTargets& targets, Use use,
                      float scale, tensor::Matrix gradient, SplitScore& sums) const;
    void addBinary(tensor::ConstMatrix outputs, const BatchTargets& targets, Use use, float scale,
                   tensor::Matrix gradient, SplitScore& sums) const;
    void addNumbers(tensor::ConstMatrix outputs, const BatchTargets& targets, float scale,
                    tensor::Matrix gradient, SplitScore& sums) const;

    config::LossSpec loss_;
    config::Task task_;
    std::vector<float> classWeights_;  ///< Empty: all count alike.
    MetricSet metrics_;
};

/// Weights that make up for what classes there are more of: samples / (classes * those of the
/// class); 1 for a class without samples. `ignored` is none of the classes; -1: all are.
[[nodiscard]] std::vector<float> balancedWeights(const data::Split& split, std::int64_t classes,
                                                 std::int64_t ignored = -1);

}  // namespace lockstep::train

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/config/job/metric.h"
#include "core/tensor/matrix.h"
#include "core/train/objective/batch_targets.h"
#include "core/train/objective/score.h"

namespace lockstep::train {

/// A metric over samples.
struct Figure {
    std::string name;  ///< "top_5_accuracy".
    double value = 0;
};

/// Outputs of items (samples, or positions of text) with what they should have been.
struct MetricBatch {
    tensor::ConstMatrix outputs;  ///< Items x classes or values.
    BatchTargets targets;
    double plainLoss = 0;  ///< Sum of their losses without smoothing and weights.
};

/// The metrics of a job, each with sums that parts of a data set add up to, and what they come to.
class MetricSet {
public:
    /// `unit`: what a step of 1 of the targets stands for; errors are told in it.
    MetricSet(std::vector<config::Metric> metrics, const config::Task& task, int ignoredClass,
              double unit);

    [[nodiscard]] const std::vector<config::Metric>& metrics() const { return metrics_; }
    /// "top_5_accuracy", …: what checkpoints tell them by.
    [[nodiscard]] std::vector<std::string> names() const;
    /// Numbers that it adds up.
    [[nodiscard]] std::size_t size() const { return size_; }
    /// Adds a batch to `sums`, which has that size.
    void add(const MetricBatch& batch, std::span<double> sums) const;
    /// What they come to; a metric of no samples is NaN.
    [[nodiscard]] std::vector<Figure> figures(const SplitScore& score) const;

private:
    struct Part {
        std::size_t first = 0;
        std::size_t count = 0;
    };
    void addMetric(const config::Metric& metric, const MetricBatch& batch,
                   std::span<double> sums) const;
    [[nodiscard]] double valueOf(const config::Metric& metric, std::span<const double> sums,
                                 double samples) const;

    std::vector<config::Metric> metrics_;
    std::vector<Part> parts_;
    std::size_t size_ = 0;
    config::Task task_;
    int ignoredClass_;
    double unit_;
};

}  // namespace lockstep::train

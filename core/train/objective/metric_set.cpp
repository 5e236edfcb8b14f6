// SPDX-License-Identifier: Apache-2.0
#include "core/train/objective/metric_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace lockstep::train {

namespace {

using config::MetricKind;
using Output = config::Task::Output;

/// Of the receiver operating characteristic, evenly spread, as Keras has them.
constexpr std::size_t kThresholds = 200;

std::size_t sumsOf(MetricKind kind) {
    switch (kind) {
        case MetricKind::Auc:
            return 2 * kThresholds;  // histograms of what is true and of what is not
        case MetricKind::Precision:
        case MetricKind::Recall:
            return 2;
        case MetricKind::Accuracy:
        case MetricKind::TopKAccuracy:
        case MetricKind::BinaryAccuracy:
        case MetricKind::MeanAbsoluteError:
        case MetricKind::RootMeanSquaredError:
        case MetricKind::Perplexity:
            break;
    }
    return 1;
}

float sigmoid(float logit) {
    const double e = std::exp(-std::abs(static_cast<double>(logit)));
    return static_cast<float>((logit < 0 ? e : 1.0) / (1.0 + e));
}

/// The class that a row of targets stands for.
std::size_t classOf(const MetricBatch& batch, std::size_t row) {
    if (batch.targets.labels.empty()) {
        const std::size_t classes = batch.outputs.columns;
        const auto targets = batch.targets.values.subspan(row * classes, classes);
        return static_cast<std::size_t>(std::ranges::max_element(targets) - targets.begin());
    }
    const bool isOther = !batch.targets.shares.empty() && batch.targets.shares[row] < 0.5F;
    return static_cast<std::size_t>(isOther ? batch.targets.others[row]
                                            : batch.targets.labels[row]);
}

/// Whether fewer than k logits are above the truth's.
bool isAmongFirst(std::span<const float> logits, std::size_t truth, int k) {
    const float own = logits[truth];
    return std::isfinite(own) &&
           std::ranges::count_if(logits, [own](float logit) { return logit > own; }) < k;
}

/// Calls take(probability, truth) for every yes or no of the batch.
template <typename Take>
void forEachAnswer(const MetricBatch& batch, Output output, Take take) {
    const tensor::ConstMatrix& y = batch.outputs;
    for (std::size_t r = 0; r < y.rows; ++r) {
        if (output == Output::Logits) {  // of two classes: the second one is yes
            take(sigmoid(y.row(r)[1] - y.row(r)[0]), classOf(batch, r) == 1 ? 1.0 : 0.0);
            continue;
        }
        for (std::size_t c = 0; c < y.columns; ++c)
            take(sigmoid(y.row(r)[c]),
                 batch.targets.labels.empty()
                     ? static_cast<double>(batch.targets.values[r * y.columns + c])
                     : static_cast<double>(batch.targets.labels[r]));
    }
}

std::size_t bucketOf(float probability) {
    const float place = std::ceil(probability * static_cast<float>(kThresholds - 1)) - 1;
    return place > 0 ? std::min(static_cast<std::size_t>(place), kThresholds - 1) : 0;
}

/// Mean over the columns of each row of what `of` makes of its errors, in the targets' unit.
template <typename Of>
double sumOfErrors(const MetricBatch& batch, Of of) {
    const tensor::ConstMatrix& y = batch.outputs;
    double sum = 0;
    for (std::size_t r = 0; r < y.rows; ++r) {
        double row = 0;
        for (std::size_t c = 0; c < y.columns; ++c)
            row += of(static_cast<double>(y.row(r)[c]) -
                      static_cast<double>(batch.targets.values[r * y.columns + c]));
        sum += row / static_cast<double>(y.columns);
    }
    return sum;
}

double ratio(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

/// By the trapezoids between the thresholds.
double areaUnderCurve(std::span<const double> sums) {
    const auto positive = sums.first(kThresholds);
    const auto negative = sums.subspan(kThresholds);
    std::array<double, kThresholds> hits{};    // of what is true, above each threshold
    std::array<double, kThresholds> alarms{};  // of what is not
    double hit = 0;
    double alarm = 0;
    for (std::size_t i = kThresholds; i-- > 0;) {
        hits[i] = hit += positive[i];
        alarms[i] = alarm += negative[i];
    }
    double area = 0;
    for (std::size_t i = 0; i + 1 < kThresholds; ++i)
        area += (ratio(alarms[i], alarm) - ratio(alarms[i + 1], alarm)) *
                (ratio(hits[i], hit) + ratio(hits[i + 1], hit)) / 2;
    return area;
}

}  // namespace

MetricSet::MetricSet(std::vector<config::Metric> metrics, const config::Task& task,
                     int ignoredClass, double unit)
    : metrics_(std::move(metrics)), task_(task), ignoredClass_(ignoredClass), unit_(unit) {
    for (const config::Metric& metric : metrics_) {
        parts_.push_back({size_, sumsOf(metric.kind)});
        size_ += parts_.back().count;
    }
}

std::vector<std::string> MetricSet::names() const {
    std::vector<std::string> names;
    for (const config::Metric& metric : metrics_)
        names.push_back(metric.name);
    return names;
}

void MetricSet::add(const MetricBatch& batch, std::span<double> sums) const {
    for (std::size_t i = 0; i < metrics_.size(); ++i)
        addMetric(metrics_[i], batch, sums.subspan(parts_[i].first, parts_[i].count));
}

void MetricSet::addMetric(const config::Metric& metric, const MetricBatch& batch,
                          std::span<double> sums) const {
    const tensor::ConstMatrix& y = batch.outputs;
    switch (metric.kind) {
        case MetricKind::Accuracy:
            return;
        case MetricKind::TopKAccuracy:
            for (std::size_t r = 0; r < y.rows; ++r) {
                const std::size_t truth = classOf(batch, r);
                if (ignoredClass_ >= 0 && truth == static_cast<std::size_t>(ignoredClass_))
                    continue;
                sums[0] += isAmongFirst(y.row(r), truth, metric.k) ? 1 : 0;
            }
            return;
        case MetricKind::BinaryAccuracy:
            forEachAnswer(batch, task_.output, [&](float probability, double truth) {
                const double said = probability > 0.5F ? 1 : 0;
                sums[0] += (said == truth ? 1.0 : 0.0) / static_cast<double>(y.columns);
            });
            return;
        case MetricKind::Auc:
            forEachAnswer(batch, task_.output, [&](float probability, double truth) {
                const std::size_t bucket = bucketOf(probability);
                sums[bucket] += truth;
                sums[kThresholds + bucket] += 1 - truth;
            });
            return;
        case MetricKind::Precision:
        case MetricKind::Recall:
            forEachAnswer(batch, task_.output, [&](float probability, double truth) {
                const bool said = probability > 0.5F;
                if (said) sums[0] += truth;
                // Said in vain, or not said in vain.
                if (said == (metric.kind == MetricKind::Precision))
                    sums[1] += said ? 1 - truth : truth;
            });
            return;
        case MetricKind::MeanAbsoluteError:
            sums[0] += sumOfErrors(batch, [this](double e) { return std::abs(e) * unit_; });
            return;
        case MetricKind::RootMeanSquaredError:
            sums[0] += sumOfErrors(batch, [this](double e) { return e * unit_ * e * unit_; });
            return;
        case MetricKind::Perplexity:
            sums[0] += batch.plainLoss;
            return;
    }
}

double MetricSet::valueOf(const config::Metric& metric, std::span<const double> sums,
                          double samples) const {
    switch (metric.kind) {
        case MetricKind::Auc:
            return areaUnderCurve(sums);
        case MetricKind::Precision:
        case MetricKind::Recall:
            return ratio(sums[0], sums[0] + sums[1]);
        case MetricKind::RootMeanSquaredError:
            return std::sqrt(sums[0] / samples);
        case MetricKind::Perplexity:
            return std::exp(sums[0] / samples);
        case MetricKind::Accuracy:
        case MetricKind::TopKAccuracy:
        case MetricKind::BinaryAccuracy:
        case MetricKind::MeanAbsoluteError:
            break;
    }
    return sums[0] / samples;
}

std::vector<Figure> MetricSet::figures(const SplitScore& score) const {
    std::vector<Figure> figures;
    for (std::size_t i = 0; i < metrics_.size(); ++i) {
        const bool isKnown = score.samples > 0 && score.metrics.size() == size_;
        figures.push_back(
            {metrics_[i].name,
             isKnown ? valueOf(metrics_[i],
                               std::span(score.metrics).subspan(parts_[i].first, parts_[i].count),
                               score.samples)
                     : std::numeric_limits<double>::quiet_NaN()});
    }
    return figures;
}

}  // namespace lockstep::train

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/metric_words.h"

#include <QRegularExpression>

#include "core/config/job/metric.h"
#include "ui/style/translated.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

using config::MetricKind;

QString nameOf(const config::Metric& metric) {
    switch (metric.kind) {
        case MetricKind::Accuracy:
            return tr("Accuracy");
        case MetricKind::TopKAccuracy:
            return tr("Top-%1 accuracy").arg(metric.k);
        case MetricKind::BinaryAccuracy:
            return tr("Binary accuracy");
        case MetricKind::Auc:
            return tr("AUC");
        case MetricKind::Precision:
            return tr("Precision", "metric");
        case MetricKind::Recall:
            return tr("Recall");
        case MetricKind::MeanAbsoluteError:
            return tr("Mean absolute error");
        case MetricKind::RootMeanSquaredError:
            return tr("Root mean squared error");
        case MetricKind::Perplexity:
            return tr("Perplexity");
    }
    return {};
}

/// Of what is no metric: the loss, or a figure of a program's own, which is called as it calls it.
QString otherName(const std::string& name) {
    return name == "loss" ? tr("loss") : QString::fromStdString(name);
}

/// Whether it is a share of the samples.
bool isShare(MetricKind kind) {
    return kind == MetricKind::Accuracy || kind == MetricKind::TopKAccuracy ||
           kind == MetricKind::BinaryAccuracy || kind == MetricKind::Precision ||
           kind == MetricKind::Recall;
}

struct Tag {
    std::string split;
    std::string name;
};

/// "validation/recall" in its parts; no split where it is not made of two.
Tag partsOf(const std::string& tag) {
    const std::size_t slash = tag.find('/');
    if (slash == std::string::npos) return {{}, tag};
    return {tag.substr(0, slash), tag.substr(slash + 1)};
}

/// A plain name of one part as words, "Gradient norm" for "gradient_norm"; of any other the name
/// as it is.
QString wordsOf(const std::string& name) {
    static const QRegularExpression kPlain(QStringLiteral("^[a-z][a-z0-9]*(_[a-z0-9]+)*$"));
    if (config::parseMetric(name)) return metricName(name);
    if (name == "learning_rate") return tr("Learning rate");
    if (name == "gradient_norm" || name == "grad_norm") return tr("Gradient norm");
    QString words = otherName(name);
    if (!kPlain.match(words).hasMatch()) return words;
    words.replace(QLatin1Char('_'), QLatin1Char(' '));
    words[0] = words[0].toUpper();
    return words;
}

bool isSplit(const std::string& split) {
    return split == "train" || split == "validation" || split == "test";
}

}  // namespace

QString splitName(const std::string& split) {
    if (split == "train") return tr("training");
    if (split == "validation") return tr("validation");
    if (split == "test") return tr("test");
    return QString::fromStdString(split);
}

QString metricName(const std::string& name) {
    const auto metric = config::parseMetric(name);
    return metric ? nameOf(*metric) : otherName(name);
}

QString metricShortName(const std::string& name) {
    const auto metric = config::parseMetric(name);
    if (!metric) return otherName(name);
    switch (metric->kind) {
        case MetricKind::Accuracy:
            return tr("accuracy");
        case MetricKind::TopKAccuracy:
            return tr("top-%1 accuracy").arg(metric->k);
        case MetricKind::BinaryAccuracy:
            return tr("binary accuracy");
        case MetricKind::Auc:
            return tr("AUC");
        case MetricKind::Precision:
            return tr("precision");
        case MetricKind::Recall:
            return tr("recall");
        case MetricKind::MeanAbsoluteError:
            return tr("MAE");
        case MetricKind::RootMeanSquaredError:
            return tr("RMSE");
        case MetricKind::Perplexity:
            return tr("perplexity");
    }
    return {};
}

QString metricValue(const std::string& name, double value) {
    const auto metric = config::parseMetric(name);
    if (metric && isShare(metric->kind)) return units::percent(value, 2);
    return units::amount(value);
}

QString seriesName(const std::string& tag) {
    const Tag parts = partsOf(tag);
    const bool isKnown = isSplit(parts.split) || config::parseMetric(parts.name).has_value();
    if (parts.split.empty()) return wordsOf(parts.name);
    // What has more parts is a path of its owner's, whose words stay as they are.
    if (!isKnown || parts.name.find('/') != std::string::npos) return QString::fromStdString(tag);
    return tr("%1, %2").arg(wordsOf(parts.name), splitName(parts.split));
}

QString seriesValue(const std::string& tag, double value) {
    const Tag parts = partsOf(tag);
    return config::parseMetric(parts.name) ? metricValue(parts.name, value) : units::number(value);
}

}  // namespace lockstep::ui

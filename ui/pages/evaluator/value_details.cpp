// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/value_details.h"

#include <QComboBox>
#include <QLabel>
#include <QScopedValueRollback>
#include <QVBoxLayout>

#include "ui/charts/surface/value_plot.h"
#include "ui/models/metric_words.h"
#include "ui/style/theme.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr std::size_t kQuantiles = 7;  // at 0, 0.05, 0.25, 0.5, 0.75, 0.95 and 1

QString number(double value) {
    return metricValue({}, value);
}

/// "Off by 0.1 in the mean (deviation 2.3); half of them by -1.2 to 1.1, 90 % by -4 to 3.9".
QString wordsOf(const job::EvaluationView::Residuals& residuals) {
    QString words = ValueDetails::tr("Predicted less true: %1 in the mean, deviation %2")
                        .arg(number(residuals.mean), number(residuals.deviation));
    if (residuals.quantiles.size() != kQuantiles) return words + QLatin1Char('.');
    const auto& at = residuals.quantiles;
    return words + ValueDetails::tr(
                       "; half of all lie from %1 to %2, nine of ten from %3 to %4, "
                       "all from %5 to %6.")
                       .arg(number(at[2]), number(at[4]), number(at[1]), number(at[5]),
                            number(at[0]), number(at[6]));
}

}  // namespace

ValueDetails::ValueDetails(QWidget* parent) : QWidget(parent) {
    target_ = new QComboBox(this);
    target_->setObjectName(QStringLiteral("valueTarget"));
    target_->setAccessibleName(tr("What is predicted"));
    summary_ = wrappedLabel(this);
    summary_->setObjectName(QStringLiteral("residualWords"));
    leftOut_ = wrappedLabel(this);
    leftOut_->setProperty("secondary", true);
    plot_ = new ValuePlot(this);
    plot_->setObjectName(QStringLiteral("valuePlot"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(target_, 0, Qt::AlignLeft);
    layout->addWidget(plot_, 1);
    layout->addWidget(summary_);
    layout->addWidget(leftOut_);
    connect(target_, &QComboBox::currentIndexChanged, this, &ValueDetails::showTarget);
}

void ValueDetails::showEvaluation(const job::EvaluationView& evaluation) {
    const int chosen = std::max(0, target_->currentIndex());
    values_ = evaluation.values;
    residuals_ = evaluation.residuals;
    {
        const QSignalBlocker quiet(target_);
        target_->clear();
        for (const std::string& name : evaluation.targetNames)
            target_->addItem(QString::fromStdString(name));
        target_->setCurrentIndex(chosen < target_->count() ? chosen : 0);
    }
    target_->setVisible(target_->count() > 1);
    leftOut_->setVisible(evaluation.targetsLeftOut > 0);
    leftOut_->setText(evaluation.targetsLeftOut == 1
                          ? tr("1 more target not shown.")
                          : tr("%1 more targets not shown.").arg(evaluation.targetsLeftOut));
    showTarget();
}

void ValueDetails::showTarget() {
    const auto target = std::size_t(std::max(0, target_->currentIndex()));
    QVector<QPointF> points;
    for (const auto& value : values_)
        if (target < value.truth.size() && target < value.prediction.size())
            points.push_back({double(value.truth[target]), double(value.prediction[target])});
    plot_->setValues(target_->currentText(), points);
    summary_->setVisible(target < residuals_.size());
    if (target < residuals_.size()) summary_->setText(wordsOf(residuals_[target]));
}

}  // namespace lockstep::ui

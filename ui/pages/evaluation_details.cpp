// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluation_details.h"

#include <QGridLayout>
#include <QScrollArea>
#include <QToolButton>

#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"
#include "ui/widgets/card.h"
#include "ui/widgets/class_bars.h"
#include "ui/widgets/confusion_matrix.h"
#include "ui/widgets/sample_grid.h"

namespace lockstep::ui {
namespace {

constexpr int kRoomForTwoRows = 600;

QString className(const job::RunView& run, int index) {
    const bool known = index >= 0 && index < int(run.classNames.size());
    return known ? QString::fromStdString(run.classNames[std::size_t(index)])
                 : QString::number(index);
}

QStringList classNames(const job::RunView& run, std::size_t classes) {
    QStringList names;
    for (std::size_t i = 0; i < classes; ++i)
        names << className(run, int(i));
    return names;
}

QImage imageOf(const job::EvaluationView::Sample& sample, int width, int height) {
    if (width <= 0 || height <= 0 ||
        sample.pixels.size() != std::size_t(width) * std::size_t(height))
        return {};
    const QImage borrowed(sample.pixels.data(), width, height, width, QImage::Format_Grayscale8);
    return borrowed.copy();
}

}  // namespace

EvaluationDetails::EvaluationDetails(QWidget* parent) : QWidget(parent) {
    matrix_ = new ConfusionMatrix(this);
    matrix_->setObjectName(QStringLiteral("confusionMatrix"));
    classes_ = new ClassBars(this);
    classes_->setObjectName(QStringLiteral("classBars"));
    matrixCard_ = new Card(tr("Confusion"), this);
    matrixCard_->body()->addWidget(matrix_);
    classCard_ = new Card(tr("Accuracy by class"), this);
    classCard_->body()->addWidget(classes_);
    buildSamples();
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(matrixCard_, 0, 0);
    layout->addWidget(classCard_, 0, 1);
    layout->addWidget(sampleCard_, 1, 0, 1, 2);
    layout->setColumnStretch(0, 3);
    layout->setColumnStretch(1, 2);
    layout->setRowStretch(0, 1);
    showAllSamples(false);
}

void EvaluationDetails::buildSamples() {
    sampleCard_ = new Card(tr("Samples"), this);
    samples_ = new SampleGrid(this);
    samples_->setObjectName(QStringLiteral("sampleGrid"));
    sampleScroll_ = new QScrollArea(this);
    sampleScroll_->setObjectName(QStringLiteral("sampleScroll"));
    sampleScroll_->setAccessibleName(tr("Samples"));
    sampleScroll_->setFocusPolicy(Qt::NoFocus);
    sampleScroll_->setFrameShape(QFrame::NoFrame);
    sampleScroll_->setWidgetResizable(true);
    sampleScroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    sampleScroll_->setWidget(samples_);
    connect(samples_, &SampleGrid::chosenAt, this, [this](const QRect& place) {
        sampleScroll_->ensureVisible(place.center().x(), place.center().y(), place.width() / 2,
                                     place.height() / 2);
    });
    showAll_ = new QToolButton(this);
    showAll_->setObjectName(QStringLiteral("showAllSamples"));
    connect(showAll_, &QToolButton::clicked, this, [this] { showAllSamples(!showsAll_); });
    sampleCard_->addHeadWidget(showAll_);
    sampleCard_->body()->addWidget(sampleScroll_);
}

void EvaluationDetails::showAllSamples(bool on) {
    showsAll_ = on;
    matrixCard_->setVisible(!on);
    classCard_->setVisible(!on);
    const QString verb = on ? tr("Show the confusion matrix again") : tr("Show all samples");
    showAll_->setIcon(makeIcon(on ? Icon::Restore : Icon::Maximize));
    showAll_->setToolTip(verb);
    showAll_->setAccessibleName(verb);
    // Under the matrix whole rows are shown, and no bar: the wheel and the keys reach the others.
    sampleScroll_->setVerticalScrollBarPolicy(on ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    fitSampleRows();
}

void EvaluationDetails::fitSampleRows() {
    const int rows = height() >= kRoomForTwoRows ? 2 : 1;
    const int height = SampleGrid::heightOfRows(rows);
    sampleScroll_->setMinimumHeight(showsAll_ ? 0 : height);
    sampleScroll_->setMaximumHeight(showsAll_ ? QWIDGETSIZE_MAX : height);
}

void EvaluationDetails::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitSampleRows();
}

void EvaluationDetails::showEvaluation(const job::EvaluationView& evaluation,
                                       const job::RunView& run) {
    const std::size_t classes = evaluation.perClassAccuracy.size();
    const QStringList names = classNames(run, classes);
    matrix_->setCounts(names, {evaluation.confusion.begin(), evaluation.confusion.end()});
    classes_->setValues(names,
                        {evaluation.perClassAccuracy.begin(), evaluation.perClassAccuracy.end()});
    showSamples(evaluation, run);
}

void EvaluationDetails::showSamples(const job::EvaluationView& evaluation,
                                    const job::RunView& run) {
    QVector<SampleGrid::Sample> samples;
    int wrong = 0;
    for (const auto& sample : evaluation.samples) {
        const bool correct = sample.truth == sample.prediction;
        wrong += correct ? 0 : 1;
        samples.push_back({imageOf(sample, run.imageWidth, run.imageHeight),
                           className(run, sample.truth), className(run, sample.prediction),
                           sample.probability, sample.index, correct});
    }
    sampleCard_->setSubtitle(
        tr("The hardest first: %1 of these %2 are wrong").arg(wrong).arg(samples.size()));
    samples_->setSamples(std::move(samples));
}

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/evaluation_details.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/models/metric_words.h"
#include "ui/models/words.h"
#include "ui/pages/evaluator/text_details.h"
#include "ui/pages/evaluator/value_details.h"
#include "ui/style/core_words.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"
#include "ui/widgets/card.h"
#include "ui/widgets/class_bars.h"
#include "ui/widgets/confused_pairs.h"
#include "ui/widgets/confusion_matrix.h"

namespace lockstep::ui {
namespace {

constexpr int kRoomForTwoRows = 600;
constexpr int kManyClasses = 24;  ///< More are not shown one by one.
constexpr int kWeakestShown = 10;
constexpr std::size_t kPairsShown = 100;
constexpr int kMostInMatrix = 2000;

QString className(const QStringList& known, int index) {
    return known.value(index, QString::number(index));
}

QStringList classNames(QStringList known, std::size_t classes) {
    for (qsizetype i = known.size(); i < qsizetype(classes); ++i)
        known << QString::number(i);
    return known.mid(0, qsizetype(classes));
}

/// Null for what is no image: of neither one byte a pixel, which is grey, nor three, which are
/// red, green and blue.
QImage imageOf(const job::EvaluationView::Sample& sample, int width, int height) {
    if (width <= 0 || height <= 0 || !sample.pixels) return {};
    const std::size_t grey = std::size_t(width) * std::size_t(height);
    const bool isColour = sample.pixels->size() == 3 * grey;
    if (sample.pixels->size() != (isColour ? 3 : 1) * grey) return {};
    const QImage borrowed(sample.pixels->data(), width, height, isColour ? 3 * width : width,
                          isColour ? QImage::Format_RGB888 : QImage::Format_Grayscale8);
    return borrowed.copy();
}

/// classes x classes, of what is told cell by cell where there are many.
QVector<quint32> countsOf(const job::EvaluationView& evaluation, int classes) {
    if (!evaluation.confusion.empty() || classes > kMostInMatrix)
        return {evaluation.confusion.begin(), evaluation.confusion.end()};
    QVector<quint32> counts(qsizetype(classes) * classes, 0);
    for (const auto& cell : evaluation.cells)
        if (cell.truth >= 0 && cell.truth < classes && cell.prediction >= 0 &&
            cell.prediction < classes)
            counts[qsizetype(cell.truth) * classes + cell.prediction] += cell.count;
    return counts;
}

/// Where the evaluation does not tell them: from the matrix, NaN of a class without samples.
std::vector<float> accuraciesOf(const job::EvaluationView& evaluation,
                                const ConfusionCounts& counts) {
    std::vector<float> accuracies = evaluation.perClassAccuracy;
    // Earlier versions told 0 of a class without samples.
    for (std::size_t i = 0; i < accuracies.size() && i < std::size_t(counts.classes); ++i)
        if (counts.rowSums[i] == 0 && evaluation.cellsLeftOut == 0) accuracies[i] = std::nanf("");
    if (!accuracies.empty() || evaluation.cellsLeftOut > 0) return accuracies;
    for (int i = 0; i < counts.classes; ++i)
        accuracies.push_back(counts.rowSums[i] > 0 ? float(counts.shareAt(i, i)) : std::nanf(""));
    return accuracies;
}

/// "Loss 0.31  ·  Top-5 accuracy 98.00 %".
QString figuresText(const job::EvaluationView& evaluation) {
    QStringList words{EvaluationDetails::tr("Loss %1").arg(lossText(evaluation.loss))};
    for (const job::FigureView& figure : evaluation.figures)
        words << metricName(figure.name) + QLatin1Char(' ') +
                     metricValue(figure.name, figure.value);
    return words.join(QStringLiteral("  ·  "));
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
    pairCard_ = new Card(tr("Most confused"), this);
    pairs_ = new ConfusedPairs(this);
    pairs_->setObjectName(QStringLiteral("confusedPairs"));
    pairs_->setMinimumHeight(120);
    pairCard_->setSubtitle(tr("truth → prediction"));
    pairCard_->body()->addWidget(pairs_);
    auto* right = new QVBoxLayout;
    right->setSpacing(kGrid);
    right->addWidget(classCard_, 1);
    right->addWidget(pairCard_, 1);
    buildSamples();
    buildOthers();
    grid_ = new QGridLayout(this);
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setSpacing(kGrid);
    grid_->addWidget(matrixCard_, 0, 0);
    grid_->addLayout(right, 0, 1);
    grid_->addWidget(sampleCard_, 1, 0, 1, 2);
    grid_->addWidget(valueCard_, 2, 0, 1, 2);
    grid_->addWidget(textCard_, 3, 0, 1, 2);
    grid_->setColumnStretch(0, 3);
    grid_->setColumnStretch(1, 2);
    connect(matrix_, &ConfusionMatrix::cellActivated, this, [this](int truth, int prediction) {
        const QPoint cell(prediction, truth);
        filterBy(cell == cell_ ? QPoint(-1, -1) : cell);
    });
    connect(classes_, &ClassBars::classChosen, this, &EvaluationDetails::chooseClass);
    connect(pairs_, &ConfusedPairs::pairChosen, this, [this](int truth, int prediction) {
        matrix_->reveal(truth, prediction);
        filterBy({prediction, truth});
    });
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
    // The card's surface, which setWidget covers.
    sampleScroll_->viewport()->setAutoFillBackground(false);
    samples_->setAutoFillBackground(false);
    connect(samples_, &SampleGrid::chosenAt, this, [this](const QRect& place) {
        sampleScroll_->ensureVisible(place.center().x(), place.center().y(), place.width() / 2,
                                     place.height() / 2);
    });
    showAll_ = new QToolButton(this);
    showAll_->setObjectName(QStringLiteral("showAllSamples"));
    connect(showAll_, &QToolButton::clicked, this, [this] { showAllSamples(!showsAll_); });
    unfilter_ = new QToolButton(this);
    unfilter_->setObjectName(QStringLiteral("unfilterSamples"));
    unfilter_->setText(tr("All classes"));
    unfilter_->setFocusPolicy(Qt::StrongFocus);
    unfilter_->setToolTip(tr("Show the samples of all cells again"));
    connect(unfilter_, &QToolButton::clicked, this, [this] { filterBy({-1, -1}); });
    unfilter_->hide();
    pager_ = new SamplePager(this);
    pager_->setObjectName(QStringLiteral("samplePager"));
    connect(pager_, &SamplePager::pageChanged, this, &EvaluationDetails::showSamples);
    sampleCard_->addHeadWidget(pager_);
    sampleCard_->addHeadWidget(unfilter_);
    sampleCard_->addHeadWidget(showAll_);
    sampleCard_->body()->addWidget(sampleScroll_);
    buildHistory();
}

void EvaluationDetails::buildHistory() {
    history_ = new HistoryPanel(this);
    history_->setObjectName(QStringLiteral("sampleHistory"));
    sampleCard_->body()->addWidget(history_);
    connect(samples_, &SampleGrid::chosenAt, this, &EvaluationDetails::openHistory);
    connect(history_, &HistoryPanel::closed, this, &EvaluationDetails::closeHistory);
    connect(history_, &HistoryPanel::stepOpened, this, &EvaluationDetails::stepWanted);
}

void EvaluationDetails::buildOthers() {
    valueCard_ = new Card(tr("Predictions"), this);
    values_ = new ValueDetails(this);
    valueCard_->body()->addWidget(values_);
    textCard_ = new Card(tr("Text"), this);
    texts_ = new TextDetails(this);
    textCard_->body()->addWidget(texts_);
}

void EvaluationDetails::showMode() {
    const bool isClasses = mode_ == Mode::Classes;
    const bool hasAbove = isClasses && !showsAll_;
    matrixCard_->setVisible(hasAbove && hasMatrix_);
    classCard_->setVisible(hasAbove && hasAccuracies_);
    pairCard_->setVisible(hasAbove && names_.size() > kManyClasses);
    sampleCard_->setVisible(isClasses);
    valueCard_->setVisible(mode_ == Mode::Values);
    textCard_->setVisible(mode_ == Mode::Texts);
    // The row of hidden cards would keep its share.
    grid_->setRowStretch(0, hasAbove ? 1 : 0);
    grid_->setRowStretch(1, isClasses && showsAll_ ? 1 : 0);
    grid_->setRowStretch(2, mode_ == Mode::Values ? 1 : 0);
    grid_->setRowStretch(3, mode_ == Mode::Texts ? 1 : 0);
}

void EvaluationDetails::showAllSamples(bool on) {
    showsAll_ = on;
    showMode();
    const QString verb = on ? tr("Show the confusion matrix again") : tr("Show all samples");
    showAll_->setIcon(makeIcon(on ? Icon::Restore : Icon::Maximize));
    showAll_->setToolTip(verb);
    showAll_->setAccessibleName(verb);
    // Under the matrix whole rows are shown, and no bar: the wheel and the keys reach the others.
    sampleScroll_->setVerticalScrollBarPolicy(on ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    fitSampleRows();
}

void EvaluationDetails::fitSampleRows() {
    const int rows = height() >= kRoomForTwoRows && history_->sample() < 0 ? 2 : 1;
    const int height = SampleGrid::heightOfRows(rows);
    sampleScroll_->setMinimumHeight(showsAll_ ? 0 : height);
    sampleScroll_->setMaximumHeight(showsAll_ ? QWIDGETSIZE_MAX : height);
}

/// What the sample, its course and what stands beside them leave.
void EvaluationDetails::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && history_->sample() >= 0) return closeHistory();
    QWidget::keyPressEvent(event);
}

void EvaluationDetails::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitSampleRows();
}

void EvaluationDetails::showEvaluation(const job::EvaluationView& evaluation,
                                       const job::RunView& run) {
    mode_ = !evaluation.values.empty() || !evaluation.residuals.empty() ? Mode::Values
            : !evaluation.texts.empty()                                 ? Mode::Texts
                                                                        : Mode::Classes;
    const QString figures = figuresText(evaluation);
    valueCard_->setSubtitle(figures);
    textCard_->setSubtitle(figures);
    if (mode_ == Mode::Values) values_->showEvaluation(evaluation);
    if (mode_ == Mode::Texts) texts_->showTexts(evaluation.texts);
    classNames_.clear();
    for (const std::string& name : run.classNames)
        classNames_ << QString::fromStdString(name);
    imageSize_ = {run.imageWidth, run.imageHeight};
    names_ = mode_ == Mode::Classes
                 ? classNames(classNames_, std::max(evaluation.perClassAccuracy.size(),
                                                    std::size_t(std::max(0, evaluation.classes))))
                 : QStringList();
    showMatrix(evaluation);
    all_.clear();
    for (const auto& sample : evaluation.samples)
        all_.push_back(shownOf(sample));
    if (cell_.x() >= names_.size() || cell_.y() >= names_.size()) cell_ = {-1, -1};
    if (mode_ != Mode::Classes || split_ != evaluation.split) closeHistory();
    split_ = evaluation.split;
    failure_ = fromCore(evaluation.error);
    pager_->setScored({run.runDir, evaluation.step, evaluation.split});
    showOthers(evaluation, run);
    pager_->setCell(cell_.y(), cell_.x());
    showSamples();
    showMode();
}

EvaluationDetails::Sample EvaluationDetails::shownOf(
    const job::EvaluationView::Sample& sample) const {
    return {{imageOf(sample, imageSize_.width(), imageSize_.height()),
             className(classNames_, sample.truth), className(classNames_, sample.prediction),
             sample.probability, sample.index, sample.truth == sample.prediction},
            QPoint(sample.prediction, sample.truth)};
}

void EvaluationDetails::showMatrix(const job::EvaluationView& evaluation) {
    const int classes = int(names_.size());
    counts_ = countsOf(evaluation, classes);
    cells_ = evaluation.cells;
    accuracy_ = evaluation.accuracy;
    scored_ = std::accumulate(counts_.begin(), counts_.end(), qint64(evaluation.cellsLeftOut));
    for (const auto& cell : cells_)
        if (counts_.isEmpty()) scored_ += cell.count;
    hasMatrix_ = classes > 0 && counts_.size() == qsizetype(classes) * classes;
    const ConfusionCounts counts =
        hasMatrix_ ? ConfusionCounts(classes, counts_) : ConfusionCounts();
    if (hasMatrix_)
        matrix_->setCounts(names_, counts_);
    else
        matrix_->clear();
    matrixCard_->setSubtitle(
        evaluation.cellsLeftOut > 0
            ? (evaluation.cellsLeftOut == 1
                   ? tr("One sample lies in a cell that the evaluator left out, the emptiest one")
                   : tr("%1 samples lie in cells that the evaluator left out, the emptiest ones")
                         .arg(units::count(qint64(evaluation.cellsLeftOut))))
            : QString());
    const std::vector<float> accuracies = accuraciesOf(evaluation, counts);
    hasAccuracies_ = !accuracies.empty();
    showClasses(accuracies);
    std::vector<ConfusedPair> pairs = mostConfused(counts, kPairsShown);
    for (const auto& cell : evaluation.cells)  // of more classes than a matrix takes
        if (!hasMatrix_ && cell.truth != cell.prediction && pairs.size() < kPairsShown)
            pairs.push_back({cell.truth, cell.prediction, cell.count, std::nan("")});
    pairs_->setPairs(names_, pairs);
}

void EvaluationDetails::showClasses(const std::vector<float>& accuracies) {
    const bool isMany = names_.size() > kManyClasses;
    if (!isMany) {
        classCard_->setTitle(tr("Accuracy by class"));
        barClasses_.resize(std::size_t(names_.size()));
        std::iota(barClasses_.begin(), barClasses_.end(), 0);
        classes_->setValues(names_, {accuracies.begin(), accuracies.end()});
        return;
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < accuracies.size(); ++i)
        if (!std::isnan(accuracies[i])) order.push_back(i);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return accuracies[i]; });
    order.resize(std::min<std::size_t>(order.size(), kWeakestShown));
    QStringList names;
    QVector<float> values;
    barClasses_.assign(order.begin(), order.end());
    for (const std::size_t i : order) {
        names << names_.value(qsizetype(i));
        values << accuracies[i];
    }
    classCard_->setTitle(tr("The weakest of %1 classes").arg(names_.size()));
    classes_->setValues(names, values);
}

}  // namespace lockstep::ui

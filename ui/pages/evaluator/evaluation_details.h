// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/models/evaluation_model.h"
#include "ui/pages/evaluator/history_panel.h"
#include "ui/pages/evaluator/sample_pager.h"
#include "ui/widgets/sample_grid.h"

class QGridLayout;
class QScrollArea;
class QToolButton;

namespace lockstep::ui {

class Card;
class ClassBars;
class ConfusedPairs;
class ConfusionMatrix;
class TextDetails;
class ValueDetails;

/// What one checkpoint gets right and wrong. Of numbers: predicted against true ones; of texts:
/// what it writes; of classes: confusion matrix, accuracy by class, sample images. Shows the
/// hardest samples under the matrix, or all of them alone; a click on a cell of the matrix shows
/// the samples of that cell, one on a class all samples of it, another click all of them again. Of
/// many classes: the weakest, and the pairs that are confused most often. A sample that is chosen
/// is shown across all checkpoints.
class EvaluationDetails final : public QWidget {
    Q_OBJECT
public:
    explicit EvaluationDetails(QWidget* parent = nullptr);

    /// Computes every sample of a checkpoint; without one those alone are shown that it kept.
    void setSampleReader(SamplePager::Reader reader) { pager_->setReader(std::move(reader)); }
    /// Asks checkpoints about single samples.
    void setAsker(HistoryPanel::Asker asker) { history_->setAsker(std::move(asker)); }
    /// `run` gives the names of the classes and the images' size.
    void showEvaluation(const job::EvaluationView& evaluation, const job::RunView& run);
    /// What else there is by now that the answers of `evaluation` may be compared with.
    void showOthers(const job::EvaluationView& evaluation, const job::RunView& run);
    /// Another run: its classes and cells are others.
    void forgetChoice();
    /// Why the checkpoint of that step is not opened.
    void sayNotScored(std::int64_t step) { history_->sayNotScored(step); }

Q_SIGNALS:
    /// The evaluation of that checkpoint is wanted, on the same data.
    void stepWanted(qint64 step);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildSamples();
    void buildHistory();
    void buildOthers();
    void openHistory();
    void closeHistory();
    void showMode();
    void showMatrix(const job::EvaluationView& evaluation);
    void showClasses(const std::vector<float>& accuracies);
    void showAllSamples(bool on);
    void fitSampleRows();
    void filterBy(const QPoint& cell);
    void chooseClass(int bar);
    [[nodiscard]] bool isIn(const QPoint& sample) const;
    void showSamples();
    [[nodiscard]] QString cellText() const;
    [[nodiscard]] QString describePage(const job::ScoredSamples::Page& page) const;
    [[nodiscard]] QString describeSamples(qsizetype shown, qsizetype wrong) const;
    [[nodiscard]] qint64 samplesIn(const QPoint& cell) const;

    Card* matrixCard_ = nullptr;
    Card* classCard_ = nullptr;
    Card* pairCard_ = nullptr;
    Card* sampleCard_ = nullptr;
    Card* valueCard_ = nullptr;
    Card* textCard_ = nullptr;
    ValueDetails* values_ = nullptr;
    TextDetails* texts_ = nullptr;
    ConfusionMatrix* matrix_ = nullptr;
    ClassBars* classes_ = nullptr;
    ConfusedPairs* pairs_ = nullptr;
    SampleGrid* samples_ = nullptr;
    QScrollArea* sampleScroll_ = nullptr;
    SamplePager* pager_ = nullptr;
    HistoryPanel* history_ = nullptr;
    QToolButton* showAll_ = nullptr;
    QToolButton* unfilter_ = nullptr;
    QGridLayout* grid_ = nullptr;
    struct Sample {
        SampleGrid::Sample shown;
        QPoint cell;  ///< In the matrix; x: prediction, y: truth.
    };
    [[nodiscard]] Sample shownOf(const job::EvaluationView::Sample& sample) const;
    QVector<Sample> all_;
    std::string split_;       ///< Of the evaluation that is shown.
    QString failure_;         ///< Why there is no score of it; empty: there is one.
    QStringList classNames_;  ///< Of the run, as far as they are known.
    QSize imageSize_;
    QStringList names_;
    QVector<quint32> counts_;
    std::vector<job::EvaluationView::Cell> cells_;  ///< Of more classes than a matrix takes.
    qint64 scored_ = 0;                             ///< Samples of the split.
    double accuracy_ = 0;
    /// Whose samples are shown; x -1: those of a whole class; -1, -1: all.
    QPoint cell_{-1, -1};
    std::vector<int> barClasses_;  ///< Of the bars, in their order.
    enum class Mode { Classes, Values, Texts };
    Mode mode_ = Mode::Classes;
    bool hasMatrix_ = true;
    bool hasAccuracies_ = true;  ///< Of each class.
    bool showsAll_ = false;
};

}  // namespace lockstep::ui

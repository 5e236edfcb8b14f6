// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/models/evaluation_model.h"

class QScrollArea;
class QToolButton;

namespace lockstep::ui {

class Card;
class ClassBars;
class ConfusionMatrix;
class SampleGrid;

/// What one checkpoint gets right and wrong: confusion matrix, accuracy by class, sample images.
/// Shows the hardest samples under the matrix, or all of them alone.
class EvaluationDetails final : public QWidget {
    Q_OBJECT
public:
    explicit EvaluationDetails(QWidget* parent = nullptr);

    /// `run` gives the names of the classes and the images' size.
    void showEvaluation(const job::EvaluationView& evaluation, const job::RunView& run);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildSamples();
    void showAllSamples(bool on);
    void fitSampleRows();
    void showSamples(const job::EvaluationView& evaluation, const job::RunView& run);

    Card* matrixCard_ = nullptr;
    Card* classCard_ = nullptr;
    Card* sampleCard_ = nullptr;
    ConfusionMatrix* matrix_ = nullptr;
    ClassBars* classes_ = nullptr;
    SampleGrid* samples_ = nullptr;
    QScrollArea* sampleScroll_ = nullptr;
    QToolButton* showAll_ = nullptr;
    bool showsAll_ = false;
};

}  // namespace lockstep::ui

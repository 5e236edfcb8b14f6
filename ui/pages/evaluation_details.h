// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/models/evaluation_model.h"

namespace lockstep::ui {

class Card;
class ClassBars;
class ConfusionMatrix;
class SampleGrid;

/// What one checkpoint gets right and wrong: confusion matrix, accuracy by class, sample images.
class EvaluationDetails final : public QWidget {
    Q_OBJECT
public:
    explicit EvaluationDetails(QWidget* parent = nullptr);

    /// `run` gives the names of the classes and the images' size.
    void showEvaluation(const job::EvaluationView& evaluation, const job::RunView& run);

private:
    void showSamples(const job::EvaluationView& evaluation, const job::RunView& run);

    Card* matrixCard_ = nullptr;
    Card* classCard_ = nullptr;
    Card* sampleCard_ = nullptr;
    ConfusionMatrix* matrix_ = nullptr;
    ClassBars* classes_ = nullptr;
    SampleGrid* samples_ = nullptr;
};

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/job/fold/session.h"

class QComboBox;
class QLabel;

namespace lockstep::ui {

class ValuePlot;

/// How a network that predicts numbers does: predicted against true values of some samples, and
/// how far off all of them are, a target at a time.
class ValueDetails final : public QWidget {
    Q_OBJECT
public:
    explicit ValueDetails(QWidget* parent = nullptr);

    void showEvaluation(const job::EvaluationView& evaluation);

private:
    void showTarget();

    std::vector<job::EvaluationView::Value> values_;
    std::vector<job::EvaluationView::Residuals> residuals_;
    QComboBox* target_ = nullptr;
    QLabel* summary_ = nullptr;
    QLabel* leftOut_ = nullptr;
    ValuePlot* plot_ = nullptr;
};

}  // namespace lockstep::ui

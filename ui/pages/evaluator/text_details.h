// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/job/fold/session.h"

class QLabel;
class QPlainTextEdit;

namespace lockstep::ui {

/// What a network of texts writes, as the checkpoint that is shown has it.
class TextDetails final : public QWidget {
    Q_OBJECT
public:
    explicit TextDetails(QWidget* parent = nullptr);

    void showTexts(const std::vector<job::EvaluationView::Text>& texts);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    std::vector<job::EvaluationView::Text> texts_;
    QPlainTextEdit* text_ = nullptr;
    QLabel* note_ = nullptr;
};

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/job/handover/predict.h"
#include "ui/widgets/card.h"

class QDoubleSpinBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QScrollArea;
class QSpinBox;

namespace lockstep::ui {

class FileDrop;
class RowForm;

/// What a network is to be asked, in the form in which it takes it: images, rows of a table, or a
/// prompt. Files of each kind may be dropped or chosen.
class QuestionCard final : public Card {
    Q_OBJECT
public:
    explicit QuestionCard(QWidget* parent = nullptr);

    /// Nothing is known of the network yet.
    void showReading();
    void showFacts(const job::NetworkFacts& facts);
    void showFailure(const Error& error);
    void setDropTarget(bool on);
    [[nodiscard]] bool takesFiles() const;
    void askAbout(const QStringList& files);

Q_SIGNALS:
    void asked(const lockstep::job::Question& question);
    /// The network could not be read, and is to be tried again.
    void retried();

private:
    void buildRows();
    void buildPrompt();
    [[nodiscard]] QWidget* buildDrawing();
    void showForm(bool files, bool rows, bool prompt);
    [[nodiscard]] job::Question blank() const;
    void askRow();
    void askPasted();
    void askPrompt();

    std::optional<job::NetworkFacts> facts_;
    QLabel* state_ = nullptr;
    QPushButton* retry_ = nullptr;
    FileDrop* files_ = nullptr;
    QWidget* rows_ = nullptr;
    RowForm* row_ = nullptr;
    QWidget* prompts_ = nullptr;
    QPlainTextEdit* prompt_ = nullptr;
    QSpinBox* tokens_ = nullptr;
    QDoubleSpinBox* temperature_ = nullptr;
    QSpinBox* seed_ = nullptr;
};

}  // namespace lockstep::ui

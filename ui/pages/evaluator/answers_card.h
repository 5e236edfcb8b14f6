// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/bridge/background_task.h"
#include "ui/bridge/network_bridge.h"
#include "ui/models/answer_model.h"
#include "ui/widgets/card.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTableView;
class QToolButton;

namespace lockstep::ui {

class ProgressStrip;

/// What a network answers: a table that grows while it is asked, or the text that it writes; to be
/// copied and saved.
class AnswersCard final : public Card {
    Q_OBJECT
public:
    explicit AnswersCard(NetworkBridge& networks, QWidget* parent = nullptr);

    /// Nothing was asked yet.
    void reset();
    /// What the prompt is that is being continued.
    void setPrompt(const QString& prompt) { prompt_ = prompt; }
    [[nodiscard]] const AnswerModel& model() const { return model_; }
    /// As the copy button does: for spreadsheets.
    void copy();
    /// Writes what is there as JSON or, where the name ends so, as CSV; not on this thread.
    void saveTo(const QString& file);

private:
    void buildTable();
    void buildHead();
    void begin();
    void add(const std::vector<job::Answer>& answers);
    void fitRows();
    void showProgress(quint64 done, quint64 all);
    void showText(const QString& prompt, const QString& continuation);
    void showEnd(const job::Answered& answered);
    void showFailure(const Error& error);
    void showState(const QString& words, bool isProblem);
    void chooseFile();
    void showVerbs();

    NetworkBridge& networks_;
    AnswerModel model_;
    BackgroundTask saving_;
    QTableView* table_ = nullptr;
    QPlainTextEdit* text_ = nullptr;
    QLabel* state_ = nullptr;
    QLabel* remarks_ = nullptr;
    QLabel* empty_ = nullptr;
    ProgressStrip* strip_ = nullptr;
    QPushButton* cancel_ = nullptr;
    QToolButton* copy_ = nullptr;
    QToolButton* save_ = nullptr;
    QString prompt_;
};

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/shell/primary_verb.h"
#include "ui/style/icons.h"

class QLabel;
class QPushButton;

namespace lockstep::ui {

class ElidedLabel;
class ProgressStrip;
class StatePill;

/// A run's state as pill and nav badge show it.
struct StateMark {
    QString word;
    Icon icon = Icon::Info;
    Tone tone = Tone::Neutral;
};
[[nodiscard]] StateMark markOf(const RunSituation& situation);

/// How the way to the replicas is marked while a run goes on; Tone::Neutral: not at all.
struct ReplicaBadge {
    Tone tone = Tone::Neutral;
    QString words{};
};
[[nodiscard]] ReplicaBadge replicaBadge(int verdictSeverity);

/// "Epoch 1 of 2 · step 1 563 of 3 126 · 2 m 05 s left".
[[nodiscard]] QString progressText(const job::RunView& view);
/// 0 to 1; negative while the length is unknown.
[[nodiscard]] double progressFraction(const job::RunView& view);

/// "42 % – digits-mlp – Lockstep"; with [*] where the modified mark goes.
[[nodiscard]] QString windowTitleOf(const RunSituation& situation, const QString& jobName,
                                    const QString& fileName);

/// The head of the window: whose job, its state, how far it is, and the one primary button.
class HeaderBar final : public QWidget {
    Q_OBJECT
public:
    explicit HeaderBar(QWidget* parent = nullptr);

    void setJobName(const QString& name);
    void showSituation(const RunSituation& situation);

Q_SIGNALS:
    void launchClicked();
    void resumeClicked();
    void stopClicked();
    void killClicked();

private:
    void buildLabels();
    void buildButtons();
    void buildLayout();
    void showButtons(const ButtonState& state);

    ElidedLabel* name_ = nullptr;
    StatePill* pill_ = nullptr;
    ElidedLabel* progress_ = nullptr;
    ProgressStrip* strip_ = nullptr;
    QPushButton* launch_ = nullptr;
    QPushButton* stop_ = nullptr;
    Verb verb_ = Verb::Launch;
    std::optional<ButtonState> shown_;
    QColor buttonInk_;
    bool keepFocus_ = false;  ///< The button had the focus when it was disabled or replaced.
};

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <optional>

#include "core/job/asker.h"

class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace lockstep::ui {

class HostQuestions;

/// What a host asks before it lets Lockstep in: whether its key is trusted, a passphrase, a
/// password, or yes or no. Refusing is the default where trust is asked for.
class HostQuestionDialog final : public QDialog {
    Q_OBJECT
public:
    explicit HostQuestionDialog(const job::HostQuestion& question, QWidget* parent = nullptr);

    /// What was answered; nullopt: declined.
    [[nodiscard]] std::optional<job::HostAnswer> answer() const;

private:
    void addTitle(const QString& title, const QString& words);
    void addKey();
    void addSecret(const QString& label);
    void addOriginalWords();
    void addButtons(const QString& accept, const QString& refuse, bool refuseFirst);

    const job::HostQuestion question_;
    QVBoxLayout* layout_;
    QLineEdit* secret_ = nullptr;
};

/// Shows every question as a dialog of `window`, for as long as it waits for an answer.
void presentHostQuestions(HostQuestions& questions, QWidget* window);

}  // namespace lockstep::ui

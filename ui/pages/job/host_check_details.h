// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/job/doctor.h"

class QLabel;
class QVBoxLayout;

namespace lockstep::ui {

/// One cell of the matrix in words: what was found and, for each problem, what to do about it, as a
/// button or a command to copy.
class HostCheckDetails final : public QWidget {
    Q_OBJECT
public:
    explicit HostCheckDetails(QWidget* parent = nullptr);

    /// `found`: lines of text. The problems need to live during the call only.
    void show(const QString& title, const QString& found,
              const std::vector<const job::HostProblem*>& problems);
    using QWidget::show;

Q_SIGNALS:
    /// The change of the job file that a problem offers was chosen.
    void changeRequested(const QString& key, const QString& value);

private:
    QWidget* buildProblem(const job::HostProblem& problem, int number);
    QWidget* buildCommand(const QString& command, int number);

    QLabel* title_;
    QLabel* found_;
    QVBoxLayout* problems_;
};

}  // namespace lockstep::ui

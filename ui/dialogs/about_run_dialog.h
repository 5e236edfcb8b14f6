// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "core/job/fold/run_about.h"

class QLineEdit;
class QPlainTextEdit;

namespace lockstep::ui {

/// Asks for a run's name, tags and note.
class AboutRunDialog final : public QDialog {
    Q_OBJECT
public:
    /// `folder`: what the run is called as long as it has no name.
    AboutRunDialog(const QString& folder, const job::RunAbout& about, QWidget* parent);

    [[nodiscard]] job::RunAbout about() const;

private:
    QLineEdit* name_;
    QLineEdit* tags_;
    QPlainTextEdit* note_;
};

}  // namespace lockstep::ui

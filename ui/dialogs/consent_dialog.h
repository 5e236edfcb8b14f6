// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QStringList>

namespace lockstep::ui {

/// What launching a job file runs and reaches, before its first launch: accepted by Launch.
class LaunchDialog final : public QDialog {
    Q_OBJECT
public:
    /// `effects`: one sentence a line, as job::launchEffects gives them.
    LaunchDialog(const QString& fileName, const QStringList& effects, QWidget* parent);
};

}  // namespace lockstep::ui

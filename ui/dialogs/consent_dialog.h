// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QStringList>

class QPlainTextEdit;

namespace lockstep::ui {

/// What a file from elsewhere makes this machine do, before it is done for the first time.
class ConsentDialog final : public QDialog {
    Q_OBJECT
public:
    enum class Action { Launch, Attach, CheckHosts };

    /// `effects`: one sentence a line, as launchEffects and the like of core/job give them.
    ConsentDialog(Action action, const QString& fileName, const QStringList& effects,
                  QWidget* parent);

protected:
    void showEvent(QShowEvent* event) override;

private:
    QPlainTextEdit* lines_;
};

}  // namespace lockstep::ui

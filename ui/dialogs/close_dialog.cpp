// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/close_dialog.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QPushButton>

namespace lockstep::ui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("dialogs", text);
}

}  // namespace

CloseAnswer askToEndTiedJob(QWidget* parent, const QString& jobName, const QString& sentence) {
    QMessageBox box(QMessageBox::Question, tr("End the running job?"),
                    tr("Closing the window ends the job “%1”.").arg(jobName), QMessageBox::NoButton,
                    parent);
    box.setObjectName(QStringLiteral("endTiedJobDialog"));
    box.setInformativeText(
        sentence + QLatin1Char('\n') +
        tr("Its policy is “tied”. With launch.on_disconnect = \"detached\" it would go on."));
    QPushButton* keep = box.addButton(tr("Keep running"), QMessageBox::RejectRole);
    QPushButton* end = box.addButton(tr("End job and close"), QMessageBox::DestructiveRole);
    keep->setObjectName(QStringLiteral("keepRunningButton"));
    end->setObjectName(QStringLiteral("endJobButton"));
    box.setDefaultButton(keep);
    box.setEscapeButton(keep);
    box.exec();
    return box.clickedButton() == end ? CloseAnswer::Proceed : CloseAnswer::Cancel;
}

SaveAnswer askToSave(QWidget* parent, const QString& fileName) {
    QMessageBox box(QMessageBox::Question, tr("Save the changes?"),
                    tr("The job “%1” has changes that are not saved.").arg(fileName),
                    QMessageBox::NoButton, parent);
    box.setObjectName(QStringLiteral("saveDialog"));
    QPushButton* save = box.addButton(tr("Save"), QMessageBox::AcceptRole);
    QPushButton* discard = box.addButton(tr("Discard changes"), QMessageBox::DestructiveRole);
    QPushButton* cancel = box.addButton(tr("Cancel"), QMessageBox::RejectRole);
    save->setObjectName(QStringLiteral("saveChangesButton"));
    discard->setObjectName(QStringLiteral("discardChangesButton"));
    box.setDefaultButton(save);
    box.setEscapeButton(cancel);
    box.exec();
    if (box.clickedButton() == save) return SaveAnswer::Save;
    return box.clickedButton() == discard ? SaveAnswer::Discard : SaveAnswer::Cancel;
}

}  // namespace lockstep::ui

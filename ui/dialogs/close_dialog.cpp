// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/close_dialog.h"

#include <QCheckBox>
#include <QPushButton>
#include <QSettings>

#include "ui/dialogs/question_dialog.h"
#include "ui/style/translated.h"

namespace lockstep::ui {
namespace {

using Verb = QuestionDialog::Verb;

const auto kKnowsRunsGoOnKey = QStringLiteral("closing/knowsRunsGoOn");

}  // namespace

CloseAnswer askToEndTiedJob(QWidget* parent, const QString& jobName, const QString& sentence,
                            TiedEnd by) {
    const QString what = by == TiedEnd::WindowCloses ? tr("Closing the window ends the job “%1”.")
                         : by == TiedEnd::RunCloses ? tr("Closing the run ends the job “%1”.")
                                                    : tr("Opening another run ends the job “%1”.");
    const QString verb =
        by == TiedEnd::OtherRunOpens ? tr("End job and open") : tr("End job and close");
    QuestionDialog dialog(
        tr("End the running job?"), what.arg(jobName),
        sentence + QLatin1Char('\n') +
            tr("It is tied to this window: On closing, in its Launch card, is “tied”. "
               "“detached” lets it go on."),
        parent);
    dialog.setObjectName(QStringLiteral("endTiedJobDialog"));
    QPushButton* end = dialog.addButton(verb, "endJobButton", Verb::Lose);
    QPushButton* keep = dialog.addButton(tr("Keep running"), "keepRunningButton", Verb::Proceed);
    keep->setDefault(true);
    return dialog.ask() == end ? CloseAnswer::Proceed : CloseAnswer::Cancel;
}

CloseAnswer askToLeaveRunning(QWidget* parent, const QString& jobName, const QString& command) {
    if (QSettings().value(kKnowsRunsGoOnKey).toBool()) return CloseAnswer::Proceed;
    QuestionDialog dialog(
        tr("Close the window?"), tr("“%1” goes on without this window.").arg(jobName),
        tr("When Lockstep is started again, it offers to open it. On a terminal:\n%1").arg(command),
        parent);
    dialog.setObjectName(QStringLiteral("leaveRunningDialog"));
    QCheckBox* known =
        dialog.addCheck(tr("Close without this question from now on"), "knowsRunsGoOnCheck");
    dialog.addButton(tr("Stay"), "stayButton", Verb::Stay);
    QPushButton* leave = dialog.addButton(tr("Close"), "leaveButton", Verb::Proceed);
    leave->setDefault(true);
    if (dialog.ask() != leave) return CloseAnswer::Cancel;
    if (known->isChecked()) QSettings().setValue(kKnowsRunsGoOnKey, true);
    return CloseAnswer::Proceed;
}

SaveAnswer askToSave(QWidget* parent, const QString& fileName) {
    QuestionDialog dialog(tr("Save the changes?"),
                          tr("The job “%1” has changes that are not saved.").arg(fileName), {},
                          parent);
    dialog.setObjectName(QStringLiteral("saveDialog"));
    QPushButton* discard =
        dialog.addButton(tr("Discard changes"), "discardChangesButton", Verb::Lose);
    dialog.addButton(tr("Cancel"), "cancelSavingButton", Verb::Stay);
    QPushButton* save = dialog.addButton(tr("Save"), "saveChangesButton", Verb::Proceed);
    save->setDefault(true);
    const QPushButton* pressed = dialog.ask();
    if (pressed == save) return SaveAnswer::Save;
    return pressed == discard ? SaveAnswer::Discard : SaveAnswer::Cancel;
}

}  // namespace lockstep::ui

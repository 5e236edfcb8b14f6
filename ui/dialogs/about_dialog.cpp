// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/about_dialog.h"

#include <QCoreApplication>
#include <QPushButton>

#include "ui/dialogs/question_dialog.h"
#include "ui/style/translated.h"

namespace lockstep::ui {

void showAbout(QWidget* parent) {
    auto* box = new QuestionDialog(
        tr("About Lockstep"), tr("Lockstep %1").arg(QCoreApplication::applicationVersion()),
        tr("Configures, launches, watches and evaluates synchronous data-parallel training.\n\n"
           "This program is free software under the GNU General Public License, version 3 or "
           "later. It comes without any warranty."),
        parent);
    box->setObjectName(QStringLiteral("aboutDialog"));
    box->addButton(tr("Close"), "closeAboutButton", QuestionDialog::Verb::Stay)->setDefault(true);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();  // not exec(): a running job goes on being shown
}

}  // namespace lockstep::ui

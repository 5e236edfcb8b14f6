// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/about_dialog.h"

#include <QCoreApplication>
#include <QMessageBox>

namespace lockstep::ui {

void showAbout(QWidget* parent) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("dialogs", text); };
    auto* box =
        new QMessageBox(QMessageBox::NoIcon, tr("About Lockstep"),
                        tr("<h3>Lockstep %1</h3><p>Configures, launches, watches and evaluates "
                           "synchronous data-parallel training.</p>")
                            .arg(QCoreApplication::applicationVersion()),
                        QMessageBox::Close, parent);
    box->setObjectName(QStringLiteral("aboutDialog"));
    box->setInformativeText(
        tr("<p>Ctrl+L launches, Ctrl+. stops, Ctrl+1 to Ctrl+6 show the pages, Ctrl+F "
           "filters the log.<br>In a chart: + and − zoom, arrows pan, 0 shows all.</p>"
           "<p>This program is free software under the GNU General Public License, version 3 "
           "or later. It comes without any warranty.</p>"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();  // not exec(): a running job goes on being shown
}

}  // namespace lockstep::ui

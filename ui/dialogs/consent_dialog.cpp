// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/launch_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/style/theme.h"

namespace lockstep::ui {
namespace {
constexpr int kMostLines = 12;  ///< More are scrolled to.
}

LaunchDialog::LaunchDialog(const QString& fileName, const QStringList& effects, QWidget* parent)
    : QDialog(parent) {
    setObjectName(QStringLiteral("launchDialog"));
    setWindowTitle(tr("Launch this job?"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* intro = new QLabel(this);
    intro->setTextFormat(Qt::PlainText);  // a file's name is no markup
    intro->setText(tr("“%1” has not been launched like this before. It").arg(fileName));
    intro->setWordWrap(true);
    auto* lines = new QPlainTextEdit(effects.join(QLatin1Char('\n')), this);
    lines->setObjectName(QStringLiteral("launchEffects"));
    lines->setAccessibleName(tr("What the job runs and reaches"));
    lines->setFont(fixedFont());
    lines->setReadOnly(true);
    lines->setTabChangesFocus(true);
    const int shown = std::clamp(int(effects.size()) + 2, 4, kMostLines);
    lines->setMinimumHeight(lines->fontMetrics().lineSpacing() * shown);
    auto* advice = new QLabel(
        tr("Launch it if the file is yours, or if you trust whoever it came from."), this);
    advice->setWordWrap(true);
    advice->setProperty("secondary", true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    auto* launch = buttons->addButton(tr("Launch"), QDialogButtonBox::AcceptRole);
    launch->setObjectName(QStringLiteral("launchAnywayButton"));
    buttons->button(QDialogButtonBox::Cancel)->setDefault(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
    layout->setSpacing(kGrid);
    layout->addWidget(intro);
    layout->addWidget(lines, 1);
    layout->addWidget(advice);
    layout->addWidget(buttons);
    resize(72 * kGrid, sizeHint().height());
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

}  // namespace lockstep::ui

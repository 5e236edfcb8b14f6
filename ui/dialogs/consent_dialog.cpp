// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/consent_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/style/theme.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kMostLines = 12;  ///< More are scrolled to.

struct Words {
    QString title;
    QString intro;  ///< The lines go on with it.
    QString advice;
    QString button;
};

Words wordsFor(ConsentDialog::Action action, const QString& fileName) {
    switch (action) {
        case ConsentDialog::Action::Attach:
            return {ConsentDialog::tr("Attach to this run?"),
                    ConsentDialog::tr("“%1” is not known as a run of yours. Following it")
                        .arg(fileName),
                    ConsentDialog::tr(
                        "Attach to it if it is yours, or if you trust whoever it came from."),
                    ConsentDialog::tr("Attach")};
        case ConsentDialog::Action::CheckHosts:
            return {ConsentDialog::tr("Check the hosts of this job?"),
                    ConsentDialog::tr("The hosts of “%1” have not been checked before. Doing so")
                        .arg(fileName),
                    ConsentDialog::tr(
                        "Check them if the file is yours, or if you trust whoever it came from."),
                    ConsentDialog::tr("Check hosts")};
        case ConsentDialog::Action::Launch:
            break;
    }
    return {
        ConsentDialog::tr("Launch this job?"),
        ConsentDialog::tr("“%1” has not been launched like this before. It").arg(fileName),
        ConsentDialog::tr("Launch it if the file is yours, or if you trust whoever it came from."),
        ConsentDialog::tr("Launch")};
}

}  // namespace

ConsentDialog::ConsentDialog(Action action, const QString& fileName, const QStringList& effects,
                             QWidget* parent)
    : QDialog(parent) {
    const Words words = wordsFor(action, fileName);
    setObjectName(QStringLiteral("consentDialog"));
    setWindowTitle(words.title);
    setAttribute(Qt::WA_DeleteOnClose);
    auto* intro = wrappedLabel(this, words.intro);
    lines_ = new QPlainTextEdit(effects.join(QLatin1Char('\n')), this);
    auto* lines = lines_;
    lines->setObjectName(QStringLiteral("consentEffects"));
    lines->setAccessibleName(tr("What is run and reached"));
    lines->setFont(fixedFont());
    lines->setReadOnly(true);
    lines->setTabChangesFocus(true);
    auto* advice = wrappedLabel(this, words.advice);
    advice->setProperty("secondary", true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    auto* agree = buttons->addButton(words.button, QDialogButtonBox::AcceptRole);
    agree->setObjectName(QStringLiteral("consentButton"));
    buttons->button(QDialogButtonBox::Cancel)->setDefault(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
    layout->setSpacing(kGrid);
    layout->addWidget(intro);
    layout->addWidget(lines, 1);
    layout->addWidget(advice);
    layout->addWidget(buttons);
    resize(72 * kGrid, minimumSizeHint().height());
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

/// As high as its lines, which wrap: nothing of them is to be scrolled to while there is room.
void ConsentDialog::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    layout()->activate();
    // In a plain text edit the document's height is its number of lines.
    const int shown = std::min(int(lines_->document()->size().height()) + 1, kMostLines);
    const int around = lines_->height() - lines_->viewport()->height();
    lines_->setMinimumHeight(lines_->fontMetrics().lineSpacing() * shown + around);
}

}  // namespace lockstep::ui

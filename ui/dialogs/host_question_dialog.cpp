// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/host_question_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/bridge/host_questions.h"
#include "ui/style/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

using Kind = job::HostQuestion::Kind;

constexpr int kWidth = 66 * kGrid;

QString text(const std::string& value) {
    return QString::fromStdString(value);
}

/// What another program wrote is shown as it is, never as markup.
QLabel* copyable(const QString& words, const QString& name, QWidget* parent) {
    QLabel* label = wrappedLabel(parent, words);
    label->setObjectName(name);
    label->setFont(fixedFont());
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

}  // namespace

HostQuestionDialog::HostQuestionDialog(const job::HostQuestion& question, QWidget* parent)
    : QDialog(parent), question_(question), layout_(new QVBoxLayout(this)) {
    setObjectName(QStringLiteral("hostQuestionDialog"));
    setWindowTitle(tr("A host asks"));
    setWindowModality(Qt::WindowModal);
    layout_->setContentsMargins(3 * kGrid, 3 * kGrid, 3 * kGrid, 2 * kGrid);
    layout_->setSpacing(2 * kGrid);
    const QString host = text(question_.host.empty() ? question_.destination : question_.host);
    switch (question_.kind) {
        case Kind::HostKey:
            addTitle(tr("Trust %1?").arg(host),
                     tr("This host is not known yet. Whoever answers at its address shows this "
                        "key; compare the fingerprint with that of the host before you trust it."));
            addKey();
            addButtons(tr("Trust this key"), tr("Do not connect"), true);
            break;
        case Kind::Passphrase:
            addTitle(tr("Unlock your key"),
                     tr("The key %1 opens %2. Its passphrase is kept in memory only, until this "
                        "window closes.")
                         .arg(text(question_.keyFile), text(question_.destination)));
            addSecret(tr("Passphrase"));
            addButtons(tr("Unlock"), tr("Cancel"), false);
            break;
        case Kind::Password:
            addTitle(tr("Log in to %1").arg(text(question_.destination)),
                     tr("The host asks for a password or a code. It is kept in memory only, until "
                        "this window closes."));
            addOriginalWords();
            addSecret(tr("Answer"));
            addButtons(tr("Log in"), tr("Cancel"), false);
            break;
        case Kind::Confirm:
            addTitle(tr("Connect to %1?").arg(text(question_.destination)),
                     tr("ssh asks for your consent."));
            addOriginalWords();
            addButtons(tr("Yes"), tr("No"), true);
            break;
        case Kind::Notice:
            addTitle(tr("Connecting to %1").arg(text(question_.destination)),
                     tr("ssh waits for something that only you can do."));
            addOriginalWords();
            addButtons({}, tr("Cancel"), true);
            break;
    }
    layout_->setSizeConstraint(QLayout::SetFixedSize);
}

void HostQuestionDialog::addTitle(const QString& title, const QString& words) {
    QLabel* heading = wrappedLabel(this, title);
    heading->setFont(titleFont());
    heading->setFixedWidth(kWidth);
    QLabel* explanation = wrappedLabel(this, words);
    explanation->setFixedWidth(kWidth);
    layout_->addWidget(heading);
    layout_->addWidget(explanation);
}

void HostQuestionDialog::addKey() {
    auto* card = new Card({}, this);
    auto* rows = new QFormLayout;
    rows->setHorizontalSpacing(2 * kGrid);
    rows->setVerticalSpacing(kGrid);
    const auto add = [rows, card](const QString& name, const QString& value,
                                  const QString& objectName) {
        auto* label = new QLabel(name, card);
        label->setProperty("secondary", true);
        rows->addRow(label, copyable(value, objectName, card));
    };
    add(tr("Key"), text(question_.keyType), QStringLiteral("hostKeyType"));
    add(tr("Fingerprint"), text(question_.fingerprint), QStringLiteral("hostKeyFingerprint"));
    add(tr("Compare with"),
        QStringLiteral("ssh-keygen -lf /etc/ssh/ssh_host_%1_key.pub")
            .arg(text(question_.keyType).toLower()),
        QStringLiteral("hostKeyCommand"));
    card->body()->addLayout(rows);
    layout_->addWidget(card);
}

void HostQuestionDialog::addSecret(const QString& label) {
    secret_ = new QLineEdit(this);
    secret_->setObjectName(QStringLiteral("hostSecretEdit"));
    secret_->setAccessibleName(label);
    secret_->setPlaceholderText(label);
    secret_->setEchoMode(QLineEdit::Password);
    layout_->addWidget(secret_);
    secret_->setFocus();
}

void HostQuestionDialog::addOriginalWords() {
    if (question_.text.empty()) return;
    auto* card = new Card({}, this);
    card->body()->addWidget(
        copyable(text(question_.text).trimmed(), QStringLiteral("hostQuestionText"), card));
    layout_->addWidget(card);
}

void HostQuestionDialog::addButtons(const QString& accept, const QString& refuse,
                                    bool refuseFirst) {
    auto* buttons = new QDialogButtonBox(this);
    QPushButton* no = buttons->addButton(refuse, QDialogButtonBox::RejectRole);
    no->setObjectName(QStringLiteral("hostRefuseButton"));
    if (!accept.isEmpty()) {
        QPushButton* yes = buttons->addButton(accept, QDialogButtonBox::AcceptRole);
        yes->setObjectName(QStringLiteral("hostAcceptButton"));
        yes->setAutoDefault(!refuseFirst);
        yes->setDefault(!refuseFirst);
    }
    no->setAutoDefault(refuseFirst);
    no->setDefault(refuseFirst);
    if (secret_ == nullptr) no->setFocus();
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout_->addWidget(buttons);
}

std::optional<job::HostAnswer> HostQuestionDialog::answer() const {
    if (result() != QDialog::Accepted) return std::nullopt;
    return job::HostAnswer{true, secret_ != nullptr ? secret_->text().toStdString() : ""};
}

void presentHostQuestions(HostQuestions& questions, QWidget* window) {
    const auto show = [&questions, window](quint64 id, const job::HostQuestion& question) {
        auto* dialog = new HostQuestionDialog(question, window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        QObject::connect(dialog, &QDialog::finished, &questions,
                         [&questions, id, dialog] { questions.answer(id, dialog->answer()); });
        QObject::connect(&questions, &HostQuestions::withdrawn, dialog, [dialog, id](quint64 gone) {
            if (gone == id) dialog->reject();
        });
        dialog->open();  // not exec(): what runs goes on being shown
    };
    QObject::connect(&questions, &HostQuestions::asked, window, show);
}

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/question_dialog.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/style/theme.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kTextWidth = 56 * kGrid;

QLabel* textLabel(const QString& text, QWidget* parent) {
    QLabel* label = wrappedLabel(parent, text);
    label->setFixedWidth(kTextWidth);
    label->setVisible(!text.isEmpty());
    return label;
}

}  // namespace

QuestionDialog::QuestionDialog(const QString& title, const QString& sentence,
                               const QString& explanation, QWidget* parent)
    : QDialog(parent), layout_(new QVBoxLayout(this)), buttons_(new QHBoxLayout) {
    setWindowTitle(title);
    QLabel* said = textLabel(sentence, this);
    said->setFont(strongFont());
    QLabel* explained = textLabel(explanation, this);
    explained->setTextInteractionFlags(Qt::TextSelectableByMouse);
    explained->setProperty("secondary", true);
    layout_->setContentsMargins(3 * kGrid, 3 * kGrid, 3 * kGrid, 2 * kGrid);
    layout_->setSpacing(kGrid);
    layout_->addWidget(said);
    layout_->addWidget(explained);
    layout_->addSpacing(kGrid);
    layout_->addLayout(buttons_);
    layout_->setSizeConstraint(QLayout::SetFixedSize);
    buttons_->setSpacing(kGrid);
    buttons_->addStretch(1);
    setAccessibleName(sentence);
    setAccessibleDescription(explanation);
}

QPushButton* QuestionDialog::addButton(const QString& verb, const char* name, Verb kind) {
    auto* button = new QPushButton(verb, this);
    button->setObjectName(QLatin1String(name));
    button->setProperty("primary", kind == Verb::Proceed);
    button->setProperty("danger", kind == Verb::Lose);
    button->setAutoDefault(kind != Verb::Lose);
    buttons_->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, button] {
        pressed_ = button;
        accept();
    });
    return button;
}

QCheckBox* QuestionDialog::addCheck(const QString& text, const char* name) {
    auto* check = new QCheckBox(text, this);
    check->setObjectName(QLatin1String(name));
    layout_->insertWidget(layout_->count() - 2, check);
    return check;
}

QPushButton* QuestionDialog::ask() {
    exec();
    return pressed_;
}

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/logs/pattern_edit.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>

#include "ui/pages/page_parts.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"

namespace lockstep::ui {

PatternEdit::PatternEdit(const QString& name, const QString& placeholder,
                         const QString& accessibleName, QWidget* parent)
    : QWidget(parent) {
    edit_ = new QLineEdit(this);
    edit_->setObjectName(name + QStringLiteral("Edit"));
    edit_->setPlaceholderText(placeholder);
    edit_->setAccessibleName(accessibleName);
    edit_->setClearButtonEnabled(true);
    edit_->addAction(makeIcon(Icon::Search), QLineEdit::LeadingPosition);
    case_ = addButton(name + QStringLiteral("Case"), QStringLiteral("Aa"), tr("Match case"));
    regex_ =
        addButton(name + QStringLiteral("Regex"), QStringLiteral(".*"), tr("Regular expression"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid / 2);
    layout->addWidget(edit_, 1);
    layout->addWidget(case_);
    layout->addWidget(regex_);
    connect(edit_, &QLineEdit::textChanged, this, &PatternEdit::change);
}

QToolButton* PatternEdit::addButton(const QString& name, const QString& text, const QString& tip) {
    auto* button = new QToolButton(this);
    button->setObjectName(name);
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::toggled, this, &PatternEdit::change);
    return button;
}

LogPattern PatternEdit::pattern() const {
    return LogPattern({edit_->text(), regex_->isChecked(), case_->isChecked()});
}

void PatternEdit::clear() {
    edit_->clear();
}

void PatternEdit::change() {
    markProblem(edit_, "invalid", !pattern().problem().isEmpty());
    Q_EMIT patternChanged();
}

}  // namespace lockstep::ui

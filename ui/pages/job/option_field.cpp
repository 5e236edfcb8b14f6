// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/option_field.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>

#include "ui/pages/page_parts.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/wheel_guard.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kLabelWidth = 128;
constexpr int kLeastInput = 88;

}  // namespace

OptionField::OptionField(const OptionKind& kind, QWidget* parent) : QWidget(parent), kind_(kind) {
    if (kind_.words.isEmpty())
        buildText();
    else
        buildWords();
    QWidget* input = this->input();
    input->setObjectName(QStringLiteral("layerOption ") + kind_.name);
    input->setAccessibleName(kind_.name);
    input->setAccessibleDescription(kind_.help);
    input->setMinimumWidth(kLeastInput);
    const QString tip = QStringLiteral("<p>%1</p>").arg(kind_.help.toHtmlEscaped());
    input->setToolTip(tip);
    auto* label = new ElidedLabel(kind_.name, this);
    label->setFixedWidth(kLabelWidth);
    label->setToolTip(tip);
    problem_ = wrappedLabel(this);
    problem_->setObjectName(input->objectName() + QStringLiteral(" problem"));
    problem_->hide();
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setHorizontalSpacing(8);
    layout->setVerticalSpacing(2);
    layout->addWidget(label, 0, 0);
    layout->addWidget(input, 0, 1);
    layout->addWidget(problem_, 1, 0, 1, 2);
    layout->setColumnStretch(1, 1);
}

QWidget* OptionField::input() const {
    return words_ ? static_cast<QWidget*>(words_) : text_;
}

void OptionField::buildWords() {
    words_ = new QComboBox(this);
    guardWheel(words_);
    words_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    words_->setMinimumContentsLength(6);
    if (!kind_.byDefault.isEmpty()) words_->addItem(tr("%1 (default)").arg(kind_.byDefault));
    for (const QString& word : kind_.words)
        words_->addItem(word, word);
    connect(words_, &QComboBox::activated, this,
            [this](int index) { tell(words_->itemData(index).toString()); });
}

void OptionField::tell(const QString& value) {
    const QScopedValueRollback telling(telling_, true);
    if (value.isEmpty())
        Q_EMIT cleared();
    else
        Q_EMIT edited(value);
}

void OptionField::buildText() {
    text_ = new QLineEdit(this);
    text_->setPlaceholderText(kind_.byDefault.isEmpty() ? tr("not set") : kind_.byDefault);
    connect(text_, &QLineEdit::textEdited, this,
            [this](const QString& typed) { tell(typed.trimmed()); });
}

void OptionField::setValue(const std::optional<QString>& value) {
    const bool isNew = value != value_;
    value_ = value;
    if (text_) {
        if (isNew && !telling_) text_->setText(value.value_or(QString()));
        return;
    }
    // What is written may be no word that is allowed: it is shown all the same.
    if (value && words_->findData(*value) < 0) words_->addItem(*value, *value);
    words_->setCurrentIndex(value ? words_->findData(*value)
                                  : (kind_.byDefault.isEmpty() ? -1 : 0));
}

void OptionField::setProblem(const QString& sentence, bool isWrong) {
    problem_->setText(sentence);
    problem_->setVisible(!sentence.isEmpty());
    markProblem(problem_, "problem", isWrong);
    markProblem(input(), "invalid", isWrong);
}

}  // namespace lockstep::ui

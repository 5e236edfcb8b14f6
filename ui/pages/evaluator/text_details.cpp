// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/text_details.h"

#include <QEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTextCursor>
#include <QVBoxLayout>

#include "ui/style/theme.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {

TextDetails::TextDetails(QWidget* parent) : QWidget(parent) {
    text_ = new QPlainTextEdit(this);
    text_->setObjectName(QStringLiteral("generatedText"));
    text_->setAccessibleName(tr("Text that the network wrote"));
    text_->setReadOnly(true);
    text_->setUndoRedoEnabled(false);
    text_->setTabChangesFocus(true);
    text_->setFont(fixedFont());
    note_ = wrappedLabel(this);
    note_->setObjectName(QStringLiteral("generatedNote"));
    note_->setProperty("secondary", true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(text_, 1);
    layout->addWidget(note_);
}

void TextDetails::showTexts(const std::vector<job::EvaluationView::Text>& texts) {
    texts_ = texts;
    refresh();
}

/// The colours of the text are of its theme.
void TextDetails::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && note_ != nullptr) refresh();
}

void TextDetails::refresh() {
    text_->clear();
    QTextCursor cursor(text_->document());
    QTextCharFormat given;
    given.setForeground(Theme::of(this).textSecondary);
    QTextCharFormat written;
    written.setForeground(Theme::of(this).text);
    QStringList temperatures;
    for (const auto& each : texts_) {
        if (&each != &texts_.front()) cursor.insertText(QStringLiteral("\n\n"), given);
        // What is no UTF-8 is shown as the sign for it.
        cursor.insertText(QString::fromUtf8(each.prompt.data(), qsizetype(each.prompt.size())),
                          given);
        cursor.insertText(
            QString::fromUtf8(each.continuation.data(), qsizetype(each.continuation.size())),
            written);
        temperatures << QString::number(each.temperature, 'g', 3);
    }
    text_->moveCursor(QTextCursor::Start);
    note_->setText(texts_.empty()
                       ? tr("This evaluation has no text.")
                       : tr("The beginning, in pale, was given; the rest was written by the "
                            "network, at temperature %1.")
                             .arg(temperatures.join(QStringLiteral(", "))));
}

}  // namespace lockstep::ui

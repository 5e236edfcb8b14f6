// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/code_edit.h"

#include <QHelpEvent>
#include <QPainter>
#include <QTextBlock>
#include <QToolTip>
#include <algorithm>

namespace lockstep::ui {
namespace {
constexpr int kLeastDigits = 2;
}

class CodeEdit::Gutter final : public QWidget {
public:
    explicit Gutter(CodeEdit& edit) : QWidget(&edit), edit_(edit) {}
    [[nodiscard]] QSize sizeHint() const override { return {edit_.gutterWidth(), 0}; }

protected:
    void paintEvent(QPaintEvent* event) override { edit_.paintGutter(*event); }

private:
    CodeEdit& edit_;
};

CodeEdit::CodeEdit(QWidget* parent) : QPlainTextEdit(parent), gutter_(new Gutter(*this)) {
    setFont(fixedFont());
    setLineWrapMode(QPlainTextEdit::NoWrap);
    connect(this, &QPlainTextEdit::blockCountChanged, this, &CodeEdit::placeGutter);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& changed, int scrolled) {
        if (scrolled != 0)
            gutter_->scroll(0, scrolled);
        else
            gutter_->update(0, changed.y(), gutter_->width(), changed.height());
    });
    connect(this, &QPlainTextEdit::textChanged, this, [this] {
        shownLine_ = 0;
        showMarks();
    });
    placeGutter();
}

int CodeEdit::gutterWidth() const {
    int digits = kLeastDigits;
    for (int most = blockCount(); most >= 100; most /= 10)
        ++digits;
    return fontMetrics().horizontalAdvance(u'0') * digits + 2 * kGrid;
}

void CodeEdit::placeGutter() {
    setViewportMargins(gutterWidth(), 0, 0, 0);
    const QRect inner = contentsRect();
    gutter_->setGeometry(inner.left(), inner.top(), gutterWidth(), inner.height());
}

void CodeEdit::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    placeGutter();
}

void CodeEdit::changeEvent(QEvent* event) {
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::FontChange) placeGutter();
    if (event->type() == QEvent::PaletteChange) showMarks();
}

void CodeEdit::paintGutter(QPaintEvent& event) {
    const Theme& theme = Theme::of(this);
    QPainter painter(gutter_);
    painter.fillRect(event.rect(), theme.window);
    painter.setFont(font());
    const QRectF lines(0, 0, gutter_->width() - kGrid, fontMetrics().height());
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        if (place.top() > event.rect().bottom()) break;
        const int line = block.blockNumber() + 1;
        const auto mark = std::find_if(marks_.begin(), marks_.end(),
                                       [line](const Mark& each) { return each.line == line; });
        const bool isCurrent = line == textCursor().blockNumber() + 1;
        painter.setPen(mark != marks_.end() ? theme.tone(mark->tone)
                       : isCurrent          ? theme.text
                                            : theme.textSecondary);
        painter.drawText(lines.translated(0, place.top()), Qt::AlignRight, QString::number(line));
    }
}

void CodeEdit::setMarks(QVector<Mark> marks) {
    marks.removeIf([this](const Mark& mark) { return mark.line < 1 || mark.line > blockCount(); });
    if (marks == marks_) return;
    marks_ = std::move(marks);
    showMarks();
}

void CodeEdit::setShownLine(int line) {
    shownLine_ = line;
    showMarks();
}

/// From the column to the end of the word that begins there; without one, what the line says.
QTextCursor CodeEdit::extentOf(const Mark& mark) const {
    const QTextBlock block = document()->findBlockByNumber(mark.line - 1);
    const QString text = block.text();
    qsizetype from = std::clamp<qsizetype>(mark.column - 1, 0, text.size());
    if (mark.column == 0)
        while (from < text.size() && text[from].isSpace())
            ++from;
    qsizetype to = from;
    while (to < text.size() && (mark.column == 0 || !QStringLiteral(" \t,]}=").contains(text[to])))
        ++to;
    if (to == from) to = std::min(from + 1, text.size());
    if (to == from && from > 0) --from;  // behind the last character
    QTextCursor cursor(block);
    cursor.setPosition(block.position() + int(from));
    cursor.setPosition(block.position() + int(to), QTextCursor::KeepAnchor);
    return cursor;
}

void CodeEdit::showMarks() {
    const Theme& theme = Theme::of(this);
    QList<QTextEdit::ExtraSelection> all;
    if (shownLine_ > 0) {
        QTextEdit::ExtraSelection line;
        line.cursor = QTextCursor(document()->findBlockByNumber(shownLine_ - 1));
        line.format.setBackground(theme.toneSoft(Tone::Warn));
        line.format.setProperty(QTextFormat::FullWidthSelection, true);
        all << line;
    }
    for (const Mark& mark : marks_) {
        if (mark.line > blockCount()) continue;  // the text is shorter than when it was read
        QTextEdit::ExtraSelection place;
        place.cursor = extentOf(mark);
        place.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        place.format.setUnderlineColor(theme.tone(mark.tone));
        all << place;
    }
    setExtraSelections(all);
    gutter_->update();
}

QString CodeEdit::saidOf(int line) const {
    QStringList sentences;
    for (const Mark& mark : marks_)
        if (mark.line == line) sentences << mark.sentence;
    return sentences.join(QLatin1Char('\n'));
}

bool CodeEdit::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QPlainTextEdit::viewportEvent(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString said = saidOf(cursorForPosition(help->pos()).blockNumber() + 1);
    if (said.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), said, viewport());
    return true;
}

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/answer_strip.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "ui/style/theme.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

constexpr int kBars = 44;  ///< Height of what is sure.
constexpr int kLine = 16;  ///< Of the words beneath.
constexpr qreal kMostWide = 40;
constexpr qreal kSign = 4;  ///< Height of what is not known.

using State = HistoryPoint::State;

}  // namespace

AnswerStrip::AnswerStrip(QWidget* parent) : QWidget(parent) {
    setAccessibleRole(*this, QAccessible::List);
    setAccessibleName(tr("What the checkpoints say of this sample"));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

/// What is pointed at stays, by its step.
void AnswerStrip::setHistory(History history, const QStringList& classNames) {
    const std::int64_t step =
        current_ >= 0 && current_ < count() ? history_[std::size_t(current_)].step : shownStep_;
    history_ = std::move(history);
    classNames_ = classNames;
    const auto found = std::ranges::find(history_, step, &HistoryPoint::step);
    point(found == history_.end() ? count() - 1 : int(found - history_.begin()));
}

void AnswerStrip::setShownStep(std::int64_t step) {
    if (step == shownStep_) return;
    shownStep_ = step;
    const auto found = std::ranges::find(history_, step, &HistoryPoint::step);
    if (found != history_.end()) point(int(found - history_.begin()));
    update();
}

void AnswerStrip::point(int index) {
    current_ = index;
    // Said once: with every answer that comes another history is shown, mostly of others.
    if (const QString words = describe(); words != accessibleDescription()) {
        setAccessibleDescription(words);
        tellChosenPart(*this);
    }
    update();
    Q_EMIT pointed();
}

QSize AnswerStrip::sizeHint() const {
    return {320, kBars + 2 * kLine};
}

QSize AnswerStrip::minimumSizeHint() const {
    return {160, kBars + 2 * kLine};
}

QRectF AnswerStrip::column(int index) const {
    const qreal wide = std::min(kMostWide, width() / qreal(std::max(1, count())));
    return {index * wide, 0, wide, qreal(kBars + kLine)};
}

int AnswerStrip::columnAt(const QPointF& position) const {
    for (int i = 0; i < count(); ++i)
        if (column(i).contains(position)) return i;
    return -1;
}

QString AnswerStrip::className(int index) const {
    return classNames_.value(index, QString::number(index));
}

QString AnswerStrip::describe(int index) const {
    if (index < 0 || index >= count()) return {};
    const HistoryPoint& point = history_[std::size_t(index)];
    const QString step = tr("Step %1").arg(units::count(point.step));
    switch (point.state) {
        case State::Recorded:
        case State::Computed:
            if (point.isRight())
                return tr("%1: recognised with %2").arg(step, units::percent(point.probability));
            return tr("%1: taken for %2 with %3, its own class has %4")
                .arg(step, className(point.prediction), units::percent(point.probability),
                     units::percent(point.truthProbability));
        case State::NotAsked:
            return tr("%1: not asked yet").arg(step);
        case State::Failed:
            return tr("%1: %2").arg(step, point.problem);
        case State::Gone:
            return tr("%1: its files are gone, and nothing was recorded of this sample").arg(step);
    }
    return {};
}

bool AnswerStrip::hasRoomForClasses() const {
    const QFontMetricsF metrics(smallFont());
    const qreal wide = column(0).width();
    return std::ranges::all_of(history_, [&](const HistoryPoint& point) {
        return !point.isKnown() ||
               metrics.horizontalAdvance(className(point.prediction)) + 4 <= wide;
    });
}

void AnswerStrip::paintColumn(QPainter& painter, int index) const {
    const Theme& theme = Theme::of(this);
    const HistoryPoint& point = history_[std::size_t(index)];
    const QRectF place = column(index);
    const qreal gap = place.width() >= 5 ? 1.5 : 0;
    const QRectF room(place.left() + gap, 1, std::max(1.0, place.width() - 2 * gap), kBars - 1);
    if (point.step == shownStep_) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.accentSoft);
        painter.drawRect(place);
    }
    QRectF bar = room;
    if (!point.isKnown()) {
        bar.setTop(bar.bottom() - kSign);
        // A dash for what is gone, a frame for what can be asked, a cross for what failed.
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(point.state == State::Failed ? theme.bad : theme.textSecondary, 1));
        if (point.state == State::NotAsked)
            painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
        else
            painter.drawLine(bar.bottomLeft(), bar.bottomRight());
        if (point.state == State::Failed) {
            const QRectF cross(bar.center().x() - 2.5, bar.top() - 3, 5, 5);
            painter.drawLine(cross.topLeft(), cross.bottomRight());
            painter.drawLine(cross.bottomLeft(), cross.topRight());
        }
        return;
    }
    bar.setTop(bar.bottom() - std::max(2.0, (room.height() - 1) * point.truthProbability));
    const QColor colour = point.isRight() ? theme.good : theme.bad;
    painter.setPen(point.isRight() ? QPen(Qt::NoPen) : QPen(colour, 1));
    painter.setBrush(point.isRight() ? colour : theme.toneSoft(Tone::Bad));
    painter.drawRect(point.isRight() ? bar : bar.adjusted(0.5, 0.5, -0.5, -0.5));
}

/// The first and the last step, and between them the one that is pointed at where it has room.
void AnswerStrip::paintSteps(QPainter& painter) const {
    painter.setFont(smallFont());
    painter.setPen(Theme::of(this).textSecondary);
    const QFontMetricsF metrics(smallFont());
    std::vector<QRectF> used;
    for (const int index : {0, count() - 1, current_}) {
        if (index < 0) continue;
        const QString words = units::count(history_[std::size_t(index)].step);
        QRectF place(0, kBars + kLine, metrics.horizontalAdvance(words) + 2, kLine);
        place.moveLeft(std::clamp(column(index).center().x() - place.width() / 2, 0.0,
                                  std::max(0.0, width() - place.width())));
        const bool isFree = std::ranges::none_of(used, [&place](const QRectF& each) {
            return each.adjusted(-6, 0, 6, 0).intersects(place);
        });
        if (!isFree) continue;
        used.push_back(place);
        painter.drawText(place, Qt::AlignCenter, words);
    }
}

void AnswerStrip::paintEvent(QPaintEvent*) {
    if (history_.empty()) return;
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    const qreal wide = column(count() - 1).right();
    painter.setPen(theme.hairline);
    painter.drawLine(QPointF(0, kBars + 0.5), QPointF(wide, kBars + 0.5));
    for (int i = 0; i < count(); ++i)
        paintColumn(painter, i);
    if (hasRoomForClasses()) {
        painter.setFont(smallFont());
        painter.setPen(theme.text);
        for (int i = 0; i < count(); ++i)
            if (const HistoryPoint& point = history_[std::size_t(i)]; point.isKnown())
                painter.drawText(QRectF(column(i).left(), kBars, column(i).width(), kLine),
                                 Qt::AlignCenter, className(point.prediction));
    }
    paintSteps(painter);
    if (current_ < 0) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(hasFocus() ? theme.accent : theme.textSecondary, hasFocus() ? 1.5 : 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(column(current_).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
}

bool AnswerStrip::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString words = describe(columnAt(help->pos()));
        if (words.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), words, this);
        return true;
    }
    return QWidget::event(event);
}

void AnswerStrip::keyPressEvent(QKeyEvent* event) {
    const int last = count() - 1;
    if (last < 0) return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
            return point(std::clamp(current_ + (event->key() == Qt::Key_Left ? -1 : 1), 0, last));
        case Qt::Key_Home:
            return point(0);
        case Qt::Key_End:
            return point(last);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (current_ >= 0) Q_EMIT stepOpened(history_[std::size_t(current_)].step);
            return;
        default:
            return QWidget::keyPressEvent(event);
    }
}

void AnswerStrip::mousePressEvent(QMouseEvent* event) {
    const int index = columnAt(event->position());
    if (event->button() == Qt::LeftButton && index >= 0) point(index);
}

void AnswerStrip::mouseDoubleClickEvent(QMouseEvent* event) {
    const int index = columnAt(event->position());
    if (event->button() == Qt::LeftButton && index >= 0)
        Q_EMIT stepOpened(history_[std::size_t(index)].step);
}

void AnswerStrip::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void AnswerStrip::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

}  // namespace lockstep::ui

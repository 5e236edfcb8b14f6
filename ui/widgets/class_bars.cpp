// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/class_bars.h"

#include <QFocusEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"
#include "ui/style/translated.h"
#include "ui/style/units.h"

namespace lockstep::ui {

namespace {
constexpr int kRow = 24;
constexpr int kLeastRow = 17;
constexpr int kLargestRow = 32;
constexpr qreal kBar = 8;
constexpr int kNumber = 62;
constexpr int kGap = 10;  ///< Between a name and its bar.
}  // namespace

ClassBars::ClassBars(QWidget* parent) : QWidget(parent) {
    setAccessibleRole(*this, QAccessible::Chart);
    setAccessibleName(tr("Accuracy of each class"));
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
}

void ClassBars::setValues(const QStringList& classNames, QVector<float> accuracies) {
    names_ = classNames;
    values_ = std::move(accuracies);
    values_.resize(names_.size());
    current_ = std::clamp(current_, 0, std::max(0, int(names_.size()) - 1));
    QStringList words;
    for (qsizetype i = 0; i < names_.size(); ++i) {
        words << names_[i] + QLatin1Char(' ') +
                     (std::isnan(values_[i]) ? tr("none") : units::percent(values_[i]));
    }
    setAccessibleDescription(listed(words));
    updateGeometry();
    update();
}

QSize ClassBars::sizeHint() const {
    return {260, kRow * int(std::max<qsizetype>(1, names_.size()))};
}

QSize ClassBars::minimumSizeHint() const {
    return {180, kLeastRow * int(std::max<qsizetype>(1, names_.size()))};
}

int ClassBars::weakest() const {
    int found = -1;
    for (int i = 0; i < values_.size(); ++i) {
        if (std::isnan(values_[i])) continue;
        if (found < 0 || values_[i] < values_[found]) found = i;
    }
    return found;
}

/// Whole numbers of pixels are too few for some names.
int ClassBars::nameWidth() const {
    const QFontMetricsF metrics(font());
    qreal widest = 0;
    for (const QString& name : names_)
        widest = std::max(widest, metrics.horizontalAdvance(name));
    return int(std::ceil(std::min(widest, width() * 0.35)));
}

QString ClassBars::shownName(int index) const {
    return fontMetrics().elidedText(names_[index], Qt::ElideRight, nameWidth());
}

void ClassBars::setMarked(int index) {
    if (marked_ == index) return;
    marked_ = index;
    update();
}

QRectF ClassBars::rowOf(int index) const {
    const qreal row =
        std::min<qreal>(kLargestRow, height() / qreal(std::max<qsizetype>(1, names_.size())));
    return {0, index * row, qreal(width()), row};
}

void ClassBars::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
    for (int i = 0; i < names_.size(); ++i) {
        if (!rowOf(i).contains(event->position())) continue;
        current_ = i;
        Q_EMIT classChosen(i);
        return;
    }
}

void ClassBars::keyPressEvent(QKeyEvent* event) {
    const int last = int(names_.size()) - 1;
    if (last < 0) return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
            current_ = std::clamp(current_ + (event->key() == Qt::Key_Up ? -1 : 1), 0, last);
            return update();
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            Q_EMIT classChosen(current_);
            return;
        default:
            return QWidget::keyPressEvent(event);
    }
}

void ClassBars::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void ClassBars::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

void ClassBars::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const qreal label = nameWidth() + kGap;
    const int lowest = weakest();
    for (int i = 0; i < names_.size(); ++i) {
        const QRectF line = rowOf(i);
        if (i == marked_) painter.fillRect(line, theme.accentSoft);
        if (i == current_ && hasFocus()) {
            painter.setPen(theme.accent);
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(line.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        }
        painter.setPen(theme.text);
        painter.drawText(line.adjusted(0, 0, label - kGap - width(), 0),
                         Qt::AlignRight | Qt::AlignVCenter, shownName(i));
        const QRectF groove(label, line.center().y() - kBar / 2, width() - label - kNumber, kBar);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.hairline);
        painter.drawRoundedRect(groove, kBar / 2, kBar / 2);
        const bool known = !std::isnan(values_[i]);
        if (known && values_[i] > 0) {
            QRectF bar = groove;
            bar.setWidth(std::max(kBar, groove.width() * std::min(1.0, double(values_[i]))));
            painter.setBrush(i == lowest ? theme.warn : theme.accent);
            painter.drawRoundedRect(bar, kBar / 2, kBar / 2);
        }
        painter.setPen(known ? theme.text : theme.textSecondary);
        painter.setFont(i == lowest ? strongFont() : font());
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter,
                         known ? units::percent(values_[i]) : tr("none"));
        painter.setFont(font());
    }
}

bool ClassBars::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && weakest() >= 0) {
        QToolTip::showText(
            static_cast<QHelpEvent*>(event)->globalPos(),
            tr("Weakest: %1, %2").arg(names_[weakest()], units::percent(values_[weakest()])), this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace lockstep::ui

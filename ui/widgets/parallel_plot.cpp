// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parallel_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"
#include "ui/widgets/axis_title.h"

namespace lockstep::ui {
namespace {

constexpr qreal kSide = 72;  // beside the outer axes, for their words
constexpr qreal kFoot = 28;  // below them, for the line that is told
constexpr qreal kNear = 8;   // of an axis or a line: it is meant
constexpr qreal kBrush = 6;  // half the width of a range's mark
constexpr qreal kTick = 4;
constexpr double kPale = 0.25;  // of lines that are not meant
constexpr double kLeastColour = 0.35;
constexpr int kBeat = 30;  // milliseconds

qreal distanceTo(const QPointF& point, const QPointF& from, const QPointF& to) {
    const QPointF along = to - from;
    const qreal length = QPointF::dotProduct(along, along);
    const qreal share =
        length > 0 ? std::clamp(QPointF::dotProduct(point - from, along) / length, 0.0, 1.0) : 0;
    const QPointF off = point - (from + share * along);
    return std::hypot(off.x(), off.y());
}

/// As far as is read from it: in another order the same values lie where they lay.
bool haveSameScale(const ParallelPlot::Axis& a, const ParallelPlot::Axis& b) {
    return a.isLogarithmic == b.isLogarithmic && a.ticks == b.ticks;
}

}  // namespace

ParallelPlot::ParallelPlot(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleRole(*this, QAccessible::Chart);
    setAccessibleName(tr("Settings and results of the runs, an axis each"));
    beat_.setSingleShot(true);
    beat_.callOnTimeout(this, &ParallelPlot::chooseRanges);
}

void ParallelPlot::setAxes(QVector<Axis> axes, QStringList names, int coloured) {
    const bool areSame = std::ranges::equal(axes, axes_, {}, &Axis::title, &Axis::title);
    if (!areSame) {
        ranges_ = QVector<std::optional<Range>>(axes.size());
        currentAxis_ = 0;
    }
    // Where an axis is scaled anew, other values lie in its range.
    for (int axis = 0; areSame && axis < axes.size(); ++axis)
        if (!haveSameScale(axes[axis], axes_[axis])) ranges_[axis].reset();
    beat_.stop();
    axes_ = std::move(axes);
    names_ = std::move(names);
    coloured_ = coloured;
    hovered_ = -1;
    dragged_ = -1;
    update();
}

void ParallelPlot::setChosen(const QSet<int>& lines) {
    const bool isOther = hasRanges() && lines != linesInRanges();
    if (lines == chosen_ && !isOther) return;
    if (isOther) forgetRanges();
    chosen_ = lines;
    update();
}

QRectF ParallelPlot::plot() const {
    return QRectF(rect()).adjusted(kSide, axisTitleHeight(), -kSide, -kFoot);
}

qreal ParallelPlot::axisX(int axis) const {
    const QRectF area = plot();
    return axes_.size() < 2 ? area.center().x()
                            : area.left() + area.width() * axis / qreal(axes_.size() - 1);
}

double ParallelPlot::placeAt(qreal y) const {
    const QRectF area = plot();
    return std::clamp((area.bottom() - y) / std::max(1.0, area.height()), 0.0, 1.0);
}

std::optional<QPointF> ParallelPlot::crossing(int line, int axis) const {
    const double place = axes_[axis].places.value(line, std::nan(""));
    if (std::isnan(place)) return std::nullopt;
    const QRectF area = plot();
    return QPointF(axisX(axis), area.bottom() - place * area.height());
}

/// Broken where it has no place.
QVector<QPolygonF> ParallelPlot::pieces(int line) const {
    QVector<QPolygonF> all(1);
    for (int axis = 0; axis < axes_.size(); ++axis) {
        if (const auto point = crossing(line, axis))
            all.last().append(*point);
        else if (!all.last().isEmpty())
            all.append(QPolygonF());
    }
    return all;
}

bool ParallelPlot::hasRanges() const {
    return std::any_of(ranges_.begin(), ranges_.end(), [](const auto& range) { return !!range; });
}

bool ParallelPlot::isInRanges(int line) const {
    for (int axis = 0; axis < axes_.size(); ++axis) {
        if (!ranges_[axis]) continue;
        const double place = axes_[axis].places.value(line, std::nan(""));
        if (!(place >= ranges_[axis]->low && place <= ranges_[axis]->high)) return false;
    }
    return true;
}

QSet<int> ParallelPlot::linesInRanges() const {
    QSet<int> lines;
    for (int line = 0; line < names_.size(); ++line)
        if (isInRanges(line)) lines.insert(line);
    return lines;
}

int ParallelPlot::axisAt(const QPointF& position) const {
    for (int axis = 0; axis < axes_.size(); ++axis)
        if (std::abs(axisX(axis) - position.x()) <= kNear) return axis;
    return -1;
}

int ParallelPlot::lineAt(const QPointF& position) const {
    qreal nearest = kNear;
    int found = -1;
    for (int line = 0; line < names_.size(); ++line) {
        for (const QPolygonF& piece : pieces(line)) {
            for (qsizetype i = 0; i < piece.size(); ++i) {
                const qreal distance =
                    distanceTo(position, piece[std::max<qsizetype>(i - 1, 0)], piece[i]);
                if (distance >= nearest) continue;
                nearest = distance;
                found = line;
            }
        }
    }
    return found;
}

QColor ParallelPlot::colourOf(int line) const {
    const Theme& theme = Theme::of(this);
    if (coloured_ < 0) return theme.accent;
    const double place = axes_[coloured_].places.value(line, std::nan(""));
    if (std::isnan(place)) return theme.textDisabled;
    return mixed(theme.surface, theme.accent, kLeastColour + (1 - kLeastColour) * place);
}

QString ParallelPlot::readout() const {
    if (hovered_ < 0 || hovered_ >= names_.size()) return {};
    return names_[hovered_];
}

void ParallelPlot::paintAxis(QPainter& painter, int axis) const {
    const Theme& theme = Theme::of(this);
    const QRectF area = plot();
    const qreal x = axisX(axis);
    const bool isCurrent = hasFocus() && axis == currentAxis_;
    painter.setPen(QPen(isCurrent ? theme.accent : theme.textSecondary, isCurrent ? 2 : 1));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    if (const auto& range = ranges_[axis]) {
        QRectF brush(x - kBrush, area.bottom() - range->high * area.height(), 2 * kBrush,
                     (range->high - range->low) * area.height());
        painter.setPen(QPen(theme.accent, 1));
        painter.setBrush(theme.accentSoft);
        painter.drawRect(brush);
    }
    const qreal room = axes_.size() < 2 ? area.width() : area.width() / qreal(axes_.size() - 1);
    const QFontMetricsF metrics(painter.font());
    painter.setPen(theme.text);
    paintAxisTitle(painter, axes_[axis].title, {x, axisTitleHeight() - 1.5 * kGrid},
                   room - 2 * kGrid, rect());
    painter.setFont(smallFont());
    qreal last = std::numeric_limits<qreal>::max();
    for (const Tick& tick : axes_[axis].ticks) {
        const qreal y = area.bottom() - tick.place * area.height();
        painter.setPen(theme.textSecondary);
        painter.drawLine(QPointF(x - kTick, y), QPointF(x, y));
        if (last - y < metrics.height()) continue;
        last = y;
        const qreal width = axis == 0 ? kSide - 2 * kTick : std::min(room / 2, kSide) - 2 * kTick;
        const QString words =
            QFontMetricsF(smallFont()).elidedText(tick.words, Qt::ElideMiddle, width);
        const qreal used = QFontMetricsF(smallFont()).horizontalAdvance(words);
        const QRectF place(x - 2 * kTick - used, y - metrics.height() / 2, used, metrics.height());
        painter.fillRect(place.adjusted(-1, 1, 1, -1), theme.surface);
        painter.setPen(theme.text);
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, words);
    }
    painter.setFont(font());
}

void ParallelPlot::paintLine(QPainter& painter, int line, bool stands) const {
    QColor colour = colourOf(line);
    if (!stands) colour.setAlphaF(float(kPale));
    const bool isStrong = stands && (line == hovered_ || chosen_.contains(line));
    painter.setPen(QPen(isStrong ? Theme::of(this).accent : colour, line == hovered_ ? 3
                                                                    : isStrong       ? 2.4
                                                                                     : 1.4));
    for (const QPolygonF& piece : pieces(line)) {
        if (piece.size() == 1)
            painter.drawEllipse(piece[0], 2, 2);
        else
            painter.drawPolyline(piece);
    }
}

void ParallelPlot::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    const bool some = !chosen_.isEmpty();
    const auto stands = [&](int line) {
        return isInRanges(line) && (!some || chosen_.contains(line) || line == hovered_);
    };
    for (const bool front : {false, true}) {
        for (int line = 0; line < names_.size(); ++line)
            if (stands(line) == front && line != hovered_) paintLine(painter, line, front);
    }
    if (hovered_ >= 0) paintLine(painter, hovered_, true);
    for (int axis = 0; axis < axes_.size(); ++axis)
        paintAxis(painter, axis);
    painter.setFont(smallFont());
    painter.setPen(theme.textSecondary);
    const QString words =
        readout().isEmpty()
            ? tr("Drag along an axis to choose the runs that pass there; a click chooses one")
            : readout();
    painter.drawText(
        QRectF(kGrid, height() - kFoot, width() - 2 * kGrid, kFoot), Qt::AlignCenter,
        QFontMetricsF(smallFont()).elidedText(words, Qt::ElideRight, width() - 2 * kGrid));
}

void ParallelPlot::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    pressed_ = event->position();
    dragged_ = axisAt(pressed_);
    if (dragged_ >= 0) currentAxis_ = dragged_;
}

void ParallelPlot::mouseMoveEvent(QMouseEvent* event) {
    if (dragged_ >= 0 && (event->buttons() & Qt::LeftButton)) {
        const double from = placeAt(pressed_.y());
        const double to = placeAt(event->position().y());
        if (std::abs(event->position().y() - pressed_.y()) < kNear / 2) return;
        ranges_[dragged_] = Range{std::min(from, to), std::max(from, to)};
        if (!beat_.isActive()) beat_.start(kBeat);
        return update();
    }
    setCurrent(lineAt(event->position()));
    setCursor(axisAt(event->position()) >= 0 ? Qt::SizeVerCursor
              : hovered_ >= 0                ? Qt::PointingHandCursor
                                             : Qt::ArrowCursor);
}

void ParallelPlot::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const int axis = std::exchange(dragged_, -1);
    const QPointF way = event->position() - pressed_;
    if (beat_.isActive()) chooseRanges();
    if (std::hypot(way.x(), way.y()) >= kNear / 2) return;
    if (axis >= 0 && ranges_[axis]) {
        ranges_[axis].reset();  // a click on it gives a range up
        return chooseRanges();
    }
    const int line = lineAt(event->position());
    if (line < 0) return;
    QSet<int> lines = event->modifiers() & Qt::ControlModifier ? chosen_ : QSet<int>();
    if (!lines.remove(line)) lines.insert(line);
    Q_EMIT chosenByUser(lines);
}

void ParallelPlot::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const int line = lineAt(event->position()); line >= 0)
        Q_EMIT opened(line);
    else
        clearRanges();
}

void ParallelPlot::leaveEvent(QEvent*) {
    setCurrent(-1);
}

void ParallelPlot::setCurrent(int line) {
    if (line == hovered_) return;
    hovered_ = line;
    setAccessibleDescription(readout());
    update();
}

/// All ranges together.
void ParallelPlot::chooseRanges() {
    beat_.stop();
    update();
    Q_EMIT chosenByUser(hasRanges() ? linesInRanges() : QSet<int>());
}

void ParallelPlot::clearRanges() {
    if (!hasRanges()) return;
    forgetRanges();
    chooseRanges();
}

void ParallelPlot::forgetRanges() {
    beat_.stop();
    ranges_.fill(std::nullopt);
}

/// Through the lines from the low end of the current axis up.
void ParallelPlot::moveCurrent(int steps) {
    if (axes_.isEmpty()) return;
    const QVector<double>& places = axes_[currentAxis_].places;
    QVector<int> order;
    for (int line = 0; line < names_.size(); ++line)
        if (!std::isnan(places.value(line, std::nan("")))) order << line;
    if (order.isEmpty()) return;
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return places[a] < places[b]; });
    const qsizetype now = order.indexOf(hovered_);
    const qsizetype next = now < 0 ? (steps > 0 ? 0 : order.size() - 1)
                                   : std::clamp<qsizetype>(now + steps, 0, order.size() - 1);
    setCurrent(order[next]);
}

void ParallelPlot::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
            currentAxis_ = std::clamp(currentAxis_ + (event->key() == Qt::Key_Left ? -1 : 1), 0,
                                      std::max(0, axisCount() - 1));
            return update();
        case Qt::Key_Up:
            return moveCurrent(1);
        case Qt::Key_Down:
            return moveCurrent(-1);
        case Qt::Key_Space:
            if (hovered_ >= 0) {
                QSet<int> lines = chosen_;
                if (!lines.remove(hovered_)) lines.insert(hovered_);
                Q_EMIT chosenByUser(lines);
            }
            return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (hovered_ >= 0 && event->modifiers() == Qt::NoModifier)
                return Q_EMIT opened(hovered_);
            break;
        case Qt::Key_Escape:
            if (hasRanges()) return clearRanges();
            break;
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

}  // namespace lockstep::ui

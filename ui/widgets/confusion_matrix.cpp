// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/confusion_matrix.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/style/theme.h"
#include "ui/style/units.h"

namespace lockstep::ui {

namespace {

constexpr int kTitleBand = 20;   // "prediction" above, the readout below
constexpr qreal kGap = 1.5;      // between cells
constexpr int kWordsAir = 16;    // since the font's widths are rounded
constexpr int kLeastDigits = 7;  // pixels of a count's height that can still be read

/// Right answers in the accent, wrong ones in the bad colour. The root of the share spreads the
/// rare mistakes, which are what one looks for.
QColor cellColour(const Theme& theme, double share, bool right) {
    if (share <= 0) return mixed(theme.surface, theme.text, 0.04);
    const QColor full = right ? theme.accent : theme.bad;
    return mixed(theme.surface, full, 0.12 + 0.88 * std::sqrt(std::min(1.0, share)));
}

QColor inkOn(const QColor& ground) {
    const double luminance = 0.299 * ground.red() + 0.587 * ground.green() + 0.114 * ground.blue();
    return luminance > 140 ? QColor(0x1b, 0x1f, 0x27) : QColor(Qt::white);
}

}  // namespace

ConfusionMatrix::ConfusionMatrix(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Confusion matrix"));
}

void ConfusionMatrix::setCounts(const QStringList& classNames, QVector<quint32> counts) {
    const qsizetype classes = classNames.size();
    if (counts.size() != classes * classes) return;
    names_ = classNames;
    counts_ = std::move(counts);
    rowSums_.fill(0, classes);
    for (qsizetype i = 0; i < counts_.size(); ++i)
        rowSums_[i / classes] += counts_[i];
    if (chosen_.x() >= classes || chosen_.y() >= classes) chosen_ = {-1, -1};
    hovered_ = {-1, -1};
    setAccessibleDescription(readout());
    updateGeometry();
    update();
}

void ConfusionMatrix::setMarked(const QPoint& cell) {
    marked_ = cell;
    update();
}

void ConfusionMatrix::clear() {
    setCounts({}, {});
}

quint32 ConfusionMatrix::countAt(int truth, int prediction) const {
    return counts_[qsizetype(truth) * names_.size() + prediction];
}

QString ConfusionMatrix::readout() const {
    const QPoint cell = hovered_.x() >= 0 ? hovered_ : chosen_;
    if (cell.x() < 0 || names_.isEmpty()) return {};
    const quint64 all = rowSums_[cell.y()];
    const quint32 count = countAt(cell.y(), cell.x());
    const QString share = units::percent(all > 0 ? double(count) / double(all) : 0);
    const QString numbers =
        tr("%1 of %2 (%3)").arg(units::count(count), units::count(qint64(all)), share);
    const QString& truth = names_[cell.y()];
    return cell.x() == cell.y() ? tr("%1 recognised: %2").arg(truth, numbers)
                                : tr("%1 taken for %2: %3").arg(truth, names_[cell.x()], numbers);
}

QSize ConfusionMatrix::sizeHint() const {
    return {380, 400};
}

QSize ConfusionMatrix::minimumSizeHint() const {
    return {240, 260};
}

ConfusionMatrix::Geometry ConfusionMatrix::layoutCells() const {
    const QFontMetricsF metrics(smallFont());
    qreal label = 0;
    for (const QString& name : names_)
        label = std::max(label, metrics.horizontalAdvance(name));
    const qreal left = kTitleBand + std::min(label, width() * 0.25) + 8;
    const qreal top = kTitleBand + metrics.height() + 4;
    const qreal space = std::min(width() - left - 1, height() - top - kTitleBand - 6);
    const qreal side = std::floor(space / qreal(std::max<qsizetype>(1, names_.size())));
    const qreal extent = side * qreal(names_.size());
    const qreal margin = std::max(0.0, std::floor((width() - left - extent) / 2));
    return {QRectF(margin + left, top, extent, extent), side, margin};
}

QPoint ConfusionMatrix::cellAt(const QPointF& position) const {
    const Geometry geometry = layoutCells();
    if (geometry.side <= 0 || !geometry.cells.contains(position)) return {-1, -1};
    const QPointF inside = position - geometry.cells.topLeft();
    const int last = int(names_.size()) - 1;
    return {std::min(last, int(inside.x() / geometry.side)),
            std::min(last, int(inside.y() / geometry.side))};
}

void ConfusionMatrix::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (names_.isEmpty()) {
        painter.setPen(theme.textSecondary);
        painter.drawText(rect(), Qt::AlignCenter, tr("No evaluation yet"));
        return;
    }
    const Geometry geometry = layoutCells();
    painter.setFont(smallFont());
    paintCells(painter, geometry);
    paintAxes(painter, geometry);
    paintReadout(painter, geometry);
}

void ConfusionMatrix::paintReadout(QPainter& painter, const Geometry& geometry) const {
    QString words = readout();
    if (words.isEmpty()) words = tr("Point at a cell, or use the arrow keys");
    const QFontMetrics metrics = painter.fontMetrics();
    // From the matrix's edge where that leaves room, else from the widget's.
    const int wanted = int(std::ceil(metrics.boundingRect(words).width())) + kWordsAir;
    const int left = std::max(0, std::min(int(geometry.cells.left()), width() - wanted));
    const QRect line(left, int(geometry.cells.bottom()) + 6, width() - left, kTitleBand);
    painter.setPen(Theme::of(this).textSecondary);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(words, Qt::ElideRight, line.width()));
}

QFont ConfusionMatrix::countFont(qreal side) const {
    QFont font = smallFont();
    const QFontMetricsF metrics(font);
    qreal widest = 1;
    for (const quint32 count : counts_)
        widest = std::max(widest, metrics.horizontalAdvance(QString::number(count)));
    const qreal shrink = std::min(1.0, (side - kGap - 2) / widest);
    font.setPixelSize(std::max(1, int(QFontInfo(font).pixelSize() * shrink)));
    return font;
}

void ConfusionMatrix::paintCells(QPainter& painter, const Geometry& geometry) const {
    const Theme& theme = Theme::of(this);
    const int classes = int(names_.size());
    painter.save();
    painter.setFont(countFont(geometry.side));
    const bool legible = painter.font().pixelSize() >= kLeastDigits;
    for (int truth = 0; truth < classes; ++truth) {
        for (int prediction = 0; prediction < classes; ++prediction) {
            const quint32 count = countAt(truth, prediction);
            const double share = rowSums_[truth] > 0 ? double(count) / double(rowSums_[truth]) : 0;
            const QColor ground = cellColour(theme, share, truth == prediction);
            const QRectF cell =
                QRectF(geometry.cells.left() + prediction * geometry.side,
                       geometry.cells.top() + truth * geometry.side, geometry.side, geometry.side)
                    .adjusted(0, 0, -kGap, -kGap);
            const bool marked = QPoint(prediction, truth) == hovered_ ||
                                (hasFocus() && QPoint(prediction, truth) == chosen_);
            painter.setPen(marked ? QPen(theme.text, 1.5) : QPen(Qt::NoPen));
            if (QPoint(prediction, truth) == marked_) painter.setPen(QPen(theme.accent, 2.5));
            painter.setBrush(ground);
            painter.drawRoundedRect(cell, 2, 2);
            if (count == 0 || !legible) continue;
            painter.setPen(inkOn(ground));
            painter.drawText(cell, Qt::AlignCenter, QString::number(count));
        }
    }
    painter.restore();
}

void ConfusionMatrix::paintAxes(QPainter& painter, const Geometry& geometry) const {
    const Theme& theme = Theme::of(this);
    const QRectF& cells = geometry.cells;
    painter.setPen(theme.textSecondary);
    painter.drawText(QRectF(cells.left(), 0, cells.width(), kTitleBand), Qt::AlignCenter,
                     tr("Prediction"));
    painter.save();
    painter.translate(geometry.margin, cells.bottom());
    painter.rotate(-90);
    painter.drawText(QRectF(0, 0, cells.height(), kTitleBand), Qt::AlignCenter, tr("Truth"));
    painter.restore();
    painter.setPen(theme.text);
    const QFontMetrics metrics = painter.fontMetrics();
    for (int i = 0; i < names_.size(); ++i) {
        const QRectF above(cells.left() + i * geometry.side, kTitleBand, geometry.side - kGap,
                           metrics.height() + 2);
        painter.drawText(above, Qt::AlignCenter,
                         metrics.elidedText(names_[i], Qt::ElideRight, int(geometry.side)));
        const QRectF beside(geometry.margin + kTitleBand, cells.top() + i * geometry.side,
                            cells.left() - geometry.margin - kTitleBand - 6, geometry.side - kGap);
        painter.drawText(beside, Qt::AlignRight | Qt::AlignVCenter,
                         metrics.elidedText(names_[i], Qt::ElideRight, int(beside.width())));
    }
}

void ConfusionMatrix::mouseMoveEvent(QMouseEvent* event) {
    const QPoint cell = cellAt(event->position());
    if (cell == hovered_) return;
    hovered_ = cell;
    update();
}

void ConfusionMatrix::mousePressEvent(QMouseEvent* event) {
    const QPoint cell = cellAt(event->position());
    if (event->button() != Qt::LeftButton || cell.x() < 0) return;
    choose(cell);
    Q_EMIT cellActivated(cell.y(), cell.x());
}

void ConfusionMatrix::leaveEvent(QEvent* event) {
    hovered_ = {-1, -1};
    update();
    QWidget::leaveEvent(event);
}

void ConfusionMatrix::keyPressEvent(QKeyEvent* event) {
    if (names_.isEmpty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const int last = int(names_.size()) - 1;
    QPoint cell(std::max(0, chosen_.x()), std::max(0, chosen_.y()));
    switch (event->key()) {
        case Qt::Key_Left:
            cell.rx() = std::max(0, cell.x() - 1);
            break;
        case Qt::Key_Right:
            cell.rx() = std::min(last, cell.x() + 1);
            break;
        case Qt::Key_Up:
            cell.ry() = std::max(0, cell.y() - 1);
            break;
        case Qt::Key_Down:
            cell.ry() = std::min(last, cell.y() + 1);
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            Q_EMIT cellActivated(cell.y(), cell.x());
            return;
        default:
            QWidget::keyPressEvent(event);
            return;
    }
    hovered_ = {-1, -1};
    choose(cell);
}

void ConfusionMatrix::focusInEvent(QFocusEvent* event) {
    if (chosen_.x() < 0 && !names_.isEmpty()) choose({0, 0});
    QWidget::focusInEvent(event);
    update();
}

void ConfusionMatrix::choose(const QPoint& cell) {
    chosen_ = cell;
    setAccessibleDescription(readout());
    update();
}

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// How the confusion matrix is painted.
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/style/theme.h"
#include "ui/widgets/confusion_matrix.h"

namespace lockstep::ui {

namespace {

constexpr int kTitleBand = 20;   // "prediction" above, the readout below
constexpr qreal kGap = 1.5;      // between cells
constexpr int kWordsAir = 16;    // since the font's widths are rounded
constexpr int kLeastDigits = 9;  // pixels of a font in which a count can still be read
constexpr qreal kLeastCell = 6;  // smaller ones are pixels of a picture

}  // namespace

void ConfusionMatrix::paintReadout(QPainter& painter, const Geometry& geometry) const {
    QString words = readout();
    if (words.isEmpty())
        words = geometry.side < kLeastCell
                    ? tr("Point at a cell; + and the wheel with Ctrl enlarge, 0 shows all")
                    : tr("Point at a cell, or use the arrow keys");
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
    quint32 largest = 1;
    for (const quint32 count : counts_.counts)
        largest = std::max(largest, count);
    const qreal widest = metrics.horizontalAdvance(QString::number(largest));
    const qreal shrink = std::min(1.0, (side - kGap - 2) / widest);
    font.setPixelSize(std::max(1, int(QFontInfo(font).pixelSize() * shrink)));
    return font;
}

void ConfusionMatrix::paintCells(QPainter& painter, const Geometry& geometry) const {
    painter.save();
    painter.setClipRect(geometry.cells.adjusted(-2, -2, 2, 2));
    if (geometry.side < kLeastCell) {
        paintPicture(painter, geometry);
    } else {
        painter.setFont(countFont(geometry.side));
        const bool isLegible = painter.font().pixelSize() >= kLeastDigits;
        const QPoint first = firstSeen(geometry);
        const QPoint last = lastSeen(geometry);
        for (int truth = first.y(); truth <= last.y(); ++truth)
            for (int prediction = first.x(); prediction <= last.x(); ++prediction)
                paintCell(painter, geometry, truth, prediction, isLegible);
    }
    painter.restore();
}

void ConfusionMatrix::paintCell(QPainter& painter, const Geometry& geometry, int truth,
                                int prediction, bool isLegible) const {
    const Theme& theme = Theme::of(this);
    const quint32 count = counts_.at(truth, prediction);
    const QColor ground =
        confusionColour(theme, counts_.shareAt(truth, prediction), truth == prediction);
    const QRectF cell = geometry.cellRect(truth, prediction).adjusted(0, 0, -kGap, -kGap);
    const QPoint place(prediction, truth);
    const bool isMarked = place == hovered_ || (hasFocus() && place == chosen_);
    painter.setPen(isMarked ? QPen(theme.text, 1.5) : QPen(Qt::NoPen));
    if (place == marked_) painter.setPen(QPen(theme.accent, 2.5));
    painter.setBrush(ground);
    painter.drawRoundedRect(cell, 2, 2);
    if (count == 0 || !isLegible) return;
    painter.setPen(inkOn(ground));
    painter.drawText(cell, Qt::AlignCenter, QString::number(count));
}

void ConfusionMatrix::paintPicture(QPainter& painter, const Geometry& geometry) const {
    const Theme& theme = Theme::of(this);
    const QRectF source((geometry.cells.topLeft() - geometry.origin) / geometry.side,
                        geometry.cells.size() / geometry.side);
    const QSize pixels = (geometry.cells.size() * devicePixelRatioF()).toSize();
    if (picture_.size() != pixels || pictureOf_ != source || pictureIsDark_ != theme.dark) {
        picture_ = confusionPicture(counts_, source, pixels, theme);
        pictureOf_ = source;
        pictureIsDark_ = theme.dark;
    }
    painter.drawImage(geometry.cells, picture_);
    painter.setBrush(Qt::NoBrush);
    for (const QPoint& cell : {hovered_.x() >= 0 ? hovered_ : chosen_, marked_}) {
        if (cell.x() < 0) continue;
        painter.setPen(QPen(cell == marked_ ? theme.accent : theme.text, 1.5));
        painter.drawRect(geometry.cellRect(cell.y(), cell.x()).adjusted(-2, -2, 2, 2));
    }
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
    const QFontMetrics metrics = painter.fontMetrics();
    if (!hasLabels(geometry)) return;  // the readout names the cells
    painter.setPen(theme.text);
    const QPoint first = firstSeen(geometry);
    const QPoint last = lastSeen(geometry);
    for (int i = first.x(); i <= last.x(); ++i) {
        const QRectF above(geometry.origin.x() + i * geometry.side, kTitleBand,
                           geometry.side - kGap, metrics.height() + 2);
        painter.drawText(above & QRectF(cells.left(), 0, cells.width(), height()), Qt::AlignCenter,
                         metrics.elidedText(names_[i], Qt::ElideRight, int(geometry.side)));
    }
    painter.setClipRect(QRectF(0, cells.top(), width(), cells.height()));
    for (int i = first.y(); i <= last.y(); ++i) {
        const QRectF beside(geometry.margin + kTitleBand, geometry.origin.y() + i * geometry.side,
                            cells.left() - geometry.margin - kTitleBand - 6, geometry.side - kGap);
        painter.drawText(beside, Qt::AlignRight | Qt::AlignVCenter,
                         metrics.elidedText(names_[i], Qt::ElideRight, int(beside.width())));
    }
    painter.setClipping(false);
}

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/readout.h"

#include <QObject>
#include <algorithm>
#include <cmath>

#include "ui/style/theme.h"

namespace lockstep::ui {

namespace {

constexpr qreal kPadding = 8;
constexpr qreal kSwatch = 8;
constexpr qreal kDistance = 12;  // from the line

void paintLineAndDots(QPainter& painter, const QRectF& plot, const Readout& readout) {
    const Theme& theme = Theme::current();
    const qreal x = std::round(plot.left() + readout.x * plot.width()) + 0.5;
    painter.setPen(QPen(theme.textSecondary, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    for (const Readout::Row& row : readout.rows) {
        if (!(row.y >= 0 && row.y <= 1)) continue;
        painter.setPen(QPen(theme.surface, 1.5));
        painter.setBrush(row.colour);
        painter.drawEllipse(QPointF(x, plot.bottom() - row.y * plot.height()), 3.5, 3.5);
    }
}

}  // namespace

void paintReadout(QPainter& painter, const QRectF& plot, const Readout& readout) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    paintLineAndDots(painter, plot, readout);

    const Theme& theme = Theme::current();
    painter.setFont(smallFont());
    const QFontMetricsF metrics(painter.font(), painter.device());
    const qreal line = metrics.height() + 2;
    const int notes = int(readout.notes.size());
    const int tail = readout.others.isEmpty() ? 0 : 1;
    const int all = int(readout.rows.size());
    const int room = int((plot.height() - 2 * kPadding) / line) - 1 - notes;
    // What does not fit has one line, which stands for those that are not named, too. It says
    // nothing of their values: the rows are not in one order.
    const int shown = all + tail <= room ? all : std::clamp(room - 1, 0, all);
    const QString more =
        tail == 1 ? QObject::tr("and others") : QObject::tr("and %1 more").arg(all - shown);
    const QString others = shown < all ? more : readout.others;
    qreal names = 0;
    qreal values = 0;
    for (int i = 0; i < shown; ++i) {
        names = std::max(names, metrics.horizontalAdvance(readout.rows[i].name));
        values = std::max(values, metrics.horizontalAdvance(readout.rows[i].value));
    }
    qreal inner = std::max({metrics.horizontalAdvance(readout.headline),
                            metrics.horizontalAdvance(others), kSwatch + 6 + names + 16 + values});
    for (const QString& note : readout.notes)
        inner = std::max(inner, std::min(metrics.horizontalAdvance(note), plot.width() / 2));
    const QSizeF size(inner + 2 * kPadding,
                      line * (1 + notes + shown + (others.isEmpty() ? 0 : 1)) + 2 * kPadding - 2);
    const qreal at = plot.left() + readout.x * plot.width();
    qreal left = at + kDistance;
    if (left + size.width() > plot.right())
        left = std::max(plot.left(), at - kDistance - size.width());
    const QRectF box(QPointF(std::round(left) + 0.5, std::round(plot.top() + 4) + 0.5), size);
    QColor ground = theme.raised;
    ground.setAlpha(240);
    painter.setPen(QPen(theme.hairline, 1));
    painter.setBrush(ground);
    painter.drawRoundedRect(box, 6, 6);

    QRectF row(box.left() + kPadding, box.top() + kPadding - 1, inner, line);
    painter.setPen(theme.textSecondary);
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, readout.headline);
    painter.setPen(theme.text);
    for (const QString& note : readout.notes) {
        row.translate(0, line);
        painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(note, Qt::ElideRight, inner));
    }
    for (int i = 0; i < shown; ++i) {
        row.translate(0, line);
        painter.setPen(Qt::NoPen);
        painter.setBrush(readout.rows[i].colour);
        painter.drawEllipse(QRectF(row.left(), row.center().y() - kSwatch / 2, kSwatch, kSwatch));
        painter.setPen(theme.text);
        painter.drawText(row.adjusted(kSwatch + 6, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         readout.rows[i].name);
        painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, readout.rows[i].value);
    }
    if (!others.isEmpty()) {
        painter.setPen(theme.textSecondary);
        painter.drawText(row.translated(0, line), Qt::AlignLeft | Qt::AlignVCenter, others);
    }
    painter.restore();
}

}  // namespace lockstep::ui

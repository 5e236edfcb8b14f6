// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/axis_title.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/style/theme.h"

namespace lockstep::ui {

void paintAxisTitle(QPainter& painter, const QString& title, const QPointF& foot, qreal room,
                    const QRectF& bounds) {
    painter.setFont(strongFont());
    const QFontMetricsF metrics(strongFont());
    const QRectF most(0, 0, room, 2 * metrics.lineSpacing());
    QString words = title;
    QRectF place = metrics.boundingRect(most, Qt::TextWordWrap, words);
    if (place.width() > room || place.height() > most.height() + 1) {
        words = metrics.elidedText(title, Qt::ElideRight, room);
        place = metrics.boundingRect(most, Qt::TextWordWrap, words);
    }
    place.setWidth(place.width() + 2);  // a hair of air, else it may wrap again
    place.moveLeft(std::clamp(foot.x() - place.width() / 2, bounds.left(),
                              std::max(bounds.left(), bounds.right() - place.width())));
    place.moveBottom(foot.y());
    painter.drawText(place, Qt::AlignHCenter | Qt::TextWordWrap, words);
}

qreal axisTitleHeight() {
    return std::max(44.0, std::ceil(2 * QFontMetricsF(strongFont()).lineSpacing()) + 1.5 * kGrid);
}

}  // namespace lockstep::ui

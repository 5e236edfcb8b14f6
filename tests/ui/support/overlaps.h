// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QLabel>
#include <QWidget>

#include "ui/charts/surface/chart_card.h"
#include "ui/charts/surface/heartbeat_chart.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/figure_label.h"

namespace lockstep::testsupport {

/// Where the part of a widget that can be seen lies in the window.
inline QRect seenPlace(const QWidget* widget) {
    const QRect seen = widget->visibleRegion().boundingRect();
    return {widget->mapTo(widget->window(), seen.topLeft()), seen.size()};
}

/// Of a label.
inline QString textOf(const QWidget& widget) {
    const auto* label = qobject_cast<const QLabel*>(&widget);
    return label ? label->text() : QString();
}

/// Labels and buttons of which one covers a part of another.
inline QStringList overlaps(const QWidget& window) {
    QList<QWidget*> widgets;
    for (QWidget* widget : window.findChildren<QWidget*>()) {
        const bool speaks =
            qobject_cast<QLabel*>(widget) || qobject_cast<QAbstractButton*>(widget) ||
            qobject_cast<ui::ElidedLabel*>(widget) || qobject_cast<ui::FigureLabel*>(widget) ||
            qobject_cast<ui::HeartbeatChart*>(widget) || qobject_cast<ui::ChartCard*>(widget);
        if (speaks && widget->isVisible() && !widget->visibleRegion().isEmpty()) widgets << widget;
    }
    QStringList found;
    for (qsizetype i = 0; i < widgets.size(); ++i) {
        for (qsizetype j = i + 1; j < widgets.size(); ++j) {
            if (widgets[i]->isAncestorOf(widgets[j]) || widgets[j]->isAncestorOf(widgets[i]))
                continue;
            if (!seenPlace(widgets[i]).intersects(seenPlace(widgets[j]))) continue;
            found << textOf(*widgets[i]) + widgets[i]->objectName() + QLatin1Char('/') +
                         widgets[i]->accessibleName() + QStringLiteral(" and ") +
                         textOf(*widgets[j]) + widgets[j]->objectName() + QLatin1Char('/') +
                         widgets[j]->accessibleName();
        }
    }
    return found;
}

}  // namespace lockstep::testsupport

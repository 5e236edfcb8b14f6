// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWheelEvent>
#include <QtTest>

#include "ui/charts/surface/chart_surface.h"
#include "ui/charts/surface/live_chart.h"

namespace lockstep::testsupport {

using ui::AxisRange;
using ui::ChartGroup;
using ui::ChartSurface;
using ui::LiveChart;

/// Two charts of a group with two replicas, shown.
struct ChartPage {
    ChartGroup group;
    QWidget window;
    LiveChart* loss = new LiveChart(&group, &window);
    LiveChart* time = new LiveChart(&group, &window);

    ChartPage() {
        loss->setTitle(QStringLiteral("Loss"));
        loss->setGeometry(0, 0, 600, 300);
        time->setGeometry(0, 300, 600, 300);
        window.resize(600, 600);
        group.setSeries({{QStringLiteral("replica 0"), {}, false, -1},
                         {QStringLiteral("replica 1"), {}, false, -1}});
        append(1, 1000);
        window.show();
    }

    void append(qint64 first, int count) {
        std::vector<float> values;
        for (int i = 0; i < count; ++i)
            values.push_back(float(first + i) / 1000);
        for (int replica = 0; replica < 2; ++replica) {
            loss->appendSteps(replica, first, values);
            time->appendSteps(replica, first, values);
            for (float& value : values)
                value += 0.25f;
        }
    }

    QWidget* viewport() const { return loss->findChild<ChartSurface*>()->viewport(); }
    QWidget* surface() const { return loss->findChild<ChartSurface*>(); }

    void drag(QPointF from, QPointF to, Qt::MouseButton button, Qt::KeyboardModifiers keys) const {
        QTest::mousePress(viewport(), button, keys, from.toPoint());
        QMouseEvent move(QEvent::MouseMove, to, viewport()->mapToGlobal(to), Qt::NoButton, button,
                         keys);
        QApplication::sendEvent(viewport(), &move);
        QTest::mouseRelease(viewport(), button, keys, to.toPoint());
    }

    void wheel(QPointF at, int notches, Qt::KeyboardModifiers keys = {}) const {
        QWheelEvent event(at, viewport()->mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton,
                          keys, Qt::NoScrollPhase, false);
        QApplication::sendEvent(viewport(), &event);
    }

    /// Where a step lies, so far above the foot of the plot.
    QPointF placeOf(double step, double above) const {
        const QRectF plot = loss->plotArea();
        const AxisRange x = group.xRange();
        return {plot.left() + (step - x.first) / (x.last - x.first) * plot.width(),
                plot.bottom() - above};
    }

    void hover(QPointF at) const {
        QMouseEvent move(QEvent::MouseMove, at, viewport()->mapToGlobal(at), Qt::NoButton,
                         Qt::NoButton, {});
        QApplication::sendEvent(viewport(), &move);
    }

    double width() const { return group.xRange().last - group.xRange().first; }
};

}  // namespace lockstep::testsupport

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>
#include <QWidget>

#include "ui/charts/surface/live_chart.h"

namespace lockstep::testsupport {

/// Waits until nothing of the window is still to be laid out, and every chart that is seen shows
/// what it has.
inline void settle(const QWidget& window) {
    QCoreApplication::processEvents();  // layouts, and those that they ask for
    for (const ui::LiveChart* chart : window.findChildren<ui::LiveChart*>()) {
        if (chart->isVisible())
            (void)QTest::qWaitFor([chart] { return chart->isUpToDate(); }, 20'000);
    }
    QCoreApplication::processEvents();
}

}  // namespace lockstep::testsupport

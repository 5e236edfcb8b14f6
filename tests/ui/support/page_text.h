// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows of a run, page by page, as lines of text, from the models and the charts.
#pragma once

#include <QBuffer>
#include <QCryptographicHash>
#include <QFile>
#include <QLabel>
#include <QTest>
#include <QToolButton>

#include "core/job/fold/session.h"
#include "tests/support/view_text.h"
#include "ui/charts/picture/chart_csv.h"
#include "ui/charts/surface/chart_group.h"
#include "ui/charts/surface/heartbeat_chart.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/charts/surface/timeline_chart.h"
#include "ui/pages/evaluator/evaluator_desk.h"
#include "ui/pages/evaluator/evaluator_page.h"
#include "ui/pages/live/live_page.h"
#include "ui/pages/logs/logs_page.h"
#include "ui/pages/replicas/replicas_page.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/figure_label.h"
#include "ui/widgets/metric_tile.h"
#include "ui/widgets/progress_strip.h"
#include "ui/widgets/state_pill.h"

namespace lockstep::testsupport {

inline void addText(Lines& lines, const char* what, const QString& text) {
    lines.push_back(std::string(what) + ": " + text.toStdString());
}

/// Every cell, as it is shown.
inline void addModel(Lines& lines, const char* what, const QAbstractItemModel& model) {
    for (int row = 0; row < model.rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < model.columnCount(); ++column)
            cells << model.index(row, column).data().toString();
        addText(lines, what, cells.join(QLatin1String(" | ")));
    }
}

/// All of its points, and what is marked on it.
inline void addChart(Lines& lines, ui::LiveChart& chart) {
    const std::string name = chart.title().toStdString();
    lines.push_back(fmt::format("chart {}: {} points, newest {}, {}", name, chart.pointCount(),
                                chart.headline(), chart.unit().toStdString()));
    QBuffer table;
    table.open(QIODevice::ReadWrite);
    ui::ChartPicture picture = chart.picture();
    picture.curves.x = chart.group().xRange();  // also of a chart that was not painted since
    if (!ui::writeChartCsv(picture, table)) lines.push_back("no table");
    for (const QByteArray& line : table.data().split('\n')) {
        // Without the times: of steps that are told together the end of the first is measured, and
        // the others' follow by what each took. How many are told together is chance.
        QByteArrayList cells = line.split(',');
        if (cells.size() == 6) cells.remove(3, 2);
        lines.push_back(name + " " + cells.join(',').toStdString());
    }
}

inline void addHeartbeats(Lines& lines, const ui::HeartbeatChart& chart) {
    lines.push_back(fmt::format("heartbeats: phases {:b}", chart.phasesSeen()));
    const auto labels = chart.labels();
    for (int lane = 0; lane < labels.size(); ++lane) {
        lines.push_back(fmt::format("lane {}", lane));  // its name is cut to the room it has
        for (const auto& gap : chart.gaps(lane))
            lines.push_back(fmt::format("gap {:.3f} {:.3f} {}", gap.from, gap.to, gap.lasting));
    }
}

/// Its steps are placed once it is wanted.
inline void addTimeline(Lines& lines, ui::LivePage& live) {
    live.findChild<QToolButton*>(QStringLiteral("stepsToggle"))->setChecked(true);
    const auto* chart = live.findChild<ui::TimelineChart*>();
    lines.push_back(fmt::format("timeline up to {}", chart->shownUntil()));
    for (int lane = 0; lane < chart->laneCount(); ++lane) {
        const ui::StepLane& steps = chart->lane(lane);
        lines.push_back(fmt::format("steps {}: {} from {} to {}", lane, steps.size(), steps.begin(),
                                    steps.end()));
    }
}

/// The four pages of a run.
inline Lines textOf(ui::RunPages& pages) {
    Lines lines;
    for (ui::LiveChart* chart : pages.live().findChildren<ui::LiveChart*>())
        addChart(lines, *chart);
    const auto* loss = pages.live().findChild<ui::LiveChart*>(QStringLiteral("lossChart"));
    for (const ui::AxisMark& mark : loss->group().marks())
        lines.push_back(
            fmt::format("mark {} {} {}", mark.step, int(mark.kind), mark.words.toStdString()));
    addHeartbeats(lines, *pages.live().findChild<ui::HeartbeatChart*>());
    addTimeline(lines, pages.live());
    addModel(lines, "replica", pages.replicaTable());
    addModel(lines, "evaluation", pages.evaluations());
    lines.push_back(fmt::format("latest {} best {} by {}", pages.evaluations().latestRow(),
                                pages.evaluations().bestRow(),
                                pages.evaluations().judgedBy().toStdString()));
    for (const ui::MetricTile* tile : pages.evaluator().findChildren<ui::MetricTile*>())
        if (pages.evaluations().rowCount() > 0)  // else the page says instead why there are none
            addText(lines, "tile", tile->objectName() + QLatin1Char(' ') + tile->value());
    addChart(lines, pages.evaluator().scores().scoreChart());
    (void)QTest::qWaitFor([&pages] { return !pages.log().isFiltering(); }, 20'000);
    addModel(lines, "line", pages.log());
    lines.push_back(fmt::format("lines {}", pages.log().lineCount()));
    return lines;
}

template <typename T>
const T* partOf(const ui::MainWindow& window, const char* name) {
    return window.findChild<T*>(QLatin1String(name));
}

/// Header and status line.
inline Lines frameTextOf(const ui::MainWindow& window) {
    Lines lines;
    addText(lines, "name", partOf<ui::ElidedLabel>(window, "jobName")->text());
    addText(lines, "state", partOf<ui::StatePill>(window, "statePill")->word());
    addText(lines, "progress", partOf<ui::ElidedLabel>(window, "progressText")->text());
    lines.push_back(
        fmt::format("strip {}", partOf<ui::ProgressStrip>(window, "progressStrip")->fraction()));
    addText(lines, "verdict", partOf<ui::ElidedLabel>(window, "verdict")->text());
    for (const char* name : {"replicasAlive", "samplesPerSecond"}) {
        const auto* figure = partOf<ui::FigureLabel>(window, name);
        if (!figure->isHidden()) addText(lines, name, figure->text());
    }
    addText(lines, "title", window.windowTitle());
    return lines;
}

}  // namespace lockstep::testsupport

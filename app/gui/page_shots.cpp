// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/page_shots.h"

#include <QApplication>
#include <QDeadlineTimer>
#include <QDir>
#include <QEventLoop>
#include <QPushButton>
#include <QScrollArea>
#include <QStandardPaths>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <cstdio>
#include <functional>

#include "ui/pages/job/job_preview.h"
#include "ui/pages/runs/compare_page.h"
#include "ui/shell/main_window.h"
#include "ui/shell/time_travel.h"
#include "ui/widgets/segmented_control.h"

namespace lockstep::app {

namespace {

using Page = ui::MainWindow::Page;

constexpr QSize kShotSize(1280, 800);
constexpr int kReplayTimeoutMs = 30'000;
constexpr int kSettleMs = 700;  // charts are drawn on a thread of their own
constexpr int kMostCompared = 4;

void runEventsFor(int milliseconds) {
    QEventLoop loop;
    QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
    loop.exec();
}

bool waitFor(const std::function<bool()>& condition, int timeoutMs) {
    const QDeadlineTimer deadline(timeoutMs);
    while (!condition()) {
        if (deadline.hasExpired()) return false;
        runEventsFor(50);
    }
    return true;
}

const struct {
    Page page;
    const char* name;
} kPages[] = {
    {Page::Home, "home"},           {Page::Job, "job"},
    {Page::Live, "live"},           {Page::Replicas, "replicas"},
    {Page::Evaluator, "evaluator"}, {Page::Logs, "logs"},
    {Page::Runs, "runs"},
};

/// Writes the pictures of one window into one folder.
class Camera {
public:
    Camera(ui::MainWindow& window, QString folder, QString suffix)
        : window_(window), folder_(std::move(folder)), suffix_(std::move(suffix)) {
        QDir().mkpath(folder_);
    }

    [[nodiscard]] bool shoot(const char* name) {
        if (QWidget* focused = QApplication::focusWidget()) focused->clearFocus();
        runEventsFor(kSettleMs);
        const QString file =
            QDir(folder_).filePath(QLatin1String(name) + suffix_ + QStringLiteral(".png"));
        if (window_.grab().save(file)) return true;
        std::fprintf(stderr, "error: cannot write %s\n", qPrintable(file));
        return false;
    }

private:
    ui::MainWindow& window_;
    QString folder_;
    QString suffix_;
};

/// The job form where it says how the job is launched.
bool shootLaunchSection(ui::MainWindow& window, Camera& camera) {
    window.showPage(Page::Job);
    runEventsFor(kSettleMs);
    auto* scroll = window.findChild<QScrollArea*>(QStringLiteral("jobScroll"));
    const auto* section = window.findChild<QWidget*>(QStringLiteral("launchCard"));
    if (scroll == nullptr || section == nullptr) return true;
    scroll->ensureVisible(0, section->mapTo(scroll->widget(), section->rect().bottomLeft()).y());
    return camera.shoot("job-launch");
}

/// The job as text, with the form above it, or beside it.
bool shootText(ui::MainWindow& window, Camera& camera) {
    window.showPage(Page::Job);
    auto* preview = window.findChild<ui::JobPreview*>();
    auto* scroll = window.findChild<QScrollArea*>(QStringLiteral("jobScroll"));
    if (preview == nullptr || scroll == nullptr) return true;
    preview->setExpanded(true);
    runEventsFor(kSettleMs);
    if (scroll->widget()->isAncestorOf(preview))  // else it stands beside the form
        scroll->ensureVisible(0,
                              preview->mapTo(scroll->widget(), preview->rect().bottomLeft()).y());
    const bool isDone = camera.shoot("job-text");
    preview->setExpanded(false);
    return isDone;
}

/// The runs of the folder as parallel coordinates. Of one alone there is no picture.
bool shootAxes(ui::MainWindow& window, Camera& camera) {
    window.showPage(Page::Runs);
    auto* table = window.findChild<QTableView*>(QStringLiteral("runsTable"));
    auto* form = window.findChild<ui::SegmentedControl*>(QStringLiteral("runsForm"));
    if (table == nullptr || form == nullptr) return true;
    if (!waitFor([table] { return table->model()->rowCount() > 0; }, kReplayTimeoutMs) ||
        table->model()->rowCount() < 2)
        return true;
    form->setCurrent(1);
    const bool isDone = camera.shoot("axes");
    form->setCurrent(0);
    return isDone;
}

/// The newest runs of the folder beside each other. Of one alone there is no picture.
bool shootComparison(ui::MainWindow& window, Camera& camera) {
    window.showPage(Page::Runs);
    auto* table = window.findChild<QTableView*>(QStringLiteral("runsTable"));
    auto* button = window.findChild<QPushButton*>(QStringLiteral("compareRunsButton"));
    auto* page = window.findChild<ui::ComparePage*>();
    if (table == nullptr || button == nullptr || page == nullptr) return true;
    const auto listed = [table] { return table->model()->rowCount() > 0; };
    if (!waitFor(listed, kReplayTimeoutMs) || table->model()->rowCount() < 2) return true;
    const int rows = std::min(table->model()->rowCount(), kMostCompared);
    table->selectionModel()->select(
        QItemSelection(table->model()->index(0, 0), table->model()->index(rows - 1, 0)),
        QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    button->click();
    if (!waitFor([page] { return !page->isReading(); }, kReplayTimeoutMs)) {
        std::fprintf(stderr, "error: the runs to compare were not read within %d s\n",
                     kReplayTimeoutMs / 1000);
        return false;
    }
    return camera.shoot("compare");
}

/// The newest steps of each replica with their phases, over the whole page.
bool shootSteps(ui::MainWindow& window, Camera& camera) {
    window.showPage(Page::Live);
    auto* toggle = window.findChild<QToolButton*>(QStringLiteral("stepsToggle"));
    auto* maximize = window.findChild<QToolButton*>(QStringLiteral("maximizeLanes"));
    if (toggle == nullptr || maximize == nullptr) return true;
    toggle->setChecked(true);
    maximize->click();
    const bool isDone = camera.shoot("steps");
    maximize->click();
    toggle->setChecked(false);
    return isDone;
}

/// The run as it was in the middle of it. Of a run without a timeline there is no picture.
bool shootPast(ui::MainWindow& window, Camera& camera) {
    window.showPage(Page::Live);
    ui::TimeTravel& travel = window.travel();
    if (!waitFor([&travel] { return travel.timeline() != nullptr; }, kReplayTimeoutMs)) return true;
    const auto& points = travel.timeline()->points;
    if (points.empty()) return true;
    travel.goTo(points[points.size() / 2].moment);
    if (!waitFor([&travel] { return travel.isSettled(); }, kReplayTimeoutMs)) {
        std::fprintf(stderr, "error: the run's past was not read within %d s\n",
                     kReplayTimeoutMs / 1000);
        return false;
    }
    const bool isDone = camera.shoot("past");
    travel.goBack();
    return isDone;
}

}  // namespace

void isolateSettings() {
    QStandardPaths::setTestModeEnabled(true);
}

int shootPages(ui::MainWindow& window, const QString& folder, const QString& suffix) {
    window.resize(kShotSize);  // whatever the screen is
    const auto replayed = [&window] {
        const auto view = window.bridge().view();
        return view != nullptr && view->exitStatus >= 0;
    };
    if (!waitFor(replayed, kReplayTimeoutMs)) {
        std::fprintf(stderr, "error: the run was not replayed within %d s\n",
                     kReplayTimeoutMs / 1000);
        return 1;
    }
    Camera camera(window, folder, suffix);
    for (const auto& [page, name] : kPages) {
        window.showPage(page);
        if (!camera.shoot(name)) return 1;
    }
    return shootLaunchSection(window, camera) && shootText(window, camera) &&
                   shootSteps(window, camera) && shootPast(window, camera) &&
                   shootAxes(window, camera) && shootComparison(window, camera)
               ? 0
               : 1;
}

}  // namespace lockstep::app

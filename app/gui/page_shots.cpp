// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/page_shots.h"

#include <QApplication>
#include <QDeadlineTimer>
#include <QDir>
#include <QEventLoop>
#include <QStandardPaths>
#include <QTimer>
#include <cstdio>
#include <functional>

#include "ui/shell/main_window.h"

namespace lockstep::app {

namespace {

using Page = ui::MainWindow::Page;

constexpr QSize kShotSize(1280, 800);
constexpr int kReplayTimeoutMs = 30'000;
constexpr int kSettleMs = 700;  // charts are drawn on a thread of their own

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
    {Page::Job, "job"},           {Page::Live, "live"},
    {Page::Replicas, "replicas"}, {Page::Evaluator, "evaluator"},
    {Page::Logs, "logs"},         {Page::Runs, "runs"},
};

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
    QDir().mkpath(folder);
    for (const auto& [page, name] : kPages) {
        window.showPage(page);
        if (QWidget* focused = QApplication::focusWidget()) focused->clearFocus();
        runEventsFor(kSettleMs);
        const QString file =
            QDir(folder).filePath(QLatin1String(name) + suffix + QStringLiteral(".png"));
        if (!window.grab().save(file)) {
            std::fprintf(stderr, "error: cannot write %s\n", qPrintable(file));
            return 1;
        }
    }
    return 0;
}

}  // namespace lockstep::app

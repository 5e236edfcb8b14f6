// SPDX-License-Identifier: GPL-3.0-or-later
// Hundreds of run folders: reading them with and without the index, an index that is made anew,
// and the page Runs as one types, from a key to the table that is painted. Offscreen.
#include <QApplication>
#include <QFile>
#include <QLineEdit>
#include <QSettings>
#include <QStandardPaths>
#include <QTableView>
#include <QTemporaryDir>
#include <cstdio>
#include <cstdlib>

#include "tests/bench/figures.h"
#include "tests/ui/support/many_runs.h"
#include "ui/bridge/job_services.h"
#include "ui/bridge/run_index.h"
#include "ui/models/run_settings.h"
#include "ui/models/runs_model.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/style/theme.h"

using namespace lockstep;
using namespace lockstep::bench;
using namespace lockstep::ui;

namespace {

constexpr int kRuns = 500;
constexpr double kKeyGoalMillis = 100;
const std::string kName = std::to_string(kRuns) + " runs: ";

using Runs = std::vector<job::RunEntry>;

void require(bool holds, const char* sentence) {
    if (holds) return;
    std::fprintf(stderr, "error: %s\n", sentence);
    std::exit(1);
}

Runs listed(const std::filesystem::path& folder, const QString& file, const std::string& what) {
    Runs runs;
    const double seconds = secondsOf([&] {
        RunIndex index(file);
        runs = job::listRuns(folder, index);
    });
    row(kName + what, seconds * 1e3, "ms");
    return runs;
}

Runs measureListing(const std::filesystem::path& folder, const QString& file) {
    Runs truth;
    row(kName + "listed without an index", secondsOf([&] { truth = job::listRuns(folder); }) * 1e3,
        "ms");
    require(truth.size() == kRuns, "not all runs are listed");
    require(listed(folder, file, "the index is made") == truth, "the index says something else");
    require(listed(folder, file, "listed with it") == truth, "the index says something else");
    require(QFile::remove(file), "there is no index");
    require(listed(folder, file, "the index, deleted, is made anew") == truth,
            "an index that was made anew says something else");
    return truth;
}

/// One key after the other, until all are there, and back again.
QStringList typed(const QString& word) {
    QStringList texts;
    for (int length = 1; length <= word.size(); ++length)
        texts.append(word.left(length));
    for (int length = int(word.size()) - 1; length >= 0; --length)
        texts.append(word.left(length));
    return texts;
}

void measureTyping(Runs runs) {
    std::vector<const job::RunEntry*> all;
    for (const job::RunEntry& run : runs)
        all.push_back(&run);
    QStringList keys;
    const double columns = secondsOf([&] { keys = differingKeys(all); });
    require(!keys.isEmpty(), "the runs' settings do not differ");

    RunsModel model;
    RunsPage page(model, JobServices());
    page.resize(1440, 900);
    page.show();
    const double shown = secondsOf([&] {
        model.setRuns(std::move(runs));
        QCoreApplication::processEvents();
        page.repaint();
    });
    row(kName + "shown by the page", shown * 1e3, "ms");
    auto* edit = page.findChild<QLineEdit*>(QStringLiteral("runsFilterEdit"));
    auto* table = page.findChild<QTableView*>(QStringLiteral("runsTable"));
    require(edit != nullptr && table != nullptr, "the page has neither a filter nor a table");
    std::vector<double> times;
    for (const char* word : {"digits", "failed", "learning_rate=0.003", "tag:tenth", "nobody"})
        for (const QString& text : typed(QLatin1String(word)))
            times.push_back(1e3 * secondsOf([&] {
                                edit->setText(text);
                                QCoreApplication::processEvents();
                                table->viewport()->repaint();
                            }));
    require(table->model()->rowCount() == kRuns, "nothing is typed, and runs are left out");
    rowWithGoal(kName + "a key of the filter, until painted, the longest", quantile(times, 1), "ms",
                kKeyGoalMillis);
    row("  the median of " + std::to_string(times.size()), median(times), "ms");
    rowWithGoal("  once typing rests, which settings differ", columns * 1e3, "ms", kKeyGoalMillis);
}

}  // namespace

int main(int count, char** words) {
    qputenv("QT_QPA_PLATFORM", qEnvironmentVariable("QT_QPA_PLATFORM", "offscreen").toUtf8());
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(count, words);
    QCoreApplication::setOrganizationName(QStringLiteral("lockstep-bench-runs"));
    QSettings().clear();
    applyTheme(application, ThemeMode::Light);
    const QTemporaryDir place;
    const std::filesystem::path folder = place.filePath(QStringLiteral("runs")).toStdString();
    std::filesystem::create_directories(folder);
    testsupport::writeManyRuns(folder, kRuns);
    measureTyping(measureListing(folder, place.filePath(QStringLiteral("cache/runs.sqlite"))));
    return 0;
}

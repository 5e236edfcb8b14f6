// SPDX-License-Identifier: GPL-3.0-or-later
// Opens the folder of an ended run in the real window, in this process, and says `picture` on
// standard output when its chart of the loss shows points, and `all` with its greatest resident
// memory (bytes) when the four charts hold every step of every replica:
//   opening_side --write FOLDER REPLICAS STEPS
//   opening_side FOLDER REPLICAS STEPS
#include <QApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTimer>
#include <array>
#include <cstdio>
#include <fstream>
#include <string>

#include "tests/ui/support/long_run.h"
#include "tests/ui/support/real_services.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/shell/main_window.h"
#include "ui/style/theme.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

constexpr std::array kCharts{"lossChart", "accuracyChart", "throughputChart", "stepTimeChart"};
constexpr int kLookMillis = 5;

/// Of this process so far.
double greatestResidentBytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024;
    return 0;
}

/// What has come to be seen of the run, told as it comes.
class Watch {
public:
    Watch(MainWindow& window, qint64 points) : window_(window), points_(points) {}

    void look() {
        const auto* loss = chart(kCharts.front());
        if (loss == nullptr) return;
        if (!told_ && loss->isVisible() && loss->pointCount() > 0 && loss->hasPicture()) {
            told_ = true;
            std::puts("picture");
            std::fflush(stdout);
        }
        for (const char* name : kCharts)
            if (const auto* each = chart(name); each == nullptr || each->pointCount() < points_)
                return;
        std::printf("all %.0f\n", greatestResidentBytes());
        std::fflush(stdout);
        QCoreApplication::exit();  // no question of the window is asked
    }

private:
    [[nodiscard]] const LiveChart* chart(const char* name) const {
        return window_.findChild<LiveChart*>(QLatin1String(name));
    }

    MainWindow& window_;
    const qint64 points_;  ///< Of a chart.
    bool told_ = false;
};

int open(int count, char** words) {
    qputenv("QT_QPA_PLATFORM", qEnvironmentVariable("QT_QPA_PLATFORM", "offscreen").toUtf8());
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(count, words);
    QCoreApplication::setOrganizationName(QStringLiteral("lockstep-bench-opening"));
    QSettings().clear();
    const QTemporaryDir state;
    MainWindow::Options options;
    options.stateFolder = state.path();
    options.attachRunDir = QString::fromLocal8Bit(words[1]);
    options.startPage = QStringLiteral("live");
    MainWindow window(testsupport::realServices(), options);
    window.resize(1280, 800);
    window.show();
    Watch watch(window, std::stoll(words[2]) * std::stoll(words[3]));
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, &window, [&watch] { watch.look(); });
    timer.start(kLookMillis);
    return QApplication::exec();
}

}  // namespace

int main(int count, char** words) {
    if (count == 5 && std::string(words[1]) == "--write") {
        testsupport::writeLongRun(QString::fromLocal8Bit(words[2]), std::stoi(words[3]),
                                  std::stoi(words[4]));
        return 0;
    }
    if (count == 4) return open(count, words);
    std::fputs("usage: opening_side [--write] FOLDER REPLICAS STEPS\n", stderr);
    return 2;
}

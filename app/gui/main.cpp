// SPDX-License-Identifier: GPL-3.0-or-later
// lockstep: the desktop program.
#include <QApplication>
#include <QCommandLineParser>
#include <QSettings>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>

#include "app/gui/example_job.h"
#include "app/gui/milestones.h"
#include "app/gui/page_shots.h"
#include "core/base/program_start.h"
#include "core/job/asker.h"
#include "core/job/data_folder.h"
#include "core/job/doctor.h"
#include "core/job/fold/session.h"
#include "core/job/keep_checkpoint.h"
#include "core/job/runs_folder.h"
#include "core/job/runs_memory.h"
#include "ui/bridge/run_index.h"
#include "ui/shell/main_window.h"
#include "ui/style/icons.h"
#include "ui/style/language.h"
#include "ui/style/theme.h"

namespace {

using namespace lockstep;

struct Arguments {
    ui::MainWindow::Options window;
    QString theme;
    QString language;
    QString shotsFolder;
    QString shotsSuffix;
    bool milestones = false;
};

/// Options of the program; --help and --version end it here, which needs no display.
Arguments parse(const QCoreApplication& application) {
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Launch, watch and evaluate data-parallel training"));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("job"), QStringLiteral("A job file to open."),
                                 QStringLiteral("[JOB.toml]"));
    const QCommandLineOption attach(QStringLiteral("attach"),
                                    QStringLiteral("A run's folder to follow."),
                                    QStringLiteral("DIR"));
    const QCommandLineOption page(
        QStringLiteral("page"),
        QStringLiteral("home, job, live, replicas, evaluator, logs or runs."),
        QStringLiteral("PAGE"));
    const QCommandLineOption theme(
        QStringLiteral("theme"), QStringLiteral("light, dark or system."), QStringLiteral("THEME"));
    const QCommandLineOption language(QStringLiteral("language"),
                                      QStringLiteral("en, de or zh_CN, for this start."),
                                      QStringLiteral("CODE"));
    const QCommandLineOption shots(
        QStringLiteral("shots"), QStringLiteral("Save a picture of every page into DIR, and end."),
        QStringLiteral("DIR"));
    const QCommandLineOption suffix(QStringLiteral("shots-suffix"),
                                    QStringLiteral("What the pictures' names end with."),
                                    QStringLiteral("TEXT"));
    const QCommandLineOption milestones(
        QStringLiteral("milestones"),
        QStringLiteral("For measuring: say when the window is painted and when live data is."));
    parser.addOptions({attach, page, theme, language, shots, suffix, milestones});
    parser.process(application);
    Arguments arguments;
    if (!parser.positionalArguments().isEmpty())
        arguments.window.openJob = parser.positionalArguments().constFirst();
    arguments.window.attachRunDir = parser.value(attach);
    arguments.window.startPage = parser.value(page);
    arguments.window.exampleJob = app::exampleJobFile();
    arguments.window.startersFolder = app::startersFolder();
    arguments.window.callsBack = !parser.isSet(shots);
    arguments.theme = parser.value(theme);
    arguments.language = parser.value(language);
    arguments.shotsFolder = parser.value(shots);
    arguments.shotsSuffix = parser.value(suffix);
    arguments.milestones = parser.isSet(milestones);
    return arguments;
}

void nameProgram() {
    QCoreApplication::setApplicationName(QStringLiteral("lockstep"));
    QCoreApplication::setApplicationVersion(QStringLiteral(LOCKSTEP_VERSION));
    QCoreApplication::setOrganizationName(QStringLiteral("lockstep"));
}

bool asksAboutTheProgram(int argc, char** argv) {
    return std::any_of(argv + 1, argv + argc, [](std::string_view argument) {
        return argument == "--help" || argument == "-h" || argument == "--help-all" ||
               argument == "--version" || argument == "-v";
    });
}

/// What Qt says before it gives up on the display, instead of its abort.
void refuseToStart(QtMsgType type, const QMessageLogContext& /*context*/, const QString& text) {
    if (type != QtFatalMsg) return;
    const QByteArray line = text.simplified().toUtf8();
    std::fprintf(stderr,
                 "error: there is no display to open the window on: %s\n"
                 "  lockstepctl does the same in a terminal; pictures need no display with "
                 "QT_QPA_PLATFORM=offscreen.\n",
                 line.constData());
    std::_Exit(2);
}

/// Says once what the index of runs cannot do.
std::vector<job::RunEntry> listRuns(ui::RunIndex& index, const std::filesystem::path& folder) {
    auto runs = job::listRuns(folder, index);
    static std::atomic<bool> isSaid = false;
    if (const QString problem = index.problem(); !problem.isEmpty() && !isSaid.exchange(true))
        std::fprintf(stderr, "warning: %s\n", qPrintable(problem));
    return runs;
}

ui::JobServices services() {
    const auto list = [index = std::make_shared<ui::RunIndex>(ui::RunIndex::usualFile())](
                          const std::filesystem::path& folder) { return listRuns(*index, folder); };
    return {
        .launch =
            [](const std::string& toml, const std::filesystem::path& folder,
               const job::LaunchOptions& options) { return job::launch(toml, folder, options); },
        .attach = [](const std::filesystem::path& runDir,
                     const job::ConnectOptions& options) { return job::attach(runDir, options); },
        .listRuns = [list](const std::filesystem::path& folder) { return list(folder); },
        .isRunning = job::isRunning,
        .knownRuns = [list] { return list({}); },
        .runsFolder = job::runsFolderFor,
        .chooseRunsFolder = job::chooseRunsFolder,
        .checkData =
            [](const config::JobSpec& spec, const std::filesystem::path& folder) {
                return job::checkDataFolder(spec, folder);
            },
        .factsOfData = job::factsOfData,
        .columnsOfTable = job::columnsOfTable,
        .makeDataCard =
            [](const config::JobSpec& spec, const std::filesystem::path& folder,
               const job::LoadWatch& watch) {
                return job::makeDataCard(spec, folder, {.watch = watch});
            },
        .factsOfNetwork = job::factsOfNetwork,
        .ask = job::ask,
        .exportNetwork = job::exportNetwork,
        .scoreSamples = job::scoreSamples,
        .askCheckpoints = job::askCheckpoints,
        .keepCheckpoint = job::keepCheckpoint,
        .timeLayers = job::timeLayers,
        .startDoctor =
            [](const std::string& toml, const std::filesystem::path& folder,
               const job::DoctorOptions& options) {
                return job::startDoctor(toml, folder, options);
            },
        .startAsker = [](job::Ask ask) { return job::AskServer::start(std::move(ask)); },
    };
}

/// Says of a language that is named on the command line which ones there are instead.
bool isSpoken(const QString& code) {
    if (code.isEmpty() || !ui::languageFor(code).isEmpty()) return true;
    QStringList known;
    for (const ui::Language& language : ui::languages())
        known << language.code;
    std::fprintf(stderr, "error: --language %s names none of the window's languages: %s\n",
                 qPrintable(code), qPrintable(known.join(QStringLiteral(", "))));
    return false;
}

/// A theme named on the command line holds for this start only where pictures are made.
void chooseTheme(const QString& word) {
    if (word.isEmpty()) return;
    const ui::ThemeMode mode = word == QLatin1String("light")  ? ui::ThemeMode::Light
                               : word == QLatin1String("dark") ? ui::ThemeMode::Dark
                                                               : ui::ThemeMode::System;
    QSettings().setValue(QStringLiteral("theme"), static_cast<int>(mode));
}

}  // namespace

int main(int argc, char** argv) {
    prepareProgram();
    if (const auto asked = launch::answerAsAskpass(argc, argv)) return *asked;
    nameProgram();
    if (asksAboutTheProgram(argc, argv)) {
        const QCoreApplication withoutDisplay(argc, argv);
        (void)parse(withoutDisplay);
    }
    const QtMessageHandler usual = qInstallMessageHandler(refuseToStart);
    QApplication application(argc, argv);
    qInstallMessageHandler(usual);
    QApplication::setApplicationDisplayName(QStringLiteral("Lockstep"));
    QGuiApplication::setDesktopFileName(QStringLiteral("io.lockstep.Lockstep"));
    QApplication::setWindowIcon(ui::applicationIcon());

    Arguments arguments = parse(application);
    if (!isSpoken(arguments.language)) return 2;
    if (!arguments.shotsFolder.isEmpty()) {
        app::isolateSettings();
        arguments.window.places.runsFolder =
            std::filesystem::path(arguments.window.attachRunDir.toStdString()).parent_path();
    }
    chooseTheme(arguments.theme);
    ui::speak(application, arguments.language);
    ui::MainWindow window(services(), arguments.window);
    QObject::connect(&window, &ui::MainWindow::runLeftBehind, &window, [](const QString& sentence) {
        std::fprintf(stderr, "%s\n", qPrintable(sentence));
    });
    std::optional<app::Milestones> milestones;
    if (arguments.milestones) milestones.emplace(window);
    window.show();
    if (!arguments.shotsFolder.isEmpty())
        return app::shootPages(window, arguments.shotsFolder, arguments.shotsSuffix);
    return QApplication::exec();
}

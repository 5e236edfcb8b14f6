// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/shell/window_fixture.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QPushButton>
#include <QTest>

#include "core/job/data_folder.h"
#include "core/job/runs_folder.h"

namespace lockstep::testsupport {

WindowFixture::WindowFixture(ui::MainWindow::Options options, std::vector<job::RunEntry> known)
    : known_(std::move(known)) {
    options.exampleJob = folder_.filePath(QStringLiteral("digits.toml"));
    QFile::copy(QStringLiteral(LOCKSTEP_SOURCE_DIR "/resources/examples/digits.toml"),
                options.exampleJob);
    QFile::setPermissions(options.exampleJob, QFile::ReadOwner | QFile::WriteOwner);
    options.startersFolder = QStringLiteral(LOCKSTEP_SOURCE_DIR "/resources/starters");
    if (options.stateFolder.isEmpty())
        options.stateFolder = folder_.filePath(QStringLiteral("state"));
    for (const char* home : {"XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"})
        qputenv(home, folder_.filePath(QString::fromLatin1(home)).toLocal8Bit());
    window_ = std::make_unique<ui::MainWindow>(services(), options);
}

ui::JobServices WindowFixture::services() const {
    ui::JobServices services;
    services.launch = [script = script_, calls = calls_](
                          const std::string& toml, const std::filesystem::path&,
                          const job::LaunchOptions& options) -> ui::JobServices::OpenedSession {
        ++calls->launches;
        calls->lastToml = toml;
        calls->lastOptions = options;
        if (!calls->answer) return fail(calls->answer.error());
        return std::make_unique<ScriptedSession>(script);
    };
    services.attach = [script = script_, calls = calls_](
                          const std::filesystem::path& runDir,
                          const job::ConnectOptions&) -> ui::JobServices::OpenedSession {
        ++calls->attaches;
        calls->lastRunDir = runDir;
        if (!calls->answer) return fail(calls->answer.error());
        return std::make_unique<ScriptedSession>(script);
    };
    services.listRuns = [](const std::filesystem::path& folder) {
        return ExampleRun::entries(folder);
    };
    services.knownRuns = [known = known_] { return known; };
    services.runsFolder = job::runsFolderFor;
    services.chooseRunsFolder = job::chooseRunsFolder;
    services.checkData = job::checkDataFolder;
    services.factsOfData = job::factsOfData;
    services.columnsOfTable = job::columnsOfTable;
    services.makeDataCard = [](const config::JobSpec& spec, const std::filesystem::path& folder,
                               const job::LoadWatch& watch) {
        return job::makeDataCard(spec, folder, {.watch = watch});
    };
    services.startDoctor = [doctor = doctor_](
                               const std::string&, const std::filesystem::path&,
                               const job::DoctorOptions&) -> ui::JobServices::StartedDoctor {
        return std::make_unique<ScriptedDoctor>(doctor);
    };
    return services;
}

bool WindowFixture::showExample() {
    window_->show();
    return openExample();
}

bool WindowFixture::openExample() {
    window_->jobs().openExample();
    return QTest::qWaitFor([this] { return editor().hasJob(); }, kWait);
}

bool WindowFixture::openFile(const QString& name) {
    const QString path = folder_.filePath(name);
    QDir().mkpath(QFileInfo(path).path());
    QFile::copy(folder_.filePath(QStringLiteral("digits.toml")), path);
    window_->jobs().open(path);
    return QTest::qWaitFor([this, path] { return editor().path() == path; }, kWait);
}

bool WindowFixture::launch() {
    auto* button = find<QPushButton>("launchButton");
    QTest::mouseClick(button, Qt::LeftButton);
    return QTest::qWaitFor([this] { return window_->bridge().view() != nullptr; }, kWait);
}

bool WindowFixture::showLaunched(const job::RunView& view) {
    script_->publish(view);
    return showExample() && launch();
}

void WindowFixture::feed(std::int64_t last) {
    const std::lock_guard lock(script_->mutex);
    script_->steps = ExampleRun::steps(1, last);
    const double now = double(QDateTime::currentMSecsSinceEpoch()) / 1000;
    script_->heartbeats = ExampleRun::heartbeats(now - 60, 60);
    script_->logs = ExampleRun::logs();
}

void WindowFixture::feedScalars(std::vector<job::ScalarColumns> scalars) {
    const std::lock_guard lock(script_->mutex);
    script_->scalars = std::move(scalars);
}

}  // namespace lockstep::testsupport

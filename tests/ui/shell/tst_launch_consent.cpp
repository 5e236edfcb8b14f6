// SPDX-License-Identifier: GPL-3.0-or-later
// A job file from elsewhere in the real window: what it would run is shown before it runs.
#include <QDialogButtonBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QtTest>

#include "core/job/session.h"
#include "ui/dialogs/launch_dialog.h"
#include "ui/models/words.h"
#include "ui/shell/main_window.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

constexpr int kSoon = 10'000;
constexpr int kFinished = 60'000;

JobServices services() {
    return {
        .launch =
            [](const std::string& toml, const std::filesystem::path& folder,
               const job::LaunchOptions& options) { return job::launch(toml, folder, options); },
        .attach = [](const std::filesystem::path& runDir,
                     const job::ConnectOptions& options) { return job::attach(runDir, options); },
        .listRuns = [](const std::filesystem::path& folder) { return job::listRuns(folder); },
    };
}

}  // namespace

class LaunchConsentTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void nothingRunsBeforeItWasSeenAndAgreedTo();

private:
    [[nodiscard]] QString path(const char* name) const {
        return folder_.filePath(QString::fromLatin1(name));
    }
    /// Opens the job in a window of its own and presses Launch.
    [[nodiscard]] std::unique_ptr<MainWindow> windowWithLaunchPressed() const;

    QTemporaryDir folder_;
};

void LaunchConsentTest::initTestCase() {
    QVERIFY(folder_.isValid());
    QStandardPaths::setTestModeEnabled(true);
    for (const char* name : {"XDG_STATE_HOME", "XDG_RUNTIME_DIR"}) {
        const QString place = folder_.filePath(QString::fromLatin1(name).toLower());
        QVERIFY(QDir().mkdir(place));
        QVERIFY(
            QFile::setPermissions(place, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        qputenv(name, place.toUtf8());
    }
    QFile file(path("job.toml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(file.write("[launch]\ncommand = [\"touch\", \"it <b>ran</b>\"]\n") > 0);
}

std::unique_ptr<MainWindow> LaunchConsentTest::windowWithLaunchPressed() const {
    MainWindow::Options options;
    options.exampleJob = path("job.toml");
    options.stateFolder = path("state");
    options.places.runsFolder = path("runs").toStdString();
    options.places.workerProgram = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";
    auto window = std::make_unique<MainWindow>(services(), options);
    window->show();
    window->jobs().openExample();
    auto* launch = window->findChild<QPushButton*>(QStringLiteral("launchButton"));
    if (QTest::qWaitFor([launch] { return launch->isEnabled() && launch->isVisible(); }, kSoon))
        QTest::mouseClick(launch, Qt::LeftButton);
    return window;
}

void LaunchConsentTest::nothingRunsBeforeItWasSeenAndAgreedTo() {
    const auto dialogOf = [](const MainWindow& window) {
        return window.findChild<LaunchDialog*>(QStringLiteral("launchDialog"));
    };
    {
        const auto window = windowWithLaunchPressed();
        QTRY_VERIFY_WITH_TIMEOUT(dialogOf(*window) != nullptr, kSoon);
        auto* lines =
            dialogOf(*window)->findChild<QPlainTextEdit*>(QStringLiteral("launchEffects"));
        QVERIFY(lines->toPlainText().contains(
            QStringLiteral("runs on every host: touch \"it <b>ran</b>\"")));
        const auto* cancel =
            dialogOf(*window)->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Cancel);
        QVERIFY(cancel->isDefault());
        dialogOf(*window)->reject();
        QTest::qWait(50);
        QVERIFY(!window->bridge().isOpening() && window->bridge().view() == nullptr);
    }
    QVERIFY(!QFile::exists(path("it <b>ran</b>")));
    {
        const auto window = windowWithLaunchPressed();  // it is asked again
        QTRY_VERIFY_WITH_TIMEOUT(dialogOf(*window) != nullptr, kSoon);
        QTest::mouseClick(
            dialogOf(*window)->findChild<QPushButton*>(QStringLiteral("launchAnywayButton")),
            Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(window->bridge().view() != nullptr &&
                                     window->bridge().view()->state == job::RunState::Completed,
                                 kFinished);
        QVERIFY(QFile::exists(path("it <b>ran</b>")));
        QCOMPARE(statusSentence(*window->bridge().view()).contains(QStringLiteral("of 0")), false);
    }
    const auto window = windowWithLaunchPressed();  // what was launched is known
    QTRY_VERIFY_WITH_TIMEOUT(window->bridge().view() != nullptr &&
                                 window->bridge().view()->state == job::RunState::Completed,
                             kFinished);
    QVERIFY(dialogOf(*window) == nullptr);
}

QTEST_MAIN(LaunchConsentTest)
#include "tst_launch_consent.moc"

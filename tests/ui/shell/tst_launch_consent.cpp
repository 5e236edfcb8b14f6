// SPDX-License-Identifier: GPL-3.0-or-later
// Job files and run folders from elsewhere in the real window: what they would run and reach is
// shown before it happens.
#include <QAction>
#include <QDialogButtonBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QtTest>

#include "core/job/fold/session.h"
#include "tests/ui/support/real_services.h"
#include "ui/dialogs/consent_dialog.h"
#include "ui/models/words.h"
#include "ui/shell/main_window.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

constexpr int kSoon = 20'000;
constexpr int kFinished = 60'000;

ConsentDialog* dialogOf(const MainWindow& window) {
    return window.findChild<ConsentDialog*>(QStringLiteral("consentDialog"));
}

void agree(const MainWindow& window) {
    QTest::mouseClick(dialogOf(window)->findChild<QPushButton*>(QStringLiteral("consentButton")),
                      Qt::LeftButton);
}

}  // namespace

class LaunchConsentTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void nothingRunsBeforeItWasSeenAndAgreedTo();
    void hostsAreNotCheckedBeforeItWasAgreedTo();
    void aRunIsNotFollowedBeforeItWasAgreedTo();

private:
    /// An ssh configuration that leaves a trace when something connects by it; the trace's file.
    [[nodiscard]] QString writeConfig(const char* name) const;
    [[nodiscard]] MainWindow::Options options() const;
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
    QVERIFY(file.write("[launch]\ncommand = [\"touch\", \"it <b>ran\"]\n") > 0);
}

MainWindow::Options LaunchConsentTest::options() const {
    MainWindow::Options options;
    options.openJob = path("job.toml");
    options.stateFolder = path("state");
    options.places.runsFolder = path("runs").toStdString();
    options.places.workerProgram = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";
    return options;
}

std::unique_ptr<MainWindow> LaunchConsentTest::windowWithLaunchPressed() const {
    auto window = std::make_unique<MainWindow>(testsupport::realServices(), options());
    window->show();
    auto* launch = window->findChild<QPushButton*>(QStringLiteral("launchButton"));
    if (QTest::qWaitFor([launch] { return launch->isEnabled() && launch->isVisible(); }, kSoon))
        QTest::mouseClick(launch, Qt::LeftButton);
    return window;
}

void LaunchConsentTest::nothingRunsBeforeItWasSeenAndAgreedTo() {
    {
        const auto window = windowWithLaunchPressed();
        QTRY_VERIFY_WITH_TIMEOUT(dialogOf(*window) != nullptr, kSoon);
        auto* lines =
            dialogOf(*window)->findChild<QPlainTextEdit*>(QStringLiteral("consentEffects"));
        QVERIFY(lines->toPlainText().contains(
            QStringLiteral("runs on every host: touch \"it <b>ran\"")));
        const auto* cancel =
            dialogOf(*window)->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Cancel);
        QVERIFY(cancel->isDefault());
        dialogOf(*window)->reject();
        QTRY_VERIFY_WITH_TIMEOUT(dialogOf(*window) == nullptr, kSoon);
        QVERIFY(!window->bridge().isOpening() && window->bridge().view() == nullptr);
    }
    QVERIFY(!QFile::exists(path("it <b>ran")));
    {
        const auto window = windowWithLaunchPressed();  // it is asked again
        QTRY_VERIFY_WITH_TIMEOUT(dialogOf(*window) != nullptr, kSoon);
        agree(*window);
        QTRY_VERIFY_WITH_TIMEOUT(window->bridge().view() != nullptr &&
                                     window->bridge().view()->state == job::RunState::Completed,
                                 kFinished);
        QVERIFY(QFile::exists(path("it <b>ran")));
        QCOMPARE(statusSentence(*window->bridge().view()).contains(QStringLiteral("of 0")), false);
    }
    const auto window = windowWithLaunchPressed();  // what was launched is known
    QTRY_VERIFY_WITH_TIMEOUT(window->bridge().view() != nullptr &&
                                 window->bridge().view()->state == job::RunState::Completed,
                             kFinished);
    QVERIFY(dialogOf(*window) == nullptr);
}

QString LaunchConsentTest::writeConfig(const char* name) const {
    const QString trace = path(name) + QStringLiteral("-used");
    QFile config(path(name));
    if (config.open(QIODevice::WriteOnly))
        config.write("Host *\n  ProxyCommand touch '" + trace.toUtf8() + "'\n");
    return trace;
}

void LaunchConsentTest::hostsAreNotCheckedBeforeItWasAgreedTo() {
    if (QStandardPaths::findExecutable(QStringLiteral("ssh")).isEmpty())
        QSKIP("there is no ssh on this machine");
    const QString trace = writeConfig("check-config");
    QFile file(path("far.toml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(file.write("[data]\ndataset = \"digits\"\n[model]\nlayers = [{ type = \"dense\", units "
                       "= 10 }]\n[cluster]\njob_addresses = [\"far:4000\", "
                       "\"other:4000\"]\n[launch]\n"
                       "command = [\"x\"]\nmethod = \"ssh\"\nssh_config = \"check-config\"\n") > 0);
    file.close();
    MainWindow::Options chosen = options();
    chosen.openJob = path("far.toml");
    MainWindow window(testsupport::realServices(), chosen);
    window.show();
    auto* check = window.findChild<QAction*>(QStringLiteral("checkHostsAction"));
    // The action is always there: without a job it says what is missing.
    QTRY_VERIFY_WITH_TIMEOUT(window.jobs().editor().hasJob(), kSoon);
    check->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(dialogOf(window) != nullptr, kSoon);
    const QString lines = dialogOf(window)
                              ->findChild<QPlainTextEdit*>(QStringLiteral("consentEffects"))
                              ->toPlainText();
    QVERIFY(lines.contains(QStringLiteral("logs in by ssh to far other")));
    QVERIFY(lines.contains(path("check-config")));
    QVERIFY(!lines.contains(QStringLiteral("runs on every host")));
    dialogOf(window)->reject();
    QTRY_VERIFY_WITH_TIMEOUT(dialogOf(window) == nullptr, kSoon);
    QVERIFY(!QFile::exists(trace));
    check->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(dialogOf(window) != nullptr, kSoon);
    agree(window);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(trace), kSoon);
    // The check was agreed to, not what the job runs.
    auto* launch = window.findChild<QPushButton*>(QStringLiteral("launchButton"));
    QTRY_VERIFY_WITH_TIMEOUT(dialogOf(window) == nullptr, kSoon);
    QTest::mouseClick(launch, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(dialogOf(window) != nullptr, kSoon);
    dialogOf(window)->reject();
}

void LaunchConsentTest::aRunIsNotFollowedBeforeItWasAgreedTo() {
    if (QStandardPaths::findExecutable(QStringLiteral("ssh")).isEmpty())
        QSKIP("there is no ssh on this machine");
    const QString trace = writeConfig("run-config");
    QVERIFY(QDir().mkpath(path("given")));
    QFile record(path("given/remote.json"));
    QVERIFY(record.open(QIODevice::WriteOnly));
    QVERIFY(record.write("{\"host\": \"far\", \"run_id\": \"0123456789ab\", \"run_dir\": \"/r\", "
                         "\"ssh_config\": \"" +
                         path("run-config").toUtf8() + "\"}\n") > 0);
    record.close();
    MainWindow::Options chosen = options();
    chosen.attachRunDir = path("given");
    {
        MainWindow window(testsupport::realServices(), chosen);
        window.show();
        QTRY_VERIFY_WITH_TIMEOUT(dialogOf(window) != nullptr, kSoon);
        dialogOf(window)->reject();
        QTRY_VERIFY_WITH_TIMEOUT(dialogOf(window) == nullptr, kSoon);
        QVERIFY(!window.bridge().isOpening() && !window.bridge().hasSession());
        QVERIFY(!QFile::exists(trace));
    }
    MainWindow window(testsupport::realServices(), chosen);
    window.show();
    QTRY_VERIFY_WITH_TIMEOUT(dialogOf(window) != nullptr, kSoon);
    agree(window);
    QTRY_VERIFY_WITH_TIMEOUT(window.bridge().hasSession(), kSoon);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(trace), kSoon);
}

QTEST_MAIN(LaunchConsentTest)
#include "tst_launch_consent.moc"

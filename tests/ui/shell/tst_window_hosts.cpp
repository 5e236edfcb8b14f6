// SPDX-License-Identifier: GPL-3.0-or-later
// The window over real sshds on hosts of their own addresses: it asks, checks, trains, and says who
// was lost. LOCKSTEP_SHOTS=FOLDER keeps pictures of what it showed.
#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QtTest>

#include "core/job/asker.h"
#include "core/job/fold/session.h"
#include "tests/integration/hosts_place.h"
#include "tests/ui/support/real_services.h"
#include "tests/ui/support/settle.h"
#include "ui/dialogs/consent_dialog.h"
#include "ui/dialogs/host_question_dialog.h"
#include "ui/pages/job/host_check_card.h"
#include "ui/shell/main_window.h"
#include "ui/style/theme.h"

using namespace lockstep;
using namespace lockstep::tests;
using namespace lockstep::ui;

namespace {

constexpr int kSoon = 20'000;
constexpr int kFinished = 120'000;

JobServices services() {
    JobServices services = testsupport::realServices();
    // A test program cannot be its own askpass: lockstepctl is one, too.
    services.startAsker = [](job::Ask ask) {
        return job::AskServer::start(std::move(ask),
                                     {.program = LOCKSTEP_BINARY_DIR "/bin/lockstepctl"});
    };
    return services;
}

void keepPicture(QWidget& widget, const QString& name) {
    const QString folder = qEnvironmentVariable("LOCKSTEP_SHOTS");
    if (folder.isEmpty()) return;
    testsupport::settle(widget);
    widget.grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
}

/// A window on the hosts, with a job file in a folder of its own.
struct Desk {
    explicit Desk(const QByteArray& job) {
        place.write(QStringLiteral("job.toml"), job);
        MainWindow::Options options;
        options.openJob = place.path(QStringLiteral("job.toml"));
        options.stateFolder = place.path(QStringLiteral("state"));
        options.places.runsFolder = place.path(QStringLiteral("runs")).toStdString();
        options.places.workerProgram = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";
        window = std::make_unique<MainWindow>(services(), options);
        window->show();
    }

    template <typename T>
    [[nodiscard]] T* find(const char* name) {
        return window->findChild<T*>(QLatin1String(name));
    }
    [[nodiscard]] bool pressLaunch() {
        auto* launch = find<QPushButton>("launchButton");
        const auto ready = [launch] { return launch->isEnabled() && launch->isVisible(); };
        if (!QTest::qWaitFor(ready, kSoon)) return false;
        QTest::mouseClick(launch, Qt::LeftButton);
        return true;
    }
    /// What the job reaches is agreed to.
    [[nodiscard]] bool consent() {
        const auto dialog = [this] { return window->findChild<ConsentDialog*>(); };
        if (!QTest::qWaitFor([&] { return dialog() != nullptr; }, kSoon)) return false;
        QTest::mouseClick(dialog()->findChild<QPushButton*>(QStringLiteral("consentButton")),
                          Qt::LeftButton);
        return true;
    }
    [[nodiscard]] HostQuestionDialog* question() {
        for (auto* dialog : window->findChildren<HostQuestionDialog*>())
            if (dialog->isVisible()) return dialog;
        return nullptr;
    }
    [[nodiscard]] bool waitForState(job::RunState state) {
        return QTest::qWaitFor(
            [&] {
                const View view = window->bridge().view();
                return view && view->state == state;
            },
            kFinished);
    }

    Workplace place;
    std::unique_ptr<MainWindow> window;
};

/// The hosts' ssh configuration for a user who knows none of them yet, and can be asked.
QByteArray askingConfig(const Workplace& place) {
    QFile file(qEnvironmentVariable("SSH_CONFIG"));
    QByteArray text = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    const QByteArray known = QFileInfo(file.fileName()).path().toUtf8() + "/known_hosts";
    text.replace(known, place.path(QStringLiteral("known_hosts")).toUtf8());
    text.replace("StrictHostKeyChecking yes", "StrictHostKeyChecking ask");
    text.replace("BatchMode yes", "BatchMode no");
    return text;
}

QByteArray asking(QByteArray job, const Workplace& place) {
    place.write(QStringLiteral("asking"), askingConfig(place));
    return job.replace(qgetenv("SSH_CONFIG"), place.path(QStringLiteral("asking")).toUtf8());
}

}  // namespace

class WindowHostsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        if (!insideHosts()) QSKIP(qPrintable(whyNoHosts()));
        QStandardPaths::setTestModeEnabled(true);
        QVERIFY(state_.isValid());
        qputenv("XDG_STATE_HOME", state_.path().toUtf8());
        applyTheme(*qApp, ThemeMode::Light);
    }
    void cleanup() {
        const auto nothing = [] { return workersOnAllHosts().isEmpty(); };
        QVERIFY2(!insideHosts() || waitUntil(nothing, std::chrono::seconds(20)),
                 "a process of the run is left on a host");
    }

    void unknownHostsAreTrustedOneByOneAndTrainAsOneMachine() {
        const Workplace config;
        Desk desk(asking(jobOnHosts(mnistOr(kSmallJob), {1, 2, 3, 4}), config));
        QVERIFY(desk.pressLaunch());
        QVERIFY(desk.consent());
        QSet<QString> fingerprints;
        const auto over = [&] {
            const View view = desk.window->bridge().view();
            return view && view->exitStatus >= 0;
        };
        while (fingerprints.size() < 4) {
            QVERIFY(QTest::qWaitFor([&] { return desk.question() != nullptr || over(); }, kSoon));
            QVERIFY2(!over(), desk.window->bridge().view()->error.c_str());
            HostQuestionDialog* dialog = desk.question();
            if (fingerprints.isEmpty()) keepPicture(*dialog, QStringLiteral("real-host-key"));
            fingerprints.insert(
                dialog->findChild<QLabel*>(QStringLiteral("hostKeyFingerprint"))->text());
            dialog->findChild<QPushButton*>(QStringLiteral("hostAcceptButton"))->click();
        }
        QVERIFY2(desk.waitForState(job::RunState::Completed),
                 desk.window->bridge().view()->error.c_str());
        keepPicture(*desk.window, QStringLiteral("real-finished"));
        const auto run = QString::fromStdString(
            "runs/" + desk.window->bridge().view()->runDir.filename().string());
        const QJsonObject summary = desk.place.summary(run);
        QCOMPARE(summary["world_size"].toInt(), 4);
        const Ended local =
            desk.place.run({"run", "job.toml", "--processes", "4", "--set", "launch.method=local",
                            "--set", "cluster.transport=gloo", "--run-dir", "local"});
        QVERIFY2(local.exitedWith(0), local.words().constData());
        QCOMPARE(summary["state_hash"].toString(), desk.place.stateHash("local"));
    }

    void aHostThatIsNotTrustedIsNotReached() {
        const Workplace config;
        Desk desk(asking(jobOnHosts(kSmallJob, {1, 2}), config));
        QVERIFY(desk.pressLaunch());
        QVERIFY(desk.consent());
        QVERIFY(QTest::qWaitFor([&] { return desk.question() != nullptr; }, kSoon));
        desk.question()->findChild<QPushButton*>(QStringLiteral("hostRefuseButton"))->click();
        const auto refuseAll = [&] {
            if (HostQuestionDialog* dialog = desk.question()) dialog->reject();
            const View view = desk.window->bridge().view();
            return view && view->state == job::RunState::Failed;
        };
        QVERIFY(QTest::qWaitFor(refuseAll, kFinished));
        const std::string error = desk.window->bridge().view()->error;
        QVERIFY2(error.find("10.77.0.") != std::string::npos, error.c_str());
        keepPicture(*desk.window, QStringLiteral("real-refused-key"));
    }

    void theHostsAreCheckedFromTheJobPage() {
        Desk desk(jobOnHosts(kSmallJob, {1, 2, 3, 4}));
        QVERIFY(QTest::qWaitFor([&] { return desk.window->jobs().editor().hasJob(); }, kSoon));
        auto* card = desk.window->findChild<HostCheckCard*>();
        QVERIFY(card != nullptr);
        QTest::keyClick(desk.window.get(), Qt::Key_K, Qt::ControlModifier);
        const auto done = [&] {
            if (auto* dialog = desk.window->findChild<ConsentDialog*>()) dialog->accept();
            for (const QLabel* label : card->findChildren<QLabel*>())
                if (label->text().contains(QStringLiteral("4 hosts are ready"))) return true;
            return false;
        };
        QVERIFY(QTest::qWaitFor(done, kFinished));
        keepPicture(*desk.window, QStringLiteral("real-checked-hosts"));
    }

    void aHostThatFallsSilentIsNamed() {
        QByteArray job = jobOnHosts(longerJob(100'000), {1, 2, 3},
                                    "on_disconnect = \"tied\"\nlease_seconds = 5\n");
        job.replace("[cluster]\n", "[cluster]\nheartbeat_timeout_seconds = 5\n");
        Desk desk(job);
        QVERIFY(desk.pressLaunch());
        QVERIFY(desk.consent());
        QVERIFY(desk.waitForState(job::RunState::Training));
        QVERIFY(QTest::qWaitFor([&] { return desk.window->bridge().view()->step > 500; }, kSoon));
        filter(3, {"-A", "INPUT", "-j", "DROP"});
        filter(3, {"-A", "OUTPUT", "-j", "DROP"});
        const bool failed = desk.waitForState(job::RunState::Failed);
        keepPicture(*desk.window, QStringLiteral("real-lost-host"));
        healHost(3);
        QVERIFY(failed);
        const std::string error = desk.window->bridge().view()->error;
        QVERIFY2(error.find("10.77.0.3") != std::string::npos ||
                     error.find("host3") != std::string::npos,
                 error.c_str());
    }

private:
    QTemporaryDir state_;
};

int main(int argc, char** argv) {
    enterHosts(kHostCount, argv);
    QApplication application(argc, argv);
    WindowHostsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_window_hosts.moc"

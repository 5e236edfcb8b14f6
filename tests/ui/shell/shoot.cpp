// SPDX-License-Identifier: GPL-3.0-or-later
// shoot FOLDER [WIDTHxHEIGHT]: pictures of every page with a scripted run, for looking at. Not a
// test.
#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>
#include <QToolButton>

#include "tests/ui/shell/window_fixture.h"
#include "ui/dialogs/about_dialog.h"
#include "ui/dialogs/close_dialog.h"
#include "ui/dialogs/consent_dialog.h"
#include "ui/dialogs/host_question_dialog.h"
#include "ui/dialogs/keys_dialog.h"
#include "ui/style/theme.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

/// Long enough for news to come to the window and for charts to be drawn.
void comeToRest() {
    // a pause: pictures are looked at by people, and nothing tells when all is still
    QTest::qWait(400);
}

void shoot(QWidget& window, const QString& folder, const QString& name) {
    comeToRest();
    window.grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
}

void shootPages(testsupport::WindowFixture& fixture, const QString& folder, const QString& suffix) {
    const QStringList pages{QStringLiteral("home"),      QStringLiteral("job"),
                            QStringLiteral("live"),      QStringLiteral("replicas"),
                            QStringLiteral("evaluator"), QStringLiteral("logs"),
                            QStringLiteral("runs")};
    for (int page = 0; page < pages.size(); ++page) {
        fixture.window().showPage(MainWindow::Page(page));
        shoot(fixture.window(), folder, pages[page] + suffix);
    }
}

/// Runs found, chosen, and beside each other: all are the one that is scripted.
void shootComparison(testsupport::WindowFixture& fixture, const QString& folder,
                     const QString& suffix) {
    fixture.window().showPage(MainWindow::Page::Runs);
    comeToRest();
    auto* table = fixture.find<QTableView>("runsTable");
    table->selectAll();
    shoot(fixture.window(), folder, QStringLiteral("runs-chosen") + suffix);
    fixture.find<QLineEdit>("runsFilterEdit")->setText(QStringLiteral("nothing"));
    shoot(fixture.window(), folder, QStringLiteral("runs-no-match") + suffix);
    fixture.find<QLineEdit>("runsFilterEdit")->clear();
    table->selectAll();
    {
        const std::lock_guard lock(fixture.script().mutex);
        fixture.script().steps = testsupport::ExampleRun::steps(1, 2400);
    }
    fixture.find<QPushButton>("compareRunsButton")->click();
    comeToRest();
    shoot(fixture.window(), folder, QStringLiteral("runs-compared") + suffix);
    fixture.find<QPushButton>("closeComparison")->click();
}

/// Live with twelve named figures, and what a program without a word is told.
void shootFigures(testsupport::WindowFixture& fixture, const QString& folder,
                  const QString& suffix) {
    fixture.window().showPage(MainWindow::Page::Live);
    fixture.feedScalars(testsupport::ExampleRun::scalars(12, 2400));
    shoot(fixture.window(), folder, QStringLiteral("figures") + suffix);
    testsupport::WindowFixture silent;
    silent.window().show();
    silent.openExample();
    silent.launch();
    job::RunView run = testsupport::ExampleRun::view(0);
    run.backend = "program";
    silent.script().publish(run);
    silent.window().showPage(MainWindow::Page::Live);
    shoot(silent.window(), folder, QStringLiteral("silent-program") + suffix);
}

/// Each step in the place of the heartbeats: some of them, and all.
void shootSteps(testsupport::WindowFixture& fixture, const QString& folder, const QString& suffix) {
    fixture.window().showPage(MainWindow::Page::Live);
    auto* toggle = fixture.find<QToolButton>("stepsToggle");
    toggle->setChecked(true);
    shoot(fixture.window(), folder, QStringLiteral("steps") + suffix);
    auto* timeline = fixture.find<QWidget>("timelineChart");
    for (int i = 0; i < 20; ++i)
        QTest::keyClick(timeline, Qt::Key_Minus);
    shoot(fixture.window(), folder, QStringLiteral("steps-dense") + suffix);
    toggle->setChecked(false);
}

/// The doctor's matrix while it fills in and when it has found something.
void shootHosts(testsupport::WindowFixture& fixture, const QString& folder, const QString& suffix) {
    fixture.doctor().publish(testsupport::doctorView(4, 2));
    fixture.find<QAction>("checkHostsAction")->trigger();
    comeToRest();
    shoot(fixture.window(), folder, QStringLiteral("hosts-running") + suffix);
    fixture.doctor().publish(testsupport::doctorView(4, 4));
    comeToRest();
    fixture.window()
        .findChild<QScrollArea*>(QStringLiteral("jobScroll"))
        ->ensureWidgetVisible(fixture.find<QWidget>("hostCheckDetails"));
    shoot(fixture.window(), folder, QStringLiteral("hosts") + suffix);
}

/// What hosts ask, and what a file would run, before anything starts.
void shootQuestions(const QString& folder, const QString& suffix) {
    using Kind = job::HostQuestion::Kind;
    const auto take = [&](QDialog& dialog, const QString& name) {
        dialog.show();
        shoot(dialog, folder, name + suffix);
    };
    HostQuestionDialog key({.kind = Kind::HostKey,
                            .destination = "alice@gpu2",
                            .host = "gpu2 (10.0.0.12)",
                            .keyType = "ED25519",
                            .fingerprint = "SHA256:9mB4aQeN0yQp1xqOQxv0m0r7u0w0Hk0pQ5b8E1n2c3M"});
    take(key, QStringLiteral("host-key"));
    HostQuestionDialog passphrase(
        {.kind = Kind::Passphrase, .destination = "gpu2", .keyFile = "~/.ssh/id_ed25519"});
    take(passphrase, QStringLiteral("host-passphrase"));
    HostQuestionDialog password({.kind = Kind::Password,
                                 .destination = "gpu2",
                                 .text = "(alice@gpu2) Verification code: "});
    take(password, QStringLiteral("host-password"));
    ConsentDialog launch(ConsentDialog::Action::Launch, QStringLiteral("cluster.toml"),
                         {QStringLiteral("runs python train.py --fast on gpu1 and gpu2"),
                          QStringLiteral("logs in to gpu1 and gpu2 by ssh"),
                          QStringLiteral("with the ssh configuration file cluster.ssh")},
                         nullptr);
    take(launch, QStringLiteral("consent"));
    ConsentDialog attach(ConsentDialog::Action::Attach, QStringLiteral("mnist-20261120-101500"),
                         {QStringLiteral("logs in to gpu1 by ssh")}, nullptr);
    take(attach, QStringLiteral("consent-attach"));
}

/// A host that was refused, and one that was lost.
void shootHostFailures(testsupport::WindowFixture& fixture, const QString& folder,
                       const QString& suffix) {
    job::RunView view = testsupport::ExampleRun::failedView(2400);
    view.failures.clear();
    view.error =
        "host3: its key has changed since it was last seen (known_hosts line 12): someone may be "
        "in between";
    view.remedy =
        "Ask whoever runs the host. If the new key is right, forget the old one:\n"
        "ssh-keygen -R host3";
    fixture.script().publish(view);
    comeToRest();
    fixture.window().showPage(MainWindow::Page::Job);
    JobEditor& editor = fixture.window().jobs().editor();
    editor.setValue(QStringLiteral("launch.method"), QStringLiteral("ssh"));
    editor.setValue(QStringLiteral("launch.hosts"), QStringLiteral("[\"gpu1\", \"gpu2\"]"));
    if (auto* area = fixture.window().findChild<QScrollArea*>())
        area->ensureWidgetVisible(fixture.find<QLineEdit>("leaseSecondsEdit"));
    shoot(fixture.window(), folder, QStringLiteral("refused-key") + suffix);
}

/// What is asked when the window closes, and About.
void shootDialogs(QWidget& window, const QString& folder, const QString& suffix) {
    const auto take = [&](const QString& name) {
        QTimer::singleShot(300, &window, [&, name] {
            auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
            if (!dialog) return;
            dialog->grab().save(folder + QLatin1Char('/') + name + suffix + QStringLiteral(".png"));
            dialog->reject();
        });
    };
    take(QStringLiteral("ask-save"));
    std::ignore = askToSave(&window, QStringLiteral("digits.toml"));
    take(QStringLiteral("ask-tied"));
    std::ignore =
        askToEndTiedJob(&window, QStringLiteral("digits-mlp"),
                        QStringLiteral("Epoch 1 of 2  ·  step 10 of 3 126"), TiedEnd::WindowCloses);
    take(QStringLiteral("ask-leave"));
    std::ignore = askToLeaveRunning(&window, QStringLiteral("digits-mlp"),
                                    QStringLiteral("lockstepctl attach /home/ada/runs/digits-1"));
    take(QStringLiteral("about"));
    showAbout(&window);
    comeToRest();
    showKeys(&window);
    comeToRest();
    auto* keys = window.findChild<KeysDialog*>();
    keys->grab().save(folder + QStringLiteral("/keys") + suffix + QStringLiteral(".png"));
    keys->close();
}

void shootPopUp(testsupport::WindowFixture& fixture, const QString& folder, const QString& suffix) {
    fixture.window().showPage(MainWindow::Page::Job);
    auto* combo = fixture.find<QComboBox>("datasetEdit");
    fixture.find<QScrollArea>("jobScroll")->ensureWidgetVisible(combo);
    combo->showPopup();
    comeToRest();
    QImage picture(fixture.window().grab().toImage());
    QPainter painter(&picture);
    QWidget* list = combo->view()->window();
    painter.drawPixmap(fixture.window().mapFromGlobal(list->pos()), list->grab());
    painter.end();
    picture.save(folder + QStringLiteral("/popup") + suffix + QStringLiteral(".png"));
    combo->hidePopup();
}

/// A job that runs a program of the user's.
void shootProgram(testsupport::WindowFixture& fixture, const QString& folder,
                  const QString& suffix) {
    fixture.window().jobs().editor().setText(QStringLiteral(
        "[job]\nname = \"own\"\n[cluster]\nnum_processes = 2\n[launch]\n"
        "command = [\"python3\", \"train.py\"]\nenvironment = [\"OMP_NUM_THREADS=1\"]\n"));
    shoot(fixture.window(), folder, QStringLiteral("program") + suffix);
}

job::RunEntry goingRun() {
    return {"/home/ada/runs/mnist-mlp-20261122-134727",
            "mnist-mlp-20261122-134727",
            "mnist-mlp",
            true,
            "running",
            1'790'000'000,
            {}};
}

QSize sizeOf(const char* text) {
    const QStringList sides = QString::fromLatin1(text).split(QLatin1Char('x'));
    return {sides.value(0).toInt(), sides.value(1).toInt()};
}

}  // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral(".");
    QDir().mkpath(folder);
    const QString scale = application.devicePixelRatio() > 1.5 ? QStringLiteral("@2x") : QString();
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
        const QString suffix =
            (mode == ThemeMode::Light ? QStringLiteral("-light") : QStringLiteral("-dark")) + scale;
        QSettings().setValue(QStringLiteral("theme"), int(mode));
        testsupport::WindowFixture fixture({}, {goingRun()});
        if (argc > 2) fixture.window().resize(sizeOf(argv[2]));
        fixture.window().show();
        shootPages(fixture, folder, QStringLiteral("-empty") + suffix);
        fixture.openExample();
        fixture.launch();
        fixture.script().publish(testsupport::ExampleRun::view(2400));
        fixture.feed(2400);
        comeToRest();
        if (auto* table = fixture.window().findChild<QTableView*>(QStringLiteral("replicaTable"))) {
            table->selectRow(0);
        }
        shootPages(fixture, folder, suffix);
        shootComparison(fixture, folder, suffix);
        shootSteps(fixture, folder, suffix);
        shootFigures(fixture, folder, suffix);
        shootHosts(fixture, folder, suffix);
        shootQuestions(folder, suffix);
        shootDialogs(fixture.window(), folder, suffix);
        shootPopUp(fixture, folder, suffix);
        job::RunView failed = testsupport::ExampleRun::failedView(2400);
        fixture.script().publish(failed);
        comeToRest();
        fixture.window().showPage(MainWindow::Page::Live);
        shoot(fixture.window(), folder, QStringLiteral("failed") + suffix);
        fixture.window().jobs().editor().setValue(QStringLiteral("training.global_batch_size"),
                                                  QStringLiteral("1"));
        fixture.window().showPage(MainWindow::Page::Job);
        shoot(fixture.window(), folder, QStringLiteral("problem") + suffix);
        shootProgram(fixture, folder, suffix);
        testsupport::WindowFixture refused;
        if (argc > 2) refused.window().resize(sizeOf(argv[2]));
        refused.window().show();
        refused.openExample();
        refused.launch();
        shootHostFailures(refused, folder, suffix);
    }
    return 0;
}

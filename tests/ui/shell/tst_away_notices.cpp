// SPDX-License-Identifier: GPL-3.0-or-later
// Whoever does something else is called: what is news of a run, and notices on a real bus.
#include <QDBusConnection>
#include <QDBusContext>
#include <QDBusMessage>
#include <QProcess>
#include <QWidget>
#include <QtTest>

#include "ui/shell/away_notices.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

constexpr int kWait = 10'000;

job::RunView trainingView() {
    job::RunView view;
    view.name = "digits";
    view.state = job::RunState::Training;
    view.caughtUp = true;
    view.step = 100;
    return view;
}

job::EpochView epoch(int number, double validationLoss) {
    job::EpochView result;
    result.epoch = number;
    result.validationLoss = validationLoss;
    return result;
}

}  // namespace

/// A desktop that shows notices, as far as programs can see.
class NoticeServer : public QObject, protected QDBusContext {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")
public:
    struct Shown {
        uint replaces = 0;
        QString title;
        QString body;
        uchar urgency = 0;
    };
    QList<Shown> shown;
    QList<uint> closed;
    bool isHeld = false;  ///< Answers to Notify wait for answer().

    /// The oldest that is held.
    void answer() {
        const auto [bus, reply] = held_.takeFirst();
        bus.send(reply);
    }

public Q_SLOTS:
    QStringList GetCapabilities() {
        return {QStringLiteral("body"), QStringLiteral("body-markup"), QStringLiteral("actions")};
    }
    uint Notify(const QString&, uint replaces, const QString&, const QString& title,
                const QString& body, const QStringList&, const QVariantMap& hints, int) {
        shown.append({replaces, title, body, hints[QStringLiteral("urgency")].value<uchar>()});
        const uint id = replaces != 0 ? replaces : kFirstNotice;
        if (!isHeld) return id;
        setDelayedReply(true);
        held_.append({connection(), message().createReply(id)});
        return 0;
    }
    void CloseNotification(uint id) { closed.append(id); }

Q_SIGNALS:
    void ActivationToken(uint id, const QString& token);
    void ActionInvoked(uint id, const QString& action);
    void NotificationClosed(uint id, uint reason);

private:
    static constexpr uint kFirstNotice = 7;
    QList<std::pair<QDBusConnection, QDBusMessage>> held_;
};

class AwayNoticesTest : public QObject {
    Q_OBJECT

    QProcess bus_;
    QString address_;

    /// A bus of the test's own; the server answers there.
    [[nodiscard]] bool putOnABus(NoticeServer& server) {
        bus_.setProgram(QStringLiteral("dbus-daemon"));
        bus_.setArguments({QStringLiteral("--session"), QStringLiteral("--nofork"),
                           QStringLiteral("--print-address")});
        bus_.start();
        if (!bus_.waitForReadyRead(kWait)) {
            qWarning("Install dbus-daemon (./dev does)");
            return false;
        }
        address_ = QString::fromUtf8(bus_.readLine()).trimmed();
        auto desktop = QDBusConnection::connectToBus(address_, QStringLiteral("desktop"));
        return desktop.registerObject(
                   QStringLiteral("/org/freedesktop/Notifications"), &server,
                   QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals) &&
               desktop.registerService(QStringLiteral("org.freedesktop.Notifications"));
    }
    [[nodiscard]] QDBusConnection windowsBus() const {
        return QDBusConnection::connectToBus(address_, QStringLiteral("window"));
    }

private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }
    void cleanup() {
        QDBusConnection::disconnectFromBus(QStringLiteral("window"));
        QDBusConnection::disconnectFromBus(QStringLiteral("desktop"));
        if (bus_.state() == QProcess::NotRunning) return;
        bus_.terminate();
        QVERIFY(bus_.waitForFinished(kWait));
    }

    void whatARunDidBeforeItWasLookedAtIsNoNews() {
        RunNews news;
        job::RunView view = trainingView();
        view.state = job::RunState::Completed;
        QVERIFY(!news.take(view, 0));
        QVERIFY(!news.take(view, 1));
        news.reset();
        view = trainingView();
        view.caughtUp = false;  // its history is read
        view.failures.resize(2);
        QVERIFY(!news.take(view, 0));
        view.state = job::RunState::Failed;  // of a former start
        QVERIFY(!news.take(view, 0));
        view.state = job::RunState::Training;
        view.caughtUp = true;
        QVERIFY(!news.take(view, 1));
        QVERIFY(!news.take(view, 2));
    }

    void theEndOfARunIsNewsOnce() {
        RunNews news;
        job::RunView view = trainingView();
        QVERIFY(!news.take(view, 0));
        view.state = job::RunState::Completed;
        const auto end = news.take(view, 1);
        QVERIFY(end && end->kind == News::Kind::Ended && !end->isUrgent());
        QCOMPARE(end->title, QStringLiteral("digits is completed"));
        QVERIFY(!news.take(view, 2));
    }

    void aFailureSaysItsCause() {
        RunNews news;
        job::RunView view = trainingView();
        QVERIFY(!news.take(view, 0));
        view.failures.resize(1);
        view.failures.back().cause = "process 1 was killed by signal 9 (SIGKILL)";
        QVERIFY(!news.take(view, 1));  // whether it begins again is not said yet
        view.state = job::RunState::Restarting;
        view.starts.resize(2);
        const auto again = news.take(view, 2);
        QVERIFY(again && again->kind == News::Kind::BeganAgain);
        QCOMPARE(again->body, QStringLiteral("Process 1 was killed by signal 9 (SIGKILL)."));
        view.state = job::RunState::Training;
        QVERIFY(!news.take(view, 3));
        view.failures.resize(2);
        QVERIFY(!news.take(view, 4));
        view.state = job::RunState::Failed;
        view.error = "process 1 was killed";
        const auto failed = news.take(view, 5);
        QVERIFY(failed && failed->isUrgent());
        QVERIFY2(failed->body.contains(QStringLiteral("process 1 was killed")),
                 qPrintable(failed->body));
        view.state = job::RunState::Training;  // resumed
        view.starts.resize(3);
        QVERIFY(!news.take(view, 6));
    }

    void whoTrainsOnAfterAFailureHasNotBegunAgain() {
        RunNews news;
        job::RunView view = trainingView();
        QVERIFY(!news.take(view, 0));
        view.failures.resize(1);  // of an evaluator
        QVERIFY(!news.take(view, 1));
        view.failures.resize(2);
        view.verdictSeverity = 3;
        view.sentence = "process 1 is lost";
        const auto lost = news.take(view, 2);
        QVERIFY(lost && lost->kind == News::Kind::Trouble && lost->isUrgent());
    }

    void silenceIsNewsWhenItLastsAndAVerdictAtOnce() {
        RunNews news;
        job::RunView view = trainingView();
        QVERIFY(!news.take(view, 0));
        view.verdictSeverity = 1;
        view.sentence = "process 1 is silent";
        QVERIFY(!news.take(view, 1));
        QVERIFY(!news.take(view, 9));
        QVERIFY(news.take(view, 11.5));
        QVERIFY(!news.take(view, 30));  // told once
        view.verdictSeverity = 0;
        QVERIFY(!news.take(view, 31));
        view.verdictSeverity = 2;
        view.sentence = "replica 1 stands still";
        const auto stuck = news.take(view, 32);
        QVERIFY(stuck && stuck->kind == News::Kind::Trouble && stuck->isUrgent());
        QCOMPARE(stuck->body, QStringLiteral("Replica 1 stands still."));
    }

    void whatIsGraverThanASlowProcessIsToldBesides() {
        RunNews news;
        job::RunView view = trainingView();
        QVERIFY(!news.take(view, 0));
        view.verdictSeverity = 4;
        view.sentence = "process 2 costs the others 18 %";
        const auto slow = news.take(view, 1);
        QVERIFY(slow && slow->kind == News::Kind::Slow && !slow->isUrgent());
        for (const int severity : {2, 3}) {
            view.verdictSeverity = severity;
            const auto graver = news.take(view, 1 + severity);
            QVERIFY(graver && graver->kind == News::Kind::Trouble && graver->isUrgent());
        }
        view.verdictSeverity = 4;
        QVERIFY(!news.take(view, 9));
    }

    void besideAProcessThatIsAlwaysSlowEveryTroubleIsTold() {
        RunNews news;
        job::RunView view = trainingView();
        QVERIFY(!news.take(view, 0));
        view.verdictSeverity = 4;
        QVERIFY(news.take(view, 1));
        QVERIFY(!news.take(view, 29));
        view.verdictSeverity = 1;
        QVERIFY(!news.take(view, 30));
        QVERIFY(!news.take(view, 39));
        const auto silent = news.take(view, 41);
        QVERIFY(silent && silent->kind == News::Kind::Trouble);
        for (const double now : {50.0, 60.0}) {
            view.verdictSeverity = 4;
            QVERIFY(!news.take(view, now));
            view.verdictSeverity = 2;
            const auto stuck = news.take(view, now + 1);
            QVERIFY(stuck && stuck->kind == News::Kind::Trouble);
        }
    }

    void aNewBestIsNewsOnceInAWhile() {
        RunNews news;
        job::RunView view = trainingView();
        QVERIFY(!news.take(view, 0));
        view.epochResults = {epoch(1, 0.9)};
        QVERIFY(!news.take(view, 10));  // early ones are all better
        view.epochResults.push_back(epoch(2, 0.8));
        const auto best = news.take(view, 400);
        QVERIFY(best && best->kind == News::Kind::Best);
        QCOMPARE(best->body, QStringLiteral("Validation loss 0.8000 in epoch 2."));
        view.epochResults.push_back(epoch(3, 0.85));
        QVERIFY(!news.take(view, 900));
    }

    // Before any window is in front: this program stays active behind one here.
    void aNoticeOfTroubleGoesWithIt() {
        NoticeServer server;
        QVERIFY(putOnABus(server));
        AwayNotices notices(
            windowsBus(), [] { return 0.0; }, nullptr);
        job::RunView view = trainingView();
        notices.showView(view);
        view.verdictSeverity = 4;
        notices.showView(view);
        QTRY_COMPARE_WITH_TIMEOUT(server.shown.size(), 1, kWait);
        notices.showView(view);
        view.verdictSeverity = 0;
        notices.showView(view);
        QTRY_COMPARE_WITH_TIMEOUT(server.closed, QList<uint>{7}, kWait);
        view.state = job::RunState::Completed;
        notices.showView(view);
        QTRY_COMPARE_WITH_TIMEOUT(server.shown.size(), 2, kWait);
        notices.showView(view);
        QTest::qWait(100);  // a pause: that nothing comes shows only after a while
        QCOMPARE(server.closed.size(), 1);
    }

    void whoDoesSomethingElseIsCalledAndMayComeBack() {
        NoticeServer server;
        QVERIFY(putOnABus(server));
        double now = 0;
        AwayNotices notices(
            windowsBus(), [&now] { return now; }, nullptr);
        QSignalSpy asked(&notices, &AwayNotices::windowRequested);
        job::RunView view = trainingView();
        notices.showView(view);
        view.verdictSeverity = 2;
        view.sentence = "replica 1 <rank 1> stands still";
        notices.showView(view);
        QTRY_COMPARE_WITH_TIMEOUT(server.shown.size(), 1, kWait);
        QCOMPARE(server.shown[0].title, QStringLiteral("digits needs attention"));
        QCOMPARE(server.shown[0].body, QStringLiteral("Replica 1 &lt;rank 1&gt; stands still."));
        QCOMPARE(int(server.shown[0].urgency), 2);
        QCOMPARE(server.shown[0].replaces, 0U);

        view.state = job::RunState::Completed;
        notices.showView(view);
        QTRY_COMPARE_WITH_TIMEOUT(server.shown.size(), 2, kWait);
        QCOMPARE(server.shown[1].replaces, 7U);  // in place of the one before
        QCOMPARE(int(server.shown[1].urgency), 1);
        Q_EMIT server.ActivationToken(7, QStringLiteral("token of the click"));
        Q_EMIT server.ActionInvoked(7, QStringLiteral("default"));
        QTRY_COMPARE_WITH_TIMEOUT(asked.count(), 1, kWait);
        QCOMPARE(qgetenv("XDG_ACTIVATION_TOKEN"), QByteArray("token of the click"));
        qunsetenv("XDG_ACTIVATION_TOKEN");

        QWidget window;
        window.show();
        window.activateWindow();
        QTRY_COMPARE_WITH_TIMEOUT(server.closed, QList<uint>{7}, kWait);  // seen in the window
        notices.reset();
        notices.showView(trainingView());
        view.state = job::RunState::Failed;
        notices.showView(view);
        QTest::qWait(200);  // a pause: that nothing comes shows only after a while
        QCOMPARE(server.shown.size(), 2);
    }

    void oneNoticeAtATimeHoweverLateTheDesktopAnswers() {
        NoticeServer server;
        QVERIFY(putOnABus(server));
        DesktopNotifications notices(windowsBus());
        server.isHeld = true;
        for (const char* title : {"first", "second", "third"})
            notices.show(QString::fromLatin1(title), QString(), false);
        QTRY_COMPARE_WITH_TIMEOUT(server.shown.size(), 1, kWait);
        QCOMPARE(server.shown[0].title, QStringLiteral("third"));  // the newest
        notices.show(QStringLiteral("fourth"), QString(), false);
        notices.show(QStringLiteral("fifth"), QString(), false);
        QTest::qWait(100);  // a pause: that nothing comes shows only after a while
        QCOMPARE(server.shown.size(), 1);
        server.answer();
        QTRY_COMPARE_WITH_TIMEOUT(server.shown.size(), 2, kWait);
        QCOMPARE(server.shown[1].title, QStringLiteral("fifth"));
        QCOMPARE(server.shown[1].replaces, 7U);
        notices.withdraw();
        QVERIFY(server.closed.isEmpty());
        server.answer();
        QTRY_COMPARE_WITH_TIMEOUT(server.closed, QList<uint>{7}, kWait);
    }

    void withoutABusNothingComesOfIt() {
        AwayNotices notices(
            QDBusConnection(QString()), [] { return 0.0; }, nullptr);
        job::RunView view = trainingView();
        notices.showView(view);
        view.state = job::RunState::Completed;
        notices.showView(view);
        QVERIFY(AwayNotices::areWanted());
    }
};

QTEST_MAIN(AwayNoticesTest)
#include "tst_away_notices.moc"

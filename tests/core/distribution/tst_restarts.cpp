// SPDX-License-Identifier: Apache-2.0
// What schedulers do to programs that call initialize(): one process is killed at any moment, and
// all are started again at once, in any order, where the dead ones have left what they leave. They
// meet each other, and nobody waits for those of before. LOCKSTEP_RESTARTS sets how often (50 in
// `./dev check`), LOCKSTEP_SEED plays one round alone. This program starts itself as the members.
#include <QElapsedTimer>
#include <QtTest>
#include <cstdio>
#include <numeric>
#include <utility>

#include "core/base/rng.h"
#include "core/distribution/initialize.h"
#include "tests/core/distribution/member_group.h"

using namespace lockstep;
using namespace lockstep::distribution;
using lockstep::tests::Group;

namespace {

constexpr int kProcesses = 3;
constexpr int kTimeoutSeconds = 30;
constexpr double kMeetSeconds = 10;  // a machine under load; nobody waits for a timeout then
constexpr int kEndMilliseconds = 10'000;
constexpr const char* kQuick = "--quick";
constexpr double kQuickHeartbeatSeconds = 4;

/// Says whom it has met by the seed that they agreed on, and stays until its input ends.
int runMember() {
    InitializeOptions options;
    options.initializationTimeoutSeconds = kTimeoutSeconds;
    if (QCoreApplication::arguments().contains(kQuick))
        options.heartbeatTimeoutSeconds = kQuickHeartbeatSeconds;
    if (auto initialized = initialize(options); !initialized) {
        std::printf("error: %s\n", initialized.error().message.c_str());
        return 2;
    }
    std::printf("met %llu\n", static_cast<unsigned long long>(agreedSeed()));
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
    return shutdown() ? 0 : 3;
}

/// What one round does.
struct Restart {
    explicit Restart(int number) : order(kProcesses) {
        // Of three processes in turn, each order of starting for each of them.
        std::iota(order.begin(), order.end(), 0);
        for (int i = 0; i < number % 6; ++i)
            std::ranges::next_permutation(order);
        victim = number / 6 % kProcesses;
        CounterRng rng(static_cast<std::uint64_t>(number), 53);
        isMeeting = rng.nextBelow(2) == 1;
        milliseconds = isMeeting ? static_cast<int>(rng.nextBelow(400)) : 0;
        isTermed = rng.nextBelow(2) == 1;
        apart = static_cast<int>(rng.nextBelow(500));
    }

    std::vector<int> order;  ///< Of starting.
    int victim = 0;
    bool isMeeting = false;  ///< It is killed so long after the start, met or not.
    int milliseconds = 0;
    bool isTermed = false;  ///< The others are ended by SIGTERM.
    int apart = 0;          ///< Milliseconds between two, where all are started one by one.

    [[nodiscard]] QString words() const {
        QStringList started;
        for (const int id : order)
            started.append(QString::number(id));
        return QString(
                   "process %1 killed %2, the others by %3; started again: %4, %5 ms apart where "
                   "one by one")
            .arg(victim)
            .arg(isMeeting ? QString("%1 ms after the start").arg(milliseconds)
                           : "when all had met")
            .arg(isTermed ? "SIGTERM" : "SIGKILL", started.join(", "))
            .arg(apart);
    }
};

}  // namespace

class RestartsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<Group> group_;
    std::vector<int> ids_;  ///< Of the group's members.
    std::vector<double> seconds_;

    static int restartCount() {
        const int wanted = qEnvironmentVariableIntValue("LOCKSTEP_RESTARTS");
        return wanted > 0 ? wanted : 4;
    }
    void makeGroup(bool hasSecret, const QStringList& arguments = {}) {
        group_ = std::make_unique<Group>(kProcesses, arguments);
        seconds_.clear();
        if (hasSecret)
            group_->giveSecret("b8h2kPq7mT0vXc4Zr9wLs1Nf6Yj3Gd5A",
                               QFile::ReadOwner | QFile::WriteOwner);
    }
    void startAll(const std::vector<int>& order) {
        group_->members.clear();
        ids_ = order;
        for (const int id : order)
            group_->start(id);
    }
    /// All say that they have met the same ones; empty, or what is wrong.
    QString meet() {
        QElapsedTimer since;
        since.start();
        QSet<QByteArray> met;
        for (std::size_t i = 0; i < group_->members.size(); ++i) {
            QProcess& member = *group_->members[i];
            while (!member.canReadLine() && member.waitForReadyRead(kTimeoutSeconds * 1500)) {
            }
            const QByteArray line = member.readLine();
            if (!line.startsWith("met "))
                return QString("process %1: %2")
                    .arg(ids_[i])
                    .arg(QString::fromUtf8(line + member.readAllStandardOutput() +
                                           member.readAllStandardError()));
            met.insert(line);
        }
        seconds_.push_back(static_cast<double>(since.elapsed()) / 1000);
        if (met.size() != 1) return "they are not in one group";
        if (seconds_.back() > kMeetSeconds) return QString("took %1 s").arg(seconds_.back());
        return {};
    }
    /// Process by process: each as soon as its former one is gone, which the others do not know.
    bool restartOneByOne(const Restart& restart) {
        auto former = std::move(group_->members);
        const std::vector<int> formerIds = std::exchange(ids_, restart.order);
        group_->members.clear();
        for (const int id : restart.order) {
            QProcess& old = *former[static_cast<std::size_t>(std::ranges::find(formerIds, id) -
                                                             formerIds.begin())];
            old.kill();
            if (old.state() != QProcess::NotRunning && !old.waitForFinished(kEndMilliseconds))
                return false;
            group_->start(id);
            QTest::qSleep(restart.apart);  // a pause: as long as the seed says
        }
        return true;
    }
    /// Of the running group, as a scheduler ends it.
    bool endAll(const Restart& restart) {
        for (std::size_t i = 0; i < ids_.size(); ++i)
            if (ids_[i] == restart.victim) group_->members[i]->kill();
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            if (ids_[i] == restart.victim) continue;
            if (restart.isTermed)
                group_->members[i]->terminate();
            else
                group_->members[i]->kill();
        }
        return std::ranges::all_of(group_->members, [](const auto& member) {
            return member->state() == QProcess::NotRunning ||
                   member->waitForFinished(kEndMilliseconds);
        });
    }
    bool leave() {
        for (const auto& member : group_->members)
            member->closeWriteChannel();
        bool haveLeft = true;
        for (std::size_t i = 0; i < group_->members.size(); ++i)
            haveLeft &= group_->end(i).first == 0;
        return haveLeft;
    }

private slots:
    void allMeetAgainWhoeverIsKilled_data() {
        QTest::addColumn<bool>("hasSecret");
        QTest::addColumn<bool>("isOneByOne");
        QTest::newRow("keys in a shared folder") << false << false;
        QTest::newRow("a secret") << true << false;
        QTest::newRow("keys in a shared folder, one by one") << false << true;
        QTest::newRow("a secret, one by one") << true << true;
    }
    void allMeetAgainWhoeverIsKilled() {
        QFETCH(const bool, hasSecret);
        QFETCH(const bool, isOneByOne);
        makeGroup(hasSecret);
        const int one = qEnvironmentVariableIntValue("LOCKSTEP_SEED");
        const int first = one > 0 ? one : 1;
        const int last = one > 0 ? one : restartCount();
        startAll({0, 1, 2});
        QCOMPARE(meet(), QString());
        for (int number = first; number <= last; ++number) {
            const Restart restart(number);
            const auto words = [&](const QString& wrong) {
                return QString("LOCKSTEP_SEED=%1 (%2): %3")
                    .arg(number)
                    .arg(restart.words(), wrong)
                    .toUtf8();
            };
            if (restart.isMeeting && !isOneByOne) {
                QVERIFY2(endAll(restart), words("a process does not end"));
                startAll(restart.order);
                QTest::qSleep(restart.milliseconds);  // a pause: as long as the seed says
            }
            if (isOneByOne) {
                QVERIFY2(restartOneByOne(restart), words("a process does not end"));
            } else {
                QVERIFY2(endAll(restart), words("a process does not end"));
                startAll(restart.order);
            }
            const QString wrong = meet();
            QVERIFY2(wrong.isEmpty(), words(wrong));
        }
        QVERIFY2(leave(), "a member does not leave");
        std::ranges::sort(seconds_);
        std::printf(
            "%zu starts of %d processes, %s: all met, after %.2f s (median), %.2f s (longest)\n",
            seconds_.size(), kProcesses, QTest::currentDataTag(), seconds_[seconds_.size() / 2],
            seconds_.back());
    }

    void oneThatIsStartedAgainAloneMeetsTheOthersOnceTheyFollow_data() {
        QTest::addColumn<bool>("hasSecret");
        QTest::newRow("keys in a shared folder") << false;
        QTest::newRow("a secret") << true;
    }
    /// The others end when they are told of its death, each is started again then: until that the
    /// former start knows another life of the new process.
    void oneThatIsStartedAgainAloneMeetsTheOthersOnceTheyFollow() {
        QFETCH(const bool, hasSecret);
        makeGroup(hasSecret, {kQuick});
        startAll({0, 1, 2});
        QCOMPARE(meet(), QString());
        auto former = std::move(group_->members);
        former[1]->kill();
        QVERIFY(former[1]->waitForFinished(kEndMilliseconds));
        startAll({1});
        for (const int id : {2, 0}) {
            QVERIFY2(former[static_cast<std::size_t>(id)]->waitForFinished(kEndMilliseconds),
                     "nobody was told");
            group_->start(id);
            ids_.push_back(id);
        }
        QCOMPARE(meet(), QString());
        const QByteArray told = group_->members[0]->readAllStandardError();
        QVERIFY2(told.startsWith("warning: ") &&
                     told.contains("; if that was a former start, the next one is awaited for ") &&
                     told.count('\n') == 1,
                 told.constData());
        QVERIFY2(leave(), "a member does not leave");
    }
};

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    if (QCoreApplication::arguments().contains("--member")) return runMember();
    RestartsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_restarts.moc"

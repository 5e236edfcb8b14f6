// SPDX-License-Identifier: Apache-2.0
// Each of those who write a checkpoint together is killed at every kind of system call that its
// part of the commit makes, and at random moments: a whole checkpoint remains. LOCKSTEP_KILLS sets
// how many kills are to land (500 in `./dev check`, then at every single call); LOCKSTEP_SEED plays
// one random moment alone.
#include <QFile>
#include <QtTest>
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <vector>

#include "core/base/rng.h"
#include "tests/support/commit_place.h"

using namespace lockstep;
using namespace lockstep::checkpoint::test;
using Left = CommitPlace::Left;

namespace {

constexpr std::array kSteps{20, 10};  // a new one, and one that changes places with what is there
constexpr int kFewKills = 60;
constexpr int kTries = 5;  // where a call is not made every time

const char* roleOf(int process) {
    return process == 0 ? "process 0, which commits" : process == 1 ? "process 1" : "process 2";
}

/// What a traced process called, from the beginning of its part of the commit on.
struct Trace {
    explicit Trace(const QString& log) {
        static const QRegularExpression kCall("^(\\w+)\\(");
        QFile file(log);
        if (!file.open(QIODevice::ReadOnly)) return;
        bool hasBegun = false;
        for (const QByteArray& line : file.readAll().split('\n')) {
            if (hasBegun && line.startsWith("+++ killed by SIGKILL")) killed = !hasEnded;
            const auto call = kCall.match(QString::fromUtf8(line));
            if (!call.hasMatch() || hasEnded) continue;
            hasEnded = line.startsWith("write(") && line.contains(" end ");
            if (!hasBegun)
                ++before[call.captured(1)];
            else if (!hasEnded)
                ++calls[last = call.captured(1)];
            hasBegun = hasBegun || (line.startsWith("write(") && line.contains(" begin\\n"));
        }
    }

    QMap<QString, int> before;  ///< Those that it made while the tracer came.
    QMap<QString, int> calls;   ///< How often each.
    QString last;
    bool hasEnded = false;
    bool killed = false;  ///< At `last`.
};

struct Tally {
    int landed = 0;
    int unseen = 0;  ///< Not seen to land: the call was not made, or the commit was over.
    int older = 0;
    int newer = 0;

    void add(const Tally& more) {
        landed += more.landed;
        unseen += more.unseen;
        older += more.older;
        newer += more.newer;
    }
    [[nodiscard]] QString words() const {
        return QString(
                   "%1 landed, %2 left the older and %3 the newer checkpoint; %4 not seen to "
                   "land, not counted")
            .arg(landed)
            .arg(older)
            .arg(newer)
            .arg(unseen);
    }
};

}  // namespace

class CommitKillsTest : public QObject {
    Q_OBJECT

    CommitPlace place_{COMMIT_PROGRAM};
    std::map<QString, Tally> tallies_;  ///< By process and call.
    QStringList lost_;                  ///< After which none was whole, or nobody could go on.

    static int killsWanted() { return qEnvironmentVariableIntValue("LOCKSTEP_KILLS"); }
    [[nodiscard]] Tally all() const {
        Tally all;
        for (const auto& [kind, tally] : tallies_)
            all.add(tally);
        return all;
    }
    /// Looks at what is left.
    void count(const QString& kind, const QString& words, int step, bool landed) {
        const Left left = place_.left(step);
        Tally& tally = tallies_[kind];
        if (left == Left::Nothing || !place_.canGoOn()) lost_.append(words);
        if (!landed) {
            ++tally.unseen;
            return;
        }
        ++tally.landed;
        if (left == Left::Older) ++tally.older;
        if (left == Left::Newer) ++tally.newer;
    }
    [[nodiscard]] Trace traced(int process, int step, const QString& more = {}) {
        const QString log = place_.path("trace");
        QFile::remove(log);
        place_.prepare();
        std::ignore = place_.commit(step, QString("LOCKSTEP_TRACE_%1").arg(process),
                                    "strace -o " + log + more);
        return Trace(log);
    }
    bool killAt(int process, int step, const QString& call, int when) {
        const Trace trace =
            traced(process, step, QString(" -e inject=%1:signal=KILL:when=%2").arg(call).arg(when));
        const bool landed = trace.killed && trace.last == call;
        count(QString("%1: %2").arg(roleOf(process), call),
              QString("%1, step %2, %3 %4").arg(roleOf(process)).arg(step).arg(call).arg(when),
              step, landed);
        return landed;
    }
    bool killAtRandom(int seed, double lasts) {
        CounterRng rng(static_cast<std::uint64_t>(seed), 47);
        const auto process = static_cast<int>(rng.nextBelow(CommitPlace::kProcesses));
        const int step = kSteps[rng.nextBelow(kSteps.size())];
        const auto microseconds = static_cast<int>(rng.nextFloat() * lasts / 1000);
        place_.prepare();
        const auto outcome =
            place_.commit(step, "LOCKSTEP_KILL", QString("%1 %2").arg(process).arg(microseconds));
        const bool landed = outcome.said.contains(QString("killed %1").arg(process));
        count(QString("%1: any moment").arg(roleOf(process)),
              QString("LOCKSTEP_SEED=%1: %2, step %3, after %4 us")
                  .arg(seed)
                  .arg(roleOf(process))
                  .arg(step)
                  .arg(microseconds),
              step, landed);
        return landed;
    }
    /// Nanoseconds that a commit takes: the middle one of a few.
    double duration() {
        std::vector<double> all;
        for (int i = 0; i < 9; ++i) {
            place_.prepare();
            for (const QString& line : place_.commit(kSteps[0]).said.filter("lasted "))
                all.push_back(line.mid(7).toDouble());
        }
        std::ranges::sort(all);
        return all.empty() ? 0 : all[all.size() / 2];
    }
    void report() const {
        for (const auto& [kind, tally] : tallies_)
            std::puts(qPrintable(kind + ": " + tally.words()));
        std::puts(qPrintable(QString("kills in a commit of %1 processes: %2; unloadable %3")
                                 .arg(CommitPlace::kProcesses)
                                 .arg(all().words())
                                 .arg(lost_.size())));
        for (const QString& lost : lost_.mid(0, 10))
            std::puts(qPrintable("lost: " + lost));
    }

private slots:
    static void initTestCase() {
        if (!CommitPlace::mayTrace()) QSKIP("strace is not installed, or may not trace here");
    }
    void cleanupTestCase() const { report(); }

    void whateverCallItIsKilledAtAWholeCheckpointRemains() {
        const bool isCampaign = killsWanted() > 0;
        for (const int step : kSteps)
            for (int process = 0; process < CommitPlace::kProcesses; ++process) {
                const Trace whole = traced(process, step);
                QVERIFY2(whole.hasEnded && whole.calls.size() >= 4, roleOf(process));
                for (auto call = whole.calls.cbegin(); call != whole.calls.cend(); ++call) {
                    const int first = whole.before.value(call.key()) + 1;
                    const int last = first + call.value() - 1;
                    bool landed = false;
                    for (int when = isCampaign ? first : last; when <= last; ++when)
                        landed |= killAt(process, step, call.key(), when);
                    for (int more = 0; !landed && more < kTries; ++more)
                        landed = killAt(process, step, call.key(), first);
                    QVERIFY2(
                        landed,
                        qPrintable(
                            QString("%1 is never killed at %2").arg(roleOf(process), call.key())));
                }
            }
        QCOMPARE(lost_, QStringList());
    }

    void whateverMomentItIsKilledAtAWholeCheckpointRemains() {
        const double lasts = duration();
        QVERIFY(lasts > 0);
        const int one = qEnvironmentVariableIntValue("LOCKSTEP_SEED");
        if (one > 0) killAtRandom(one, lasts);
        const int wanted = killsWanted() > 0 ? killsWanted() : kFewKills;
        int landed = 0;
        for (int seed = 1; one == 0 && (landed < wanted / 2 || all().landed < wanted); ++seed) {
            QVERIFY2(seed < 10 * wanted, "the kills do not land");
            if (killAtRandom(seed, lasts)) ++landed;
        }
        QCOMPARE(lost_, QStringList());
    }
};

QTEST_GUILESS_MAIN(CommitKillsTest)
#include "tst_commit_kills.moc"

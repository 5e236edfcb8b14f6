// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/telemetry/lost_steps.h"
#include "core/telemetry/step_gaps.h"

using namespace lockstep;
using telemetry::LostSteps;
using telemetry::StepGap;
using telemetry::StepGaps;

namespace {

wire::Record steps(std::uint32_t replica, std::uint64_t first, std::uint64_t last) {
    wire::Record record;
    record.mutable_steps()->set_replica(replica);
    record.mutable_steps()->set_first_step(first);
    for (std::uint64_t step = first; step <= last; ++step)
        record.mutable_steps()->add_loss(1);
    return record;
}

wire::Record dropped(std::uint32_t replica, std::uint64_t first, std::uint64_t count) {
    wire::Record record;
    record.mutable_drops()->set_replica(replica);
    record.mutable_drops()->set_first_step(first);
    record.mutable_drops()->set_count(count);
    return record;
}

wire::Record runFrom(std::uint64_t firstStep, std::uint32_t replicas = 2, bool amends = false) {
    wire::Record record;
    record.mutable_run_info()->set_first_step(firstStep);
    record.mutable_run_info()->set_replica_count(replicas);
    record.mutable_run_info()->set_amends(amends);
    return record;
}

wire::Record begins(wire::RunState state = wire::RUN_STATE_RESTARTING) {
    wire::Record record;
    record.mutable_run_state()->set_state(state);
    return record;
}

wire::Record epoch(std::uint64_t step) {
    wire::Record record;
    record.mutable_epoch()->set_step(step);
    return record;
}

/// The first start, up to a checkpoint of step 112 that replica 1 has not told of to its end.
const std::vector<wire::Record> kKilled{begins(wire::RUN_STATE_LAUNCHING), runFrom(0),
                                        steps(0, 1, 112), steps(1, 1, 104)};

QByteArray textOf(const std::vector<StepGap>& gaps) {
    QByteArray text;
    for (const StepGap& gap : gaps)
        text += QByteArray(text.isEmpty() ? "" : "; ") + QByteArray::number(gap.replica) + ": " +
                QByteArray::number(quint64(gap.first)) + "-" +
                QByteArray::number(quint64(gap.last)) + (gap.isBeforeStart ? "" : " within");
    return text;
}

/// Behind kKilled: the gaps that are known, and those that the end of the journal leaves.
QByteArray gapsBehind(const std::vector<wire::Record>& records) {
    StepGaps gaps;
    std::vector<StepGap> found;
    const auto add = [&found](const std::vector<StepGap>& more) {
        found.insert(found.end(), more.begin(), more.end());
    };
    for (const auto& list : {kKilled, records})
        for (const wire::Record& record : list)
            add(gaps.take(record));
    const QByteArray known = textOf(found);
    found = gaps.close();
    if (found.empty()) return known;
    return known + " | " + textOf(found);
}

std::string lostBehind(const std::vector<wire::Record>& records) {
    LostSteps lost;
    for (const auto& list : {kKilled, records})
        for (const wire::Record& record : list)
            lost.take(record);
    return lost.text();
}

}  // namespace

class StepGapsTest : public QObject {
    Q_OBJECT
private slots:
    void whatAReplicaHadNotToldWhenTheRunWentOnBehindItIsAGap() {
        QCOMPARE(gapsBehind({begins(), runFrom(112), steps(0, 113, 120), steps(1, 113, 119)}),
                 QByteArray("1: 105-112"));
        QCOMPARE(gapsBehind({}), QByteArray());  // the run may go back
        QCOMPARE(gapsBehind({begins(), runFrom(112), steps(0, 113, 120)}),
                 QByteArray(" | 1: 105-112"));
        // An amended word is of no other start.
        QCOMPARE(gapsBehind({runFrom(112, 2, true), steps(1, 105, 119)}), QByteArray());
    }

    void theFirstStepsOfAReplicaMayComeBeforeTheChiefSaysWhereTheRunBegins() {
        QCOMPARE(gapsBehind({begins(), steps(1, 113, 119), runFrom(112), steps(1, 120, 121)}),
                 QByteArray("1: 105-112"));
        QCOMPARE(gapsBehind({begins(), steps(1, 51, 60), runFrom(50), steps(1, 61, 70)}),
                 QByteArray());
        // Where it never says so, nothing is known of it.
        QCOMPARE(gapsBehind({begins(), steps(1, 113, 119), begins(), runFrom(112)}),
                 QByteArray("1: 105-112 within"));
    }

    void whatARunThatGoesBackTrainsAgainIsNoGap() {
        QCOMPARE(gapsBehind({begins(), runFrom(50), steps(0, 51, 120), steps(1, 51, 120)}),
                 QByteArray());
        QCOMPARE(gapsBehind({begins(), runFrom(104), steps(0, 105, 120), steps(1, 105, 120)}),
                 QByteArray());
        // A start that came to nothing has not gone on behind it.
        QCOMPARE(gapsBehind({begins(), runFrom(112), begins(), runFrom(50), steps(0, 51, 120),
                             steps(1, 51, 120)}),
                 QByteArray());
    }

    void whatIsToldOfAFormerLifeIsNoGap() {
        QCOMPARE(gapsBehind({begins(), runFrom(112), steps(1, 105, 112), steps(1, 113, 120)}),
                 QByteArray());
        QCOMPARE(gapsBehind({begins(), runFrom(112), steps(1, 105, 110), steps(1, 113, 120)}),
                 QByteArray("1: 111-112"));
    }

    void eachOfSeveralStartsHasItsOwn() {
        QCOMPARE(gapsBehind({begins(), runFrom(112), steps(0, 113, 230), steps(1, 113, 228),
                             begins(), runFrom(228), steps(0, 229, 300), steps(1, 229, 310),
                             begins(wire::RUN_STATE_LAUNCHING), runFrom(310), steps(1, 311, 320),
                             steps(0, 311, 320)}),
                 QByteArray("1: 105-112; 0: 301-310"));
    }

    void whoDoesNotGoOnHasLostThemForGood() {
        QCOMPARE(gapsBehind({begins(), runFrom(112, 1), steps(0, 113, 230), begins(),
                             runFrom(230, 2), steps(0, 231, 240), steps(1, 231, 240)}),
                 QByteArray("1: 105-112"));
        QCOMPARE(gapsBehind({begins(), runFrom(104, 1), steps(0, 105, 230)}), QByteArray());
        // One that comes to it has lost nothing of what was before.
        QCOMPARE(gapsBehind({begins(), runFrom(104, 3), steps(2, 105, 230)}), QByteArray());
    }

    void aGapWithinAStartIsNoneThatTheRunWentOnBehind() {
        QCOMPARE(gapsBehind({begins(), runFrom(112), steps(1, 116, 119), dropped(1, 120, 3),
                             steps(1, 123, 130), epoch(131)}),
                 QByteArray("1: 105-112; 1: 113-115 within; 1: 120-122 within | 0: 113-131 within; "
                            "1: 131-131 within"));
        QCOMPARE(gapsBehind({dropped(1, 105, 8), begins(), runFrom(112), steps(1, 113, 119)}),
                 QByteArray("1: 105-112 within"));
    }

    void ofARunWhoseBeginningIsNotKnownNothingIsMissingBefore() {
        StepGaps gaps;
        QVERIFY(gaps.take(steps(7, 1000, 1010)).empty());
        QVERIFY(gaps.take(begins()).empty() && gaps.take(runFrom(1020, 8)).empty());
        QCOMPARE(textOf(gaps.take(steps(7, 1021, 1030))), QByteArray("7: 1011-1020"));
        QCOMPARE(gaps.told(), std::uint64_t{21});
    }

    void theyAreSaidWithWhoseTheyAre() {
        QCOMPARE(lostBehind({}), std::string());
        QCOMPARE(lostBehind({begins(), runFrom(112), steps(0, 113, 120), steps(1, 113, 119)}),
                 std::string("steps of replica 1 are missing, whose records were lost with a "
                             "process: 8 (105-112)"));
        QCOMPARE(lostBehind({begins(), runFrom(113), steps(0, 114, 120), steps(1, 114, 118),
                             begins(), runFrom(119), steps(1, 120, 121)}),
                 std::string("steps of replicas 0, 1 are missing, whose records were lost with a "
                             "process: 11 (113, 105-113, 119)"));
        // Those that its sender had no room for are counted elsewhere.
        QCOMPARE(lostBehind({dropped(1, 105, 8), begins(), runFrom(112), steps(1, 113, 119)}),
                 std::string());
    }
};

QTEST_GUILESS_MAIN(StepGapsTest)
#include "tst_step_gaps.moc"

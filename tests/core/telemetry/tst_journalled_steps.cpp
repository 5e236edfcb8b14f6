// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "core/telemetry/journalled_steps.h"

using namespace lockstep;
using telemetry::JournalledSteps;
using Steps = std::vector<std::int64_t>;

namespace {

wire::Record steps(std::uint32_t replica, std::uint64_t first, int count) {
    wire::Record record;
    record.mutable_steps()->set_replica(replica);
    record.mutable_steps()->set_first_step(first);
    for (int i = 0; i < count; ++i)
        record.mutable_steps()->add_loss(1);
    return record;
}

wire::Record runFrom(std::uint64_t firstStep, bool amends = false) {
    wire::Record record;
    record.mutable_run_info()->set_first_step(firstStep);
    record.mutable_run_info()->set_amends(amends);
    return record;
}

wire::Record restarting() {
    wire::Record record;
    record.mutable_run_state()->set_state(wire::RUN_STATE_RESTARTING);
    return record;
}

Steps newestOf(std::initializer_list<wire::Record> records, std::int64_t before) {
    JournalledSteps journalled(before);
    for (const wire::Record& record : records)
        journalled.take(record);
    return journalled.newest(2);
}

}  // namespace

class JournalledStepsTest : public QObject {
    Q_OBJECT
private slots:
    void theNewestStepOfEachReplicaIsKnown() {
        const std::int64_t unknown = JournalledSteps::kUnknown;
        QCOMPARE(newestOf({}, unknown), (Steps{unknown, unknown}));
        QCOMPARE(newestOf({runFrom(0), steps(0, 1, 3), steps(0, 4, 2), steps(1, 1, 4)}, unknown),
                 (Steps{5, 4}));
        QCOMPARE(newestOf({steps(1, 1, 4)}, unknown), (Steps{unknown, 4}));
        QCOMPARE(newestOf({steps(1, 1, 4)}, 0), (Steps{0, 4}));
    }

    void whatARunThatGoesBackTrainsAgainIsNotTold() {
        QCOMPARE(newestOf({steps(0, 1, 9), steps(1, 1, 8), restarting(), runFrom(5)}, 0),
                 (Steps{5, 5}));
        QCOMPARE(newestOf({steps(0, 1, 9), restarting(), runFrom(5), steps(0, 6, 2)}, 0),
                 (Steps{7, 0}));
        // An amended one says where the run began before.
        QCOMPARE(newestOf({runFrom(0), steps(0, 1, 9), runFrom(0, true)}, 0), (Steps{9, 0}));
    }

    void theFirstStepsOfAReplicaMayComeBeforeTheChiefSaysWhereTheRunBegins() {
        QCOMPARE(
            newestOf({steps(0, 1, 5), steps(1, 1, 5), restarting(), steps(1, 6, 3), runFrom(5)}, 0),
            (Steps{5, 8}));
    }

    void theFirstStepsBehindAReturnSayHowFarItWas() {
        QCOMPARE(newestOf({steps(0, 1, 100), restarting(), steps(0, 51, 10), runFrom(50)}, 0),
                 (Steps{60, 0}));
        QCOMPARE(newestOf({steps(0, 1, 100), restarting(), steps(0, 51, 10), steps(0, 55, 2)}, 0),
                 (Steps{60, 0}));
    }

    void aReplicaOfAnyNumberTakesNoMemoryForThoseBelowIt() {
        QCOMPARE(newestOf({steps(4'000'000'000U, 1, 1)}, 0), (Steps{0, 0}));
    }
};

QTEST_GUILESS_MAIN(JournalledStepsTest)
#include "tst_journalled_steps.moc"

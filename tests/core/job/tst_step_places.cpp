// SPDX-License-Identifier: Apache-2.0
// Where the steps of a fold lie on the coordinator's clock.
#include <QtTest>
#include <cmath>
#include <vector>

#include "core/job/fold/step_places.h"
#include "core/telemetry/trace_steps.h"
#include "tests/core/job/watcher.h"

using namespace lockstep;
using namespace lockstep::job;
using namespace lockstep::job::test;

namespace {

std::vector<PlacedStep> placed(const std::vector<StepColumns>& columns, int replica) {
    std::vector<PlacedStep> steps;
    for (const StepColumns& each : columns)
        if (each.replica == replica)
            placeSteps(each, [&steps](const PlacedStep& step) { steps.push_back(step); });
    return steps;
}

/// The process's clock goes 5 s ahead.
wire::Record clockOf(std::uint32_t process, double seconds) {
    wire::Record record = at(seconds + 5);
    wire::ClockOffset& offset = *record.mutable_clock_offset();
    offset.set_process_id(process);
    offset.set_offset_seconds(-5);
    offset.set_round_trip_seconds(0.0002);
    return record;
}

double secondsOf(std::int64_t time) {
    return double(time - telemetry::nanosecondsOf(kStart)) * 1e-9;
}

}  // namespace

class StepPlacesTest : public QObject {
    Q_OBJECT
private slots:
    void stepsOfAHostWhoseClockIsAheadArePutBack() {
        Watcher watcher = training();
        watcher.say(1.5, clockOf(1, 1.5));
        watcher.say(2, steps(2, 0, 1, 10));
        watcher.say(2, steps(7, 1, 1, 10));
        const auto columns = watcher.fold.takeArrivals().steps;
        const auto here = placed(columns, 0);
        const auto there = placed(columns, 1);
        QCOMPARE(here.size(), std::size_t{10});
        QCOMPARE(there.size(), std::size_t{10});
        for (std::size_t i = 0; i < here.size(); ++i) {
            QCOMPARE(there[i].step, i + 1);
            QVERIFY(std::abs(there[i].end - here[i].end) < 1000);  // nanoseconds
        }
        QVERIFY(std::abs(secondsOf(here[0].end) - 2) < 1e-6);
        // The columns' own time stays as the process has told it.
        QVERIFY(std::abs(columns[1].firstEndWallTime - kStart - 7) < 1e-6);
    }

    /// Batches that are joined were measured each.
    void eachBatchBeginsWhereItWasMeasured() {
        Watcher watcher = training();
        watcher.say(2, steps(2, 0, 1, 10));
        watcher.say(2.8, steps(2.8, 0, 11, 10));
        const auto columns = watcher.fold.takeArrivals().steps;
        QCOMPARE(columns.size(), std::size_t{1});
        const auto all = placed(columns, 0);
        QCOMPARE(all.size(), std::size_t{20});
        QVERIFY(std::abs(secondsOf(all[9].end) - 2.09) < 1e-6);
        QVERIFY(std::abs(secondsOf(all[10].end) - 2.8) < 1e-6);
        QCOMPARE(all[10].step, std::uint64_t{11});
    }

    /// Process 0 writes them, and says when by its own clock.
    void checkpointsLieOnTheClockOfTheSteps() {
        Watcher watcher = training();
        watcher.say(1.5, clockOf(0, 1.5));
        wire::Record record = at(3 + 5);
        record.mutable_checkpoint()->set_step(10);
        watcher.say(3, record);
        const RunView view = watcher.look(3);
        QCOMPARE(view.checkpoints.size(), std::size_t{1});
        QCOMPARE(view.checkpoints[0].wallTime, kStart + 8);
        QVERIFY(std::abs(view.checkpoints[0].sharedTime - kStart - 3) < 1e-6);
    }

    void theyAreThoseOfTheExportedTimeline() {
        Watcher watcher = training();
        const wire::Record offset = clockOf(1, 1.5);
        watcher.say(1.5, offset);
        wire::Record record = steps(7, 1, 1, 10);
        for (float& backward : *record.mutable_steps()->mutable_backward_us())
            backward = 6000;
        watcher.say(2, record);
        const auto shown = placed(watcher.fold.takeArrivals().steps, 1);

        telemetry::ClockBook clocks;
        telemetry::RunRoster roster;
        roster.take(replicaInfo(1, 1, 1).replica_info());
        clocks.add(offset.clock_offset(), offset.wall_time());
        std::vector<PlacedStep> exported;
        telemetry::placeSteps(record.steps(), clocks, roster,
                              [&exported](const PlacedStep& step) { exported.push_back(step); });
        QCOMPARE(shown.size(), exported.size());
        for (std::size_t i = 0; i < shown.size(); ++i) {
            QCOMPARE(shown[i].begin, exported[i].begin);
            QCOMPARE(shown[i].end, exported[i].end);
            QVERIFY(shown[i].hasPhases && shown[i].phaseEnds == exported[i].phaseEnds);
        }
    }

    void whatAProcessUsedIsToldOnThatClockWithItsHost() {
        Watcher watcher = training();
        watcher.say(2, clockOf(1, 2));
        for (const std::uint32_t process : {1U, 7U}) {  // the last one has never registered
            wire::Record record = at(3 + 5);
            record.mutable_figures()->set_process_id(process);
            record.mutable_figures()->set_role(wire::ROLE_WORKER);
            record.mutable_figures()->set_cpu_percent(150);
            record.mutable_figures()->set_resident_bytes(4096);
            wire::GpuFigures& gpu = *record.mutable_figures()->add_gpus();
            gpu.set_uuid("GPU-1");
            gpu.set_compute_percent(80);
            watcher.say(3, record);
        }
        const std::vector<LoadMark> loads = watcher.fold.takeArrivals().loads;
        QCOMPARE(loads.size(), std::size_t{1});
        QCOMPARE(loads[0].host, std::string("node-1"));
        QVERIFY(std::abs(loads[0].sharedTime - (kStart + 3)) < 1e-6);
        QCOMPARE(loads[0].cpuPercent, 150.0F);
        QCOMPARE(loads[0].residentBytes, std::uint64_t{4096});
        QCOMPARE(loads[0].gpus.at(0).uuid, std::string("GPU-1"));
        QCOMPARE(loads[0].gpus.at(0).computePercent, 80.0F);
    }

    /// With eight GPUs a process says as much as many steps do.
    void aLoadCountsForWhatItTakes() {
        Watcher watcher = training();
        std::ignore = watcher.fold.takeArrivals();
        wire::Record record = at(3);
        record.mutable_figures()->set_process_id(1);
        record.mutable_figures()->set_role(wire::ROLE_WORKER);
        for (int i = 0; i < 8; ++i)
            record.mutable_figures()->add_gpus()->set_uuid(std::string(40, 'a'));
        watcher.say(3, record);
        watcher.say(4, record);
        const std::size_t counted = watcher.fold.arrivalCount();
        const std::vector<LoadMark> loads = watcher.fold.takeArrivals().loads;
        QCOMPARE(loads.size(), std::size_t{2});
        QCOMPARE(counted, 2 * weightOf(loads[0]));  // as whoever takes them counts
        constexpr std::size_t kStep = 40;           // bytes
        const std::size_t bytes = sizeof(LoadMark) + 8 * (sizeof(LoadMark::Gpu) + 41);
        QVERIFY(weightOf(loads[0]) * kStep >= bytes);
        QCOMPARE(watcher.fold.arrivalCount(), std::size_t{0});
    }

    void ofALongHistoryTheNewestLoadsAreKept() {
        std::vector<Arrivals> pieces(5);
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            pieces[i].loads.resize(i == 3 ? 0 : 10);
            pieces[i].heartbeats.resize(2);
        }
        keepNewestLoads(pieces, 25);
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            QCOMPARE(pieces[i].loads.size(), std::size_t(i == 2 || i == 4 ? 10 : 0));
            QCOMPARE(pieces[i].heartbeats.size(), std::size_t{2});
        }
    }
};

QTEST_GUILESS_MAIN(StepPlacesTest)
#include "tst_step_places.moc"

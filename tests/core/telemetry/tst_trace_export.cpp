// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <map>
#include <vector>

#include "core/telemetry/journal.h"
#include "core/telemetry/trace_export.h"
#include "core/wire/codec.h"
#include "tests/support/decoded_trace.h"

using namespace lockstep;
using namespace lockstep::telemetry;
using tests::DecodedTrace;
using tests::TraceSlice;

namespace {

constexpr double kBegin = 1'700'000'000;
constexpr int kPhases = 5;

wire::Record at(double seconds) {
    wire::Record record;
    record.set_wall_time(kBegin + seconds);
    return record;
}

wire::Record start(double seconds, std::uint64_t firstStep, std::uint32_t generation) {
    wire::Record record = at(seconds);
    wire::RunInfo& info = *record.mutable_run_info();
    info.set_name("first");
    info.set_first_step(firstStep);
    info.set_generation(generation);
    info.set_global_batch_size(64);
    info.set_replica_count(2);
    return record;
}

wire::Record replica(std::uint32_t number, std::uint64_t incarnation) {
    wire::Record record = at(0);
    wire::ReplicaInfo& info = *record.mutable_replica_info();
    info.set_process_id(number);
    info.set_replica(number);
    info.set_host(number == 0 ? "node-a" : "node-b");
    info.set_incarnation(incarnation);
    return record;
}

/// Steps of 10 ms, the first of which ends at `end`.
wire::Record steps(std::uint32_t replica, std::uint64_t first, int count, double end) {
    wire::Record record = at(end);
    wire::StepBatch& batch = *record.mutable_steps();
    batch.set_replica(replica);
    batch.set_first_step(first);
    batch.set_first_end_wall_time(kBegin + end);
    for (int i = 0; i < count; ++i) {
        batch.add_loss(0.5F);
        batch.add_accuracy(0.5F);
        batch.add_step_us(10'000);
        batch.add_data_us(1000);
        batch.add_forward_us(2000);
        batch.add_backward_us(3000);
        batch.add_all_reduce_us(2500);
        batch.add_update_us(500);
    }
    return record;
}

wire::Record clock(std::uint32_t process, std::uint64_t incarnation, double seconds,
                   double offset) {
    wire::Record record = at(seconds);
    wire::ClockOffset& told = *record.mutable_clock_offset();
    told.set_process_id(process);
    told.set_incarnation(incarnation);
    told.set_offset_seconds(offset);
    told.set_round_trip_seconds(0.0002);
    return record;
}

double secondsIn(std::int64_t time) {
    return double(time) * 1e-9 - kBegin;
}

}  // namespace

class TraceExportTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    std::filesystem::path path_;
    TraceAccount account_;

    void write(const std::vector<wire::Record>& records) {
        std::filesystem::remove(path_);
        const auto writer = JournalWriter::open(path_).value();
        for (const wire::Record& record : records)
            QVERIFY(writer->append(wire::encode(record).value()).has_value());
    }
    Result<DecodedTrace> exported(const TraceWindow& window = {}) {
        std::string bytes;
        auto account = exportTrace(path_, window, [&](std::string_view piece) -> Result<void> {
            bytes += piece;
            return {};
        });
        if (!account) return fail(account.error());
        account_ = *account;
        return tests::decodeTrace(bytes);
    }
    static TraceWindow window(const char* from, const char* to, const char* last = nullptr) {
        TraceWindow window;
        if (from != nullptr) window.from = parseTraceBound(from, "--from").value();
        if (to != nullptr) window.to = parseTraceBound(to, "--to").value();
        if (last != nullptr) window.last = parseTraceBound(last, "--last").value();
        return window;
    }
    /// Two replicas of 100 steps, a second of training.
    static std::vector<wire::Record> twoReplicas() {
        return {start(0, 0, 0),        replica(0, 1),         replica(1, 2),
                steps(0, 1, 50, 1.01), steps(1, 1, 50, 1.01), steps(0, 51, 50, 1.51),
                steps(1, 51, 50, 1.51)};
    }

private slots:
    void init() { path_ = folder_.filePath("journal").toStdString(); }

    void everyStepOfEveryReplicaIsASliceWithItsPhasesInIt() {
        write(twoReplicas());
        const auto trace = exported();
        QVERIFY(trace.has_value());
        QVERIFY2(trace->faults.empty(), trace->faultText().c_str());
        QCOMPARE(trace->count("step"), 200);
        for (const std::string_view phase : PlacedStep::kPhases)
            QCOMPARE(trace->count(std::string(phase)), 200);
        QCOMPARE(trace->of("replica 1").size(), std::size_t{100 * (1 + kPhases)});
        QCOMPARE(trace->valuesOf("replica 1 loss").size(), std::size_t{100});
        QVERIFY(!trace->valuesOf("samples per second").empty());
        QVERIFY(std::ranges::any_of(trace->tracks, [](const auto& track) {
            return track.second.process().process_name() == "process 1 (node-b)";
        }));
        QVERIFY(describe(account_).empty());
    }

    void theRunIsNamedThoughItsStatesComeFirst() {
        wire::Record launching = at(0);
        launching.mutable_run_state()->set_state(wire::RUN_STATE_LAUNCHING);
        write({launching, start(0.1, 0, 0), replica(0, 1), steps(0, 1, 1, 1)});
        const auto trace = exported();
        QCOMPARE(trace->tracks.begin()->second.name(), std::string("run first"));
        QCOMPARE(trace->of("state").size(), std::size_t{1});
    }

    void aPhaseBeginsWhereTheOneBeforeItEnds() {
        write({start(0, 0, 0), replica(0, 1), steps(0, 1, 1, 1)});
        const auto trace = exported();
        std::vector<std::pair<std::string, double>> begins;
        for (const TraceSlice& slice : trace->of("replica 0"))
            begins.emplace_back(slice.name, std::round(1e4 * secondsIn(slice.begin)) * 1e-1);
        const std::vector<std::pair<std::string, double>> expected{
            {"data", 990},       {"forward", 991},  {"backward", 993},
            {"all-reduce", 996}, {"update", 998.5}, {"step", 990}};
        QCOMPARE(begins.size(), expected.size());
        for (std::size_t i = 0; i < begins.size(); ++i) {
            QCOMPARE(begins[i].first, expected[i].first);
            QVERIFY(std::abs(begins[i].second - expected[i].second) < 0.06);
        }
    }

    void eachPhaseLiesInTheStepThatItIsOfAndTakesAsLong() {
        write(twoReplicas());
        const auto trace = exported();
        QVERIFY2(trace->faults.empty(), trace->faultText().c_str());
        const std::map<std::string, int> micros{{"step", 10'000},     {"data", 1000},
                                                {"forward", 2000},    {"backward", 3000},
                                                {"all-reduce", 2500}, {"update", 500}};
        for (const char* replica : {"replica 0", "replica 1"}) {
            std::map<std::uint64_t, std::uint64_t> stepOf;
            for (const TraceSlice& slice : trace->of(replica)) {
                const auto nanos = double(slice.end - slice.begin);
                QVERIFY2(std::abs(nanos - 1e3 * micros.at(slice.name)) < 2e3, slice.name.c_str());
                QCOMPARE(slice.parent == 0, slice.name == "step");
                if (slice.parent == 0) stepOf[slice.number] = slice.step;
            }
            QCOMPARE(stepOf.size(), std::size_t{100});
            std::uint64_t step = 0;
            for (const auto& [number, of] : stepOf)
                QCOMPARE(of, ++step);
            for (const TraceSlice& slice : trace->of(replica))
                QVERIFY(slice.parent == 0 || stepOf.contains(slice.parent));
        }
    }

    void whatAViewerWouldStumbleOverIsSeenHere_data() {
        QTest::addColumn<QList<int>>("times");
        QTest::addColumn<QString>("events");
        QTest::addColumn<QString>("fault");
        QTest::newRow("nested") << QList<int>{0, 1, 3, 3, 4, 9} << "((()))"
                                << "";
        QTest::newRow("one behind the other") << QList<int>{0, 3, 3, 9} << "()()"
                                              << "";
        QTest::newRow("siblings overlap") << QList<int>{0, 5, 4, 9} << "()()"
                                          << "goes back";
        QTest::newRow("outlives its parent") << QList<int>{0, 1, 9, 5} << "(())"
                                             << "not within";
        QTest::newRow("without an end") << QList<int>{0, 1, 9} << "(()"
                                        << "does not end";
        QTest::newRow("without a begin") << QList<int>{0, 1, 9} << "())"
                                         << "without a begin";
    }
    void whatAViewerWouldStumbleOverIsSeenHere() {
        QFETCH(QList<int>, times);
        QFETCH(QString, events);
        QFETCH(QString, fault);
        perfetto::Trace trace;
        trace.add_packet()->mutable_track_descriptor()->set_uuid(1);
        for (int i = 0; i < times.size(); ++i) {
            perfetto::TracePacket& packet = *trace.add_packet();
            packet.set_timestamp(std::uint64_t(times[i]));
            packet.mutable_track_event()->set_track_uuid(1);
            packet.mutable_track_event()->set_type(events[i] == '('
                                                       ? perfetto::TrackEvent::TYPE_SLICE_BEGIN
                                                       : perfetto::TrackEvent::TYPE_SLICE_END);
        }
        const std::string found = tests::decodeTrace(trace).faultText();
        QVERIFY2(
            fault.isEmpty() ? found.empty() : found.find(fault.toStdString()) != std::string::npos,
            found.c_str());
    }

    void aProcessWhoseClockIsAheadIsPutBack() {
        auto records = twoReplicas();
        records[4] = steps(1, 1, 50, 6.01);
        records[6] = steps(1, 51, 50, 6.51);
        records.push_back(clock(1, 2, 5.5, -5.001));
        records.push_back(clock(1, 2, 7.5, -4.999));
        write(records);
        const auto trace = exported();
        QVERIFY2(trace->faults.empty(), trace->faultText().c_str());
        for (const TraceSlice& slice : trace->of("replica 1"))
            QVERIFY(secondsIn(slice.begin) > 0.99 && secondsIn(slice.end) < 2.01);
        QVERIFY(std::ranges::any_of(trace->tracks, [](const auto& track) {
            return track.second.name() == "process 1 (node-b), its clock +4.999 s";
        }));
        QCOMPARE(trace->valuesOf("clock corrected by").size(), std::size_t{2});
    }

    void betweenTwoMeasurementsAnOffsetIsBetweenTheirs() {
        ClockBook book;
        book.add(clock(1, 7, 0, 0).clock_offset(), 100);
        book.add(clock(1, 7, 0, 0.010).clock_offset(), 110);
        const ProcessName process{wire::ROLE_WORKER, 1};
        QCOMPARE(book.offsetAt(process, 7, 50), 0.0);
        QVERIFY(std::abs(book.offsetAt(process, 7, 105) - 0.005) < 1e-12);
        QCOMPARE(book.offsetAt(process, 7, 500), 0.010);
        QCOMPARE(book.offsetAt(process, 8, 500), 0.010);  // a life that has not measured
        QCOMPARE(book.offsetAt({wire::ROLE_WORKER, 2}, 7, 500), 0.0);
    }

    void aLongRunsMeasurementsTakeNoMoreMemoryThanAShortOnes() {
        ClockBook book;
        for (int i = 0; i < 100'000; ++i)
            book.add(clock(1, 7, 0, 1e-6 * i).clock_offset(), i);
        QVERIFY(std::abs(book.offsetAt({wire::ROLE_WORKER, 1}, 7, 54'321) - 0.054321) < 5e-4);
    }

    void aRestartShowsBothStartsAndTheStepsThatWereRepeated() {
        auto records = twoReplicas();
        wire::Record failure = at(2.1);
        failure.mutable_failure()->set_process_id(1);
        failure.mutable_failure()->set_cause("killed by SIGKILL");
        records.push_back(failure);
        records.push_back(start(3, 80, 1));
        records.push_back(replica(0, 3));
        records.push_back(replica(1, 4));
        records.push_back(steps(0, 81, 20, 4));
        records.push_back(steps(1, 81, 20, 4));
        write(records);
        const auto trace = exported();
        QVERIFY2(trace->faults.empty(), trace->faultText().c_str());
        QCOMPARE(trace->count("step"), 240);
        const auto starts = trace->of("starts");
        QCOMPARE(starts.size(), std::size_t{2});
        QCOMPARE(starts[1].name, std::string("start 2"));
        QVERIFY(secondsIn(starts[0].end) < 2.2 && secondsIn(starts[1].begin) > 2.9);
        QCOMPARE(trace->instants.size(), std::size_t{2});
        QCOMPARE(trace->instants[0].first, std::string("failure of process 1: killed by SIGKILL"));
        QCOMPARE(trace->instants[1].first, std::string("restart behind step 80"));
    }

    void aWindowOfStepsHasThoseAndNoOther() {
        write(twoReplicas());
        const auto trace = exported(window("20", "29"));
        QVERIFY2(trace->faults.empty(), trace->faultText().c_str());
        QCOMPARE(trace->count("step"), 20);
        QCOMPARE(account_.counts.stepsLeftOut, 180U);
        QCOMPARE(describe(account_).size(), std::size_t{1});
        QVERIFY(describe(account_)[0].find("180 steps") != std::string::npos);
        QCOMPARE(exported(window(nullptr, nullptr, "5"))->count("step"), 10);
    }

    void aWindowOfTimeHasWhatBeginsInIt() {
        write(twoReplicas());
        // The run lasts two seconds, and trains in the last one.
        QCOMPARE(exported(window(nullptr, nullptr, "0.505s"))->count("step"), 100);
        QCOMPARE(exported(window("1.495s", "10m"))->count("step"), 100);
        QCOMPARE(exported(window("0s", "1h"))->count("step"), 200);
        const auto nothing = exported(window("1h", nullptr));
        QVERIFY(!nothing.has_value());
        QCOMPARE(nothing.error().code, ErrorCode::BadInput);
        QVERIFY(nothing.error().remedy.find("steps up to 100") != std::string::npos);
    }

    void anEdgeIsATimeOrAStepAndNothingElse() {
        QVERIFY(parseTraceBound("1200", "--from")->isStep);
        QCOMPARE(parseTraceBound("1.5m", "--from")->seconds, 90.0);
        QCOMPARE(parseTraceBound("2h", "--from")->seconds, 7200.0);
        for (const char* text : {"", "s", "-1", "1.5", "1e9s", "nans", "30 s", "3d", "-2s"}) {
            const auto bound = parseTraceBound(text, "--from");
            QVERIFY2(!bound.has_value(), text);
            QVERIFY(bound.error().message.starts_with("--from: "));
        }
    }

    void writesValidationsAndEvaluationsLieOnTracksOfTheirOwn() {
        auto records = twoReplicas();
        wire::Record state = at(2.0);
        state.mutable_run_state()->set_state(wire::RUN_STATE_VALIDATING);
        records.push_back(state);
        wire::Record epoch = at(2.5);
        epoch.mutable_epoch()->set_has_validation(true);
        records.push_back(epoch);
        wire::Record checkpoint = at(2.6);
        checkpoint.mutable_checkpoint()->set_step(100);
        checkpoint.mutable_checkpoint()->set_commit_seconds(0.25);
        records.push_back(checkpoint);
        wire::Record evaluation = at(2.9);
        evaluation.mutable_evaluation()->set_step(100);
        evaluation.mutable_evaluation()->set_seconds(0.2);
        evaluation.mutable_evaluation()->set_evaluator(2);
        records.push_back(evaluation);
        wire::Record figures = at(2.9);
        figures.mutable_figures()->set_cpu_percent(99);
        figures.mutable_figures()->add_gpus()->set_watts(300);
        records.push_back(figures);
        write(records);
        const auto trace = exported();
        QVERIFY2(trace->faults.empty(), trace->faultText().c_str());
        const auto validation = trace->of("validation");
        QCOMPARE(validation.size(), std::size_t{1});
        QCOMPARE(qRound(10 * secondsIn(validation[0].end - validation[0].begin) + 10 * kBegin), 5);
        QCOMPARE(trace->of("checkpoint writes").size(), std::size_t{1});
        QCOMPARE(trace->of("checkpoint writes")[0].step, 100U);
        QCOMPARE(trace->of("evaluations").size(), std::size_t{1});
        QCOMPARE(trace->valuesOf("CPU").size(), std::size_t{1});
        QCOMPARE(trace->valuesOf("GPU 0 power").size(), std::size_t{1});
    }

    void aClockThatWentBackLeavesSlicesNestedAndIsSaid() {
        auto records = twoReplicas();
        records.push_back(start(1.9, 100, 1));
        records.push_back(replica(0, 3));
        records.push_back(steps(0, 101, 20, 1.2));
        write(records);
        const auto trace = exported();
        QVERIFY2(trace->faults.empty(), trace->faultText().c_str());
        QCOMPARE(trace->count("step"), 220);
        QVERIFY(account_.moved > 0);
        QVERIFY(describe(account_)[0].find("overlapped") != std::string::npos);
    }

    void theFirstFailureOfTheWriterEndsIt() {
        write(twoReplicas());
        const auto account = exportTrace(path_, {}, [](std::string_view) -> Result<void> {
            return fail(ErrorCode::Io, "no space left on device");
        });
        QCOMPARE(account.error().message, std::string("no space left on device"));
    }

    void whatIsWrittenAtOnceDoesNotGrowWithTheRun() {
        std::vector<wire::Record> records{start(0, 0, 0), replica(0, 1)};
        for (int batch = 0; batch < 40; ++batch)
            records.push_back(steps(0, std::uint64_t(1 + 1000 * batch), 1000, 1 + 10.0 * batch));
        write(records);
        std::size_t largest = 0;
        std::size_t total = 0;
        const auto account = exportTrace(path_, {}, [&](std::string_view piece) -> Result<void> {
            largest = std::max(largest, piece.size());
            total += piece.size();
            return {};
        });
        QCOMPARE(account->counts.steps, 40'000U);
        QCOMPARE(account->bytes, std::uint64_t(total));
        QVERIFY(largest < 300'000);
    }
};

QTEST_GUILESS_MAIN(TraceExportTest)
#include "tst_trace_export.moc"

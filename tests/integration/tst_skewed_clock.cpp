// SPDX-License-Identifier: Apache-2.0
// Two processes, each as on a host of its own, one of whose clocks is 5 s ahead: the timeline has
// both on one clock. The clock is set wrong by libfaketime; where LOCKSTEP_NEEDS_FAKETIME is set
// (.ci/run, ./dev check) its absence is a failure.
#include <QTcpServer>
#include <QtTest>

#include "tests/integration/workplace.h"
#include "tests/support/decoded_trace.h"

using namespace lockstep::tests;

namespace {

constexpr double kAheadMillis = 5000;
constexpr double kGoalMillis = 5;

/// Empty: it is not installed.
QString fakeTime() {
    const QString given = qEnvironmentVariable("LOCKSTEP_LIBFAKETIME");
    if (!given.isEmpty()) return QFile::exists(given) ? given : QString();
    for (const QString& machine : QDir("/usr/lib").entryList({"*-linux-gnu*"}, QDir::Dirs)) {
        const QString file = "/usr/lib/" + machine + "/faketime/libfaketimeMT.so.1";
        if (QFile::exists(file)) return file;
    }
    return {};
}

int freePort() {
    QTcpServer server;
    return server.listen(QHostAddress::LocalHost) ? server.serverPort() : 0;
}

/// When each step of a replica ends, in nanoseconds.
std::map<std::uint64_t, std::int64_t> stepEnds(const DecodedTrace& trace, const std::string& name) {
    std::map<std::uint64_t, std::int64_t> ends;
    for (const TraceSlice& slice : trace.of(name))
        if (slice.name == "step") ends[slice.step] = slice.end;
    return ends;
}

}  // namespace

class SkewedClockTest : public QObject {
    Q_OBJECT
    Workplace place_;
    DecodedTrace trace_;

    void train(const QString& library) {
        place_.write("job.toml", longerJob(3));
        const QString coordinator = QString("127.0.0.1:%1").arg(freePort());
        const auto start = [&](const char* id) {
            return place_.startProgram(
                LOCKSTEP_BINARY_DIR "/bin/lockstep-worker",
                {"job.toml", "--process-id", id, "--num-processes", "2", "--coordinator-address",
                 coordinator, "--set", "cluster.transport=gloo", "--set", "job.run_dir=run"});
        };
        const auto first = start("0");
        place_.setEnvironment("LD_PRELOAD", library);
        place_.setEnvironment("FAKETIME", QString("+%1s").arg(kAheadMillis / 1000));
        place_.setEnvironment("FAKETIME_NO_CACHE", "1");
        for (const char* name : {"DONT_FAKE_MONOTONIC", "FAKETIME_DONT_FAKE_MONOTONIC"})
            place_.setEnvironment(name, "1");
        const auto second = start("1");
        place_.removeEnvironment("LD_PRELOAD");
        REQUIRE_EXIT(first->waitForEnd(), 0);
        REQUIRE_EXIT(second->waitForEnd(), 0);
    }

private slots:
    void initTestCase() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer's library must be the first that is loaded");
#endif
        const QString library = fakeTime();
        if (library.isEmpty()) {
            QVERIFY2(!qEnvironmentVariableIsSet("LOCKSTEP_NEEDS_FAKETIME"),
                     "libfaketime is not installed (Debian: libfaketime)");
            QSKIP("libfaketime is not installed (Debian: libfaketime)");
        }
        train(library);
        if (QTest::currentTestFailed()) return;
        REQUIRE_EXIT(place_.run({"export", "run", "--format", "perfetto", "-o", "t.pftrace"}), 0);
        trace_ = decodeTrace(place_.read("t.pftrace").toStdString());
        QVERIFY2(trace_.faults.empty(), trace_.faultText().c_str());
    }

    void theClockThatIsAheadIsPutRightToFiveMilliseconds() {
        const auto corrections = trace_.valuesOf("clock corrected by", "process 1");
        QVERIFY(!corrections.empty());
        for (const TraceValue& correction : corrections)
            QVERIFY2(std::abs(correction.value + kAheadMillis) < kGoalMillis,
                     qPrintable(QString::number(correction.value)));
        for (const TraceValue& correction : trace_.valuesOf("clock corrected by", "process 0"))
            QVERIFY2(std::abs(correction.value) < kGoalMillis,
                     qPrintable(QString::number(correction.value)));
    }

    void stepsThatAllEndTogetherEndTogetherThere() {
        const auto first = stepEnds(trace_, "replica 0");
        const auto second = stepEnds(trace_, "replica 1");
        QCOMPARE(first.size(), second.size());
        std::vector<double> apart;
        for (const auto& [step, end] : first) {
            QVERIFY(second.contains(step));
            apart.push_back(1e-6 * std::abs(double(second.at(step) - end)));
        }
        QVERIFY(!apart.empty());
        std::ranges::sort(apart);
        const double median = apart[apart.size() / 2];
        QVERIFY2(median < kGoalMillis, qPrintable(QString::number(median)));
    }
};

QTEST_GUILESS_MAIN(SkewedClockTest)
#include "tst_skewed_clock.moc"

// SPDX-License-Identifier: Apache-2.0
// Two hosts, one of whose clocks is 5 s ahead: the journal says so to 5 ms, and the timeline has
// both on one clock. The clock is set wrong by libfaketime, for all that the host's sshd starts.
#include <QtTest>

#include "tests/integration/hosts_place.h"
#include "tests/support/decoded_trace.h"

using namespace lockstep::tests;

namespace {

constexpr int kAhead = 2;  ///< The host.
constexpr double kAheadMillis = 5000;
constexpr double kGoalMillis = 5;

/// Empty: it is not installed.
QString fakeTime() {
    for (const QString& machine : QDir("/usr/lib").entryList({"*-linux-gnu*"}, QDir::Dirs)) {
        const QString file = "/usr/lib/" + machine + "/faketime/libfaketimeMT.so.1";
        if (QFile::exists(file)) return file;
    }
    return {};
}

/// Of what was measured in a run, some on a processor that others had: half of it is as near.
double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[(values.size() - 1) / 2];
}

double aheadOfThisMachine(int host) {
    const double there = onHost(host, "date +%s.%N").output.trimmed().toDouble();
    return there - static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000;
}

/// What its sshd hands to everything that it starts.
bool setAhead(int host, const QString& library) {
    const QString folder = QFileInfo(qEnvironmentVariable("SSH_CONFIG")).path();
    QFile settings(QString("%1/sshd%2.conf").arg(folder).arg(host));
    if (!settings.open(QIODevice::Append)) return false;
    settings.write(QString("SetEnv LD_PRELOAD=%1 FAKETIME=+%2s FAKETIME_NO_CACHE=1 "
                           "DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_FAKE_MONOTONIC=1\n")
                       .arg(library)
                       .arg(kAheadMillis / 1000)
                       .toUtf8());
    settings.close();
    QFile pid(QString("%1/sshd%2.pid").arg(folder).arg(host));
    if (!pid.open(QIODevice::ReadOnly) || ::kill(pid.readAll().trimmed().toInt(), SIGHUP) != 0)
        return false;
    return waitUntil([host] { return std::abs(aheadOfThisMachine(host) - 5) < 2; });
}

/// When each step of a replica ends, in nanoseconds.
std::map<std::uint64_t, std::int64_t> stepEnds(const DecodedTrace& trace, const std::string& name) {
    std::map<std::uint64_t, std::int64_t> ends;
    for (const TraceSlice& slice : trace.of(name))
        if (slice.name == "step") ends[slice.step] = slice.end;
    return ends;
}

}  // namespace

class SshClockTest : public QObject {
    Q_OBJECT
    const Workplace place_;
    DecodedTrace trace_;

    /// By how much the corrections of a process miss what they should be.
    [[nodiscard]] double missed(const std::string& process, double millis) const {
        std::vector<double> errors;
        for (const TraceValue& correction : trace_.valuesOf("clock corrected by", process))
            errors.push_back(std::abs(correction.value - millis));
        return errors.empty() ? kAheadMillis : median(std::move(errors));
    }

private slots:
    void initTestCase() {
        if (!insideHosts()) QSKIP(qPrintable(whyNoHosts()));
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer's library must be the first that is loaded");
#endif
        const QString library = fakeTime();
        if (library.isEmpty()) QSKIP("libfaketime is not installed (Debian: libfaketime)");
        QVERIFY2(setAhead(kAhead, library),
                 qPrintable(QString::number(aheadOfThisMachine(kAhead))));
        place_.write("job.toml", jobOnHosts(longerJob(60), {1, kAhead}));
        REQUIRE_EXIT(place_.run({"run", "job.toml", "--run-dir", "run"}), 0);
        REQUIRE_EXIT(place_.run({"export", "run", "--format", "perfetto", "-o", "t.pftrace"}), 0);
        trace_ = decodeTrace(place_.read("t.pftrace").toStdString());
        QVERIFY2(trace_.faults.empty(), trace_.faultText().c_str());
    }

    void theClockThatIsAheadIsPutRightToFiveMilliseconds() {
        const double ahead = missed("process 1", -kAheadMillis);
        QVERIFY2(ahead < kGoalMillis, qPrintable(QString::number(ahead)));
        const double other = missed("process 0", 0);
        QVERIFY2(other < kGoalMillis, qPrintable(QString::number(other)));
        qInfo("a clock 5 s ahead is put right to within %.3f ms", ahead);
    }

    void stepsThatAllEndTogetherEndTogetherThere() {
        const auto first = stepEnds(trace_, "replica 0");
        const auto second = stepEnds(trace_, "replica 1");
        QVERIFY(!first.empty());
        QCOMPARE(first.size(), second.size());
        std::vector<double> apart;
        for (const auto& [step, end] : first) {
            QVERIFY(second.contains(step));
            apart.push_back(1e-6 * std::abs(double(second.at(step) - end)));
        }
        const double usual = median(std::move(apart));
        QVERIFY2(usual < kGoalMillis, qPrintable(QString::number(usual)));
    }
};

LOCKSTEP_HOSTS_TEST_MAIN(SshClockTest)
#include "tst_ssh_clock.moc"

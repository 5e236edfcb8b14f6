// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <thread>

#include "core/telemetry/process_figures.h"

using namespace lockstep;
using namespace lockstep::telemetry;

class ProcessFiguresTest : public QObject {
    Q_OBJECT
private slots:
    void memoryAndThreadsAreThoseOfThisProcess() {
        ProcessProbe probe;
        const auto before = probe.sample(5, wire::ROLE_EVALUATOR, SteadyClock::read()).value();
        QCOMPARE(before.process_id(), 5U);
        QCOMPARE(before.role(), wire::ROLE_EVALUATOR);
        QCOMPARE(before.cpu_percent(), 0.0F);
        const std::vector<char> memory(64 << 20, 'm');
        std::atomic<bool> ended{false};
        const std::jthread thread([&] { ended.wait(false); });
        const auto after = probe.sample(5, wire::ROLE_EVALUATOR, SteadyClock::read()).value();
        QVERIFY(after.resident_bytes() >= before.resident_bytes() + memory.size() * 9 / 10);
        QCOMPARE(after.threads(), before.threads() + 1);
        ended = true;
        ended.notify_all();
    }
    void aBusyThreadShowsAsProcessorTime() {
        ProcessProbe probe;
        const Nanos start = SteadyClock::read();
        QVERIFY(probe.sample(0, wire::ROLE_WORKER, start).has_value());
        // Processor time, not wall time: the machine may be busy with others.
        const std::clock_t begin = std::clock();
        while (std::clock() - begin < CLOCKS_PER_SEC / 5) {
        }
        // As if exactly a second had passed: 0.2 s of processor time are 20 %, in steps of 1 %.
        const auto figures =
            probe.sample(0, wire::ROLE_WORKER, start + std::chrono::seconds(1)).value();
        QVERIFY(figures.cpu_percent() >= 15.0F && figures.cpu_percent() <= 60.0F);
    }
};

QTEST_GUILESS_MAIN(ProcessFiguresTest)
#include "tst_process_figures.moc"

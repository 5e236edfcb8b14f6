// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <QtTest>
#include <csignal>

#include "core/coordination/client/steps_link.h"
#include "tests/core/coordination/meeting.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

wire::ProcessExit killed(std::uint32_t id) {
    wire::ProcessExit exit;
    exit.set_process_id(id);
    exit.set_signalled(true);
    exit.set_status(9);
    return exit;
}

}  // namespace

class CoordinatorSocketsTest : public QObject {
    Q_OBJECT
private slots:
    void fourProcessesMeetAndShareValuesAndBarriers() {
        Meeting meeting(4);
        QVERIFY2(meeting.started, meeting.started ? "" : meeting.started.error().message.c_str());
        std::vector<Told> told(4);
        const auto clients = meeting.joined(4, told);
        QCOMPARE(clients.size(), std::size_t(4));

        const auto welcome = clients[3]->join(kPatience);
        QVERIFY(welcome);
        QCOMPARE(welcome->members_size(), 4);
        QCOMPARE(welcome->members(1).host_index(), 0U);
        QCOMPARE(welcome->members(2).host_index(), 1U);

        std::string got;
        std::jthread reader([&] { got = clients[1]->get("address/0", kPatience).value_or("?"); });
        QVERIFY(clients[0]->set("address/0", std::string("a\0b", 3)));
        reader.join();
        QCOMPARE(got, std::string("a\0b", 3));

        std::atomic<int> through{0};
        std::vector<std::jthread> threads;
        for (const auto& client : clients)
            threads.emplace_back([&] { through += client->barrier("start", kPatience) ? 1 : 0; });
        threads.clear();
        QCOMPARE(through.load(), 4);
    }

    void whatNobodySetsTimesOutAndABarrierNamesWhoIsMissing() {
        Meeting meeting(2);
        std::vector<Told> told(2);
        const auto clients = meeting.joined(2, told);
        QCOMPARE(clients.size(), std::size_t(2));

        const auto value = clients[0]->get("nothing", 200ms);
        QVERIFY(!value);
        QCOMPARE(int(value.error().code), int(ErrorCode::Timeout));
        QVERIFY(value.error().message.find("'nothing'") != std::string::npos);

        const auto barrier = clients[0]->barrier("lonely", 200ms);
        QVERIFY(!barrier);
        QCOMPARE(int(barrier.error().code), int(ErrorCode::Timeout));
        QVERIFY(barrier.error().message.find("process 1 did not") != std::string::npos);
    }

    void whoIsToldToEndWhileOthersAreAwaitedEndsTheJob() {
        Meeting meeting(2);
        Told told;
        const auto client = meeting.client(meeting.optionsFor(0), &told);
        client->requestStop();  // before it has registered
        QElapsedTimer since;
        since.start();
        QVERIFY(!client->join(60s));
        QVERIFY2(since.elapsed() < 30'000, qPrintable(QString::number(since.elapsed())));
        const auto outcome = meeting.coordinator().waitOutcome(kPatience);
        QVERIFY(outcome);
        QCOMPARE(int(outcome->kind), int(OutcomeKind::Stopped));
    }

    void anUnknownKeyIsRefused() {
        Meeting meeting(1);
        const auto stranger = meeting.client(meeting.optionsFor(0, 0, false));

        const auto joined = stranger->join(3s);

        QVERIFY(!joined);
        QTRY_VERIFY_WITH_TIMEOUT(meeting.coordinator().counters().refusedPeers > 0, 5000);
    }

    void aKeyCannotRegisterAnotherProcess() {
        Meeting meeting(2);
        ClientOptions options = meeting.optionsFor(1);
        options.self.set_process_id(0);
        const auto impostor = meeting.client(options);

        const auto joined = impostor->join(kPatience);

        QVERIFY(!joined);
        QCOMPARE(int(joined.error().code), int(ErrorCode::Unavailable));
        QCOMPARE(joined.error().message,
                 std::string("the key of process 1 cannot register process 0"));
    }

    void aKilledProcessIsNamedToAllOthersAtOnce() {
        Meeting meeting(3);
        std::vector<Told> told(3);
        const auto clients = meeting.joined(3, told);
        QCOMPARE(clients.size(), std::size_t(3));

        meeting.coordinator().reportProcessExit(killed(1), 0);

        QTRY_COMPARE_WITH_TIMEOUT(told[0].aborts.load() + told[2].aborts.load(), 2, 2000);
        QCOMPARE(told[0].culprit.load(), 1);
        const auto outcome = meeting.coordinator().waitOutcome(kPatience);
        QVERIFY(outcome);
        QCOMPARE(int(outcome->kind), int(OutcomeKind::Failed));
        QCOMPARE(outcome->failure.cause(), std::string("was killed by signal 9 (SIGKILL)"));
        QCOMPARE(outcome->failure.host(), std::string("host1"));
        const auto late = clients[2]->get("x", 1s);
        QCOMPARE(int(late.error().code), int(ErrorCode::PeerLost));
    }

    void theLastRecordsOfASurvivorAreJournalled() {
        Meeting meeting(2);
        std::vector<Told> told(2);
        auto clients = meeting.joined(2, told);
        QCOMPARE(clients.size(), std::size_t(2));
        const auto monitor = meeting.monitor();
        meeting.coordinator().reportProcessExit(killed(1), 0);
        QTRY_COMPARE_WITH_TIMEOUT(told[0].aborts.load(), 1, 5000);

        constexpr std::size_t kLines = 2000;
        for (std::size_t i = 0; i < kLines; ++i)
            QVERIFY(clients[0]->sendRecord(logRecord(std::string(100, 'x'))));
        QVERIFY(clients[0]->flush(kPatience));
        clients.clear();
        // Another generation's beginning closes the door to what this one still says.
        meeting.coordinator().beginGeneration(1);

        QVERIFY(holdsLogs(kLines)(follow(*monitor, holdsLogs(kLines))));
    }

    void aFullDiskHoldsUpNeitherMembersNorMonitors() {
        Meeting meeting(2);
        std::vector<Told> told(2);
        auto clients = meeting.joined(2, told);
        QCOMPARE(clients.size(), std::size_t(2));
        const auto monitor = meeting.monitor();
        constexpr std::size_t kLines = 200;
        {
            ::signal(SIGXFSZ, SIG_IGN);
            rlimit before{};
            ::getrlimit(RLIMIT_FSIZE, &before);
            const rlimit full{std::filesystem::file_size(meeting.journal()), before.rlim_max};
            ::setrlimit(RLIMIT_FSIZE, &full);
            for (std::size_t i = 0; i < kLines; ++i)
                QVERIFY(clients[0]->sendRecord(logRecord(std::string(100, 'x'))));
            QVERIFY(clients[0]->flush(kPatience));
            const auto live = follow(*monitor, holdsLogs(kLines + 1));
            QVERIFY(std::ranges::any_of(live, [](const wire::Record& record) {
                return record.log().text().find("cannot be written") != std::string::npos;
            }));
            QVERIFY(!meeting.coordinator().settleJournal(1s).missing.empty());
            ::setrlimit(RLIMIT_FSIZE, &before);
        }
        QTRY_COMPARE_WITH_TIMEOUT(meeting.coordinator().settleJournal(1s).missing, std::string(),
                                  10'000);
        QCOMPARE(told[0].aborts.load() + told[1].aborts.load(), 0);
        const std::string journal =
            telemetry::JournalReader::open(meeting.journal()).value().read(0, 1 << 20).value();
        telemetry::FrameCursor cursor(journal);
        std::size_t lines = 0;
        while (const auto record = cursor.next())
            lines += wire::decode<wire::Record>(*record)->log().text() == std::string(100, 'x');
        QCOMPARE(lines, kLines);
    }

    void aSilentProcessIsNamedAfterTheHeartbeatTimeout() {
        Meeting meeting(2);
        std::vector<Told> told(2);
        auto clients = meeting.joined(2, told);
        QCOMPARE(clients.size(), std::size_t(2));

        clients[1].reset();  // as if it were cut off: nobody reports its end

        QTRY_COMPARE_WITH_TIMEOUT(told[0].aborts.load(), 1, 4000);
        const auto outcome = meeting.coordinator().waitOutcome(kPatience);
        QVERIFY(outcome);
        QCOMPARE(outcome->failure.process_id(), 1U);
        QVERIFY(outcome->failure.cause().starts_with("sent no heartbeat for 1"));
    }

    void howTheClocksDifferIsInTheJournal() {
        Meeting meeting(2);
        const auto monitor = meeting.monitor();
        std::vector<Told> told(2);
        const auto clients = meeting.joined(2, told);
        const auto isOffset = [](const wire::Record& record) { return record.has_clock_offset(); };
        const auto records = follow(*monitor, [&](const std::vector<wire::Record>& known) {
            return std::ranges::count_if(known, isOffset) >= 2;
        });
        QVERIFY(std::ranges::count_if(records, isOffset) >= 2);
        for (const wire::Record& record : records) {
            if (!record.has_clock_offset()) continue;
            const wire::ClockOffset& offset = record.clock_offset();
            QCOMPARE(offset.incarnation(), clients[offset.process_id()]->incarnation());
            QVERIFY(offset.round_trip_seconds() > 0);
            // One clock on both sides: what is measured is the error.
            QVERIFY(std::abs(offset.offset_seconds()) <= offset.round_trip_seconds() / 2 + 1e-6);
        }
    }

    void itIsThereOfAProcessThatEndsBeforeItsFirstHeartbeat() {
        Meeting meeting(1);
        const auto monitor = meeting.monitor();
        ClientOptions options = meeting.optionsFor(0);
        options.heartbeatInterval = options.heartbeatTimeout = 10min;
        const auto client = meeting.client(options);
        QVERIFY(client->join(kPatience));
        const auto isOffset = [](const wire::Record& record) { return record.has_clock_offset(); };
        const auto records = follow(*monitor, [&](const std::vector<wire::Record>& known) {
            return std::ranges::any_of(known, isOffset);
        });
        QVERIFY(std::ranges::any_of(records, isOffset));
    }

    void aVanishedCoordinatorAbortsItsMembers() {
        Meeting meeting(1);
        std::vector<Told> told(1);
        const auto clients = meeting.joined(1, told);
        QCOMPARE(clients.size(), std::size_t(1));

        meeting.coordinator().shutdown(0ns);

        QTRY_COMPARE_WITH_TIMEOUT(told[0].aborts.load(), 1, 5000);
        QCOMPARE(told[0].culprit.load(), -1);
        QVERIFY(clients[0]->get("x", 1s).error().message.find("is lost") != std::string::npos);
    }

    void aMonitorStopsTheRunAndSeesItsEnd() {
        Meeting meeting(2, true);
        std::vector<Told> told(2);
        const auto clients = meeting.joined(2, told);
        QCOMPARE(clients.size(), std::size_t(2));
        ClientOptions evaluatorOptions = meeting.optionsFor(0, 0, false);
        evaluatorOptions.self.set_role(wire::ROLE_EVALUATOR);
        QVERIFY(meeting.coordinator().allowMember(evaluatorOptions.keys.publicKey, "evaluator"));
        const auto evaluator = meeting.client(evaluatorOptions);
        QVERIFY(evaluator->join(kPatience));
        const auto monitor = meeting.monitor();

        monitor->requestStop();
        QVERIFY(monitor->poll(kPatience));
        QTRY_COMPARE_WITH_TIMEOUT(told[0].stops.load() + told[1].stops.load(), 2, 5000);
        QVERIFY(clients[0]->leave("stopped", "{\"steps\":7}", kPatience));
        QVERIFY(clients[1]->leave("stopped", "", kPatience));
        QCOMPARE(evaluator->get("run/ended", kPatience).value_or("?"), std::string("stopped"));
        QVERIFY(evaluator->leave("stopped", "", kPatience));

        const auto outcome = meeting.coordinator().waitOutcome(kPatience);
        QVERIFY(outcome);
        QCOMPARE(int(outcome->kind), int(OutcomeKind::Stopped));
        QCOMPARE(outcome->summaryJson, std::string("{\"steps\":7}"));
        wire::RunEnd end;
        end.set_status("stopped");
        meeting.coordinator().endRun(end);
        const auto records = follow(
            *monitor, [](const auto& all) { return !all.empty() && all.back().has_run_end(); });
        QVERIFY(!records.empty());
        QCOMPARE(records.back().run_end().status(), std::string("stopped"));
    }

    void aLateMonitorGetsEverythingAndOneThatStopsReadingChangesNothing() {
        Meeting meeting(1);
        std::vector<Told> told(1);
        const auto clients = meeting.joined(1, told);
        QCOMPARE(clients.size(), std::size_t(1));
        const auto sleeper = meeting.monitor(1024);  // takes a first piece, then nothing more
        QVERIFY(sleeper->poll(kPatience));
        constexpr std::size_t kLines = 20000;
        const std::string line(200, 'x');
        for (std::size_t i = 0; i < kLines; ++i)
            QVERIFY(clients[0]->sendRecord(logRecord(std::to_string(i) + line)));

        const auto late = meeting.monitor();
        const auto records = follow(*late, holdsLogs(kLines));

        std::size_t expected = 0;
        for (const wire::Record& record : records)
            if (record.has_log()) {
                QCOMPARE(record.log().text(), std::to_string(expected) + line);
                ++expected;
            }
        QCOMPARE(expected, kLines);
        QVERIFY(clients[0]->barrier("still alive", kPatience));
        const auto rest = follow(*sleeper, holdsLogs(kLines));  // wakes: nothing is missing
        QVERIFY(holdsLogs(kLines)(rest));
    }

    void garbageAndForeignRecordsAreCountedAndHarmNobody() {
        Meeting meeting(2);
        std::vector<Told> told(2);
        const auto clients = meeting.joined(2, told);
        QCOMPARE(clients.size(), std::size_t(2));
        const wire::KeyPair keys = *wire::newKeyPair();
        QVERIFY(meeting.coordinator().allowMember(keys.publicKey, "worker-1"));
        auto raw = wire::ClientSocket::connect(meeting.clientContext(),
                                               meeting.coordinator().memberEndpoint(),
                                               meeting.serverKey(), keys);
        QVERIFY(raw);
        for (int i = 0; i < 50; ++i)
            QVERIFY((*raw)->trySend(std::string(static_cast<std::size_t>(i + 1), '\xff')));

        QTRY_VERIFY_WITH_TIMEOUT(meeting.coordinator().counters().malformed >= 50, 5000);
        QVERIFY((*raw)->trySend(std::string(600 << 10, 'x')));  // over the limit: cut off
        QVERIFY(clients[0]->sendRecord(logRecord("in the name of another", 1)));
        QTRY_VERIFY_WITH_TIMEOUT(meeting.coordinator().counters().refusedRecords >= 1, 5000);
        QVERIFY(clients[0]->set("k", "v"));
        QCOMPARE(clients[1]->get("k", kPatience).value_or("?"), std::string("v"));
        QCOMPARE(told[0].aborts.load(), 0);
    }

    void aRestartFencesTheFormerGeneration() {
        Meeting meeting(2);
        std::vector<Told> told(2);
        const auto former = meeting.joined(2, told);
        QCOMPARE(former.size(), std::size_t(2));
        meeting.coordinator().reportProcessExit(killed(1), 0);
        QVERIFY(meeting.coordinator().waitOutcome(kPatience));

        meeting.coordinator().beginGeneration(1);
        std::vector<Told> toldAgain(2);
        const auto again = meeting.joined(2, toldAgain, 1);

        QCOMPARE(again.size(), std::size_t(2));
        QVERIFY(!meeting.coordinator().waitOutcome(0ns));
        QTRY_VERIFY_WITH_TIMEOUT(meeting.coordinator().counters().foreign > 0, 5000);
        const auto zombie = meeting.client(meeting.optionsFor(0, 0));
        const auto joined = zombie->join(kPatience);
        QVERIFY(!joined);
        QCOMPARE(
            joined.error().message,
            std::string("process 0 belongs to generation 0 of the run; generation 1 is running"));
        QVERIFY(again[0]->leave("completed", "{}", kPatience));
        QVERIFY(again[1]->leave("completed", "", kPatience));
        const auto outcome = meeting.coordinator().waitOutcome(kPatience);
        QVERIFY(outcome);
        QCOMPARE(int(outcome->kind), int(OutcomeKind::Completed));
        QCOMPARE(toldAgain[0].aborts.load(), 0);
    }

    void whoAsksForStepsIsAnsweredOnceTheJournalsFileHasThem() {
        Meeting meeting(2);
        std::vector<Told> told(2);
        const auto clients = meeting.joined(2, told);
        QCOMPARE(clients.size(), std::size_t(2));
        const auto tell = [&](std::uint32_t replica, std::uint64_t step) {
            wire::Record record;
            wire::StepBatch& batch = *record.mutable_steps();
            batch.set_replica(replica);
            batch.set_first_step(step);
            for (auto* column :
                 {batch.mutable_loss(), batch.mutable_accuracy(), batch.mutable_step_us(),
                  batch.mutable_data_us(), batch.mutable_forward_us(), batch.mutable_backward_us(),
                  batch.mutable_all_reduce_us(), batch.mutable_update_us()})
                column->Add(1);
            QVERIFY(clients[replica]->sendRecord(record));
        };
        const auto stepsInFile = [&] {
            const auto reader = telemetry::JournalReader::open(meeting.journal());
            const std::string bytes = reader ? reader->read(0, 1 << 20).value_or("") : "";
            telemetry::FrameCursor cursor(bytes);
            int count = 0;
            for (auto frame = cursor.next(); frame; frame = cursor.next())
                count += wire::decode<wire::Record>(*frame)->has_steps() ? 1 : 0;
            return count;
        };
        StepsLink link(*clients[0]);
        for (std::uint64_t step = 1; step <= 20; ++step) {
            tell(0, step);
            if (step == 1) {
                QElapsedTimer waited;
                waited.start();
                const auto early = link.await(1, 500ms);
                QCOMPARE(int(early.error().code), int(ErrorCode::Timeout));
                QVERIFY(!link.await(1, kPatience));  // nor for long behind one that was in vain
                QVERIFY2(waited.elapsed() < 5000, qPrintable(QString::number(waited.elapsed())));
            }
            tell(1, step);
            QTRY_VERIFY(link.await(static_cast<std::int64_t>(step), kPatience).has_value());
            QCOMPARE(stepsInFile(), int(2 * step));
        }
        // Whoever waits when a process is lost waits for nothing.
        QElapsedTimer since;
        since.start();
        std::jthread killer([&] { meeting.coordinator().reportProcessExit(killed(1), 0); });
        const auto lost = link.await(21, kPatience);
        QCOMPARE(int(lost.error().code), int(ErrorCode::PeerLost));
        QVERIFY2(since.elapsed() < 5000, qPrintable(QString::number(since.elapsed())));
    }

    void aPortInUseIsNamedWithTheWayOut() {
        Meeting first(1);
        QVERIFY(first.started);

        const Meeting second(1, false, first.coordinator().port());

        QVERIFY(!second.started);
        QCOMPARE(int(second.started.error().code), int(ErrorCode::Unavailable));
        QVERIFY(second.started.error().message.find(std::to_string(first.coordinator().port())) !=
                std::string::npos);
        QVERIFY(!second.started.error().remedy.empty());
    }

    void theMonitorsFolderIsPrivate() {
        const Meeting meeting(1);
        QVERIFY(meeting.started);

        const auto folder = meeting.journal().parent_path() / "private";

        QCOMPARE(int(std::filesystem::status(folder).permissions()), 0700);
    }
};

QTEST_GUILESS_MAIN(CoordinatorSocketsTest)
#include "tst_coordinator_sockets.moc"

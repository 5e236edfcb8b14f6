// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <csignal>
#include <functional>

#include "core/coordination/client/record_outbox.h"
#include "core/coordination/exchange/barrier_table.h"
#include "core/coordination/exchange/key_value_store.h"
#include "core/coordination/exchange/record_gate.h"
#include "core/coordination/health/exit_cause.h"
#include "core/coordination/health/progress_watch.h"
#include "core/coordination/monitor/monitor_feed.h"
#include "core/coordination/server/journal_watch.h"
#include "core/coordination/state/process_key.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace std::chrono_literals;

class CoordinationTablesTest : public QObject {
    Q_OBJECT
private slots:
    void namesOfProcessesGoBothWays() {
        for (const ProcessKey key : {ProcessKey{wire::ROLE_WORKER, 12},
                                     {wire::ROLE_AGENT, 0},
                                     {wire::ROLE_EVALUATOR, 0},
                                     {wire::ROLE_EVALUATOR, 1}})
            QVERIFY(processOf(userIdOf(key)) == key);
        for (const char* other : {"", "worker-", "worker-01", "worker--1", "worker-99999999999",
                                  "monitor", "worker-1 ", "evaluator-0", "evaluator-"})
            QVERIFY2(!processOf(other), other);
    }

    void aGetIsAnsweredBySetOrByItsDeadline() {
        KeyValueStore store;
        QVERIFY(store.get({wire::ROLE_WORKER, 1}, 4, "k", 2s, 10s).empty());
        QVERIFY(store.get({wire::ROLE_WORKER, 1}, 4, "k", 2s, 11s).empty());  // repeated
        QVERIFY(store.expire(11999ms).empty());
        const auto late = store.expire(12s);
        QCOMPARE(late.size(), std::size_t(1));
        QVERIFY(late[0].error.starts_with(kTimeoutWord));

        QVERIFY(store.get({wire::ROLE_WORKER, 2}, 5, "k", 2s, 12s).empty());
        const auto answers = store.set("k", "v");
        QVERIFY(answers && answers->size() == 1 && answers->front().value == "v");
    }

    void theStoreHasLimits() {
        KeyValueStore store;
        QVERIFY(!store.set("", "v"));
        QVERIFY(!store.set(std::string(513, 'k'), "v"));
        QVERIFY(!store.set("k", std::string((256 << 10) + 1, 'v')));
        const std::string big(256 << 10, 'v');
        int stored = 0;
        while (stored < 1000 && store.set("k" + std::to_string(stored), big))
            ++stored;
        QCOMPARE(stored, 255);
    }

    void aRepeatedBarrierRequestGetsTheSameAnswerAndOpensNothing() {
        BarrierTable barriers(2);
        QVERIFY(barriers.enter(0, 1, "b", 10s, 0s).empty());
        QCOMPARE(barriers.enter(1, 1, "b", 10s, 1s).size(), std::size_t(2));

        const auto again = barriers.enter(1, 1, "b", 10s, 2s);

        QCOMPARE(again.size(), std::size_t(1));
        QVERIFY(again[0].error.empty());
        QVERIFY(barriers.expire(1h).empty());
    }

    void theFirstArrivalSetsTheDeadlineAndTheMissingAreNamed() {
        BarrierTable barriers(4);
        QVERIFY(barriers.enter(2, 1, "b", 5s, 0s).empty());
        QVERIFY(barriers.enter(0, 1, "b", 1h, 4s).empty());

        const auto answers = barriers.expire(5s);

        QCOMPARE(answers.size(), std::size_t(2));
        QCOMPARE(answers[0].error, std::string("TIMEOUT: 2 of 4 processes reached the barrier 'b' "
                                               "within 5.0 s; processes 1, 3 did not"));
    }

    void aBarrierWithoutHopeFailsAtOnce() {
        BarrierTable barriers(2);
        QVERIFY(barriers.enter(0, 1, "b", 1h, 0s).empty());
        QCOMPARE(barriers.leave(1).size(), std::size_t(1));
        QCOMPARE(barriers.enter(0, 2, "c", 1h, 0s).size(), std::size_t(1));
    }

    void anExitSaysWhatHappened() {
        wire::ProcessExit exit;
        exit.set_signalled(true);
        exit.set_status(9);
        QCOMPARE(describeExit(exit).sentence, std::string("was killed by signal 9 (SIGKILL)"));
        QVERIFY(describeExit(exit).decisive && describeExit(exit).fromOutside);
        exit.set_out_of_memory(true);
        QVERIFY(!describeExit(exit).fromOutside);  // the job's own need may be the reason
        QCOMPARE(describeExit(exit).sentence,
                 std::string("was killed by signal 9 (SIGKILL): memory ran out, of its host or of "
                             "its control group"));
        exit.set_out_of_memory(false);
        for (const int asked : {SIGTERM, SIGINT, SIGHUP}) {
            exit.set_status(asked);
            QVERIFY(describeExit(exit).fromOutside && describeExit(exit).remedy.empty());
        }
        exit.set_status(13);
        QVERIFY(!describeExit(exit).decisive);
        exit.set_signalled(false);
        exit.set_status(2);
        exit.set_last_error("error: no such folder\x1b[31m");
        QVERIFY(describeExit(exit).badInput);
        QCOMPARE(describeExit(exit).sentence, std::string("no such folder?[31m"));
    }

    void whatAProgramsStatusMeansIsItsOwnBusiness() {
        wire::ProcessExit exit;
        exit.set_own_program(true);
        exit.set_status(2);
        exit.set_last_error("ValueError: no such luck");
        QCOMPARE(describeExit(exit).sentence,
                 std::string("exited with status 2: ValueError: no such luck"));
        QVERIFY(!describeExit(exit).badInput && !describeExit(exit).decisive);
        QVERIFY(!describeExit(exit).fromOutside);
        for (const int status : {129, 130, 137, 143}) {  // of a shell whose child was killed
            exit.set_status(status);
            QVERIFY(describeExit(exit).fromOutside);
        }
        exit.set_status(139);
        QVERIFY(!describeExit(exit).fromOutside && !describeExit(exit).followsAnother);
        exit.set_last_error(
            "RuntimeError: [gloo/pair.cc:534] Connection closed by peer [::1]:4242");
        QVERIFY(describeExit(exit).followsAnother);
        exit.set_last_error("");
        exit.set_status(0);
        QVERIFY(!describeExit(exit).failed);
        exit.set_signalled(true);
        exit.set_status(11);
        QVERIFY(describeExit(exit).decisive && !describeExit(exit).fromOutside);
        exit.set_status(6);  // libraries abort a program whose peer is gone
        QVERIFY(!describeExit(exit).decisive && !describeExit(exit).followsAnother);
        exit.set_own_program(false);
        QVERIFY(describeExit(exit).decisive);
    }

    void aProgramIsStuckOnlyAfterItHasReportedSteps() {
        ProgressWatch watch{ProgressLimits()};
        watch.addProcess(0, "host-a");
        wire::ReplicaProgress progress;
        progress.set_phase(wire::PHASE_PROGRAM);
        progress.set_phase_seconds(5000);
        watch.report(0, progress, 6000s);
        QVERIFY(!watch.judge(6000s));  // it may never say anything
        wire::StepBatch steps;
        steps.set_first_step(1);
        steps.add_step_us(1000);
        watch.addSteps(0, steps);
        progress.set_step(1);
        progress.set_phase_seconds(50);
        watch.report(0, progress, 6000s);
        QVERIFY(!watch.judge(6000s));  // between its steps it may score or save
        const auto finding = watch.judge(6011s);
        QVERIFY(finding.has_value());
        QCOMPARE(finding->sentence,
                 std::string("process 0 (host-a) has reported nothing for 61 s at step 2"));
    }

    void lostStepsAreToldAndStateIsNeverLost() {
        RecordOutbox outbox({100, 100});
        wire::Record steps;
        steps.mutable_steps()->set_first_step(5);
        for (int i = 0; i < 3; ++i)
            steps.mutable_steps()->add_loss(1);
        wire::Record state;
        state.mutable_epoch();
        QVERIFY(outbox.push(steps, std::string(90, 's')) == RecordOutbox::Pushed::Yes);
        QVERIFY(outbox.push(steps, std::string(90, 's')) == RecordOutbox::Pushed::Dropped);
        QVERIFY(outbox.push(state, std::string(90, 'e')) == RecordOutbox::Pushed::Yes);
        QVERIFY(outbox.push(state, std::string(90, 'e')) == RecordOutbox::Pushed::Full);

        QCOMPARE(outbox.take(1).records(0), std::string(90, 's'));
        QCOMPARE(outbox.take(1000).records(0), std::string(90, 'e'));
        const wire::Records note = outbox.take(1000);
        QCOMPARE(note.records_size(), 1);
        wire::Record drops;
        QVERIFY(drops.ParseFromString(note.records(0)));
        QCOMPARE(drops.drops().first_step(), std::uint64_t(5));
        QCOMPARE(drops.drops().count(), std::uint64_t(3));
    }

    void lostLinesAreToldByProcessAndNoticesHaveRoomOfTheirOwn() {
        RecordOutbox outbox({100, 100});
        wire::Record line;
        line.mutable_log()->set_role(wire::ROLE_WORKER);
        line.mutable_log()->set_process_id(3);
        wire::Record unfinished = line;
        unfinished.mutable_log()->set_unfinished(true);
        wire::Record figures;
        figures.mutable_figures()->set_process_id(4);
        figures.mutable_figures()->set_role(wire::ROLE_WORKER);
        wire::Record notice;
        notice.mutable_notice();
        const std::string bytes(90, 'l');
        QVERIFY(outbox.push(line, bytes) == RecordOutbox::Pushed::Yes);
        for (const wire::Record& lost : {line, line, unfinished, figures})
            QVERIFY(outbox.push(lost, bytes) == RecordOutbox::Pushed::Dropped);
        QVERIFY(outbox.push(notice, bytes) == RecordOutbox::Pushed::Yes);
        QCOMPARE(outbox.take(1000).records_size(), 2);
        QVERIFY(!outbox.empty());
        std::vector<std::string> said;
        const wire::Records notes = outbox.take(1000);
        for (const std::string& note : notes.records()) {
            wire::Record record;
            QVERIFY(record.ParseFromString(note));
            said.push_back(record.log().text());
        }
        QVERIFY(outbox.empty());
        QCOMPARE(said, (std::vector<std::string>{
                           "2 log lines of process 3 were not journalled: too many came at once; "
                           "see its file in logs/",
                           "1 resource figure of process 4 was not journalled: too many came at "
                           "once"}));
    }

    void troubleWithTheJournalIsSaidOnceAndItsEnd() {
        JournalWatch watch;
        telemetry::JournalStatus status;
        const auto said = [&](Nanos now) { return watch.look(status, now).value_or("nothing"); };
        QCOMPARE(said(0s), std::string("nothing"));
        status.waitingBytes = 2'000'000;
        status.stalledFor = 4s;
        QVERIFY(said(1s).find("has not answered for 4 s: 2.0 MB wait in memory") !=
                std::string::npos);
        QCOMPARE(said(2s), std::string("nothing"));
        status.lostRecords = 7;
        status.lostSince = "the disk is too slow";
        QCOMPARE(said(3s), std::string("7 of the run's records are lost: the disk is too slow"));
        status.lostRecords = 9;
        QCOMPARE(said(4s), std::string("nothing"));
        QVERIFY(said(14s).starts_with("9 of the run's records"));
        status.stalledFor = {};
        QVERIFY(said(15s).find("written again") != std::string::npos);
        status.error = "writing: No space left on device";
        QVERIFY(said(16s).find("No space left on device") != std::string::npos);
        QVERIFY(missingRecords(status).find("9 of the run's records") != std::string::npos);
        QVERIFY(missingRecords(status).find("2.0 MB of the journal were not written") !=
                std::string::npos);
    }

    void lostNamedFiguresAreToldAndTheirNamesAreNeverLost() {
        RecordOutbox outbox({100, 100});
        wire::Record values;
        values.mutable_scalars()->set_replica(3);
        for (int i = 0; i < 2; ++i) {
            wire::ScalarColumn& column = *values.mutable_scalars()->add_columns();
            column.add_steps(7);
            column.add_values(1);
        }
        wire::Record name;
        name.mutable_scalar_series();
        QVERIFY(outbox.push(values, std::string(90, 'v')) == RecordOutbox::Pushed::Yes);
        QVERIFY(outbox.push(values, std::string(90, 'v')) == RecordOutbox::Pushed::Dropped);
        QVERIFY(outbox.push(name, std::string(90, 'n')) == RecordOutbox::Pushed::Yes);
        QVERIFY(outbox.push(name, std::string(90, 'n')) == RecordOutbox::Pushed::Full);
        (void)outbox.take(1000);
        wire::Record drops;
        QVERIFY(drops.ParseFromString(outbox.take(1000).records(0)));
        QCOMPARE(drops.drops().replica(), 3U);
        QCOMPARE(drops.drops().first_step(), std::uint64_t(7));
        QCOMPARE(drops.drops().count(), std::uint64_t(2));
    }

    void aProcessNamesFiguresOfItsOwnReplicasAndTheChiefThoseOfTheRun() {
        Member chief;
        chief.key = {wire::ROLE_WORKER, 0};
        chief.facts.set_replicas(2);
        Member other;
        other.key = {wire::ROLE_WORKER, 1};
        other.firstReplica = 2;
        other.facts.set_replicas(1);
        Member evaluator;
        evaluator.key = {wire::ROLE_EVALUATOR, 0};
        const auto mayName = [](const Member& sender, wire::Role role, int replica,
                                const std::string& name = "f1", std::uint32_t id = 1) {
            wire::Record record;
            record.mutable_scalar_series()->set_role(role);
            record.mutable_scalar_series()->set_replica(replica);
            record.mutable_scalar_series()->set_name(name);
            record.mutable_scalar_series()->set_id(id);
            return mayWrite(sender, record, true, {});
        };
        const auto mayFill = [](const Member& sender, wire::Role role, int replica,
                                std::uint32_t id = 1, int times = 1) {
            wire::Record record;
            record.mutable_scalars()->set_role(role);
            record.mutable_scalars()->set_replica(replica);
            wire::ScalarColumn& column = *record.mutable_scalars()->add_columns();
            column.set_id(id);
            column.add_steps(1);
            column.add_values(1);
            for (int i = 0; i < times; ++i)
                column.add_after_seconds(0);
            return mayWrite(sender, record, true, {});
        };
        using May = std::function<bool(const Member&, wire::Role, int)>;
        for (const May& may : {May(mayName), May(mayFill)}) {
            QVERIFY(may(chief, wire::ROLE_WORKER, 1));
            QVERIFY(!may(chief, wire::ROLE_WORKER, 2));
            QVERIFY(may(chief, wire::ROLE_WORKER, -1));
            QVERIFY(!may(chief, wire::ROLE_WORKER, -2));
            QVERIFY(may(other, wire::ROLE_WORKER, 2));
            QVERIFY(!may(other, wire::ROLE_WORKER, -1));
            QVERIFY(!may(other, wire::ROLE_EVALUATOR, -1));
            QVERIFY(may(evaluator, wire::ROLE_EVALUATOR, -1));
            QVERIFY(!may(evaluator, wire::ROLE_EVALUATOR, 0));
        }
        QVERIFY(!mayName(chief, wire::ROLE_WORKER, 0, ""));
        QVERIFY(!mayName(chief, wire::ROLE_WORKER, 0, std::string(121, 'x')));
        QVERIFY(!mayName(chief, wire::ROLE_WORKER, 0, "f1", 257));
        QVERIFY(!mayFill(chief, wire::ROLE_WORKER, 0, 0));
        QVERIFY(!mayFill(chief, wire::ROLE_WORKER, 0, 1, 2));
    }

    void aMonitorGetsWhatItsCreditAllowsAndAWrongOffsetIsRefused() {
        const std::string journal(1 << 20, 'j');
        const auto read = [&](std::uint64_t offset, std::size_t maxBytes) -> Result<std::string> {
            return journal.substr(offset, maxBytes);
        };
        std::map<std::string, std::string> got;
        std::string refusal;
        const auto send = [&](const std::string& who, const wire::FromCoordinator& message) {
            got[who] += message.journal().bytes();
            refusal += message.reply().error();
            return wire::Sent::Yes;
        };
        MonitorFeed feed;
        wire::Follow follow;
        follow.set_credit_bytes(300 << 10);
        feed.follow("slow", follow);
        follow.set_credit_bytes(8 << 20);
        feed.follow("fast", follow);

        while (feed.pump(journal.size(), read, send))
            continue;

        QCOMPARE(got["fast"].size(), journal.size());
        QCOMPARE(got["slow"].size(), std::size_t(512 << 10));
        QVERIFY(feed.idle(journal.size()));
        feed.grant("slow", 1 << 20);
        while (feed.pump(journal.size(), read, send))
            continue;
        QCOMPARE(got["slow"], journal);

        // What is still being read is sent once it is there.
        bool isRead = false;
        const auto slowly = [&](std::uint64_t offset,
                                std::size_t most) -> std::optional<Result<std::string>> {
            if (!isRead) return std::nullopt;
            return journal.substr(offset, most);
        };
        feed.follow("patient", follow);
        QVERIFY(!feed.pump(journal.size(), slowly, send));
        QVERIFY(got["patient"].empty());
        isRead = true;
        while (feed.pump(journal.size(), slowly, send))
            continue;
        QCOMPARE(got["patient"], journal);

        follow.set_offset(2 << 20);
        feed.follow("lost", follow);
        std::ignore = feed.pump(journal.size(), read, send);
        QVERIFY(refusal.find("ends at byte 1048576") != std::string::npos);
        QCOMPARE(feed.monitors(), std::size_t(3));
    }
};

QTEST_GUILESS_MAIN(CoordinationTablesTest)
#include "tst_coordination_tables.moc"

// SPDX-License-Identifier: Apache-2.0
// The parts of CoordinatorCore, each without the others.
#include <QtTest>

#include "core/coordination/core/drain.h"
#include "core/coordination/core/registration.h"
#include "core/coordination/exchange/delivery.h"
#include "core/coordination/exchange/message_gate.h"
#include "core/coordination/exchange/steps_desk.h"
#include "core/coordination/health/own_gaps.h"
#include "core/wire/codec.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace std::chrono_literals;

namespace {

constexpr ProcessKey kFirst{wire::ROLE_WORKER, 0};
constexpr ProcessKey kSecond{wire::ROLE_WORKER, 1};

JobRules twoWorkers() {
    JobRules rules;
    rules.runId = "r";
    rules.workers = 2;
    return rules;
}

wire::ToCoordinator registrationOf(const ProcessKey& key, std::uint64_t incarnation = 7) {
    wire::ToCoordinator message;
    message.set_protocol(wire::kProtocol);
    message.set_run_id("r");
    message.set_incarnation(incarnation);
    message.mutable_register_()->set_role(key.role);
    message.mutable_register_()->set_process_id(key.id);
    message.mutable_register_()->set_replicas(1);
    return message;
}

wire::AwaitSteps upTo(std::uint64_t step, std::uint64_t request) {
    wire::AwaitSteps question;
    question.set_step(step);
    question.set_request(request);
    return question;
}

wire::Record stepsOf(std::uint32_t replica, std::uint64_t first, int count) {
    wire::Record record;
    record.mutable_steps()->set_replica(replica);
    record.mutable_steps()->set_first_step(first);
    for (int i = 0; i < count; ++i)
        record.mutable_steps()->add_loss(1);
    return record;
}

/// What all parts stand on.
struct Ground {
    JobState job{twoWorkers()};
    Membership members{{2, false, {}}};
    Outbox outbox{job};

    Member& join(const ProcessKey& key, std::uint64_t incarnation = 7) {
        std::ignore =  // what refuses it has tests of its own
            members.admit(registrationOf(key, incarnation).register_(), incarnation, userIdOf(key));
        return *members.find(key);
    }
    /// Messages since the last call.
    std::vector<SendAction> sent() {
        std::vector<SendAction> messages;
        for (Action& action : outbox.take())
            if (auto* send = std::get_if<SendAction>(&action)) messages.push_back(*send);
        return messages;
    }
};

}  // namespace

class CoreCollaboratorsTest : public QObject {
    Q_OBJECT
private slots:
    void numberedMessagesAreTakenOnceAndInOrder() {
        Ground ground;
        Delivery delivery(ground.members, ground.outbox);
        Member& member = ground.join(kFirst);

        QVERIFY(delivery.take(member, 1));
        QVERIFY(!delivery.take(member, 1));  // its confirmation was lost
        QVERIFY(!delivery.take(member, 3));  // 2 is still to come
        QVERIFY(delivery.take(member, 2) && delivery.take(member, 3));
        QVERIFY(delivery.take(member, 0) && delivery.take(member, 0));  // not numbered
        QCOMPARE(ground.outbox.counters().repeated, std::uint64_t(2));
    }

    void sendersAreToldHowFarTheyWereTakenFourTimesASecondOrAfterMany() {
        Ground ground;
        Delivery delivery(ground.members, ground.outbox);
        Member& member = ground.join(kFirst);
        delivery.confirm(1h);
        QVERIFY(ground.sent().empty());  // nobody has said anything

        QVERIFY(delivery.take(member, 1));
        delivery.confirm(1h + 100ms);
        QVERIFY(ground.sent().empty());
        delivery.confirm(1h + 250ms);
        QCOMPARE(ground.sent().at(0).message.acknowledged(), std::uint64_t(1));
        delivery.confirm(2h);
        QVERIFY(ground.sent().empty());  // it knows

        for (std::uint64_t number = 2; number <= 33; ++number)
            QVERIFY(delivery.take(member, number));
        QCOMPARE(ground.sent().at(0).message.acknowledged(), std::uint64_t(33));
        QVERIFY(!delivery.take(member, 33));
        delivery.confirm(3h);
        QCOMPARE(ground.sent().size(), std::size_t(1));  // whoever repeats itself is told again
    }

    void whatIsNotOfThisRunIsTurnedAwayWithTheReason() {
        Ground ground;
        MessageGate gate(ground.job, ground.members, ground.outbox);
        wire::ToCoordinator message = registrationOf(kFirst);
        QVERIFY(gate.senderOf({"c", "worker-0"}, message) == kFirst);

        QVERIFY(!gate.senderOf({"c", "worker-1"}, message));
        QCOMPARE(ground.sent().at(0).message.refused().sentence(),
                 std::string("the key of process 1 cannot register process 0"));
        message.set_generation(4);
        QVERIFY(!gate.senderOf({"c", "worker-0"}, message));
        QCOMPARE(ground.sent().at(0).message.refused().sentence(),
                 std::string("process 0 belongs to generation 4 of the run; generation 0 is "
                             "running"));
        message.clear_register_();
        message.mutable_leave();
        QVERIFY(!gate.senderOf({"c", "worker-0"}, message));
        QVERIFY(ground.sent().at(0).message.has_abort());  // it shall not go on
        QCOMPARE(ground.outbox.counters().foreign, std::uint64_t(3));
    }

    void aFormerLifeIsNotHeardAndTheNewestConnectionAnswers() {
        Ground ground;
        MessageGate gate(ground.job, ground.members, ground.outbox);
        wire::ToCoordinator message = registrationOf(kFirst);
        message.mutable_leave();
        QVERIFY(gate.speaker({"c", "worker-0"}, kFirst, message) == nullptr);  // has not registered
        Member& member = ground.join(kFirst);

        QVERIFY(gate.speaker({"another", "worker-0"}, kFirst, message) == &member);
        QCOMPARE(member.connection, std::string("another"));
        message.set_incarnation(6);
        QVERIFY(gate.speaker({"c", "worker-0"}, kFirst, message) == nullptr);
        QCOMPARE(ground.sent().at(0).message.abort().process_id(), 0);
        QCOMPARE(ground.outbox.counters().fenced, std::uint64_t(1));
    }

    void registrationIsABarrierOfTheWorkersAndNamesWhoIsMissing() {
        Ground ground;
        Witness witness(ground.job, ground.members, ground.outbox);
        const telemetry::JournalledSteps journalled;
        Registration registration(ground.job, ground.members, witness, journalled, ground.outbox);
        registration.beginGeneration({1h, 1});
        QVERIFY(registration.admit("a", registrationOf(kFirst), {1h, 1}));
        QVERIFY(!registration.admit("a", registrationOf(kFirst), {1h, 1}));  // says it again
        QVERIFY(ground.sent().empty());
        registration.prolong(10s);
        QVERIFY(!registration.check({1h + 309s, 1}));
        const auto missing = registration.check({1h + 310s, 1});
        QVERIFY(missing);
        QCOMPARE(missing->failure.process_id(), 1U);
        QCOMPARE(missing->failure.cause(), std::string("did not register within 300 s"));

        QVERIFY(registration.admit("b", registrationOf(kSecond), {1h + 311s, 1}));
        QVERIFY(ground.job.running());
        const auto welcomes = ground.sent();
        QCOMPARE(welcomes.size(), std::size_t(2));
        QVERIFY(welcomes[0].message.has_welcome() && welcomes[1].message.has_welcome());
        QVERIFY(!registration.check({2h, 1}));
    }

    void aCheckpointWaitsUntilAllReplicasHaveToldTheirSteps() {
        Ground ground;
        telemetry::JournalledSteps journalled;
        StepsDesk desk(ground.members, journalled, ground.outbox);
        const Member& chief = ground.join(kFirst);
        ground.join(kSecond);
        journalled.take(stepsOf(0, 1, 112));
        desk.await(chief, upTo(112, 1));
        QVERIFY(ground.sent().empty());  // replica 1 has told nothing
        journalled.take(stepsOf(1, 1, 104));
        desk.look();
        desk.await(chief, upTo(112, 1));  // it asks again
        desk.await(chief, upTo(100, 2));
        auto sent = ground.sent();
        QCOMPARE(sent.size(), std::size_t(1));
        QCOMPARE(sent[0].message.value().request(), std::uint64_t(2));
        QVERIFY(sent[0].onceWritten);
        journalled.take(stepsOf(1, 105, 9));
        desk.look();
        desk.look();
        sent = ground.sent();
        QCOMPARE(sent.size(), std::size_t(1));
        QCOMPARE(sent[0].message.value().request(), std::uint64_t(1));
        QVERIFY(sent[0].message.value().error().empty() && sent[0].onceWritten);

        desk.await(chief, upTo(200, 3));
        desk.beginGeneration();  // nobody waits any more
        journalled.take(stepsOf(0, 113, 100));
        journalled.take(stepsOf(1, 114, 100));
        desk.look();
        QVERIFY(ground.sent().empty());
    }

    void gapsOfTheCoordinatorsOwnExcuseOnlyThoseWhoGaveUpOnIt() {
        OwnGaps gaps(twoWorkers());  // heartbeats count as missing after 10 s
        gaps.beginGeneration(1h);
        QCOMPARE(gaps.note(1h + 100ms), Nanos{});
        QCOMPARE(gaps.note(1h + 14100ms), Nanos(14s));
        QCOMPARE(gaps.note(1h + 16100ms), Nanos(2s));
        QCOMPARE(gaps.length(), Nanos(14s));  // the short one behind it does not hide it

        Evidence gaveUp;
        gaveUp.weight = EvidenceWeight::Exit;
        Evidence killed;
        Evidence badInput = gaveUp;
        badInput.kind = wire::ERROR_BAD_INPUT;
        QVERIFY(gaps.explains(gaveUp, 1h + 17s));
        QVERIFY(!gaps.explains(killed, 1h + 17s) && !gaps.explains(badInput, 1h + 17s));
        QVERIFY(!gaps.explains(gaveUp, 1h + 40s));  // whatever comes now has another cause
        gaps.beginGeneration(1h + 17s);
        QVERIFY(!gaps.explains(gaveUp, 1h + 17s));
    }

    void behindTheEndOfTheRunNothingIsJournalled() {
        Ground ground;
        ground.outbox.log(kFirst, LogLevel::Warning, "before", {1h, 1});
        ground.job.endRun(wire::RunEnd{});
        ground.outbox.log(kFirst, LogLevel::Warning, "behind", {1h, 1});
        QCOMPARE(ground.outbox.take().size(), std::size_t(1));
    }

    void theFirstCauseOfAnEndStays() {
        JobState job(twoWorkers());
        job.end("process 1: was killed", 1);
        job.end("failed");
        QCOMPARE(job.endCause(), std::string("process 1: was killed"));
        QCOMPARE(job.culprit(), 1);
        job.beginGeneration(1);
        QVERIFY(job.registering() && job.endCause().empty());
        QCOMPARE(job.culprit(), JobState::kNobody);
    }

    void aDrainEndsByTimeUnlessSomebodyStillWorks() {
        Drain drain(20s);
        drain.prolong(1h);
        QVERIFY(!drain.active() && !drain.expired(2h));
        wire::Leave chiefs;
        chiefs.set_status("stopped");
        drain.begin(chiefs, 1h);
        QVERIFY(!drain.expired(1h + 19s) && drain.expired(1h + 20s));
        drain.prolong(1h + 15s);
        QVERIFY(!drain.expired(1h + 34s) && drain.expired(1h + 35s));
        QVERIFY(drain.outcome().kind == OutcomeKind::Stopped);
    }
};

QTEST_GUILESS_MAIN(CoreCollaboratorsTest)
#include "tst_core_collaborators.moc"

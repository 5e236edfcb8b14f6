// SPDX-License-Identifier: Apache-2.0
// What a disk that hangs does to those who wait for the journal: steps for which it had no room are
// not told, and answers do not pile up.
#include <QtTest>

#include "core/coordination/server/once_written.h"
#include "tests/core/coordination/core_stage.h"

using namespace lockstep;
using namespace lockstep::coordination;
using testsupport::Stage;
using testsupport::worker;

namespace {

SendAction answerTo(const std::string& connection, std::uint64_t request,
                    std::uint32_t generation = 0) {
    SendAction answer;
    answer.connection = connection;
    answer.message.set_generation(generation);
    answer.message.mutable_value()->set_request(request);
    answer.onceWritten = true;
    return answer;
}

std::vector<std::uint64_t> requestsOf(const std::vector<SendAction>& answers) {
    std::vector<std::uint64_t> requests;
    for (const SendAction& one : answers)
        requests.push_back(one.message.value().request());
    return requests;
}

using Requests = std::vector<std::uint64_t>;

/// The chief asks whether all steps up to the first one are told.
void ask(Stage& stage, std::uint64_t request) {
    wire::ToCoordinator question;
    question.set_generation(stage.core().generation());
    question.mutable_await_steps()->set_step(1);
    question.mutable_await_steps()->set_request(request);
    stage.say(worker(0), std::move(question));
}

Requests answered(const Stage& stage) {
    Requests requests;
    for (const auto& [connection, message] : stage.sent)
        if (message.has_value()) requests.push_back(message.value().request());
    return requests;
}

std::vector<std::int64_t> journalledIn(const Stage& stage) {
    const auto& steps = stage.sent.back().second.welcome().journalled_steps();
    return {steps.begin(), steps.end()};
}

}  // namespace

class OnceWrittenTest : public QObject {
    Q_OBJECT
private slots:
    void stepsForWhichTheJournalHadNoRoomAreNotTold() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.measureSteps(0, 100);
        stage.journalHasRoom = false;
        stage.measureSteps(1, 100);
        ask(stage, 7);
        QCOMPARE(answered(stage), Requests{});

        stage.core().beginGeneration(1, stage.at());
        stage.joinWorkers(2);
        QCOMPARE(journalledIn(stage), (std::vector<std::int64_t>{1, -1}));
    }
    void whoWaitsForStepsIsAnsweredOnceTheyAreAppended() {
        Stage stage(2);
        stage.joinWorkers(2);
        ask(stage, 7);
        stage.measureSteps(0, 100);
        QCOMPARE(answered(stage), Requests{});
        stage.measureSteps(1, 100);
        QCOMPARE(answered(stage), Requests{7});
    }
    void whereTheRunBeginsHoldsAlsoWhereTheJournalHadNoRoomForIt() {
        Stage stage(1);
        stage.joinWorkers(1);
        stage.measureSteps(0, 100);
        stage.journalHasRoom = false;
        stage.core().beginGeneration(1, stage.at());
        stage.joinWorkers(1);
        QCOMPARE(journalledIn(stage), std::vector<std::int64_t>{1});
        wire::Record info;
        info.mutable_run_info()->set_first_step(0);
        wire::ToCoordinator message;
        message.set_generation(1);
        message.mutable_records()->add_records(info.SerializeAsString());
        stage.say(worker(0), std::move(message));
        ask(stage, 7);  // the step will be trained again
        QCOMPARE(answered(stage), Requests{});
    }

    void aQuestionThatIsAskedAgainHasOnePlace() {
        OnceWritten waiting;
        waiting.hold(100, answerTo("a", 1));
        waiting.hold(200, answerTo("a", 2));
        for (std::uint64_t end = 300; end < 400; ++end)
            waiting.hold(end, answerTo("a", 1));
        waiting.hold(400, answerTo("b", 1));
        QCOMPARE(waiting.size(), std::size_t(3));
        QCOMPARE(requestsOf(waiting.take(99)), Requests{});
        QCOMPARE(requestsOf(waiting.take(399)), (Requests{1, 2}));
        QCOMPARE(requestsOf(waiting.take(400)), Requests{1});
        QVERIFY(waiting.empty());
    }
    void thereIsAnEndToThoseThatWait() {
        OnceWritten waiting;
        for (std::uint64_t request = 0; request < 1000; ++request)
            waiting.hold(request, answerTo("a", request));
        QCOMPARE(waiting.size(), OnceWritten::kMost);
        QCOMPARE(requestsOf(waiting.take(1000)).back(), std::uint64_t(999));
    }
    void nobodyWaitsForAnAnswerOfAnotherGeneration() {
        OnceWritten waiting;
        waiting.hold(100, answerTo("a", 1, 0));
        waiting.hold(200, answerTo("a", 1, 1));
        QCOMPARE(waiting.size(), std::size_t(2));
        waiting.keepOnly(1);
        const auto due = waiting.take(1000);
        QCOMPARE(due.size(), std::size_t(1));
        QCOMPARE(due[0].message.generation(), 1U);
    }
};

QTEST_GUILESS_MAIN(OnceWrittenTest)
#include "tst_once_written.moc"

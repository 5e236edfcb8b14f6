// SPDX-License-Identifier: Apache-2.0
// The parts of the coordinator's client, each without a connection.
#include <QtTest>

#include "core/coordination/client/client_requests.h"
#include "core/coordination/client/clock_estimate.h"
#include "core/coordination/client/coordinator_watch.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace std::chrono_literals;

namespace {

wire::FromCoordinator valueFor(std::uint64_t request, const std::string& value,
                               const std::string& error = {}) {
    wire::FromCoordinator message;
    message.mutable_value()->set_request(request);
    message.mutable_value()->set_value(value);
    message.mutable_value()->set_error(error);
    return message;
}

}  // namespace

class ClientCollaboratorsTest : public QObject {
    Q_OBJECT
private slots:
    void ofEightAnswersTheQuickestTellsHowClocksDiffer() {
        ClockEstimate clock;
        QVERIFY(!clock.best().has_value());
        double own = 1000;
        for (int i = 0; i < 20; ++i) {
            // The coordinator is 5 s behind; every third answer comes by a queue of 40 ms.
            const double back = i % 3 == 0 ? 0.041 : 0.001;
            const std::uint64_t question = clock.ask(own);
            QVERIFY(clock.hear(question, own + 0.001 - 5, own + 0.001 + back));
            own += 1;
        }
        QVERIFY(std::abs(clock.best()->offset + 5) < 1e-6);
        QVERIFY(std::abs(clock.best()->roundTrip - 0.002) < 1e-6);
    }

    void clocksThatDriftApartAreFollowed() {
        ClockEstimate clock;
        for (int i = 0; i < 1000; ++i) {
            const double own = 1000 + i;
            const std::uint64_t question = clock.ask(own);
            QVERIFY(clock.hear(question, own + 0.001 + 1e-4 * i, own + 0.002));
            // Half a round trip, and what they drift in the eight seconds that are remembered.
            QVERIFY(std::abs(clock.best()->offset - 1e-4 * i) <= 0.001 + 8e-4);
        }
    }

    void aDifferenceIsToldAfterTheFirstAnswersAndForEveryEight() {
        ClockEstimate clock;
        std::vector<int> told;
        for (int i = 1; i <= 21; ++i) {
            QCOMPARE(clock.wantsMore(), i <= 4);
            QVERIFY(clock.hear(clock.ask(i), 7 + i, i + 0.01));
            if (clock.takeNews()) told.push_back(i);
        }
        QCOMPARE(told, (std::vector<int>{4, 12, 20}));
    }

    void answersOfOtherQuestionsAndWithoutTimesSayNothing() {
        ClockEstimate clock;
        const std::uint64_t question = clock.ask(10);
        QVERIFY(!clock.hear(question + 1, 5, 11));
        QVERIFY(!clock.hear(0, 5, 11));
        QVERIFY(!clock.hear(question, 0, 11));  // a coordinator that tells no time
        QVERIFY(!clock.hear(question, 5, 9));
        QVERIFY(clock.hear(question, 5, 11));
        QVERIFY(!clock.hear(question, 5, 11));  // once
        for (int i = 0; i < 8; ++i)
            std::ignore = clock.ask(20);
        QVERIFY(!clock.best() || clock.best()->roundTrip == 1);
    }

    void aQuestionIsAskedAgainUntilItIsAnsweredOnce() {
        ClientRequests requests;
        wire::ToCoordinator question;
        question.mutable_get()->set_key("k");
        const std::uint64_t number = requests.add(question);
        int asked = 0;
        bool connected = false;
        const auto send = [&](const wire::ToCoordinator& message) {
            if (connected && message.get().request() == number) ++asked;
            return connected;
        };
        requests.askDue(1h, send);
        QCOMPARE(asked, 0);  // it could not be sent, and is tried again at once
        connected = true;
        requests.askDue(1h, send);
        requests.askDue(1h + 1s, send);
        QCOMPARE(asked, 1);
        requests.askDue(1h + 2s, send);
        QCOMPARE(asked, 2);

        QVERIFY(!requests.take(valueFor(number + 1, "of nobody")));
        QVERIFY(requests.take(valueFor(number, "v")));
        QVERIFY(!requests.take(valueFor(number, "again")));
        requests.askDue(2h, send);
        QCOMPARE(asked, 2);
        QVERIFY(requests.answered(number));
        const auto answer = requests.finish(number);
        QVERIFY(answer && *answer);
        QCOMPARE(**answer, std::string("v"));
    }

    void theFirstWordOfAnErrorIsItsKind_data() {
        QTest::addColumn<QString>("error");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("timeout") << "TIMEOUT: nobody" << int(ErrorCode::Timeout) << "nobody";
        QTest::newRow("aborted") << "ABORTED: it ended" << int(ErrorCode::PeerLost) << "it ended";
        QTest::newRow("gone") << "GONE: pruned" << int(ErrorCode::NotFound) << "pruned";
        QTest::newRow("refused") << "REFUSED: a path" << int(ErrorCode::BadInput) << "a path";
        QTest::newRow("damaged") << "DAMAGED: bytes" << int(ErrorCode::Corrupt) << "bytes";
        QTest::newRow("no word") << "whatever" << int(ErrorCode::PeerLost) << "whatever";
    }
    void theFirstWordOfAnErrorIsItsKind() {
        QFETCH(const QString, error);
        QFETCH(const int, code);
        QFETCH(const QString, sentence);
        ClientRequests requests;
        const std::uint64_t number = requests.add({});
        QVERIFY(requests.take(valueFor(number, {}, error.toStdString())));

        const auto answer = requests.finish(number);

        QVERIFY(answer && !*answer);
        QCOMPARE(int(answer->error().code), code);
        QCOMPARE(answer->error().message, sentence.toStdString());
        QVERIFY(!requests.finish(number));
    }

    void aCoordinatorIsLostBySilenceUnlessTheProcessItselfDidNotRun() {
        CoordinatorWatch watch("tcp://host:1", {1s, 10s});
        const wire::LinkStatus link;
        watch.begin(1h);
        Nanos now = 1h;
        for (; now < 1h + 10s; now += 100ms)
            watch.noteTurn(now);
        QVERIFY(!watch.judge(link, now));
        watch.noteTurn(now += 1min);  // it was stopped for a minute
        QVERIFY(!watch.judge(link, now));
        watch.noteTurn(now += 200ms);
        QCOMPARE(watch.judge(link, now).value_or("lives"),
                 std::string("the coordinator at tcp://host:1 is lost: it has not answered for "
                             "10.1 s"));
        watch.heard(now);
        QVERIFY(!watch.judge(link, now));
    }

    void aCoordinatorWhosePortTurnsDownEveryAttemptHasEnded() {
        CoordinatorWatch watch("tcp://host:1", {1s, 10s});
        watch.begin(1h);
        wire::LinkStatus link;
        link.refusals = 4;
        QVERIFY(!watch.judge(link, 1h));
        link.refusals = 5;
        QVERIFY(watch.judge(link, 1h).value_or("").find("has ended") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(ClientCollaboratorsTest)
#include "tst_client_collaborators.moc"

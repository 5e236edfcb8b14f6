// SPDX-License-Identifier: Apache-2.0
// What programs ask the coordinator about the store and about each other.
#include <QtTest>

#include "core/coordination/exchange/answered_edits.h"
#include "tests/core/coordination/core_stage.h"

using namespace lockstep;
using namespace lockstep::testsupport;

namespace {

wire::ToCoordinator setting(std::uint64_t request, const std::string& key,
                            const std::string& value) {
    wire::ToCoordinator message;
    message.mutable_edit()->set_request(request);
    message.mutable_edit()->set_key(key);
    message.mutable_edit()->set_value(value);
    return message;
}

wire::ToCoordinator erasing(std::uint64_t request, const std::string& key) {
    wire::ToCoordinator message;
    message.mutable_edit()->set_request(request);
    message.mutable_edit()->set_key(key);
    message.mutable_edit()->set_erase(true);
    return message;
}

wire::ToCoordinator finding(std::uint64_t request, const std::string& key) {
    wire::ToCoordinator message;
    message.mutable_get()->set_request(request);
    message.mutable_get()->set_key(key);
    message.mutable_get()->set_only_if_there(true);
    return message;
}

/// What the coordinator has answered last to the process: the value, or "error: …".
std::string answerTo(const Stage& stage, const ProcessKey& process) {
    for (auto message = stage.sent.rbegin(); message != stage.sent.rend(); ++message)
        if (message->first == userIdOf(process) && message->second.has_value()) {
            const wire::Value& value = message->second.value();
            return value.error().empty() ? value.value() : "error: " + value.error();
        }
    return "nothing";
}

std::vector<std::string> allKeys(const KeyValueStore& store, const std::string& folder) {
    std::vector<std::string> keys;
    for (KeyValueStore::Page page{{}, true}; page.more;) {
        page = store.list(folder, keys.empty() ? std::string() : keys.back());
        std::ranges::copy(page.keys, std::back_inserter(keys));
    }
    return keys;
}

}  // namespace

class StoreQuestionsTest : public QObject {
    Q_OBJECT
private slots:
    void anEditThatIsAskedForAgainIsDoneOnce() {
        Stage stage(2);
        stage.joinWorkers(2);
        stage.say(worker(0), setting(1, "k", "first"));
        stage.say(worker(1), setting(1, "k", "second"));
        stage.say(worker(0), setting(1, "k", "first"));  // its answer was lost
        QCOMPARE(answerTo(stage, worker(0)), std::string());
        stage.say(worker(0), finding(2, "k"));
        QCOMPARE(answerTo(stage, worker(0)), std::string("second"));

        stage.say(worker(0), erasing(3, "k"));
        stage.say(worker(1), setting(2, "k", "third"));
        stage.say(worker(0), erasing(3, "k"));
        stage.say(worker(0), finding(4, "k"));
        QCOMPARE(answerTo(stage, worker(0)), std::string("third"));
    }

    void aRefusedEditIsAnsweredWithTheReasonEveryTime() {
        Stage stage(1);
        stage.joinWorkers(1);
        for (int time = 0; time < 2; ++time) {
            stage.say(worker(0), setting(1, "", "v"));
            QCOMPARE(answerTo(stage, worker(0)),
                     std::string("error: REFUSED: a key of 0 bytes; 1 to 512 are possible"));
        }
        const Error error = answerError("REFUSED: a key of 0 bytes; 1 to 512 are possible");
        QVERIFY(error.code == ErrorCode::BadInput);
    }

    void whoWaitsForAKeyIsAnsweredByAnEdit() {
        Stage stage(2);
        stage.joinWorkers(2);
        wire::ToCoordinator waiting;
        waiting.mutable_get()->set_request(1);
        waiting.mutable_get()->set_key("k");
        waiting.mutable_get()->set_timeout_ms(60'000);
        stage.say(worker(1), waiting);
        QCOMPARE(answerTo(stage, worker(1)), std::string("nothing"));
        stage.say(worker(0), setting(1, "k", "v"));
        QCOMPARE(answerTo(stage, worker(1)), std::string("v"));
    }

    void aKeyThatIsNotThereIsSaidAtOnce() {
        Stage stage(1);
        stage.joinWorkers(1);
        stage.say(worker(0), finding(1, "k"));
        QCOMPARE(answerTo(stage, worker(0)),
                 std::string("error: GONE: nobody has set the key 'k'"));
    }

    void aFolderIsWhatLiesBelowItsName() {
        KeyValueStore store;
        for (const char* key : {"a", "a/b", "a/b/c", "a0", "ab", "b/a"})
            QVERIFY(store.set(key, "v").has_value());
        QCOMPARE(allKeys(store, "a"), (std::vector<std::string>{"a/b", "a/b/c"}));
        QCOMPARE(allKeys(store, ""),
                 (std::vector<std::string>{"a", "a/b", "a/b/c", "a0", "ab", "b/a"}));
        QVERIFY(allKeys(store, "c").empty());
        store.erase("a");
        QCOMPARE(allKeys(store, ""), (std::vector<std::string>{"a0", "ab", "b/a"}));
        store.erase("nothing");
    }

    void aLongListComesInPagesAndWhatIsErasedMakesRoom() {
        KeyValueStore store;
        std::vector<std::string> keys;
        for (int i = 1000; i < 2000; ++i)
            keys.push_back("folder/" + std::to_string(i) + std::string(400, 'x'));
        for (const std::string& key : keys)
            QVERIFY(store.set(key, std::string(60'000, 'v')).has_value());
        QVERIFY(store.list("folder", "").more);
        QCOMPARE(allKeys(store, "folder"), keys);

        const std::string big(256 << 10, 'v');
        int stored = 0;
        while (stored < 1000 && store.set("big/" + std::to_string(stored), big))
            ++stored;
        QVERIFY(stored > 0 && stored < 1000);
        store.erase("folder");
        QVERIFY(store.set("big/another", big).has_value());
    }

    void theLiveAreThoseThatHaveNotLeft() {
        Stage stage(3);
        stage.joinWorkers(3);
        const auto live = [&](std::uint64_t request) {
            wire::ToCoordinator ask;
            ask.mutable_ask_live()->set_request(request);
            stage.say(worker(0), ask);
            wire::LiveProcesses processes;
            return processes.ParseFromString(answerTo(stage, worker(0)))
                       ? std::vector<std::uint32_t>(processes.ids().begin(), processes.ids().end())
                       : std::vector<std::uint32_t>{99};
        };
        QCOMPARE(live(1), (std::vector<std::uint32_t>{0, 1, 2}));
        wire::ToCoordinator leave;
        leave.mutable_leave()->set_status("completed");
        stage.say(worker(1), leave);
        QCOMPARE(live(2), (std::vector<std::uint32_t>{0, 2}));
    }

    void onlyTheNewestAnswersAreKept() {
        AnsweredEdits edits;
        for (std::uint64_t request = 1; request <= AnsweredEdits::kKept + 1; ++request)
            edits.note(worker(0), request, "");
        QVERIFY(edits.find(worker(0), 1) == nullptr);
        QVERIFY(edits.find(worker(0), 2) != nullptr);
        QVERIFY(edits.find(worker(1), 2) == nullptr);
        edits.forget(worker(0));
        QVERIFY(edits.find(worker(0), 2) == nullptr);
    }
};

QTEST_GUILESS_MAIN(StoreQuestionsTest)
#include "tst_store_questions.moc"

// SPDX-License-Identifier: Apache-2.0
// Barriers, values and gathers between real processes: this program starts itself as their members.
#include <signal.h>
#include <unistd.h>

#include <QDeadlineTimer>
#include <QtTest>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/distribution/all_gather.h"
#include "core/distribution/barrier.h"
#include "core/distribution/initialize.h"
#include "core/distribution/key_value_store.h"
#include "core/distribution/live_processes.h"
#include "tests/core/distribution/member_group.h"

using namespace lockstep;
using namespace lockstep::distribution;
using lockstep::tests::freePort;
using lockstep::tests::Group;

namespace {

using Keys = std::vector<std::string>;

/// A member that sees something else than it should says what, and ends.
#define EXPECT(condition)                                       \
    do {                                                        \
        if (!(condition)) {                                     \
            std::printf("line %d: %s\n", __LINE__, #condition); \
            return 9;                                           \
        }                                                       \
    } while (false)

template <typename T>
std::string errorOf(const Result<T>& result) {
    return result ? std::string("no error") : result.error().message;
}

int meetAtABarrier(const KeyValueStore& store) {
    const std::string own = "came/" + std::to_string(processId());
    if (processId() == 2)  // the last one comes once the others are on their way
        for (const char* other : {"came/0", "came/1"})
            EXPECT(store.get(other, 30).has_value());
    for (int round = 0; round < 3; ++round) {
        EXPECT(store.set(own, std::to_string(round)).has_value());
        EXPECT(barrier("all", 30).has_value());
        EXPECT(store.list("came").value_or(Keys{}) == (Keys{"came/0", "came/1", "came/2"}));
        for (const char* one : {"came/0", "came/1", "came/2"})
            EXPECT(store.get(one, 0).value_or("none") == std::to_string(round));
        EXPECT(barrier("read", 30).has_value());
    }
    return 0;
}

int nameTheMissing(const KeyValueStore& store) {
    if (processId() == 1) {
        EXPECT(store.get("done", 30).has_value());
        return 0;
    }
    const auto alone = barrier("late", 0.5);
    EXPECT(!alone && alone.error().code == ErrorCode::Timeout);
    EXPECT(errorOf(alone) ==
           "1 of 2 processes reached the barrier 'late' within 0.5 s; process 1 did not");
    const auto gathered = allGather("x", 0.5);
    EXPECT(!gathered && gathered.error().code == ErrorCode::Timeout);
    EXPECT(errorOf(gathered).find("process 1 did not") != std::string::npos);
    EXPECT(store.set("done", "1").has_value());
    return 0;
}

int shareValues(const KeyValueStore& store) {
    const std::string bytes("a\0\xff\n", 4);
    if (processId() == 1) {
        EXPECT(store.get("value", 30).value_or("none") == bytes);  // it waits for the other
        EXPECT(store.set("read", "").has_value());
        EXPECT(store.get("replaced", 30).value_or("none") == "yes");
        EXPECT(store.get("value", 0).value_or("none") == "another");
        EXPECT(!store.tryGet("rates/0").value_or("there").has_value());
        return barrier("end", 30) ? 0 : 8;
    }
    EXPECT(!store.tryGet("value").value_or("there").has_value());
    EXPECT(store.set("value", bytes).has_value());
    EXPECT(store.get("read", 30).value_or("none").empty());
    EXPECT(store.tryGet("value").value_or("none").value_or("nothing") == bytes);
    for (const char* key : {"rates", "rates/0", "rates/1/a", "ratesAreNone"})
        EXPECT(store.set(key, key).has_value());
    EXPECT(store.list("rates").value_or(Keys{}) == (Keys{"rates/0", "rates/1/a"}));
    EXPECT(store.list("rates/").value_or(Keys{}) == (Keys{"rates/0", "rates/1/a"}));
    EXPECT(store.remove("rates").has_value());
    EXPECT(store.remove("rates").has_value());  // nothing is there any more
    EXPECT(store.set("value", "another").has_value());
    EXPECT(store.set("replaced", "yes").has_value());
    // Whatever the product itself keeps in the same store is no business of the user's.
    EXPECT(store.list().value_or(Keys{}) == (Keys{"ratesAreNone", "read", "replaced", "value"}));
    const auto late = store.get("nobody's", 0.2);
    EXPECT(!late && late.error().code == ErrorCode::Timeout);
    EXPECT(errorOf(late) == "nobody has set the key 'nobody's' within 0.2 s");
    const auto big = store.set("big", std::string((256 << 10) + 1, 'v'));
    EXPECT(!big && big.error().code == ErrorCode::BadInput);
    EXPECT(store.set("big", std::string(256 << 10, 'v')).has_value());
    EXPECT(store.get("big", 0).value_or("").size() == std::size_t(256 << 10));
    EXPECT(errorOf(store.set(std::string(508, 'k'), "v")) == "a key has 1 to 507 bytes, not 508");
    EXPECT(store.set(std::string(507, 'k'), "v").has_value());
    EXPECT(errorOf(store.set("\xff", "v")) == "a key is text in UTF-8, which '?' is not");
    return barrier("end", 30) ? 0 : 8;
}

int fillTheStore(const KeyValueStore& store) {
    if (processId() == 1) return barrier("end", 60) ? 0 : 8;
    const std::string big(256 << 10, 'v');
    Result<void> set;
    int stored = 0;
    while (stored < 300 && (set = store.set("big/" + std::to_string(stored), big)))
        ++stored;
    EXPECT(stored > 200 && !set && set.error().code == ErrorCode::BadInput);
    EXPECT(
        errorOf(set).starts_with("the key-value store is full (67108864 bytes) and cannot take "
                                 "'big/"));
    EXPECT(store.list("big").value_or(Keys{}).size() == std::size_t(stored));
    EXPECT(store.remove("big").has_value());
    EXPECT(store.set("small", "v").has_value());
    return barrier("end", 60) ? 0 : 8;
}

int gather(const KeyValueStore& store) {
    for (int round = 0; round < 3; ++round) {
        const std::string own(static_cast<std::size_t>(processId() * round), 'a');
        const auto all = allGather(own, 30);
        EXPECT(all && *all == (Keys{"", std::string(std::size_t(round), 'a'),
                                    std::string(std::size_t(2 * round), 'a')}));
    }
    const double nan = std::bit_cast<double>(0x7ff8000000abcdefULL);
    const std::vector<double> mine{-0.0, nan, 0.1 * processId()};
    const auto numbers = allGatherNumbers(
        std::span<const double>(mine).first(static_cast<std::size_t>(processId()) + 1), 30);
    EXPECT(numbers && numbers->size() == 3);
    EXPECT((*numbers)[0].size() == 1 && (*numbers)[1].size() == 2 && (*numbers)[2].size() == 3);
    EXPECT(std::signbit((*numbers)[1][0]) && (*numbers)[2][2] == 0.1 * 2);
    EXPECT(std::bit_cast<std::uint64_t>((*numbers)[2][1]) == 0x7ff8000000abcdefULL);
    EXPECT(store.list().value_or(Keys{"?"}).empty());
    // One that brings too many ends it for all, and the next goes on.
    const std::size_t most = mostGatheredBytes(3);
    EXPECT(most == (256 << 10) - 1);
    const auto refused = allGather(std::string(processId() == 1 ? most + 1 : 1, 'v'), 30);
    EXPECT(!refused && refused.error().code == ErrorCode::BadInput);
    EXPECT(errorOf(refused) == std::string(processId() == 1 ? "" : "process 1: ") +
                                   "a process brings at most 262143 bytes to allGather(), not "
                                   "262144");
    const auto whole = allGather(std::string(most, 'v'), 30);
    EXPECT(whole && whole->size() == 3 && whole->back().size() == most);
    return 0;
}

int watchOneLeave(const KeyValueStore& store) {
    EXPECT(liveProcesses().value_or(std::vector<int>{}) == (std::vector<int>{0, 1, 2}));
    EXPECT(barrier("seen", 30).has_value());
    if (processId() == 2) return 0;  // leaves: the others do not, so its shutdown() fails
    auto live = liveProcesses();
    for (const QDeadlineTimer patience(30'000);
         live && live->size() == 3 && !patience.hasExpired();)
        live = liveProcesses();
    if (!live) return std::printf("%s\n", errorOf(live).c_str()), 9;
    EXPECT(*live == (std::vector<int>{0, 1}));
    const auto hopeless = barrier("of all", 30);
    EXPECT(!hopeless && hopeless.error().code == ErrorCode::PeerLost);
    EXPECT(errorOf(hopeless) == "process 2 has left and will never reach the barrier 'of all'");
    EXPECT(store.set("after/" + std::to_string(processId()), "").has_value());
    // Both have looked before one leaves; process 0, where the values lie, goes last.
    EXPECT(store.get(processId() == 0 ? "after/1" : "after/0", 30).has_value());
    if (processId() == 0)
        EXPECT(store.get("read", 30).has_value());
    else
        EXPECT(store.set("read", "").has_value());
    return 0;
}

int loseOne(const KeyValueStore& store) {
    EXPECT(barrier("ready", 30).has_value());
    if (processId() == 1) ::kill(::getpid(), SIGKILL);
    const auto waited = barrier("never", 60);
    EXPECT(!waited && waited.error().code == ErrorCode::PeerLost);
    EXPECT(errorOf(waited).starts_with("process 1 ("));
    for (const std::string& sentence : {errorOf(store.set("k", "v")), errorOf(store.get("k", 30)),
                                        errorOf(allGather("x", 30)), errorOf(liveProcesses())})
        EXPECT(sentence.starts_with("process 1 ("));
    std::printf("named: %s\n", errorOf(waited).c_str());
    std::fflush(stdout);
    std::_Exit(0);
}

int withAnEvaluator(const KeyValueStore& store, bool evaluates) {
    EXPECT(liveProcesses().value_or(std::vector<int>{}) == (std::vector<int>{0, 1}));
    if (!evaluates) {
        EXPECT(store.get("scored", 30).value_or("none") == "0.5");
        return allGather("x", 30).value_or(Keys{}) == (Keys{"x", "x"}) ? 0 : 8;
    }
    EXPECT(errorOf(barrier("b")) ==
           "a barrier is of the processes that train; this one is the evaluator");
    EXPECT(errorOf(allGather("x")) ==
           "allGather() is of the processes that train; this one is the evaluator");
    EXPECT(store.set("scored", "0.5").has_value());
    return 0;
}

/// What a member does, as its last argument says.
int act(const QString& what, const KeyValueStore& store) {
    if (what == "barrier") return meetAtABarrier(store);
    if (what == "missing") return nameTheMissing(store);
    if (what == "values") return shareValues(store);
    if (what == "full") return fillTheStore(store);
    if (what == "gather") return gather(store);
    if (what == "leave") return watchOneLeave(store);
    if (what == "lose") return loseOne(store);
    if (what.startsWith("{"))
        return withAnEvaluator(store, what.contains("\"type\":\"evaluator\""));
    return 7;
}

int runMember(const QString& what) {
    InitializeOptions options;
    options.heartbeatTimeoutSeconds = what == "lose" ? 4 : 30;  // of a busy machine
    options.initializationTimeoutSeconds = 30;
    if (what == "leave") options.shutdownTimeoutSeconds = 0.3;
    options.onFailure = [](const std::string&) {};  // the calls tell
    if (what.startsWith("{"))
        options.environment = Environment({{"TF_CONFIG", what.toStdString()}});
    if (auto met = initialize(options); !met) {
        std::printf("error: %s\n", met.error().message.c_str());
        return 2;
    }
    const auto store = KeyValueStore::open();
    const int status = store ? act(what, *store) : 6;
    std::ignore = shutdown();
    if (store && status == 0)
        EXPECT(errorOf(store->set("k", "v")) == "the group of this key-value store has been left");
    return status;
}

}  // namespace

class GroupCallsTest : public QObject {
    Q_OBJECT

    /// All members see what they should.
    static void playOut(const QString& what, int processes) {
        Group group(processes, {what});
        for (int id = processes - 1; id >= 0; --id)
            group.start(id);
        for (std::size_t member = 0; member < static_cast<std::size_t>(processes); ++member) {
            const auto [status, output] = group.end(member);
            QVERIFY2(status == 0, qPrintable(output));
        }
        QCOMPARE(group.leftBehind(), QStringList());
    }

private slots:
    void nobodyPassesABarrierBeforeAllHaveCome() { playOut("barrier", 3); }
    void aBarrierThatIsNotReachedNamesTheMissing() { playOut("missing", 2); }
    void valuesAreSharedWaitedForListedReplacedAndRemoved() { playOut("values", 2); }
    void aFullStoreSaysSoToWhoeverSets() { playOut("full", 2); }
    void everybodyGetsWhatAllHaveBrought() { playOut("gather", 3); }
    void whoHasLeftIsNotLive() { playOut("leave", 3); }

    void theDeathOfOneIsTheAnswerToAllCalls() {
        Group group(2, {"lose"});
        group.start(0);
        group.start(1);
        const auto [status, output] = group.end(0);
        QVERIFY2(status == 0 && output.contains("named: process 1 ("), qPrintable(output));
    }

    void theEvaluatorSharesValuesAndMeetsNobody() {
        const QString cluster =
            QString(R"({"cluster":{"chief":["127.0.0.1:%1"],"worker":["127.0.0.1:%2"],)"
                    R"("evaluator":["127.0.0.1:%3"]},"task":{"type":"TYPE","index":0}})")
                .arg(freePort())
                .arg(freePort())
                .arg(freePort());
        Group group(0, {});
        for (const char* type : {"evaluator", "worker", "chief"})
            group.start(0, {QString(cluster).replace("TYPE", type)});
        for (std::size_t member = 0; member < 3; ++member) {
            const auto [status, output] = group.end(member);
            QVERIFY2(status == 0, qPrintable(output));
        }
    }

    void withoutAGroupAProcessIsAllThereAre() {
        QVERIFY(barrier("b").has_value());
        QCOMPARE(allGather("x").value_or(Keys{}), Keys{"x"});
        const double numbers[] = {0.5, 2};
        QCOMPARE(allGatherNumbers(numbers).value_or(std::vector<std::vector<double>>{}),
                 (std::vector<std::vector<double>>{{0.5, 2}}));
        QCOMPARE(liveProcesses().value_or(std::vector<int>{}), std::vector<int>{0});
        const auto store = KeyValueStore::open();
        QVERIFY(!store && store.error().code == ErrorCode::BadInput);
        QCOMPARE(errorOf(store),
                 std::string("there is no group of processes for a key-value store"));
    }

    void theMoreProcessesTheLessEachMayBring() {
        QCOMPARE(mostGatheredBytes(1), std::size_t((256 << 10) - 1));
        QCOMPARE(mostGatheredBytes(64), std::size_t((256 << 10) - 1));
        QCOMPARE(mostGatheredBytes(128), std::size_t(128 << 10));
        QCOMPARE(mostGatheredBytes(1024), std::size_t(16 << 10));
    }

    void oddArgumentsAreRefused() {
        QCOMPARE(errorOf(barrier("")), std::string("a barrier's name has 1 to 251 bytes, not 0"));
        QCOMPARE(errorOf(barrier(std::string(252, 'b'))),
                 std::string("a barrier's name has 1 to 251 bytes, not 252"));
        QCOMPARE(errorOf(barrier("b", -1)),
                 std::string("a timeout has 0 to 1000000 seconds, not -1"));
        QVERIFY(!barrier("b", std::numeric_limits<double>::quiet_NaN()));
        QVERIFY(!allGather("x", 1e7));
    }
};

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.value(1) == "--member") return runMember(arguments.last());
    GroupCallsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_group_calls.moc"

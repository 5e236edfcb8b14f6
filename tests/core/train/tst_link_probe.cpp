// SPDX-License-Identifier: Apache-2.0
// Workers that try each other, with real sockets. One that never answers is a listener that takes
// connections and swallows what they say.
#include <netinet/in.h>
#include <sys/socket.h>

#include <QtTest>
#include <map>
#include <set>

#include "core/base/file.h"
#include "core/train/link_probe.h"
#include "core/wire/echo_listener.h"
#include "tests/support/memory_store.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace std::chrono_literals;

namespace {

wire::ProbeLinks questionFor(const std::vector<std::uint32_t>& processes) {
    wire::ProbeLinks question;
    question.set_number(1);
    question.mutable_processes()->Add(processes.begin(), processes.end());
    return question;
}

/// A port of this machine that takes connections (the kernel does), if it `listens`.
struct SilentPort {
    explicit SilentPort(bool listens) : socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        auto* address = reinterpret_cast<sockaddr*>(&at);
        isReady = ::bind(socket.get(), address, size) == 0 &&
                  (!listens || ::listen(socket.get(), 8) == 0) &&
                  ::getsockname(socket.get(), address, &size) == 0;
        target.set_host("127.0.0.1");
        target.set_port(ntohs(at.sin_port));
        target.set_token(std::string(wire::kEchoTokenBytes, 'a'));
    }
    UniqueFd socket;
    bool isReady = false;
    wire::ConnectionTarget target;
};

/// What each of `asking` finds, who all listen here until they have answered.
std::map<std::uint32_t, wire::LinkReport> reportsOf(tests::MemoryStore& store,
                                                    const wire::ProbeLinks& question,
                                                    const std::set<std::uint32_t>& asking) {
    Mutex mutex;
    ConditionVariable changed;
    std::map<std::uint32_t, wire::LinkReport> reports;
    std::vector<std::jthread> workers;
    for (const std::uint32_t process : asking)
        workers.emplace_back([&, process](const std::stop_token& stop) {
            probeLinks(
                store, question, process, "127.0.0.1",
                [&](wire::LinkReport found) {
                    const Lock lock(mutex);
                    reports[process] = std::move(found);
                    changed.notify_all();
                },
                stop);
        });
    {
        Lock lock(mutex);
        std::ignore = changed.wait_for(mutex, 20s, [&] { return reports.size() == asking.size(); });
    }
    workers.clear();  // asks them to end, for they wait for those who are late
    return reports;
}

std::set<std::uint32_t> asSet(const google::protobuf::RepeatedField<std::uint32_t>& some) {
    return {some.begin(), some.end()};
}

using Ids = std::set<std::uint32_t>;

/// Of a coordinator that takes its time to say that nobody has set a key.
class SlowStore final : public collective::Store {
public:
    Result<void> set(std::string_view, std::string_view) override { return {}; }
    Result<std::string> get(std::string_view, Nanos) override {
        ++asked;
        std::this_thread::sleep_for(1s);  // a pause: it is slow
        return fail(ErrorCode::Timeout, "nobody has set it");
    }
    int asked = 0;
};

}  // namespace

class LinkProbeTest : public QObject {
    Q_OBJECT
private slots:
    void allReachEachOther() {
        tests::MemoryStore store;
        const auto reports = reportsOf(store, questionFor({0, 1, 2}), {0, 1, 2});
        QCOMPARE(reports.size(), std::size_t(3));
        for (const auto& [process, report] : reports) {
            QCOMPARE(report.process_id(), process);
            QCOMPARE(report.number(), 1U);
            Ids others{0, 1, 2};
            others.erase(process);
            QCOMPARE(asSet(report.reached()), others);
            QCOMPARE(report.unreached_size(), 0);
        }
    }
    void whoSwallowsConnectionsOrRefusesThemIsNotReached() {
        tests::MemoryStore store;
        const SilentPort swallows(true);
        const SilentPort refuses(false);
        QVERIFY(swallows.isReady && refuses.isReady);
        QVERIFY(store.set("links/1/2", swallows.target.SerializeAsString()));
        QVERIFY(store.set("links/1/3", refuses.target.SerializeAsString()));
        const auto reports = reportsOf(store, questionFor({0, 1, 2, 3}), {0, 1});
        QCOMPARE(reports.size(), std::size_t(2));
        QCOMPARE(asSet(reports.at(0).reached()), Ids{1});
        QCOMPARE(asSet(reports.at(0).unreached()), (Ids{2, 3}));
        QCOMPARE(asSet(reports.at(1).unreached()), (Ids{2, 3}));
    }
    void whoDoesNotSayWhereItListensIsNotTried() {
        tests::MemoryStore store;
        const auto reports = reportsOf(store, questionFor({0, 1, 7}), {0, 1});
        QCOMPARE(asSet(reports.at(0).reached()), Ids{1});
        QCOMPARE(reports.at(0).unreached_size(), 0);
    }
    void aStoreThatIsSlowIsNotAskedForAllOfThem() {
        Ids many;
        for (std::uint32_t process = 0; process < 32; ++process)
            many.insert(process);
        const auto question = questionFor({many.begin(), many.end()});
        int reports = 0;
        const auto count = [&reports](const wire::LinkReport&) { ++reports; };
        SlowStore slow;
        probeLinks(slow, question, 0, "127.0.0.1", count, {});
        QVERIFY(slow.asked >= 1 && slow.asked <= 4);
        SlowStore unasked;
        std::stop_source over;
        over.request_stop();
        probeLinks(unasked, question, 0, "127.0.0.1", count, over.get_token());
        QCOMPARE(unasked.asked, 0);
        QCOMPARE(reports, 2);
    }
    void oneQuestionIsAnsweredAtATimeAndNoneBehindTheEnd() {
        std::atomic<int> begun{0};
        LinkProbe probe([&](const wire::ProbeLinks&, const std::stop_token& stop) {
            ++begun;
            while (!stop.stop_requested())
                std::this_thread::sleep_for(1ms);  // a pause: it answers until it is to end
        });
        probe.begin(questionFor({0, 1}));
        QTRY_COMPARE(begun.load(), 1);
        probe.begin(questionFor({0, 1}));
        probe.end();
        probe.begin(questionFor({0, 1}));
        QCOMPARE(begun.load(), 1);
    }
};

QTEST_GUILESS_MAIN(LinkProbeTest)
#include "tst_link_probe.moc"

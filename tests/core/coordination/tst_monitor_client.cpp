// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/coordination/monitor/monitor_client.h"
#include "core/wire/codec.h"
#include "tests/core/wire/pair.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace std::chrono_literals;

namespace {

/// A coordinator's end of a monitor's connection, which answers as a test tells it to.
class Scripted {
public:
    Scripted() : server_(wire::test::Server::make()) {
        MonitorOptions options;
        options.endpoint = server_.socket->endpoint();
        options.serverPublicKey = server_.keys.publicKey;
        options.keys = server_.admitted("monitor");
        options.runId = "run-1";
        monitor = std::move(*MonitorClient::connect(server_.context, std::move(options)));
    }
    /// The offset of the monitor's next Follow; it asks only while it is polled.
    [[nodiscard]] std::optional<std::uint64_t> nextFollow(Nanos limit = 2s) {
        const Nanos deadline = SteadyClock::read() + limit;
        while (SteadyClock::read() < deadline) {
            poll(10ms);
            auto incoming = server_.socket->receive();
            if (!incoming || !*incoming) continue;
            monitorId_ = (*incoming)->routingId;
            const auto message = wire::decode<wire::FromMonitor>((*incoming)->bytes);
            if (message && message->has_follow()) return message->follow().offset();
        }
        return std::nullopt;
    }
    /// Whether a Follow from this offset comes; one from before may come first.
    [[nodiscard]] bool isAskedFrom(std::uint64_t offset) {
        for (auto asked = nextFollow(); asked; asked = nextFollow())
            if (*asked == offset) return true;
        return false;
    }
    void chunk(std::uint64_t begin, std::uint64_t end) {
        wire::FromCoordinator message;
        message.set_run_id("run-1");
        message.mutable_journal()->set_offset(begin);
        message.mutable_journal()->set_bytes(journal_.substr(begin, end - begin));
        message.mutable_journal()->set_journal_end(journal_.size());
        std::ignore = server_.socket->send(monitorId_, *wire::encode(std::move(message)));
    }
    void poll(Nanos limit) {
        auto piece = monitor->poll(limit);
        if (piece && *piece) taken += (*piece)->bytes;
    }
    /// Polls until so many bytes have come.
    [[nodiscard]] bool takes(std::size_t bytes) {
        const Nanos deadline = SteadyClock::read() + 5s;
        while (taken.size() < bytes && SteadyClock::read() < deadline)
            poll(20ms);
        return taken == journal_.substr(0, bytes);
    }

    std::string taken;
    std::unique_ptr<MonitorClient> monitor;

private:
    wire::test::Server server_;
    std::string monitorId_;
    const std::string journal_ = "0123456789abcdefghijklmnopqrstuvwxyz";
};

}  // namespace

class MonitorClientTest : public QObject {
    Q_OBJECT
private slots:
    void chunksThatOverlapGiveEveryByteOnce() {
        Scripted run;
        QVERIFY(run.isAskedFrom(0));
        run.chunk(0, 10);   // the answer to a first Follow,
        run.chunk(0, 25);   // and to a second one, sent when the connection came about:
        run.chunk(25, 36);  // cut at other places, since the journal has grown

        QVERIFY2(run.takes(36), run.taken.c_str());
    }
    void aGapIsAskedForThoughMoreKeepsComing() {
        Scripted run;
        QVERIFY(run.isAskedFrom(0));
        run.chunk(0, 10);
        QVERIFY(run.takes(10));
        run.chunk(20, 25);
        run.chunk(25, 30);

        QVERIFY(run.isAskedFrom(10));
        run.chunk(10, 36);
        QVERIFY2(run.takes(36), run.taken.c_str());
    }
    void whatIsKnownAlreadyChangesNothing() {
        Scripted run;
        QVERIFY(run.isAskedFrom(0));
        run.chunk(0, 20);
        QVERIFY(run.takes(20));
        run.chunk(0, 20);
        run.chunk(5, 5);
        run.chunk(20, 36);
        QVERIFY2(run.takes(36), run.taken.c_str());
        QCOMPARE(run.monitor->offset(), std::uint64_t{36});
    }
};

QTEST_GUILESS_MAIN(MonitorClientTest)
#include "tst_monitor_client.moc"

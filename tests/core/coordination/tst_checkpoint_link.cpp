// SPDX-License-Identifier: Apache-2.0
// Checkpoints over the members' connection: a real coordinator, real sockets.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "core/checkpoint/checkpoint_fetcher.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/coordination/client/checkpoint_link.h"
#include "core/coordination/server/coordinator.h"
#include "tests/support/checkpoint_samples.h"

using namespace lockstep;
using namespace lockstep::coordination;
using lockstep::checkpoint::CheckpointFetcher;
using lockstep::checkpoint::CheckpointStore;
using lockstep::checkpoint::test::Sample;

namespace fs = std::filesystem;

namespace {

constexpr Nanos kPatience = 10s;
// What the coordinator answers within while it hands out a checkpoint; instrumented code copies and
// encrypts tens of times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr Nanos kAtOnce = 5s;
#else
constexpr Nanos kAtOnce = 500ms;
#endif

/// A coordinator that serves a folder, and one evaluator.
class Served {
public:
    explicit Served(bool serves = true) {
        CoordinatorOptions options;
        options.rules.runId = "run-1";
        options.rules.workers = 1;
        options.rules.evaluators = 1;
        options.rules.heartbeatInterval = 50ms;
        options.rules.heartbeatTimeout = 1s;
        options.keys = serverKeys_;
        options.journal = fs::path(root_.filePath("journal").toStdString());
        options.monitorSocket = fs::path(root_.filePath("private/monitor").toStdString());
        if (serves) options.checkpoints = there();
        coordinator = std::move(*Coordinator::start(serverContext_, options));
    }

    [[nodiscard]] std::unique_ptr<Client> evaluator(const std::string& runId = "run-1") {
        return member(wire::ROLE_EVALUATOR, "evaluator", runId);
    }
    [[nodiscard]] std::unique_ptr<Client> worker() {
        return member(wire::ROLE_WORKER, "worker-0", "run-1");
    }
    [[nodiscard]] std::unique_ptr<Client> member(wire::Role role, const std::string& user,
                                                 const std::string& runId) {
        ClientOptions options;
        options.endpoint = coordinator->memberEndpoint();
        options.serverPublicKey = serverKeys_.publicKey;
        options.keys = *wire::newKeyPair();
        options.runId = runId;
        options.heartbeatInterval = 50ms;
        options.heartbeatTimeout = 1s;
        options.self.set_role(role);
        options.self.set_replicas(1);
        options.self.set_device("cpu");
        options.self.set_host("elsewhere");
        options.self.set_build("b1");
        std::ignore = coordinator->allowMember(options.keys.publicKey, user);
        return std::move(*Client::connect(clientContext_, options, {}));
    }
    [[nodiscard]] fs::path there() const { return root_.filePath("there").toStdString(); }
    [[nodiscard]] fs::path here() const { return root_.filePath("here").toStdString(); }

private:
    QTemporaryDir root_;
    wire::Context serverContext_ = *wire::Context::make();
    wire::Context clientContext_ = *wire::Context::make();
    wire::KeyPair serverKeys_ = *wire::newKeyPair();

public:
    std::unique_ptr<Coordinator> coordinator;
};

}  // namespace

class CheckpointLinkTest : public QObject {
    Q_OBJECT
private slots:
    void aCheckpointArrivesAsItWasCommitted() {
        Served served;
        auto writer = CheckpointStore::open(served.there(), CheckpointStore::Access::Write);
        const auto client = served.evaluator();
        QVERIFY(client->join(kPatience));
        CheckpointLink link(*client);
        QVERIFY(link.list()->steps.empty());
        const Sample sample(5, 300'000);
        QVERIFY(writer->commit(sample.snapshot));
        const auto listing = link.list();
        QCOMPARE(listing->steps, std::vector<std::int64_t>{5});
        QCOMPARE(listing->latest.value_or(-1), 5);
        QVERIFY(!listing->best);
        CheckpointFetcher fetcher(link, served.here(), [] { return false; });
        const auto fetched = fetcher.fetch(5);
        QVERIFY2(fetched.has_value(), fetched ? "" : fetched.error().message.c_str());
        const auto store = CheckpointStore::open(served.here(), CheckpointStore::Access::Read);
        QVERIFY(sample.equals(*store->load(5)));
    }

    void whatIsNotThereIsSaidWithItsKind() {
        Served served;
        auto writer = CheckpointStore::open(served.there(), CheckpointStore::Access::Write);
        const Sample sample(5);
        QVERIFY(writer->commit(sample.snapshot));
        const auto client = served.evaluator();
        CheckpointLink link(*client);
        QCOMPARE(link.read(6, "state.json", 0, 10).error().code, ErrorCode::NotFound);
        QCOMPARE(link.read(5, "../LATEST", 0, 10).error().code, ErrorCode::BadInput);
        QCOMPARE(link.read(5, "state.json", 0, 1 << 20).error().code, ErrorCode::BadInput);
        QVERIFY(link.read(5, "state.json", 0, 10));
    }

    void whoSpeaksOfAnotherRunGetsNothing() {
        Served served;
        auto writer = CheckpointStore::open(served.there(), CheckpointStore::Access::Write);
        const Sample sample(5);
        QVERIFY(writer->commit(sample.snapshot));
        const auto stranger = served.evaluator("run-2");
        wire::ToCoordinator question;
        question.mutable_fetch_list();
        QCOMPARE(stranger->fetch(std::move(question), 300ms).error().code, ErrorCode::Timeout);
        QVERIFY(served.coordinator->counters().foreign > 0);
    }

    /// The evaluator would be lost after a second without a heartbeat; the fetch takes longer.
    void heartbeatsAreNotDelayedByAFetch() {
        Served served;
        auto writer = CheckpointStore::open(served.there(), CheckpointStore::Access::Write);
        const Sample sample(5, 2'000'000);  // 24 MB
        QVERIFY(writer->commit(sample.snapshot));
        const auto fetching = served.evaluator();
        QVERIFY(fetching->join(kPatience));
        const auto asking = served.worker();
        QVERIFY(asking->join(kPatience));
        std::atomic<bool> over{false};
        Nanos longest{0};
        std::jthread questions([&] {
            while (!over) {
                const Nanos start = SteadyClock::read();
                QVERIFY(asking->get("run/alive", kPatience));
                longest = std::max(longest, SteadyClock::read() - start);
            }
        });
        CheckpointLink link(*fetching);
        for (int round = 0; round < 3; ++round) {
            CheckpointFetcher fetcher(link, served.here(), [] { return false; });
            QVERIFY(fetcher.fetch(5));
            fetcher.forget(5);
        }
        over = true;
        questions.join();
        QVERIFY2(longest < kAtOnce,
                 qPrintable(QStringLiteral("%1 s").arg(Seconds(longest).count())));
    }

    /// Which may be comparing what it has fetched for minutes.
    void anAgentThatHasAskedOnceIsHeardByItsHeartbeats() {
        Served served;
        const auto agent = served.member(wire::ROLE_AGENT, "agent-0", "run-1");
        QVERIFY(agent->join(kPatience));
        QCOMPARE(served.coordinator->askingAgentHeard(), Nanos{0});
        CheckpointLink link(*agent);
        QVERIFY(link.list());
        const Nanos asked = SteadyClock::read();
        QTRY_VERIFY_WITH_TIMEOUT(served.coordinator->askingAgentHeard() > asked, 10'000);
    }

    void aFetchEndsWithItsCoordinator() {
        Served served;
        auto writer = CheckpointStore::open(served.there(), CheckpointStore::Access::Write);
        const Sample sample(5, 300'000);
        QVERIFY(writer->commit(sample.snapshot));
        const auto client = served.evaluator();
        QVERIFY(client->join(kPatience));
        CheckpointLink link(*client);
        int asked = 0;
        CheckpointFetcher fetcher(link, served.here(), [&] {
            if (++asked == 3) served.coordinator.reset();
            return false;
        });
        const auto fetched = fetcher.fetch(5);
        QVERIFY(!fetched);
        QVERIFY(fetched.error().code == ErrorCode::PeerLost ||
                fetched.error().code == ErrorCode::Timeout);
        const auto store = CheckpointStore::open(served.here(), CheckpointStore::Access::Read);
        QVERIFY(store->list()->empty());
    }
};

QTEST_GUILESS_MAIN(CheckpointLinkTest)
#include "tst_checkpoint_link.moc"

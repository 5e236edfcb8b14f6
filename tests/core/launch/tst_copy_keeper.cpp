// SPDX-License-Identifier: Apache-2.0
// The folder of a run's copy on a second host: what is written there, and what is left alone.
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <memory>

#include "core/base/file.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/kept_mark.h"
#include "core/checkpoint/suspect_mark.h"
#include "core/coordination/server/coordinator.h"
#include "core/launch/agent/copy_keeper.h"
#include "core/telemetry/journal.h"
#include "tests/support/checkpoint_samples.h"

using namespace lockstep;
using namespace lockstep::launch;
using checkpoint::CheckpointStore;
using checkpoint::test::Sample;

namespace fs = std::filesystem;

namespace {

constexpr int kPatienceMilliseconds = 10'000;
constexpr std::uint64_t kLimit = 1 << 20;
constexpr const char* kJob = "[job]\nname = \"copied\"\n";

std::string frames(int records) {
    std::string bytes;
    for (int i = 0; i < records; ++i)
        telemetry::appendFrame("record " + std::to_string(i), bytes);
    return bytes;
}

/// A coordinator that serves a run's folder, and the agent of another host.
class TwoHosts {
public:
    TwoHosts() {
        coordination::CoordinatorOptions options;
        options.rules.runId = "run-1";
        options.rules.workers = 1;
        options.rules.heartbeatInterval = Millis(50);
        options.rules.heartbeatTimeout = std::chrono::seconds(1);
        options.keys = serverKeys_;
        options.journal = run::RunPaths{there()}.journal();
        options.monitorSocket = there() / "private" / "monitor";
        options.checkpoints = run::RunPaths{there()}.checkpoints();
        fs::create_directories(there());
        fs::create_directories(copy.folder);
        coordinator = std::move(*coordination::Coordinator::start(serverContext_, options));
        agent_ = join();
    }

    [[nodiscard]] std::unique_ptr<CopyKeeper> keep() {
        return std::make_unique<CopyKeeper>(
            CopyKeeper::Options{copy, "run-1", "node-b", kJob, 1, 2}, *agent_);
    }
    static void commit(const run::RunPaths& paths, std::int64_t step) {
        auto store = CheckpointStore::open(paths.checkpoints(), CheckpointStore::Access::Write);
        QVERIFY(store->commit(Sample(step).snapshot));
    }
    [[nodiscard]] static std::vector<std::int64_t> stepsIn(const run::RunPaths& paths) {
        const auto store =
            CheckpointStore::open(paths.checkpoints(), CheckpointStore::Access::Read);
        return store ? store->list().value_or(std::vector<std::int64_t>())
                     : std::vector<std::int64_t>();
    }
    [[nodiscard]] fs::path there() const { return root_.filePath("there").toStdString(); }

private:
    [[nodiscard]] std::unique_ptr<coordination::Client> join() {
        coordination::ClientOptions options;
        options.endpoint = coordinator->memberEndpoint();
        options.serverPublicKey = serverKeys_.publicKey;
        options.keys = *wire::newKeyPair();
        options.runId = "run-1";
        options.heartbeatInterval = Millis(50);
        options.heartbeatTimeout = std::chrono::seconds(1);
        options.self.set_role(wire::ROLE_AGENT);
        options.self.set_process_id(1);
        options.self.set_host("node-b");
        options.self.set_build("b1");
        std::ignore = coordinator->allowMember(options.keys.publicKey, "agent-1");
        auto client = std::move(*coordination::Client::connect(clientContext_, options, {}));
        std::ignore = client->join(Millis(kPatienceMilliseconds));
        return client;
    }

    QTemporaryDir root_;
    wire::Context serverContext_ = *wire::Context::make();
    wire::Context clientContext_ = *wire::Context::make();
    wire::KeyPair serverKeys_ = *wire::newKeyPair();

public:
    const run::RunPaths copy{root_.filePath("copy").toStdString()};
    std::unique_ptr<coordination::Coordinator> coordinator;

private:
    std::unique_ptr<coordination::Client> agent_;
};

}  // namespace

class CopyKeeperTest : public QObject {
    Q_OBJECT
private slots:
    void aCopySaysOfWhatItIsOne() {
        TwoHosts hosts;
        TwoHosts::commit({hosts.there()}, 10);
        const auto keeper = hosts.keep();
        QTRY_COMPARE_WITH_TIMEOUT(TwoHosts::stepsIn(hosts.copy), std::vector<std::int64_t>{10},
                                  kPatienceMilliseconds);
        QCOMPARE(*readFile(hosts.copy.copyMark(), kLimit), "run-1\n");
        QCOMPARE(*readFile(hosts.copy.job(), kLimit), kJob);
    }
    void theMarksOfACheckpointReachItsCopy() {
        TwoHosts hosts;
        TwoHosts::commit({hosts.there()}, 10);
        const fs::path original = run::RunPaths{hosts.there()}.checkpoints();
        const fs::path copies = hosts.copy.checkpoints();
        const checkpoint::Suspicion suspicion{10, 12, "nan"};
        QVERIFY(checkpoint::markSuspect(original, suspicion));
        QVERIFY(checkpoint::markKept(original, 10, true));
        const auto keeper = hosts.keep();
        QTRY_COMPARE_WITH_TIMEOUT(checkpoint::suspicionOf(copies, 10), std::optional(suspicion),
                                  kPatienceMilliseconds);
        QTRY_VERIFY_WITH_TIMEOUT(checkpoint::isKept(copies, 10), kPatienceMilliseconds);
    }
    void anEndThatFindsACheckpointSuspectMarksItsCopy() {
        TwoHosts hosts;
        TwoHosts::commit({hosts.there()}, 10);
        const auto keeper = hosts.keep();
        QTRY_COMPARE_WITH_TIMEOUT(TwoHosts::stepsIn(hosts.copy), std::vector<std::int64_t>{10},
                                  kPatienceMilliseconds);
        hosts.coordinator.reset();  // nobody answers any more
        wire::RunEnd end;
        end.set_error("the loss became nan at step 12");
        end.set_suspect_checkpoint(10);
        end.set_suspect_failed_at(12);
        keeper->finish(end);
        QCOMPARE(checkpoint::suspicionOf(hosts.copy.checkpoints(), 10)->failedAt, 12);
    }
    void noListingOfBeforeTakesTheMarkOfTheEndAway() {
        TwoHosts hosts;
        TwoHosts::commit({hosts.there()}, 10);
        const auto keeper = hosts.keep();
        QTRY_COMPARE_WITH_TIMEOUT(TwoHosts::stepsIn(hosts.copy), std::vector<std::int64_t>{10},
                                  kPatienceMilliseconds);
        wire::RunEnd end;
        end.set_suspect_checkpoint(10);
        keeper->finish(end);  // the original is not marked
        QTest::qWait(1200);   // a pause: two turns of the copying, if there were any more
        QVERIFY(checkpoint::suspicionOf(hosts.copy.checkpoints(), 10));
    }
    void aRunThatHasGoneOnFromItsCopyIsLeftAsItIs() {
        TwoHosts hosts;
        TwoHosts::commit({hosts.there()}, 10);
        TwoHosts::commit(hosts.copy, 100);
        for (const fs::path& file : {hosts.copy.job(), hosts.copy.summary(), hosts.copy.journal()})
            QVERIFY(replaceFileDurably(file, frames(3)));
        auto keeper = hosts.keep();
        QTRY_VERIFY_WITH_TIMEOUT(!hosts.coordinator->copies().problem.empty(),
                                 kPatienceMilliseconds);
        const std::string problem = hosts.coordinator->copies().problem;
        QVERIFY2(problem.find("holds a run that has gone on by itself") != std::string::npos,
                 problem.c_str());
        keeper->finish({});
        keeper.reset();
        QCOMPARE(TwoHosts::stepsIn(hosts.copy), std::vector<std::int64_t>{100});
        for (const fs::path& file : {hosts.copy.job(), hosts.copy.summary(), hosts.copy.journal()})
            QCOMPARE(*readFile(file, kLimit), frames(3));
        QVERIFY(!fs::exists(hosts.copy.copyMark()));
    }
    void aFolderThatAProgramHoldsIsNotTouched() {
        TwoHosts hosts;
        TwoHosts::commit({hosts.there()}, 10);
        QVERIFY(replaceFileDurably(hosts.copy.copyMark(), "run-0\n"));
        QVERIFY(replaceFileDurably(hosts.copy.summary(), "{}"));
        const auto lock = run::lockRunFolder(hosts.copy, "run-2");
        QVERIFY(lock.has_value());
        auto keeper = hosts.keep();
        QTRY_VERIFY_WITH_TIMEOUT(!hosts.coordinator->copies().problem.empty(),
                                 kPatienceMilliseconds);
        keeper.reset();
        QCOMPARE(*readFile(hosts.copy.summary(), kLimit), "{}");
        QVERIFY(!fs::exists(hosts.copy.job()));
        QVERIFY(TwoHosts::stepsIn(hosts.copy).empty());
    }
    void whatTheRunsOwnJournalLosesMeanwhileLiesBesideItsCopyAndIsSaid() {
        TwoHosts hosts;
        TwoHosts::commit({hosts.there()}, 10);  // of whose copy there is a record
        const auto keeper = hosts.keep();
        const fs::path own = run::RunPaths{hosts.there()}.journal();
        QTRY_VERIFY_WITH_TIMEOUT(!readFile(hosts.copy.journal(), kLimit).value_or("").empty(),
                                 kPatienceMilliseconds);
        const fs::path cut = hosts.copy.journal().string() + ".cut-1";
        // As no program of ours does it; the coordinator writes on behind what is lost.
        const auto isSeen = [&] {
            // First, for the journal that is cut once more may say it already.
            if (!readFile(cut, kLimit).value_or("").empty()) return true;
            fs::resize_file(own, 0);
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isSeen(), kPatienceMilliseconds);
        QTRY_VERIFY_WITH_TIMEOUT(
            readFile(own, kLimit).value_or("").find("kept beside the copy") != std::string::npos,
            kPatienceMilliseconds);
    }
    void whatARunThatBeganAnewCutsFromItsCopyLiesBesideIt() {
        TwoHosts hosts;
        QVERIFY(replaceFileDurably(hosts.copy.copyMark(), "run-0\n"));
        QVERIFY(replaceFileDurably(hosts.copy.journal(), frames(5)));
        const auto keeper = hosts.keep();
        const fs::path cut = hosts.copy.journal().string() + ".cut-1";
        QTRY_VERIFY_WITH_TIMEOUT(readFile(cut, kLimit).value_or("") == frames(5),
                                 kPatienceMilliseconds);
    }
};

QTEST_GUILESS_MAIN(CopyKeeperTest)
#include "tst_copy_keeper.moc"

// SPDX-License-Identifier: Apache-2.0
// The checkpoints of a mesh, which many have written, on a second host, and back from there.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "core/base/file.h"
#include "core/checkpoint/checkpoint_copies.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/launch/host/restore_requests.h"
#include "core/launch/host/run_requests.h"
#include "core/launch/host/run_restore.h"
#include "core/run/run_files.h"
#include "tests/support/folder_source.h"
#include "tests/support/sharded_sample.h"

using namespace lockstep;
using namespace lockstep::launch;
using namespace std::chrono_literals;
using checkpoint::CheckpointCopies;
using checkpoint::CheckpointStore;
using checkpoint::test::Sample;

namespace fs = std::filesystem;

namespace {

constexpr int kParts = 4;
constexpr std::size_t kFloats = 200'000;  // so that shards are of several pieces
constexpr int kMostPieces = 100;
constexpr int kFewestPieces = 2 * kParts;  // a file of each part has come, and more
constexpr const char* kThirdShard = "model/shard-00003-model-00001-of-00001.safetensors";

/// The run's own host, the one that keeps copies, and the one that goes on with the run.
struct Hosts {
    Hosts() {
        addRunRequests(requests);
        addRestoreRequests(requests);
    }
    [[nodiscard]] run::RunPaths paths(const char* host) const {
        return {fs::path(root.path().toStdString()) / host};
    }
    void commit(std::int64_t step, int parts = kParts, double wallTime = 1.5) const {
        const fs::path folder = paths("own").checkpoints();
        auto store = CheckpointStore::open(folder, CheckpointStore::Access::Write);
        Sample sample(step, kFloats);
        sample.snapshot.state.wallTime = wallTime;
        checkpoint::test::CrewHere crew(folder, sample, parts);
        QVERIFY(store->commit(checkpoint::test::partOf(sample, 0, parts), &crew));
    }
    /// One attempt of whoever keeps copies.
    [[nodiscard]] std::optional<checkpoint::CopyReport> copy() {
        CheckpointCopies copies(source, paths("copy").checkpoints(), 1, [] { return false; });
        return copies.turn(100s);
    }
    [[nodiscard]] Result<std::string> restore() {
        const auto ask = [this](std::size_t, const wire::ToHost& request,
                                Nanos) -> Result<wire::FromHost> {
            if (request.has_store_piece() && cutAfter-- == 0)
                return fail(ErrorCode::PeerLost, "the connection is lost");
            return requests.at(request.body_case())(request, {});
        };
        fs::create_directories(paths("home").folder);
        RunRestore restore(ask, [](const std::string&) {}, {0, "node-a", paths("home").folder},
                           {{1, "node-b", paths("copy").folder}}, {});
        return restore.run();
    }
    /// As the run has it: what it means, and every file of it.
    [[nodiscard]] bool holds(const char* host, std::int64_t step, double wallTime = 1.5) const {
        const auto store =
            CheckpointStore::open(paths(host).checkpoints(), CheckpointStore::Access::Read);
        if (!store || store->latest().value_or(0) != step) return false;
        const auto loaded = store->load(step);
        Sample sample(step, kFloats);
        sample.snapshot.state.wallTime = wallTime;
        return loaded && sample.equals(*loaded) && files(host, step) == files("own", step);
    }
    [[nodiscard]] std::map<std::string, std::string> files(const char* host,
                                                           std::int64_t step) const {
        const fs::path folder = paths(host).checkpoints() / ("step-" + std::to_string(step));
        std::map<std::string, std::string> found;
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.is_regular_file())
                found[fs::relative(entry.path(), folder)] =
                    readFile(entry.path(), 64 << 20).value_or("unreadable");
        return found;
    }
    [[nodiscard]] bool hasAny(const char* host) const {
        const auto store =
            CheckpointStore::open(paths(host).checkpoints(), CheckpointStore::Access::Read);
        return store && !store->list().value_or(std::vector<std::int64_t>()).empty();
    }

    QTemporaryDir root;
    HostRequests requests;
    int cutAfter = -1;
    checkpoint::test::FolderSource source{paths("own").checkpoints()};
};

}  // namespace

class MeshCopiesTest : public QObject {
    Q_OBJECT
private slots:
    void aCopyIsWholeAndAMeshGoesOnFromIt() {
        Hosts hosts;
        hosts.commit(20);
        const auto copied = hosts.copy();
        QVERIFY(copied && !copied->error);
        QVERIFY(hosts.holds("copy", 20));
        QCOMPARE(hosts.files("copy", 20).size(), std::size_t{2 * kParts + 2});
        QVERIFY(hosts.files("copy", 20).contains(kThirdShard));
        const auto restored = hosts.restore();
        QVERIFY2(restored.has_value(), restored ? "" : restored.error().message.c_str());
        QVERIFY(hosts.holds("home", 20));
    }
    void aCopyThatIsCutOffAtAnyPieceIsGoneOnWith() {
        Hosts hosts;
        hosts.commit(20);
        int whole = 0;
        for (int pieces = 0; pieces < kMostPieces; ++pieces) {
            fs::remove_all(hosts.paths("copy").folder);
            int left = pieces;
            hosts.source.onPiece = [&left](const std::string&, Result<std::string>& piece) {
                if (left-- <= 0) piece = fail(ErrorCode::PeerLost, "the connection is lost");
            };
            const auto cut = hosts.copy();
            if (cut && !cut->error) {  // all had passed
                QVERIFY(pieces >= kFewestPieces);
                return;
            }
            QVERIFY(cut && !hosts.hasAny("copy"));
            int again = 0;
            hosts.source.onPiece = [&again](const std::string&, const auto&) { ++again; };
            const auto copied = hosts.copy();
            QVERIFY(copied && !copied->error);
            QVERIFY(hosts.holds("copy", 20));
            if (pieces == 0) whole = again;
            QVERIFY(again <= whole - std::max(pieces - 1, 0));  // none twice but the manifest
        }
        QFAIL("it never came whole");
    }
    void aRestoreThatIsCutOffAtAnyPieceBeginsAgain() {
        Hosts hosts;
        hosts.commit(20);
        QVERIFY(hosts.copy());
        for (int pieces = 0; pieces < kMostPieces; ++pieces) {
            fs::remove_all(hosts.paths("home").folder);
            hosts.cutAfter = pieces;
            if (hosts.restore()) {  // all had passed
                QVERIFY(pieces >= kFewestPieces);
                return;
            }
            QVERIFY(!hosts.hasAny("home"));
            hosts.cutAfter = -1;
            QVERIFY(hosts.restore().has_value());
            QVERIFY(hosts.holds("home", 20));
        }
        QFAIL("it never came whole");
    }
    void aShardThatComesDamagedIsNeverThere() {
        Hosts hosts;
        hosts.commit(20);
        hosts.source.onPiece = [](const std::string& file, Result<std::string>& piece) {
            if (file == kThirdShard && piece) piece->back() ^= 1;
        };
        const auto report = hosts.copy();
        QVERIFY(report && report->error);
        QVERIFY2(report->error->message.find(kThirdShard) != std::string::npos,
                 report->error->message.c_str());
        QVERIFY(!hosts.hasAny("copy"));
    }
    /// Another start of the run, on fewer processes.
    void aStepThatIsCommittedAgainInOtherPartsReplacesItsCopy() {
        Hosts hosts;
        hosts.commit(20, kParts);
        QVERIFY(hosts.copy());
        hosts.commit(20, 2, 7.5);
        const auto copied = hosts.copy();
        QVERIFY(copied && !copied->error);
        QVERIFY(hosts.holds("copy", 20, 7.5));
    }
    void aShardThatIsDamagedOnProcess0sHostComesBackFromTheCopy() {
        Hosts hosts;
        hosts.commit(20);
        QVERIFY(hosts.copy());
        fs::copy(hosts.paths("own").folder, hosts.paths("home").folder,
                 fs::copy_options::recursive);
        const fs::path shard = hosts.paths("home").checkpoints() / "step-20" / kThirdShard;
        fs::resize_file(shard, fs::file_size(shard) - 1);
        const auto restored = hosts.restore();
        QVERIFY2(restored.has_value(), restored ? "" : restored.error().message.c_str());
        QVERIFY2(restored->find(kThirdShard) != std::string::npos, restored->c_str());
        QVERIFY(hosts.holds("home", 20));
    }
};

QTEST_GUILESS_MAIN(MeshCopiesTest)
#include "tst_mesh_copies.moc"

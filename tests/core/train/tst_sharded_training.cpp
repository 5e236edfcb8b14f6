// SPDX-License-Identifier: Apache-2.0
// Sharded checkpoints as replicas write them: saved on any mesh, gone on with on any other, with
// the same state to the bit.
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <set>

#include "core/checkpoint/checkpoint_reader.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/model/description/read_description.h"
#include "core/train/checkpoints/part_restore.h"
#include "tests/core/train/mesh_job.h"
#include "tests/support/crew_of_threads.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;
using checkpoint::CheckpointStore;
namespace fs = std::filesystem;

namespace {

struct Mesh {
    const char* name;
    int rows;
    int members;
};
constexpr std::array kMeshes{Mesh{"1 x 1", 1, 1}, Mesh{"1 x 2", 1, 2}, Mesh{"2 x 1", 2, 1},
                             Mesh{"2 x 2", 2, 2}, Mesh{"1 x 4", 1, 4}};

std::string problemOf(const RunResult& result) {
    for (const auto& outcome : result.outcomes)
        if (!outcome) return outcome.error().message;
    return {};
}

/// Attention by heads (whose queries, keys and values are three stretches), embeddings by words
/// and features, a gathered tensor, and what all have whole.
config::JobSpec attentionSpec() {
    auto spec = smallSpec({});
    const std::string text =
        "layers = ["
        "{ type = \"conv2d\", name = \"c1\", filters = 8, kernel_size = 3, strides = 2 },"
        "{ type = \"batch_normalization\", name = \"n1\" },"
        "{ type = \"reshape\", target_shape = [-1, 8] },"
        "{ type = \"multi_head_attention\", name = \"a\", num_heads = 4 },"
        "{ type = \"flatten\" },"
        "{ type = \"dense\", name = \"d1\", units = 8, activation = \"relu\" },"
        "{ type = \"dense\", name = \"d2\", units = 10 }]";
    const auto reading = model::readDescription(config::parseToml(text).value());
    spec.model = {.isDescribed = true, .description = reading.description};
    spec.checkpoint.sharded = true;
    spec.training.average.isUsed = true;
    return spec;
}

std::vector<model::LayoutRule> rules() {
    return {{"c1.weight", "out"},        {"a.in_proj_weight", "heads"},
            {"a.in_proj_bias", "heads"}, {"a.out_proj.weight", "heads"},
            {"d1.weight", "out"},        {"d2.weight", "in"}};
}

}  // namespace

class ShardedTrainingTest : public QObject {
    Q_OBJECT

    std::unique_ptr<SmallJob> small_;
    std::unique_ptr<QTemporaryDir> root_;

    [[nodiscard]] fs::path folderOf(const Mesh& mesh, bool isHanded) const {
        return fs::path(root_->path().toStdString()) /
               (std::string(mesh.name) + (isHanded ? " handed" : ""));
    }

    /// Trains on the mesh, with a checkpoint at the end, and gives the state's hash.
    std::string trainAndSave(const Mesh& mesh, bool isHanded) const {
        checkpoint::test::CrewOfThreads crew(isHanded ? 0
                                                      : static_cast<std::size_t>(mesh.members - 1));
        auto store =
            CheckpointStore::open(folderOf(mesh, isHanded), CheckpointStore::Access::Write);
        RecordedEvents events;
        std::string problem;
        events.onKept = [&](const checkpoint::Snapshot& snapshot) {
            const auto committed = store->commit(snapshot, &crew);
            if (!committed) problem = committed.error().message;
        };
        MeshSpread spread;
        spreadOn(mesh, spread);
        spread.events = &events;
        for (int member = 1; member < mesh.members; ++member) {
            if (isHanded)
                spread.handed.push_back(member);
            else
                spread.writers[member] = checkpoint::ShardWriter::start(
                    store->folder(), crew.desk(static_cast<std::size_t>(member - 1)));
        }
        const auto result = trainOnMesh(*small_, spread);
        spread.writers.clear();
        if (problem.empty()) problem = problemOf(result);
        return problem.empty() ? result.outcomes[0]->stateHash : problem;
    }
    static void spreadOn(const Mesh& mesh, MeshSpread& spread) {
        spread.members = mesh.members;
        spread.rules = rules();
        spread.hosts = {std::vector<int>(static_cast<std::size_t>(mesh.rows * mesh.members), 1)};
    }
    /// The same where every process of the first row reads what its member holds, and the first one
    /// also what those of `blind` hold.
    std::string hashInParts(const Mesh& mesh, const fs::path& folder,
                            const std::vector<int>& blind) const {
        const auto layout = model::layOut(small_->network.graph(), rules(), mesh.members).value();
        MemoryStore store;
        std::vector<std::unique_ptr<PartRestore>> restores;
        for (int process = 0; process < mesh.members; ++process) {
            PartRestore::Share share{.process = process, .checkpoints = folder};
            const bool isBlind = std::ranges::binary_search(blind, process);
            if (!isBlind) share.columns.push_back(process);
            if (process == 0) share.columns.insert(share.columns.end(), blind.begin(), blind.end());
            for (int other = 1; process == 0 && other < mesh.members; ++other)
                if (!std::ranges::binary_search(blind, other)) share.others.push_back(other);
            restores.push_back(std::make_unique<PartRestore>(store, small_->network, layout,
                                                             small_->optimizer, share));
        }
        MeshSpread spread;
        spreadOn(mesh, spread);
        spread.handed = blind;
        {
            std::vector<std::jthread> others;
            for (std::size_t i = 1; i < restores.size(); ++i)
                others.emplace_back([&restores, i] {
                    if (!restores[i]->follow(std::chrono::seconds(20))) restores[i].reset();
                });
            auto start =
                findStart(small_->job, small_->data, folder, true, 1, nullptr, &*restores[0]);
            if (!start) return start.error().message;
            spread.start = std::move(*start);
        }
        for (const auto& restore : restores) {
            if (!restore || restore->parts() == nullptr) return "nothing was read in parts";
            spread.parts.push_back(restore->parts());
        }
        spread.parts.resize(static_cast<std::size_t>(mesh.rows * mesh.members));
        spread.totalSteps = spread.start.step;
        const auto result = trainOnMesh(*small_, spread);
        const std::string problem = problemOf(result);
        return problem.empty() ? result.outcomes[0]->stateHash : problem;
    }
    /// What a run begins with that goes on from there and has nothing left to do.
    std::string hashAfterResume(const Mesh& mesh, const checkpoint::LoadedCheckpoint& from) const {
        MeshSpread spread;
        spreadOn(mesh, spread);
        spread.start = {.step = from.state.step, .seed = 1};
        spread.start.checkpoint = from;
        spread.totalSteps = from.state.step;
        const auto result = trainOnMesh(*small_, spread);
        const std::string problem = problemOf(result);
        return problem.empty() ? result.outcomes[0]->stateHash : problem;
    }

private slots:
    void initTestCase() {
        small_ = std::make_unique<SmallJob>(attentionSpec(), smallDigits(160, 40, 40));
        root_ = std::make_unique<QTemporaryDir>();
    }

    void whatAnyMeshSavesEveryOtherGoesOnWith_data() {
        QTest::addColumn<std::size_t>("from");
        QTest::addColumn<bool>("isHanded");
        for (std::size_t i = 0; i < kMeshes.size(); ++i) {
            QTest::addRow("%s", kMeshes[i].name) << i << false;
            if (kMeshes[i].members > 1)
                QTest::addRow("%s, handed over", kMeshes[i].name) << i << true;
        }
    }
    void whatAnyMeshSavesEveryOtherGoesOnWith() {
        QFETCH(const std::size_t, from);
        QFETCH(const bool, isHanded);
        const Mesh& mesh = kMeshes[from];
        const std::string hash = trainAndSave(mesh, isHanded);
        QCOMPARE(hash.size(), std::size_t{32});
        const auto store =
            CheckpointStore::open(folderOf(mesh, isHanded), CheckpointStore::Access::Read);
        const auto step = store->latest();
        QVERIFY(step.has_value());
        const auto loaded = store->load(*step);
        QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().message.c_str());
        QCOMPARE(loaded->model.size(), small_->network.tensors().size());
        for (const Mesh& to : kMeshes) {
            QCOMPARE(hashAfterResume(to, *loaded), hash);
            const std::string inParts = hashInParts(to, store->folder(), {});
            QVERIFY2(inParts == hash, (std::string(to.name) + ": " + inParts).c_str());
            if (to.members == 1) continue;
            const std::string handed = hashInParts(to, store->folder(), {to.members - 1});
            QVERIFY2(handed == hash, (std::string(to.name) + ": " + handed).c_str());
        }
    }

    /// Each part is in one file, and no process writes what another holds, too.
    void everyMemberWritesItsPartOnce() {
        const Mesh& mesh = kMeshes[3];
        QCOMPARE(trainAndSave(mesh, false).size(), std::size_t{32});
        const auto store =
            CheckpointStore::open(folderOf(mesh, false), CheckpointStore::Access::Read);
        const auto lease = store->lease(*store->latest());
        const auto manifest = checkpoint::readManifest(lease->folder(), *store->latest());
        QVERIFY(manifest.has_value());
        std::set<std::string> names;
        std::uint64_t pieces = 0;
        for (const auto& [file, record] : manifest->files)
            if (file.starts_with("model/")) {
                pieces += record.tensors.size();
                for (const auto& [name, hash] : record.tensors)
                    names.insert(name);
            }
        QCOMPARE(names.size(), small_->network.tensors().size());
        // Two files, and two more for two stretches of the queries, keys and values each.
        QCOMPARE(
            std::ranges::count_if(
                manifest->files, [](const auto& file) { return file.first.starts_with("model/"); }),
            std::ptrdiff_t{6});
        QVERIFY(pieces > names.size());
    }

    /// Without a mesh it is one shard, and what is in it is what one file would have.
    void aJobWithoutAMeshMayWriteAShardToo() {
        auto store = CheckpointStore::open(fs::path(root_->path().toStdString()) / "alone",
                                           CheckpointStore::Access::Write);
        RecordedEvents events;
        events.onCheckpoint = [&](const checkpoint::Snapshot& snapshot) {
            QVERIFY(store->commit(snapshot).has_value());
        };
        Spread spread;
        spread.events = &events;
        const auto alone = trainSmall(*small_, spread);
        QCOMPARE(problemOf(alone), std::string());
        const auto loaded = store->load(*store->latest());
        QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().message.c_str());
        QVERIFY(fs::exists(store->folderOf(*store->latest()) / "model" /
                           "shard-00001-model-00001-of-00001.safetensors"));
        QCOMPARE(hashAfterResume(kMeshes[4], *loaded), alone.outcomes[0]->stateHash);
    }
};

QTEST_GUILESS_MAIN(ShardedTrainingTest)
#include "tst_sharded_training.moc"

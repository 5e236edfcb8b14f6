// SPDX-License-Identifier: Apache-2.0
// BEST: which checkpoint it names, and that retention spares it.
#include <QDeadlineTimer>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <thread>

#include "core/checkpoint/background_committer.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/kept_mark.h"
#include "core/checkpoint/layout.h"
#include "core/checkpoint/training_state.h"
#include "tests/support/checkpoint_samples.h"

using namespace lockstep;
using namespace lockstep::checkpoint;
using test::Sample;
namespace fs = std::filesystem;

namespace {

using Steps = std::vector<std::int64_t>;

CheckpointStore open(const fs::path& folder, CheckpointStore::Access access) {
    auto store = CheckpointStore::open(folder, access);
    if (!store) qFatal("%s", store.error().message.c_str());
    return std::move(*store);
}

CheckpointStore writer(const fs::path& folder) {
    return open(folder, CheckpointStore::Access::Write);
}

Committed commit(CheckpointStore& store, std::int64_t step, std::int64_t best) {
    Sample sample(step);
    sample.snapshot.state.best = {"validation_loss, smaller is better", best, best / 10, 0.25};
    auto done = store.commit(sample.snapshot);
    if (!done) qFatal("%s", done.error().message.c_str());
    return *done;
}

}  // namespace

class BestCheckpointTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> temporary_;
    fs::path folder_;

private slots:
    void init() {
        temporary_ = std::make_unique<QTemporaryDir>();
        folder_ = temporary_->filePath("checkpoints").toStdString();
    }

    void aRunThatKeepsNoneHasNone() {
        auto store = writer(folder_);
        commit(store, 10, 0);
        QVERIFY(!store.best());
        QCOMPARE(store.best().error().code, ErrorCode::NotFound);
        QVERIFY(!fs::exists(folder_ / "BEST"));
    }
    void itNamesTheBestAndItsStateSaysSo() {
        auto store = writer(folder_);
        commit(store, 10, 10);
        commit(store, 20, 20);
        commit(store, 30, 20);
        QCOMPARE(store.best().value(), std::int64_t{20});
        QCOMPARE(store.latest().value(), std::int64_t{30});
        const auto reader = open(folder_, CheckpointStore::Access::Read);
        QCOMPARE(reader.best().value(), std::int64_t{20});
        const auto state = reader.load(30).value().state;
        QCOMPARE(state.best.step, std::int64_t{20});
        QCOMPARE(state.best.value, 0.25);
    }
    void retentionSparesItBesidesTheNewest() {
        auto store = writer(folder_);
        for (const std::int64_t step : {10, 20, 30, 40, 50})
            commit(store, step, step < 20 ? step : 20);
        QCOMPARE(store.prune(2).value(), (Steps{10, 30}));
        QCOMPARE(store.list().value(), (Steps{20, 40, 50}));
        commit(store, 60, 60);
        QCOMPARE(store.prune(2, 60, {20}).value(), Steps{40});
        QCOMPARE(store.prune(2, 60).value(), Steps{20});
    }
    void oneThatAUserKeepsIsSparedUntilThatIsTakenBack() {
        auto store = writer(folder_);
        for (const std::int64_t step : {10, 20, 30, 40})
            commit(store, step, 0);
        QVERIFY(markKept(folder_, 20, true));
        QVERIFY(markKept(folder_, 20, true));  // as it is already
        QCOMPARE(store.prune(1).value(), (Steps{10, 30}));
        QCOMPARE(store.list().value(), (Steps{20, 40}));
        QVERIFY(markKept(folder_, 20, false));
        QVERIFY(markKept(folder_, 20, false));
        QCOMPARE(store.prune(1).value(), Steps{20});
        const auto gone = markKept(folder_, 20, true);
        QVERIFY(!gone);
        QCOMPARE(gone.error().code, ErrorCode::NotFound);
        QCOMPARE(gone.error().message,
                 std::string("the files of the checkpoint of step 20 are gone"));
        QVERIFY(!fs::exists(folder_ / "keep-20"));
    }
    void oneThatIsMarkedAsSuspectIsPassedOverUntilTheMarkIsDeleted() {
        auto store = writer(folder_);
        for (const std::int64_t step : {10, 20, 30})
            commit(store, step, 0);
        const Suspicion suspicion{30, 33, "the loss became nan at step 33"};
        QVERIFY(markSuspect(folder_, suspicion));
        QCOMPARE(suspicionText(suspicion), std::string("its loss became NaN within 3 steps of it"));
        auto good = store.latestGood().value();
        QCOMPARE(good.step, std::optional(std::int64_t{20}));
        QCOMPARE(good.suspects, std::vector{suspicion});
        QVERIFY(good.rejected.empty());
        QVERIFY(store.verify(30));  // its bytes are well
        QVERIFY(fs::remove(folder_ / "step-30" / "suspect"));
        good = store.loadLatestGood().value();
        QCOMPARE(good.step, std::optional(std::int64_t{30}));
        QVERIFY(good.suspects.empty());
    }
    void oneThatIsMarkedIsTakenWhereNoOtherIsGood() {
        auto store = writer(folder_);
        commit(store, 10, 0);
        commit(store, 20, 0);
        QVERIFY(markSuspect(folder_, {20, 21, ""}));
        QVERIFY(markSuspect(folder_, {10, 14, ""}));
        const auto good = store.latestGood().value();
        QCOMPARE(good.step, std::optional(std::int64_t{20}));
        QCOMPARE(good.suspects, (std::vector{Suspicion{20, 21, ""}}));
        QCOMPARE(markSuspect(folder_, {30, 31, ""}).error().code, ErrorCode::NotFound);
    }
    void aMarkThatCannotBeReadIsOneAllTheSame() {
        auto store = writer(folder_);
        commit(store, 10, 0);
        commit(store, 20, 0);
        std::ofstream(folder_ / "step-20" / "suspect") << "{";
        QCOMPARE(store.latestGood().value().step, std::optional(std::int64_t{10}));
        QCOMPARE(suspicionText(suspicionOf(folder_, 20).value()),
                 std::string("its loss became NaN soon after it"));
    }
    void aSuspectOneMakesNoGoodOneGo() {
        auto store = writer(folder_);
        for (const std::int64_t step : {10, 20, 30})
            commit(store, step, 0);
        QVERIFY(markSuspect(folder_, {30, 31, ""}));
        QVERIFY(markSuspect(folder_, {20, 21, ""}));
        QCOMPARE(store.prune(1).value(), Steps{20});  // LATEST names 30
        QCOMPARE(store.list().value(), (Steps{10, 30}));
        commit(store, 15, 0);  // as whoever went on from 10 writes it
        QCOMPARE(store.prune(2).value(), Steps{30});
        QCOMPARE(store.list().value(), (Steps{10, 15}));
    }
    void oneThatIsWrittenAnewIsNotSuspect() {
        auto store = writer(folder_);
        commit(store, 10, 0);
        commit(store, 20, 0);
        QVERIFY(markSuspect(folder_, {20, 21, ""}));
        commit(store, 20, 0);
        QCOMPARE(store.latestGood().value().step, std::optional(std::int64_t{20}));
    }
    void oneThatCannotBeLookedAtIsNotSaidToBeGone() {
        fs::create_directories(folder_);
        std::ofstream(folder_ / folderName(20)) << "no folder";
        const auto kept = markKept(folder_, 20, true);
        QVERIFY(!kept);
        QCOMPARE(kept.error().code, ErrorCode::Io);
        QVERIFY2(kept.error().message.starts_with("cannot open"), kept.error().message.c_str());
    }
    void whatIsConfirmedAsKeptIsThere() {
        constexpr std::int64_t kNewest = 4001;
        auto store = writer(folder_);
        for (std::int64_t step = 1; step <= kNewest; ++step)
            fs::create_directory(folder_ / folderName(step));
        Steps confirmed;
        // Keeps every second one at the moment in which retention, which begins with the oldest,
        // has removed the one before it.
        std::thread user([&] {
            const QDeadlineTimer limit(std::chrono::seconds(60));
            for (std::int64_t step = 2; step < kNewest; step += 2) {
                while (fs::exists(folder_ / folderName(step - 1)) && !limit.hasExpired())
                    std::this_thread::yield();
                if (markKept(folder_, step, true)) confirmed.push_back(step);
            }
        });
        const auto removed = store.prune(1, 0, {}, kNewest);
        user.join();
        QVERIFY(removed.has_value());
        for (const std::int64_t step : confirmed)
            QVERIFY2(fs::exists(folder_ / folderName(step)), std::to_string(step).c_str());
        QCOMPARE(removed->size() + confirmed.size() + 1, std::size_t(kNewest));
    }
    void oneThatBestDoesNotNameYetIsSparedToo() {
        auto store = writer(folder_);
        for (const std::int64_t step : {10, 20, 30})
            commit(store, step, 0);
        QCOMPARE(store.prune(1, 10).value(), Steps{20});
        QCOMPARE(store.list().value(), (Steps{10, 30}));
    }
    void whatACrashLeftBehindIsPutRightByTheNextCommit() {
        {
            auto store = writer(folder_);
            commit(store, 10, 10);
            commit(store, 20, 20);
            std::ofstream(folder_ / "BEST.tmp-1-abcd") << "half";
        }
        fs::remove(folder_ / "BEST");  // as if the crash had come before it moved
        auto store = writer(folder_);
        QVERIFY(!fs::exists(folder_ / "BEST.tmp-1-abcd"));
        commit(store, 30, 20);
        QCOMPARE(store.best().value(), std::int64_t{20});
        std::ofstream(folder_ / "BEST") << "step-10\nnonsense\n";
        QCOMPARE(store.best().error().code, ErrorCode::Corrupt);
        commit(store, 40, 20);
        QCOMPARE(store.best().value(), std::int64_t{20});
    }
    void itNeverNamesACheckpointThatIsNotThere() {
        auto store = writer(folder_);
        commit(store, 20, 10);  // pruned by a former life of the run
        QVERIFY(!store.best());
    }
    void aBestThatCannotBeMovedLeavesTheCheckpointValid() {
        auto store = writer(folder_);
        commit(store, 10, 10);
        fs::remove(folder_ / "BEST");
        fs::create_directories(folder_ / "BEST" / "in the way");
        const auto committed = commit(store, 20, 20);
        QVERIFY(committed.bestError.has_value());
        QCOMPARE(store.latest().value(), std::int64_t{20});
        QVERIFY(store.verify(20));
    }
    void theCommitterKeepsItThroughManyCheckpoints() {
        auto committer =
            BackgroundCommitter::start(writer(folder_), {.keep = 2}, [](const CommitReport&) {});
        for (std::int64_t step = 10; step <= 100; step += 10) {
            Sample sample(step);
            sample.snapshot.state.best.step = std::min<std::int64_t>(step, 30);
            QVERIFY(committer->submit(sample.snapshot, std::chrono::seconds(10)));
        }
        QVERIFY(committer->flush(std::chrono::seconds(30)));
        const auto reader = open(folder_, CheckpointStore::Access::Read);
        QCOMPARE(reader.list().value(), (Steps{30, 90, 100}));
        QCOMPARE(reader.best().value(), std::int64_t{30});
    }
    void theStateOfOlderVersionsIsStillRead() {
        const auto state = parseState(
            R"({"step": 20, "epoch": 2, "sample_position": 0, "epoch_loss_sum": 0, "epoch_correct": 0,
            "epoch_samples": 0, "seed": 5, "optimizer": "adam", "world_size": 2,
            "global_batch_size": 32, "job_name": "old", "data_fingerprint": "f00d",
            "build_id": "", "wall_time": 1.5})");
        QVERIFY2(state, state ? "" : state.error().message.c_str());
        QCOMPARE(state->datasetCopies, 1);
        QCOMPARE(state->best, BestState{});
        const Sample sample(10);
        QCOMPARE(parseState(encodeState(sample.snapshot.state).value()).value(),
                 sample.snapshot.state);
    }
    void whatIsWrittenOfManyCategoriesCanBeRead() {
        Sample sample(10);
        std::string& facts = sample.snapshot.state.sampleFacts;
        facts = "{\"words\":[\"\"";
        for (int i = 0; i < 1'500'000; ++i)
            facts += ",\"0123456789012345678901234567890123\"";
        facts += "]}";
        const auto text = encodeState(sample.snapshot.state);
        QVERIFY(text.has_value());
        QCOMPARE(parseState(*text).value(), sample.snapshot.state);
        facts = "no JSON";
        QCOMPARE(encodeState(sample.snapshot.state).error().code, ErrorCode::Corrupt);
    }
};

QTEST_GUILESS_MAIN(BestCheckpointTest)
#include "tst_best_checkpoint.moc"

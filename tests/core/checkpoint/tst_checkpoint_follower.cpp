// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/follower.h"
#include "tests/support/checkpoint_samples.h"

using namespace lockstep;
using namespace lockstep::checkpoint;
using test::Sample;
namespace fs = std::filesystem;

class CheckpointFollowerTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> temporary_;
    fs::path folder_;
    std::optional<CheckpointStore> store_;
    Nanos now_{};

    void commit(std::int64_t step) {
        if (!store_)
            store_.emplace(*CheckpointStore::open(folder_, CheckpointStore::Access::Write));
        const Sample sample(step);
        if (!store_->commit(sample.snapshot)) qFatal("cannot commit");
    }
    void damage(std::int64_t step) {
        std::ofstream(store_->folderOf(step) / "model.safetensors", std::ios::trunc) << "rot";
    }
    static std::int64_t stepOf(const std::optional<CheckpointFollower::Found>& found) {
        return found && found->content ? found->step : -1;
    }
    CheckpointFollower follower(
        CheckpointFollower::Policy policy = CheckpointFollower::Policy::Every) {
        return CheckpointFollower(folder_, {policy, Millis(500), 3});
    }

private slots:
    void init() {
        store_.reset();
        temporary_ = std::make_unique<QTemporaryDir>();
        folder_ = fs::path(temporary_->path().toStdString()) / "checkpoints";
        now_ = Nanos(0);
    }
    void eachCheckpointIsYieldedOnceInOrder() {
        CheckpointFollower all = follower();
        QVERIFY(!all.poll(now_));  // no folder yet
        commit(10);
        commit(20);
        const auto first = all.poll(now_);
        QCOMPARE(stepOf(first), std::int64_t{10});
        QVERIFY(Sample(10).equals(*first->content));
        commit(30);
        QCOMPARE(stepOf(all.poll(now_)), std::int64_t{20});
        QCOMPARE(stepOf(all.poll(now_)), std::int64_t{30});
        QVERIFY(!all.poll(now_));
        commit(25);  // a run that resumed from an older one
        QCOMPARE(stepOf(all.poll(now_)), std::int64_t{25});
        QVERIFY(!all.poll(now_));
    }
    void thePolicyNewestSkipsOlderOnes() {
        commit(10);
        commit(20);
        commit(30);
        CheckpointFollower newest = follower(CheckpointFollower::Policy::Newest);
        QCOMPARE(stepOf(newest.poll(now_)), std::int64_t{30});
        QVERIFY(!newest.poll(now_));
        commit(40);
        QCOMPARE(stepOf(newest.poll(now_)), std::int64_t{40});
    }
    void prunedOnesAreLeftOut() {
        for (const int step : {1, 2, 3, 4})
            commit(step);
        QVERIFY(store_->prune(2).has_value());
        CheckpointFollower all = follower();
        QCOMPARE(stepOf(all.poll(now_)), std::int64_t{3});
        QCOMPARE(stepOf(all.poll(now_)), std::int64_t{4});
    }
    void skippedOnesAreNotYielded() {
        commit(1);
        commit(2);
        CheckpointFollower all = follower();
        all.skip(1);
        QCOMPARE(stepOf(all.poll(now_)), std::int64_t{2});
    }
    void aDamagedOneIsTriedAgainInTimeAndThenReported() {
        commit(1);
        commit(2);
        damage(1);
        CheckpointFollower all = follower();
        QVERIFY(!all.poll(now_));
        QVERIFY(!all.poll(now_ + Millis(499)));
        QVERIFY(!all.poll(now_ + Millis(500)));
        QVERIFY(!all.poll(now_ + Millis(999)));
        const auto found = all.poll(now_ + Millis(1000));
        QVERIFY(found && found->step == 1 && !found->content);
        QCOMPARE(found->content.error().code, ErrorCode::Corrupt);
        QCOMPARE(stepOf(all.poll(now_ + Millis(1000))), std::int64_t{2});
    }
    void oneThatHealsIsYielded() {
        commit(1);
        damage(1);
        CheckpointFollower all = follower();
        QVERIFY(!all.poll(now_));
        commit(1);
        QVERIFY(!all.poll(now_));  // not before its time
        QCOMPARE(stepOf(all.poll(now_ + Millis(500))), std::int64_t{1});
    }
};

QTEST_GUILESS_MAIN(CheckpointFollowerTest)
#include "tst_checkpoint_follower.moc"

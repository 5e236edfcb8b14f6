// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <set>
#include <thread>

#include "core/base/mutex.h"
#include "core/checkpoint/background_committer.h"
#include "tests/support/held_disk.h"
#include "tests/support/sharded_sample.h"

using namespace lockstep;
using namespace lockstep::checkpoint;
using test::Sample;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr Nanos kPatience = std::chrono::seconds(30);

/// Collects reports; the committer's thread waits in it while `hold` is set.
class Reports {
public:
    void operator()(const CommitReport& report) {
        Lock lock(mutex_);
        reports_.push_back(report);
        changed_.wait_for(mutex_, kPatience, [this] { return !held_; });
    }
    void hold(bool held) {
        {
            const Lock lock(mutex_);
            held_ = held;
        }
        changed_.notify_all();
    }
    std::vector<CommitReport> all() {
        const Lock lock(mutex_);
        return reports_;
    }

private:
    Mutex mutex_;
    ConditionVariable changed_;
    std::vector<CommitReport> reports_;
    bool held_ = false;
};

/// Whoever writes parts, and hears the orders on one thread.
class Listeners final : public ShardCrew {
public:
    Result<void> order(const ShardOrder& order) override {
        const Lock lock(mutex_);
        orders_.push_back(order.number);
        threads_.insert(std::this_thread::get_id());
        return {};
    }
    Result<FileRecords> collect() override {
        std::this_thread::sleep_for(takes);  // a pause: they write for so long
        return FileRecords{};
    }
    Millis takes{0};
    std::vector<std::uint64_t> orders() {
        const Lock lock(mutex_);
        return orders_;
    }
    std::set<std::thread::id> threads() {
        const Lock lock(mutex_);
        return threads_;
    }

private:
    Mutex mutex_;
    std::vector<std::uint64_t> orders_;
    std::set<std::thread::id> threads_;
};

/// No file may grow over 64 KiB meanwhile: the kernel refuses the write, as on a full disk.
class FullDisk {
public:
    FullDisk() {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit small{64 << 10, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~FullDisk() { makeRoom(); }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    void makeRoom() const { setrlimit(RLIMIT_FSIZE, &before_); }

private:
    rlimit before_{};
};

}  // namespace

class BackgroundCommitterTest : public QObject {
    Q_OBJECT

    const tests::HeldDisk disk_;
    std::unique_ptr<QTemporaryDir> temporary_;
    fs::path folder_;

    std::unique_ptr<BackgroundCommitter> start(Reports& reports, int keep,
                                               ShardCrew* crew = nullptr) {
        auto store = CheckpointStore::open(folder_, CheckpointStore::Access::Write);
        if (!store) qFatal("%s", store.error().message.c_str());
        return BackgroundCommitter::start(
            std::move(*store), {.keep = keep},
            [&reports](const CommitReport& report) { reports(report); }, crew);
    }

private slots:
    void init() {
        temporary_ = std::make_unique<QTemporaryDir>();
        folder_ = fs::path(temporary_->path().toStdString()) / "checkpoints";
    }
    void whatIsSubmittedIsCommittedAndOldOnesArePruned() {
        Reports reports;
        const auto committer = start(reports, 2);
        for (std::int64_t step = 1; step <= 5; ++step) {
            const Sample sample(step);
            QVERIFY(committer->submit(sample.snapshot, kPatience).has_value());
        }
        QVERIFY(committer->flush(kPatience).has_value());
        const std::vector<CommitReport> all = reports.all();
        QCOMPARE(all.size(), std::size_t{5});
        for (std::size_t i = 0; i < 5; ++i) {
            const CommitReport& report = all[i];
            QCOMPARE(report.step, static_cast<std::int64_t>(i + 1));
            QVERIFY(!report.error && !report.pruneError);
            QVERIFY(report.bytes > 0 && report.commitSeconds > 0);
        }
        const auto reader = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
        QCOMPARE(*reader->list(), (std::vector<std::int64_t>{4, 5}));
        QVERIFY(Sample(5).equals(*reader->load(5)));
    }
    void theCallersTensorsMayChangeAfterSubmit() {
        Reports reports;
        const auto committer = start(reports, 3);
        Sample sample(7, 100'000);
        QVERIFY(committer->submit(sample.snapshot, kPatience).has_value());
        std::fill(sample.values.begin(), sample.values.end(), 0.0F);
        QVERIFY(committer->flush(kPatience).has_value());
        const auto reader = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
        QVERIFY(Sample(7, 100'000).equals(*reader->load(7)));
    }
    void whatIsNotRightBehindItsCopyIsForgotten() {
        Reports reports;
        const auto committer = start(reports, 3);
        Sample sample(1);
        const auto denied = committer->submit(sample.snapshot, kPatience, []() -> Result<void> {
            return fail(ErrorCode::PeerLost, "replica 1 has gone");
        });
        QVERIFY(!denied);
        QCOMPARE(denied.error().message, std::string("replica 1 has gone"));
        QCOMPARE(committer->finish({}).error().code, ErrorCode::PeerLost);
        for (std::int64_t step = 2; step <= 4; ++step)  // its copy is free again
            QVERIFY(
                committer->submit(Sample(step).snapshot, kPatience, [] { return Result<void>{}; }));
        QVERIFY(committer->finish({}));
        const auto reader = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
        QCOMPARE(*reader->list(), (std::vector<std::int64_t>{2, 3, 4}));
    }
    void itIsAskedWhatIsRightThoughNoCopyWasTaken() {
        Reports reports;
        reports.hold(true);
        const auto committer = start(reports, 3);
        QVERIFY(committer->submit(Sample(1).snapshot, kPatience));
        QVERIFY(committer->submit(Sample(2).snapshot, kPatience));
        int asked = 0;
        const auto third = committer->submit(Sample(3).snapshot, Millis(1), [&] {
            ++asked;
            return Result<void>{};
        });
        QCOMPARE(third.error().code, ErrorCode::Timeout);
        QCOMPARE(asked, 1);
        reports.hold(false);
    }
    void whatIsUsualSaysWhatIsHung() {
        CommitPace pace({.least = 3s, .factor = 3, .first = 10s});
        QCOMPARE(pace.limit(), Nanos(10s));
        pace.add(100ms);
        QCOMPARE(pace.limit(), Nanos(3s));
        for (int i = 0; i < 20; ++i)
            pace.add(i == 7 ? 60s : 4s);  // one that hung is not what is usual
        QCOMPARE(pace.limit(), Nanos(12s));
    }
    void aCommitThatHangsIsToldOfOnceAndWaitedForByTheBestAndTheLastAlone() {
        Reports reports;
        SlowCommits slow{.limits = {.least = 20ms, .factor = 3, .first = 20ms}, .onSlow = {}};
        Mutex mutex;
        std::vector<SlowCommit> told;
        slow.onSlow = [&](const SlowCommit& one) {
            const Lock lock(mutex);
            told.push_back(one);
        };
        auto store = CheckpointStore::open(folder_, CheckpointStore::Access::Write);
        QVERIFY(store);
        auto committer = BackgroundCommitter::start(
            std::move(*store), {.keep = 3},
            [&reports](const CommitReport& report) { reports(report); }, nullptr, slow);
        QVERIFY(!committer->isHung());
        disk_.hold();
        QVERIFY(committer->submit(Sample(1).snapshot, kPatience));
        QTRY_VERIFY(committer->isHung());
        const auto count = [&] {
            const Lock lock(mutex);
            return told.size();
        };
        QTRY_COMPARE(count(), std::size_t(1));
        QVERIFY(told[0].step == 1 && told[0].age >= 20ms);
        QVERIFY(committer->submit(Sample(2).snapshot, kPatience));
        Nanos start = SteadyClock::read();
        const auto third = committer->submit(Sample(3).snapshot, kPatience, {}, IfHung::LeaveOut);
        QVERIFY(!third && SteadyClock::read() - start < kPatience / 2);
        QVERIFY(!third.error().message.ends_with("after 30000 ms"));
        start = SteadyClock::read();
        QVERIFY(!committer->submit(Sample(4).snapshot, 200ms, {}, IfHung::WaitOn));
        QVERIFY(SteadyClock::read() - start >= 200ms);
        disk_.release();
        QVERIFY(committer->flush(kPatience));
        QVERIFY(!committer->isHung());
        committer.reset();
        QVERIFY(std::ranges::count(told, 1, &SlowCommit::step) == 1);
    }
    void whatIsNotThisProcesssWritingIsNoHang() {
        Reports reports;
        reports.hold(true);  // as one that asks somebody, or reads older ones
        Listeners crew;
        crew.takes = 1200ms;
        // A second: the test's own disk takes its time, too.
        SlowCommits slow{.limits = {.least = 1s, .factor = 1, .first = 1s}, .onSlow = {}};
        std::atomic<int> told{0};
        slow.onSlow = [&told](const SlowCommit&) { ++told; };
        auto store = CheckpointStore::open(folder_, CheckpointStore::Access::Write);
        QVERIFY(store);
        auto committer = BackgroundCommitter::start(
            std::move(*store), {.keep = 3},
            [&reports](const CommitReport& report) { reports(report); }, &crew, slow);
        const Sample sample(1);
        QVERIFY(committer->submit(test::partOf(sample, 0, 1), kPatience));
        QTRY_COMPARE(reports.all().size(), std::size_t(1));
        QVERIFY(!reports.all()[0].error);
        QVERIFY(committer->submit(Sample(2).snapshot, kPatience));
        const Nanos start = SteadyClock::read();
        QVERIFY(!committer->submit(Sample(3).snapshot, 1200ms, {}, IfHung::LeaveOut));
        QVERIFY(SteadyClock::read() - start >= 1200ms);
        QVERIFY(!committer->isHung());
        reports.hold(false);
        QVERIFY(committer->flush(kPatience));
        committer.reset();
        QCOMPARE(told.load(), 0);
    }
    void aDiskThatIsTooSlowHoldsTheCallerForABoundedTime() {
        Reports reports;
        reports.hold(true);
        const auto committer = start(reports, 3);
        QVERIFY(committer->submit(Sample(1).snapshot, kPatience).has_value());
        QVERIFY(committer->submit(Sample(2).snapshot, kPatience).has_value());
        const auto third = committer->submit(Sample(3).snapshot, Millis(20));
        QVERIFY(!third);
        QCOMPARE(third.error().code, ErrorCode::Timeout);
        QCOMPARE(committer->flush(Millis(20)).error().code, ErrorCode::Timeout);
        reports.hold(false);
        QVERIFY(committer->flush(kPatience).has_value());
        QVERIFY(committer->submit(Sample(4).snapshot, kPatience).has_value());
        QVERIFY(committer->flush(kPatience).has_value());
        QCOMPARE(reports.all().size(), std::size_t{3});
    }
    void aFailedCommitIsReportedAndTheNextOneTried() {
        Reports reports;
        const auto committer = start(reports, 3);
        fs::remove_all(folder_);
        QVERIFY(committer->submit(Sample(1).snapshot, kPatience).has_value());
        QVERIFY(committer->flush(kPatience).has_value());
        fs::create_directories(folder_);
        QVERIFY(committer->submit(Sample(2).snapshot, kPatience).has_value());
        QVERIFY(committer->flush(kPatience).has_value());
        QVERIFY(reports.all().at(0).error.has_value());
        QVERIFY(reports.all().at(0).folder.empty());
        QVERIFY(!reports.all().at(1).error);
    }
    void aNewerFailureIsNotHiddenByAnOlderSuccess() {
        Reports reports;
        reports.hold(true);
        const auto committer = start(reports, 3);
        QVERIFY(committer->submit(Sample(1).snapshot, kPatience).has_value());
        QVERIFY(committer->submit(Sample(2).snapshot, kPatience).has_value());
        QVERIFY(!committer->submit(Sample(3).snapshot, Millis(20)));  // the disk is busy
        reports.hold(false);
        const auto finished = committer->finish({});
        QCOMPARE(reports.all().size(), std::size_t{2});
        QVERIFY(!reports.all()[0].error && !reports.all()[1].error);
        QVERIFY(!finished);
        QVERIFY2(finished.error().message.starts_with("checkpoint of step 3 skipped"),
                 finished.error().message.c_str());
    }
    void anOlderFailureDoesNotMatterToTheEnd() {
        Reports reports;
        const auto committer = start(reports, 3);
        QVERIFY(committer->finish({}).has_value());  // nothing was asked for
        fs::remove_all(folder_);
        QVERIFY(committer->submit(Sample(1).snapshot, kPatience).has_value());
        QVERIFY(committer->flush(kPatience).has_value());
        const auto failed = committer->finish({});
        QCOMPARE(failed.error().code, ErrorCode::Io);  // no room would not help
        fs::create_directories(folder_);
        QVERIFY(committer->submit(Sample(2).snapshot, kPatience).has_value());
        QVERIFY(committer->finish({}).has_value());
    }
    void aFullDiskIsTriedAgainUntilThereIsRoom() {
        Reports reports;
        const auto committer = start(reports, 3);
        const FullDisk full;
        QVERIFY(committer->submit(Sample(1, 100'000).snapshot, kPatience).has_value());
        int said = 0;
        const auto finished = committer->finish({.pause = Millis(5), .onFull = [&](const Error& e) {
                                                     ++said;
                                                     QCOMPARE(e.code, ErrorCode::NoRoom);
                                                     full.makeRoom();
                                                 }});
        QVERIFY2(finished, finished ? "" : finished.error().message.c_str());
        QCOMPARE(said, 1);
        const auto reader = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
        QVERIFY(Sample(1, 100'000).equals(*reader->load(1)));
        const auto all = reports.all();  // the failure, and that it was mended
        QCOMPARE(all.size(), std::size_t{2});
        QVERIFY(all[0].error && !all[1].error && all[1].step == 1);
    }
    void aDiskThatTurnsOutFullLateIsTriedAgainAsLong() {
        Reports reports;
        reports.hold(true);
        const auto committer = start(reports, 3);
        const Sample sample(1, 200'000);
        FullDisk full;
        QVERIFY(committer->submit(sample.snapshot, kPatience));
        std::jthread slow([&] {
            // a pause: a disk that is busy for longer than it is tried again
            std::this_thread::sleep_for(Millis(60));
            reports.hold(false);
        });
        int told = 0;
        LastCommitWait wait{.room = Millis(40), .pause = Millis(1)};
        wait.onFull = [&](const Error&) {
            ++told;
            full.makeRoom();
        };
        QVERIFY(committer->finish(wait));
        QCOMPARE(told, 1);
    }
    void aFullDiskThatStaysFullIsGivenUpAfterABoundedTime() {
        Reports reports;
        const auto committer = start(reports, 3);
        const FullDisk full;
        QVERIFY(committer->submit(Sample(1, 100'000).snapshot, kPatience).has_value());
        QVERIFY(!committer->finish({.room = Millis(30), .pause = Millis(5)}));
        QVERIFY(!committer->finish({.pause = Millis(5), .givesUp = [] { return true; }}));
        QCOMPARE(reports.all().size(), std::size_t{1});
    }
    void whatCouldNotBeWrittenMakesWayForTheNext() {
        Reports reports;
        const auto committer = start(reports, 3);
        {
            const FullDisk full;
            QVERIFY(committer->submit(Sample(1, 100'000).snapshot, kPatience).has_value());
            QVERIFY(committer->flush(kPatience).has_value());
        }
        for (std::int64_t step = 2; step <= 4; ++step)
            QVERIFY(committer->submit(Sample(step).snapshot, kPatience).has_value());
        QVERIFY(committer->finish({}).has_value());
        const auto reader = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
        QCOMPARE(*reader->list(), (std::vector<std::int64_t>{2, 3, 4}));
    }
    void theCrewMayGoOnceNothingIsToBeWrittenAnyMore() {
        Reports reports;
        Listeners crew;
        const auto committer = start(reports, 3, &crew);
        QVERIFY(committer->submit(Sample(1).snapshot, kPatience));
        QVERIFY(committer->finish({}));
        QCOMPARE(crew.orders(), std::vector<std::uint64_t>{0});
        QVERIFY(!crew.threads().contains(std::this_thread::get_id()));
    }
    void aThreadThatIsBusyTellsTheCrewItselfWhenItIsDone() {
        Reports reports;
        reports.hold(true);
        Listeners crew;
        auto committer = start(reports, 3, &crew);
        QVERIFY(committer->submit(Sample(1).snapshot, kPatience));
        QCOMPARE(committer->finish({.flush = Millis(20)}).error().code, ErrorCode::Timeout);
        QCOMPARE(crew.orders(), std::vector<std::uint64_t>{});
        reports.hold(false);
        committer.reset();
        QCOMPARE(crew.orders(), std::vector<std::uint64_t>{0});
        QVERIFY(!crew.threads().contains(std::this_thread::get_id()));
    }
    void whatComesBeforeACheckpointIsDoneBeforeAnybodySeesIt() {
        std::vector<std::int64_t> before;  // its step, and what could be seen then
        const auto visible = [this] {
            const auto reader = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
            return reader->latest().value_or(-1);
        };
        const auto committer = BackgroundCommitter::start(
            *CheckpointStore::open(folder_, CheckpointStore::Access::Write), {.keep = 3},
            [](const CommitReport&) {}, nullptr, {},
            [&](std::int64_t step) {
                before.insert(before.end(), {step, visible()});
            });
        QVERIFY(committer->submit(Sample(1).snapshot, kPatience));
        QVERIFY(committer->submit(Sample(2).snapshot, kPatience));
        QVERIFY(committer->finish({}));
        QCOMPARE(before, (std::vector<std::int64_t>{1, -1, 2, 1}));
    }
    void destructionWritesWhatWasAccepted() {
        Reports reports;
        {
            const auto committer = start(reports, 3);
            QVERIFY(committer->submit(Sample(1).snapshot, kPatience).has_value());
            QVERIFY(committer->submit(Sample(2).snapshot, kPatience).has_value());
        }
        QCOMPARE(reports.all().size(), std::size_t{2});
        const auto reader = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
        QCOMPARE(reader->latest().value_or(-1), std::int64_t{2});
    }
};

QTEST_GUILESS_MAIN(BackgroundCommitterTest)
#include "tst_background_committer.moc"

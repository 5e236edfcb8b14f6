// SPDX-License-Identifier: Apache-2.0
// Those who write parts of a checkpoint: what they keep, and what they answer.
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <thread>

#include "core/base/mutex.h"
#include "core/checkpoint/layout.h"
#include "core/checkpoint/shard_writer.h"
#include "tests/support/held_disk.h"
#include "tests/support/sharded_sample.h"

using namespace lockstep;
using namespace lockstep::checkpoint;
using namespace lockstep::checkpoint::test;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kPatience{10};

/// Orders given by the test, answers kept for it.
struct Talk {
    Mutex mutex;
    ConditionVariable changed;
    std::vector<ShardOrder> orders;
    std::vector<Result<FileRecords>> answers;
    bool isLost = false;

    void give(ShardOrder order) {
        {
            const Lock lock(mutex);
            orders.push_back(std::move(order));
        }
        changed.notify_all();
    }
    void lose() {
        {
            const Lock lock(mutex);
            isLost = true;
        }
        changed.notify_all();
    }
    std::optional<Result<FileRecords>> answer(std::size_t index) {
        Lock lock(mutex);
        changed.wait_for(mutex, kPatience, [this, index] { return answers.size() > index; });
        return answers.size() > index ? std::optional(answers[index]) : std::nullopt;
    }
};

class TestDesk final : public ShardDesk {
public:
    explicit TestDesk(Talk& talk) : talk_(talk) {}
    Result<std::optional<ShardOrder>> next(Nanos timeout) override {
        Lock lock(talk_.mutex);
        talk_.changed.wait_for(talk_.mutex, timeout,
                               [this] { return talk_.orders.size() > count_ || talk_.isLost; });
        if (talk_.orders.size() > count_) return talk_.orders[count_++];
        if (talk_.isLost) return fail(ErrorCode::PeerLost, "lost");
        return std::nullopt;
    }
    Result<void> report(const Result<FileRecords>& written) override {
        {
            const Lock lock(talk_.mutex);
            talk_.answers.push_back(written);
        }
        talk_.changed.notify_all();
        return {};
    }

private:
    Talk& talk_;
    std::size_t count_ = 0;
};

std::string messageOf(const std::optional<Result<FileRecords>>& answer) {
    if (!answer) return "no answer";
    return *answer ? std::string() : answer->error().message;
}

}  // namespace

class ShardWriterTest : public QObject {
    Q_OBJECT

    const tests::HeldDisk disk_;
    std::unique_ptr<QTemporaryDir> root_;
    std::unique_ptr<Talk> talk_;
    std::unique_ptr<ShardWriter> writer_;

    [[nodiscard]] fs::path folder() const { return root_->filePath("checkpoints").toStdString(); }
    /// A folder as whoever commits makes it.
    ShardOrder orderFor(std::uint64_t number, const std::string& name) const {
        fs::create_directories(folder() / name / kModelFolder);
        fs::create_directories(folder() / name / kOptimizerFolder);
        return {number, name};
    }
    void submit(std::int64_t number, bool isLast = false, Nanos timeout = kPatience,
                bool isBest = false) const {
        const Sample sample(number);
        Snapshot part = partOf(sample, 1, 2);
        part.isBest = isBest;
        writer_->submit(part, timeout, isLast);
    }
    /// One for which nearly everything hangs.
    void startImpatient() {
        const CommitLimits limits{.least = Millis(20), .factor = 3, .first = Millis(20)};
        writer_.reset();
        writer_ = ShardWriter::start(folder(), std::make_unique<TestDesk>(*talk_), limits);
    }

private slots:
    void init() {
        root_ = std::make_unique<QTemporaryDir>();
        talk_ = std::make_unique<Talk>();
        writer_ = ShardWriter::start(folder(), std::make_unique<TestDesk>(*talk_));
    }
    void cleanup() { writer_.reset(); }

    void itWritesItsPartWhenTheOrderComesAndTheLastOneAgainWhenItIsTriedAgain() {
        submit(1, true);
        talk_->give(orderFor(1, "a"));
        talk_->give(orderFor(1, "b"));
        for (const std::size_t i : {0U, 1U}) {
            const auto answer = talk_->answer(i);
            QCOMPARE(messageOf(answer), std::string());
            QCOMPARE((*answer)->size(), std::size_t{2});
            for (const auto& [name, record] : **answer)
                QCOMPARE(fs::file_size(folder() / (i == 0 ? "a" : "b") / name), record.bytes);
        }
    }

    void anOrderMayComeBeforeTheStepsEnd() {
        talk_->give(orderFor(1, "a"));
        submit(1);
        QCOMPARE(messageOf(talk_->answer(0)), std::string());
    }

    void whatNobodyAskedForMakesWayForNewerOnes() {
        submit(1);
        submit(2);
        talk_->give(orderFor(2, "a"));  // 1 will not be asked for any more
        QCOMPARE(messageOf(talk_->answer(0)), std::string());
        submit(3);
        submit(4);
        talk_->give(orderFor(4, "b"));
        QCOMPARE(messageOf(talk_->answer(1)), std::string());
        talk_->give(orderFor(2, "c"));
        QCOMPARE(messageOf(talk_->answer(2)), std::string("it has no longer a copy of its part"));
    }

    void aPartThatHangsIsWaitedForByTheBestAndTheLastOneAlone() {
        startImpatient();
        disk_.hold();
        submit(1);
        talk_->give(orderFor(1, "a"));
        submit(2);
        Nanos start = SteadyClock::read();
        submit(3);
        QVERIFY(SteadyClock::read() - start < kPatience / 2);
        for (const bool isLast : {false, true}) {
            start = SteadyClock::read();
            submit(isLast ? 5 : 4, isLast, Millis(200), !isLast);
            QVERIFY(SteadyClock::read() - start >= Millis(200));
        }
        disk_.release();
        QCOMPARE(messageOf(talk_->answer(0)), std::string());
        talk_->give(orderFor(5, "b"));
        const std::string message = messageOf(talk_->answer(1));
        QVERIFY2(message.starts_with("its part was skipped: the disk was still busy") &&
                     !message.ends_with("after 10000 ms"),
                 message.c_str());
    }

    void whatWaitsForAnOrderThatNeverComesIsNoHang() {
        startImpatient();
        submit(1);
        submit(2);
        const std::jthread order([this] {
            // a pause: longer than what counts as hung
            std::this_thread::sleep_for(Millis(200));
            talk_->give(orderFor(3, "a"));
        });
        submit(3);
        QCOMPARE(messageOf(talk_->answer(0)), std::string());
    }

    void whatItCouldNotTakeIsAnsweredSo() {
        submit(1);
        submit(2);
        submit(3, false, Millis(1));
        talk_->give(orderFor(3, "a"));
        const std::string message = messageOf(talk_->answer(0));
        QVERIFY2(message.starts_with("its part was skipped: the disk was still busy"),
                 message.c_str());
        submit(4);
        talk_->give(orderFor(4, "b"));
        QCOMPARE(messageOf(talk_->answer(1)), std::string());
    }

    void whatItsReplicaDidNotAgreeOnIsAnsweredSo() {
        const Sample sample(1);
        writer_->submit(partOf(sample, 1, 2), kPatience, false, []() -> Result<void> {
            return fail(ErrorCode::PeerLost, "replica 1 has gone");
        });
        talk_->give(orderFor(1, "a"));
        QCOMPARE(messageOf(talk_->answer(0)),
                 std::string("its replica did not agree on it: replica 1 has gone"));
        submit(2);
        talk_->give(orderFor(2, "b"));
        QCOMPARE(messageOf(talk_->answer(1)), std::string());
    }

    void whatCannotBeWrittenIsAnsweredSoAndMayBeTriedAgain() {
        submit(1, true);
        talk_->give({1, "not-there"});
        QVERIFY(messageOf(talk_->answer(0)).starts_with("cannot create "));
        talk_->give(orderFor(1, "there"));
        QCOMPARE(messageOf(talk_->answer(1)), std::string());
    }

    void itEndsWithTheLastOrderOrWhenNoneCanCome() {
        QCOMPARE(writer_->finish(Millis(1)).error().code, ErrorCode::Timeout);
        talk_->give({});
        QVERIFY(writer_->finish(kPatience).has_value());
        init();
        talk_->lose();
        QVERIFY(writer_->finish(kPatience).has_value());
    }
};

QTEST_GUILESS_MAIN(ShardWriterTest)
#include "tst_shard_writer.moc"

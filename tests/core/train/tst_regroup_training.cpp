// SPDX-License-Identifier: Apache-2.0
// A replica ends at any place of a step, and all go on from what they have kept: to the bits of a
// training that nobody has disturbed.
#include <unistd.h>

#include <QRandomGenerator>
#include <QtTest>

#include "core/model/description/read_description.h"
#include "core/train/checkpoints/kept_start.h"
#include "tests/core/train/passing_communicator.h"
#include "tests/core/train/small_job.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;

namespace {

using Hosts = std::vector<std::vector<int>>;

QByteArray problemOf(const Result<TrainingOutcome>& outcome) {
    return outcome ? QByteArray() : QByteArray::fromStdString(outcome.error().message);
}

/// Where a replica's life ends.
enum class Place { BeforeReduce, BeforePublish, BeforeFinish, AfterFinish, InGather };
constexpr int kPlaces = 5;

/// Ends the replica at a place of a step, as its death does: the others hear of it in their waits.
class MortalCommunicator final : public PassingCommunicator {
public:
    MortalCommunicator(collective::Communicator& inner, int step, Place place)
        : PassingCommunicator(inner), step_(step), place_(place) {}

    void setVotes(const collective::StepVotes& mine) override {
        ++now_;
        PassingCommunicator::setVotes(mine);
    }
    [[nodiscard]] Result<collective::Range> reduce(std::size_t bucket) override {
        if (endsAt(Place::BeforeReduce)) return dead();
        return PassingCommunicator::reduce(bucket);
    }
    void publish(std::size_t bucket) override {
        if (endsAt(Place::BeforePublish)) PassingCommunicator::abort();
        PassingCommunicator::publish(bucket);
    }
    [[nodiscard]] Result<void> finishStep() override {
        if (endsAt(Place::BeforeFinish)) return dead();
        auto finished = PassingCommunicator::finishStep();
        if (endsAt(Place::AfterFinish)) return dead();
        return finished;
    }
    [[nodiscard]] Result<void> allGather(std::span<const std::uint64_t> mine,
                                         std::span<std::uint64_t> all) override {
        if (place_ == Place::InGather && now_ >= step_) return dead();
        return PassingCommunicator::allGather(mine, all);
    }

private:
    [[nodiscard]] bool endsAt(Place place) const { return place == place_ && now_ == step_; }
    tl::unexpected<Error> dead() {
        PassingCommunicator::abort();
        return fail(ErrorCode::PeerLost, "it was killed");
    }

    int step_;
    Place place_;
    int now_ = 0;
};

/// Statistics that each replica keeps for itself, metrics, an epoch's decisions, dropout.
config::JobSpec job(bool sharesStatistics = false) {
    auto spec = smallSpec({});
    std::string text = R"(layers = [
        { type = "conv2d", filters = 4, kernel_size = 3, strides = 4, use_bias = false },
        { type = "batch_normalization", momentum = 0.8, synchronized = false, activation = "relu" },
        { type = "global_average_pooling2d" },
        { type = "dropout", rate = 0.25 },
        { type = "dense", units = "classes" },
    ])";
    if (sharesStatistics)
        text.replace(text.find("synchronized = false"), 20, "synchronized = true");
    const auto reading = model::readDescription(config::parseToml(text).value());
    spec.model = {.isDescribed = true, .description = reading.description};
    spec.training.epochs = 4;
    spec.training.average.isUsed = true;
    spec.earlyStopping.monitor = config::Monitor::ValidationLoss;
    spec.earlyStopping.patience = 3;
    spec.checkpoint.everySteps = 3;
    return spec;
}

/// A job's processes with the memory that outlives them.
struct Host {
    Hosts hosts;
    bool sharesStatistics = false;
    SmallJob small{job(sharesStatistics), smallDigits(101, 40, 40)};
    std::map<int, UniqueFd> memory{};
    std::map<int, std::unique_ptr<KeptSteps>> kept{};

    explicit Host(Hosts spread, bool shares = false)
        : hosts(std::move(spread)), sharesStatistics(shares) {
        open();
    }
    [[nodiscard]] int processes() const {
        int count = 0;
        for (const auto& host : hosts)
            count += static_cast<int>(host.size());
        return count;
    }
    /// What a new generation finds.
    void open() {
        int process = 0;
        for (const auto& host : hosts)
            for (const int replicas : host) {
                UniqueFd& fd = memory[process];
                if (!fd.valid()) fd.reset(memfd_create("kept", MFD_CLOEXEC));
                const std::size_t parameters = small.network.parameterCount();
                kept[process++] =
                    KeptSteps::open(
                        fd.get(),
                        {.parameters = parameters,
                         .moments = small.optimizer.momentCount(),
                         .statistics = small.network.statisticsCount(),
                         .metrics = small.objective.metrics().size(),
                         .buckets =
                             collective::planBuckets(small.network.cuts(), parameters).size(),
                         .replicas = replicas})
                        .value();
            }
    }
    /// One generation; `step` 0: nobody ends.
    RunResult live(RecordedEvents& events, StartPoint start, int victim = 0, int step = 0,
                   Place place = Place::BeforeReduce) {
        std::map<int, std::unique_ptr<MortalCommunicator>> mortals;
        std::mutex mutex;
        Spread spread;
        spread.hosts = hosts;
        spread.events = &events;
        spread.start = std::move(start);
        for (const auto& [process, one] : kept)
            spread.kept[process] = one.get();
        if (step > 0)
            spread.wrap = [&](collective::Communicator& inner) -> collective::Communicator& {
                if (inner.replica() != victim) return inner;
                const std::lock_guard lock(mutex);
                auto& mortal = mortals[victim];
                mortal = std::make_unique<MortalCommunicator>(
                    inner, step - static_cast<int>(spread.start.step), place);
                return *mortal;
            };
        return trainSmall(small, spread);
    }
    /// In process 0's memory, whose end are two slots' arrays.
    bool flipFirstWeight(std::int64_t step) {
        constexpr off_t kRound = 65536;
        constexpr off_t kPage = 4096;
        const auto floats = static_cast<off_t>(small.network.parameterCount() * sizeof(float));
        const off_t slot =
            (1 + small.optimizer.momentCount()) * ((floats + kRound - 1) / kRound * kRound + kPage);
        const off_t at = ::lseek(memory[0].get(), 0, SEEK_END) - 2 * slot + (step % 2) * slot;
        std::uint32_t bits = 0;
        if (::pread(memory[0].get(), &bits, sizeof bits, at) != sizeof bits) return false;
        bits ^= 1U << 13U;
        return ::pwrite(memory[0].get(), &bits, sizeof bits, at) == sizeof bits;
    }
    KeptChoice choice(const KeptFeeding& feeding = {}) {
        open();
        std::vector<KeptOffer> offers;
        for (const auto& [process, one] : kept)
            offers.push_back(offerOf(*one));
        return newestOfAll(offers, feeding);
    }
    /// As where its agent is lost, too.
    void lose(int process) {
        kept.erase(process);
        memory.erase(process);
    }
};

}  // namespace

class RegroupTrainingTest : public QObject {
    Q_OBJECT

private slots:
    void whereverAReplicaEndsTheBitsAreThoseOfAnUndisturbedTraining_data() {
        QTest::addColumn<Hosts>("hosts");
        QTest::newRow("threads of a process") << Hosts{{2}};
        QTest::newRow("processes that share memory") << Hosts{{1, 2}};
        QTest::newRow("two hosts") << Hosts{{2}, {1}};
    }
    void whereverAReplicaEndsTheBitsAreThoseOfAnUndisturbedTraining() {
        QFETCH(const Hosts, hosts);
        RecordedEvents calm;
        const auto wanted = Host(hosts).live(calm, {.seed = 1});
        QVERIFY2(wanted.outcomes[0], problemOf(wanted.outcomes[0]));
        const auto replicas = static_cast<int>(wanted.outcomes.size());
        const std::uint32_t seed = qEnvironmentVariableIntValue("LOCKSTEP_SEED");
        for (std::uint32_t one = seed > 0 ? seed : 1; one <= (seed > 0 ? seed : 20U); ++one) {
            QRandomGenerator random(one);
            const int victim = random.bounded(replicas);
            const int step = 2 + random.bounded(13);  // of 16
            const auto place = static_cast<Place>(random.bounded(kPlaces));
            const QByteArray words = QString("seed %1: replica %2 at place %3 of step %4")
                                         .arg(one)
                                         .arg(victim)
                                         .arg(static_cast<int>(place))
                                         .arg(step)
                                         .toUtf8();
            Host host(hosts);
            RecordedEvents events;
            const auto first = host.live(events, {.seed = 1}, victim, step, place);
            QVERIFY2(!first.outcomes[static_cast<std::size_t>(victim)], words);
            const auto choice = host.choice();
            QVERIFY2(choice.step >= step - 1, words + ": " + choice.why.c_str());
            auto start = startOfKept(host.kept[0]->replica(0), choice.step, host.small.data);
            QVERIFY2(start, words);
            for (const auto& [process, kept] : host.kept)
                kept->keepOnly(choice.step);
            const auto second = host.live(events, *std::move(start));
            for (const auto& outcome : second.outcomes) {
                QVERIFY2(outcome, words + ": " + problemOf(outcome));
                QVERIFY2(outcome->stateHash == wanted.outcomes[0]->stateHash, words);
                QVERIFY2(outcome->best == wanted.outcomes[0]->best ||
                             &outcome != &second.outcomes.front(),
                         words);
            }
            // What epochs have come to, those that were scored again included.
            std::map<std::uint32_t, wire::EpochResult> epochs;
            for (const wire::EpochResult& epoch : events.epochs)
                epochs[epoch.epoch()] = epoch;
            QVERIFY2(epochs.size() == calm.epochs.size(), words);
            for (const wire::EpochResult& epoch : calm.epochs) {
                QCOMPARE(epochs[epoch.epoch()].train_loss(), epoch.train_loss());
                QCOMPARE(epochs[epoch.epoch()].validation_loss(), epoch.validation_loss());
            }
        }
    }

    void whoHasLostItsStepsIsGivenThemByAnotherHost_data() {
        QTest::addColumn<Hosts>("hosts");
        QTest::addColumn<QList<int>>("source");
        QTest::addColumn<QList<int>>("lost");
        QTest::newRow("one of two hosts") << Hosts{{2}, {1}} << QList<int>{0} << QList<int>{1};
        QTest::newRow("a host of several processes")
            << Hosts{{1, 1}, {1, 2}} << QList<int>{0, 1} << QList<int>{2, 3};
        QTest::newRow("one process of a host")
            << Hosts{{1}, {1, 1}} << QList<int>{0} << QList<int>{2};
        QTest::newRow("two of three hosts")
            << Hosts{{2}, {1}, {1}} << QList<int>{0} << QList<int>{1, 2};
    }
    void whoHasLostItsStepsIsGivenThemByAnotherHost() {
        QFETCH(const Hosts, hosts);
        QFETCH(const QList<int>, source);
        QFETCH(const QList<int>, lost);
        RecordedEvents calm;
        const auto wanted = Host(hosts, true).live(calm, {.seed = 1});
        QVERIFY2(wanted.outcomes[0], problemOf(wanted.outcomes[0]));
        for (const int step : {4, 6, 8, 11}) {  // epochs end at steps 4, 8 and 12
            const QByteArray words = "step " + QByteArray::number(step);
            Host host(hosts, true);
            RecordedEvents events;
            const auto victim = static_cast<int>(wanted.outcomes.size()) - 1;
            const auto place = static_cast<Place>(step % kPlaces);
            QVERIFY2(!host.live(events, {.seed = 1}, victim, step, place)
                          .outcomes[static_cast<std::size_t>(victim)],
                     words);
            for (const int process : lost)
                host.lose(process);
            QCOMPARE(host.choice().step, 0);
            const auto choice = host.choice({{source.begin(), source.end()}, {}});
            QVERIFY2(choice.step >= step - 1, words + ": " + choice.why.c_str());
            QVERIFY2(std::ranges::equal(choice.fed, lost), words);
            auto start = startOfKept(host.kept[0]->replica(0), choice.step, host.small.data);
            QVERIFY2(start, words);
            start->fed = choice.fed;
            for (const auto& [process, kept] : host.kept)
                kept->keepOnly(start->keptStep(static_cast<std::uint32_t>(process)));
            const auto second = host.live(events, *std::move(start));
            for (const auto& outcome : second.outcomes) {
                QVERIFY2(outcome, words + ": " + problemOf(outcome));
                QVERIFY2(outcome->stateHash == wanted.outcomes[0]->stateHash, words);
            }
            QVERIFY2(second.outcomes[0]->best == wanted.outcomes[0]->best, words);
            QCOMPARE(events.epochs.back().validation_loss(), calm.epochs.back().validation_loss());
            QCOMPARE(events.epochs.back().train_loss(), calm.epochs.back().train_loss());
            // It keeps its steps as the others do.
            QVERIFY2(!host.kept[lost.front()]->wholeSteps().empty(), words);
        }
    }

    // The control: one bit that is wrong behind all checks is seen by the comparison.
    void aBitThatIsWrongInWhatWasKeptEndsInOtherBits() {
        RecordedEvents calm;
        const auto wanted = Host(Hosts{{2}}).live(calm, {.seed = 1});
        for (const bool isPlanted : {false, true}) {
            Host host(Hosts{{2}});
            RecordedEvents events;
            QVERIFY(!host.live(events, {.seed = 1}, 1, 8, Place::AfterFinish).outcomes[1]);
            const auto choice = host.choice();
            auto start = startOfKept(host.kept[0]->replica(0), choice.step, host.small.data);
            QVERIFY(start);
            if (isPlanted) QVERIFY(host.flipFirstWeight(choice.step));
            const auto second = host.live(events, *std::move(start));
            QVERIFY2(second.outcomes[0], problemOf(second.outcomes[0]));
            QCOMPARE(second.outcomes[0]->stateHash != wanted.outcomes[0]->stateHash, isPlanted);
        }
    }
};

QTEST_GUILESS_MAIN(RegroupTrainingTest)
#include "tst_regroup_training.moc"

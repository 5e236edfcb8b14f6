// SPDX-License-Identifier: Apache-2.0
// The weights' average, steps in parts, rates that plateaus reduce, and lengths in steps.
#include <QtTest>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "core/train/checkpoints/state_tensors.h"
#include "core/train/replica/plateau.h"
#include "tests/core/train/small_job.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

using Hosts = std::vector<std::vector<int>>;

struct Trained {
    RunResult result{1};
    std::map<std::int64_t, checkpoint::LoadedCheckpoint> saved;
    RecordedEvents events;
};

std::vector<checkpoint::Tensor> owned(const std::vector<checkpoint::TensorRef>& tensors) {
    std::vector<checkpoint::Tensor> copies;
    for (const auto& tensor : tensors)
        copies.push_back({tensor.name, tensor.shape, {tensor.values.begin(), tensor.values.end()}});
    return copies;
}

void runJob(Trained& all, const config::JobSpec& spec, Hosts hosts,
            const checkpoint::LoadedCheckpoint* from = nullptr,
            data::Dataset data = smallDigits(101, 40, 40)) {
    const SmallJob small(spec, std::move(data));
    all.events.onCheckpoint = [&all](const checkpoint::Snapshot& snapshot) {
        checkpoint::LoadedCheckpoint& copy = all.saved[snapshot.state.step];
        copy.state = snapshot.state;
        copy.model = owned(snapshot.model);
        copy.optimizer = owned(snapshot.optimizer);
    };
    Spread spread{.hosts = std::move(hosts), .start = {.seed = 1}, .events = &all.events};
    if (from != nullptr) {
        spread.start.step = from->state.step;
        spread.start.skippedSteps = from->state.skippedSteps;
        spread.start.checkpoint = *from;
    }
    all.result = trainSmall(small, spread);
    for (const auto& outcome : all.result.outcomes)
        if (!outcome) qFatal("%s", outcome.error().message.c_str());
}

double farthest(std::span<const double> a, std::span<const double> b) {
    double largest = a.size() == b.size() && !a.empty() ? 0 : 1e9;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        largest = std::max(largest, std::abs(a[i] / b[i] - 1));
    return largest;
}

const std::vector<float>& valuesOf(const std::vector<checkpoint::Tensor>& tensors,
                                   const std::string& name) {
    for (const auto& tensor : tensors)
        if (tensor.name == name) return tensor.values;
    qFatal("no tensor %s", name.c_str());
}

/// Four steps an epoch, the last of five samples.
config::JobSpec shortSpec(int epochs) {
    auto spec = smallSpec({16});
    spec.training.epochs = epochs;
    spec.checkpoint.everySteps = 1;
    spec.checkpoint.everyEpochs = 0;
    return spec;
}

}  // namespace

class TrainingFeaturesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { flushDenormals(); }

    void plateausReduceTheRateAsKerasDoes() {
        std::ifstream file(LOCKSTEP_SOURCE_DIR "/tests/golden/plateau.txt");
        std::string line;
        int cases = 0;
        while (std::getline(file, line)) {
            if (line.starts_with('#')) continue;
            config::TrainingSpec training;
            training.learningRate = 0.1;
            config::ScheduleSpec& schedule = training.schedule;
            schedule.kind = config::ScheduleKind::ReduceOnPlateau;
            std::istringstream(line) >> schedule.factor >> schedule.patience >> schedule.minDelta >>
                schedule.cooldown >> schedule.minLearningRate;
            std::string rates;
            std::getline(file, line);
            std::getline(file, rates);
            std::istringstream losses(line);
            std::istringstream expected(rates);
            train::Plateau plateau(training, nullptr);
            double loss = 0;
            double rate = 0;
            int epochs = 0;
            while (losses >> loss && expected >> rate) {
                std::ignore = plateau.epochEnded(loss);
                QVERIFY2(std::abs(plateau.rate() / rate - 1) < 1e-6,
                         qPrintable(QString("case %1, epoch %2").arg(cases).arg(epochs)));
                // A resume goes on from the state alone.
                checkpoint::TrainingState state;
                state.plateau = plateau.state();
                plateau = train::Plateau(training, &state);
                ++epochs;
            }
            QCOMPARE(epochs, 32);
            ++cases;
        }
        QCOMPARE(cases, 4);
    }
    void aPlateauGoesOnWithTheJobsRateWhereThatIsAnotherOne() {
        config::TrainingSpec training;
        training.learningRate = 0.1;
        training.schedule = {.kind = config::ScheduleKind::ReduceOnPlateau, .patience = 2};
        train::Plateau before(training, nullptr);
        for (const double loss : {1.0, 2.0, 2.0, 2.0})
            std::ignore = before.epochEnded(loss);
        QVERIFY(before.rate() < 0.1);
        checkpoint::TrainingState state;
        state.plateau = before.state();
        QCOMPARE(train::Plateau(training, &state).state(), before.state());
        training.learningRate = 0.01;
        train::Plateau after(training, &state);
        QCOMPARE(after.rate(), 0.01);
        QVERIFY(!after.epochEnded(1.5));  // its patience is whole, its best is the run's
        QCOMPARE(after.state().waited, std::int64_t{1});
        state.plateau.initialRate = 0;  // as older versions wrote it
        QCOMPARE(train::Plateau(training, &state).rate(), before.rate());
    }
    void aPlateauIsDecidedAlikeOnAllReplicasAndAfterAResume() {
        auto spec = shortSpec(6);
        spec.training.learningRate = 0.5;
        spec.training.schedule = {.kind = config::ScheduleKind::ReduceOnPlateau,
                                  .factor = 0.1,
                                  .patience = 1,
                                  .minDelta = 1000};  // nothing is better by that
        Trained whole;
        runJob(whole, spec, {{2}});
        const auto& rates = whole.events.series.at("train/learning_rate");
        QCOMPARE(rates.at(1), 0.5);
        QVERIFY(rates.at(24) < 0.5);
        Trained resumed;
        runJob(resumed, spec, {{2}}, &whole.saved.at(14));
        QCOMPARE(resumed.result.outcomes[0]->stateHash, whole.result.outcomes[0]->stateHash);
        QCOMPARE(resumed.events.series.at("train/learning_rate").at(24), rates.at(24));
    }
    void aResumeWithoutTheAverageGoesOnWithTheWeightsThatWereTrained() {
        auto spec = shortSpec(2);
        Trained plain;
        runJob(plain, spec, {{2}});
        spec.training.average = {.isUsed = true, .momentum = 0.75};
        Trained averaged;
        runJob(averaged, spec, {{2}});
        Trained resumed;
        runJob(resumed, shortSpec(2), {{2}}, &averaged.saved.at(3));
        QCOMPARE(resumed.result.outcomes[0]->stateHash, plain.result.outcomes[0]->stateHash);
    }
    void aResumeWithAnAverageBeginsItAtTheWeights() {
        Trained plain;
        runJob(plain, shortSpec(2), {{2}});
        auto spec = shortSpec(2);
        spec.training.average = {.isUsed = true, .momentum = 0.75};
        Trained resumed;
        runJob(resumed, spec, {{2}}, &plain.saved.at(3));
        const std::string name = "layers.0.weight";
        std::vector<float> average = valuesOf(plain.saved.at(3).model, name);
        for (std::int64_t step = 4; step <= 8; ++step) {
            const auto& trained = valuesOf(plain.saved.at(step).model, name);
            for (std::size_t i = 0; i < average.size(); ++i)
                average[i] = 0.75F * average[i] + 0.25F * trained[i];
            QVERIFY(valuesOf(resumed.saved.at(step).model, name) == average);
            QVERIFY(valuesOf(resumed.saved.at(step).optimizer, name + ".trained") == trained);
        }
    }
    void anAverageThatDiffersIsFoundBeforeItIsSaved() {
        auto spec = shortSpec(2);
        spec.training.average = {.isUsed = true, .momentum = 0.75};
        const SmallJob small(spec, smallDigits(101, 40, 40));
        Spread spread{.hosts = {{1}, {1}}, .start = {.seed = 1}};
        RecordedEvents events;
        spread.events = &events;
        const int average = small.optimizer.averageIndex();
        spread.meddle = [average](collective::Communicator& communicator, std::int64_t step) {
            if (communicator.replica() == 1 && step == 6)
                for (float& value : communicator.moments(average))
                    value += 1;
        };
        const RunResult result = trainSmall(small, spread);
        QVERIFY(!result.outcomes[0]);
        QVERIFY2(result.outcomes[0].error().message.find("holds other weights than replica 0") !=
                     std::string::npos,
                 result.outcomes[0].error().message.c_str());
    }
    void theAverageIsPartOfTheStatesHash() {
        auto spec = shortSpec(2);
        std::set<std::string> hashes;
        for (const double momentum : {0.0, 0.75, 0.5}) {
            spec.training.average = {.isUsed = momentum > 0, .momentum = momentum};
            std::set<std::string> ofSpreads;
            for (const Hosts& hosts : {Hosts{{2}}, Hosts{{1}, {1}}}) {
                Trained trained;
                runJob(trained, spec, hosts);
                ofSpreads.insert(trained.result.outcomes[0]->stateHash);
            }
            QCOMPARE(ofSpreads.size(), std::size_t{1});
            hashes.insert(*ofSpreads.begin());
        }
        QCOMPARE(hashes.size(), std::size_t{3});  // though the weights that train are the same
    }
    void theAverageIsWhatIsSavedAndValidated() {
        auto spec = shortSpec(2);
        spec.training.average = {.isUsed = true, .momentum = 0.75};
        Trained all;
        runJob(all, spec, {{2}});
        const std::string name = "layers.0.weight";
        std::vector<float> average;
        for (std::int64_t step = 1; step <= 8; ++step) {
            const auto& saved = all.saved.at(step);
            const std::vector<float> trained = valuesOf(saved.optimizer, name + ".trained");
            if (step == 1) average = trained;
            for (std::size_t i = 0; i < average.size() && step > 1; ++i)
                average[i] = 0.75F * average[i] + 0.25F * trained[i];
            QVERIFY(valuesOf(saved.model, name) == average);
        }
        auto plain = shortSpec(2);
        Trained without;
        runJob(without, plain, {{2}});
        QVERIFY(without.result.losses == all.result.losses);
        QVERIFY(valuesOf(without.saved.at(8).model, name) ==
                valuesOf(all.saved.at(8).optimizer, name + ".trained"));
        QVERIFY(without.result.outcomes[0]->validation->loss() !=
                all.result.outcomes[0]->validation->loss());
        Trained resumed;
        runJob(resumed, spec, {{2}}, &all.saved.at(3));
        QCOMPARE(resumed.result.outcomes[0]->stateHash, all.result.outcomes[0]->stateHash);
        Trained many;
        runJob(many, spec, {{1}, {2}});
        QVERIFY(farthest(many.result.losses, all.result.losses) < 1e-5);
    }
    void theAverageBeginsWithTheFirstStepThatIsApplied() {
        auto spec = shortSpec(1);
        spec.training.terminateOnNan = false;
        spec.training.average = {.isUsed = true, .momentum = 0.75};
        spec.training.loss.kind = config::LossKind::MeanSquaredError;
        spec.training.globalBatchSize = 8;
        auto data = smallDigits(40, 8, 8);
        auto numbers = std::make_shared<data::Split>();
        numbers->count = 40;
        numbers->inputKind = data::InputKind::Floats;
        numbers->targetKind = data::TargetKind::Values;
        numbers->shape = {4};
        numbers->valuesPerSample = 10;
        std::vector<float> inputs(std::size_t{40} * 4, 0.5F);
        const auto batches = data::BatchPlan::make(40, 8, 2, 1).value();
        for (const std::uint32_t place : {0U, 9U})  // a sample of step 1, and one of step 2
            inputs[std::size_t{4} * batches.epochOrder(0)[place]] = INFINITY;
        numbers->inputs = data::floatBytes(inputs);
        numbers->targets = data::floatBytes(std::vector<float>(std::size_t{40} * 10, 1.0F));
        data.train = data.validation = data.test = numbers;
        data.facts = {.input = {4}, .values = 10};
        Trained all;
        runJob(all, spec, {{2}}, nullptr, data);
        QCOMPARE(all.result.outcomes[0]->skippedSteps, std::int64_t{2});
        const std::string name = "layers.0.weight";
        QVERIFY(valuesOf(all.saved.at(3).model, name) ==
                valuesOf(all.saved.at(3).optimizer, name + ".trained"));
        QVERIFY(valuesOf(all.saved.at(4).model, name) !=
                valuesOf(all.saved.at(4).optimizer, name + ".trained"));
        Trained resumed;
        runJob(resumed, spec, {{2}}, &all.saved.at(2), data);
        QCOMPARE(resumed.result.outcomes[0]->stateHash, all.result.outcomes[0]->stateHash);
        QCOMPARE(resumed.result.outcomes[1]->skippedSteps, std::int64_t{2});
    }
    void partsOfAStepGiveItsGradient() {
        Trained whole;
        runJob(whole, shortSpec(2), {{1}});
        for (const int parts : {2, 3, 5}) {
            auto spec = shortSpec(2);
            spec.training.gradientAccumulationSteps = parts;
            for (const Hosts& hosts : {Hosts{{1}}, Hosts{{2, 1}}}) {
                Trained all;
                runJob(all, spec, hosts);
                QVERIFY(farthest(all.result.losses, whole.result.losses) < 1e-5);
            }
        }
    }
    void aRunMayEndAndValidateBySteps() {
        auto spec = shortSpec(1);
        spec.training.steps = 10;
        spec.training.evaluateEverySteps = 3;
        const auto plan = train::TrainingPlan::make(spec, 4, 1);
        QCOMPARE(plan.totalSteps, std::int64_t{10});
        QCOMPARE(plan.epochs(), std::int64_t{4});
        Trained all;
        runJob(all, spec, {{2}});
        std::vector<std::uint64_t> ends;
        for (const auto& epoch : all.events.epochs)
            ends.push_back(epoch.step());
        QCOMPARE(ends, (std::vector<std::uint64_t>{3, 6, 9, 10}));
        QCOMPARE(all.result.losses.size(), std::size_t{10});
        // The samples go on where a validation came between.
        Trained longer;
        runJob(longer, shortSpec(3), {{2}});
        QVERIFY(std::equal(all.result.losses.begin(), all.result.losses.end(),
                           longer.result.losses.begin()));
        Trained resumed;
        runJob(resumed, spec, {{2}}, &all.saved.at(5));
        QCOMPARE(resumed.result.outcomes[0]->stateHash, all.result.outcomes[0]->stateHash);
    }
    void anEpochThatTheJobsEndCutsShortIsCountedOnceAResumeHasEndedIt() {
        auto spec = shortSpec(1);
        spec.training.steps = 5;
        spec.training.evaluateEverySteps = 4;
        spec.training.learningRate = 1e-12;  // nothing gets better
        spec.earlyStopping = {.monitor = config::Monitor::ValidationLoss,
                              .patience = 9,
                              .minDelta = 1000,
                              .restoreBest = false};
        Trained cut;
        runJob(cut, spec, {{2}});
        QCOMPARE(cut.events.epochs.back().step(), std::uint64_t{5});
        QCOMPARE(cut.saved.at(5).state.patience.epochsWaited, std::int64_t{0});
        spec.training.steps = 8;
        Trained resumed;
        runJob(resumed, spec, {{2}}, &cut.saved.at(5));
        QCOMPARE(resumed.saved.at(8).state.patience.epochsWaited, std::int64_t{1});
        Trained whole;
        runJob(whole, spec, {{2}});
        QVERIFY(whole.saved.at(8).state.patience == resumed.saved.at(8).state.patience);
        QCOMPARE(whole.saved.at(8).state.stepsPerEpoch, std::int64_t{4});
    }
    void theGradientsNormIsASeriesWhereItIsMeasured() {
        auto spec = shortSpec(1);
        spec.training.globalClipNorm = 1000;
        Trained global;
        runJob(global, spec, {{2}});
        spec.training.globalClipNorm = 0;
        spec.training.clipNorm = 1000;
        Trained each;
        runJob(each, spec, {{1}});
        const auto& norms = global.events.series.at("train/gradient_norm");
        QCOMPARE(norms.size(), std::size_t{4});
        for (const auto& [step, norm] : norms) {
            QVERIFY(norm > 0);
            QVERIFY(std::abs(each.events.series.at("train/gradient_norm").at(step) / norm - 1) <
                    1e-4);
        }
        spec.training.clipNorm = 0;
        Trained none;
        runJob(none, spec, {{1}});
        QVERIFY(!none.events.series.contains("train/gradient_norm"));
    }
};

QTEST_GUILESS_MAIN(TrainingFeaturesTest)
#include "tst_training_features.moc"

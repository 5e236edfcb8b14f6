// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "core/program/job_network.h"
#include "core/tensor/cpu/updates.h"
#include "core/tensor/device.h"
#include "core/train/replica/parameter_update.h"

using namespace lockstep;

namespace {

constexpr int kSteps = 20;
constexpr std::size_t kWeights = 20;  // [5, 4], and a bias of 5

/// "update adam", "schedule cosine" and their numbers.
std::map<std::string, std::vector<double>> goldenNumbers() {
    std::map<std::string, std::vector<double>> all;
    std::ifstream file(LOCKSTEP_SOURCE_DIR "/tests/golden/optimizers.txt");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string kind;
        std::string name;
        words >> kind >> name;
        double value = 0;
        while (words >> value)
            all[kind + " " + name].push_back(value);
    }
    return all;
}

/// One replica, alone: what a transport gives it.
class OneReplica final : public collective::Communicator {
public:
    OneReplica(std::size_t count, collective::Range bucket)
        : bucket_(bucket),
          gradients_(count),
          parameters_(count),
          moments_{parameters_, parameters_, parameters_} {}

    int replica() const override { return 0; }
    int replicaCount() const override { return 1; }
    std::string_view backend() const override { return "local"; }
    void showPlaceIn(CollectivePlace&) override {}
    std::span<float> gradients() override { return gradients_; }
    std::span<float> parameters() override { return parameters_; }
    std::span<const float> sums() override { return gradients_; }
    std::span<float> moments(int index) override {
        return moments_[static_cast<std::size_t>(index)];
    }
    void setVotes(const collective::StepVotes& /*mine*/) override {}
    void post(std::size_t /*bucket*/) override {}
    Result<collective::Range> reduce(std::size_t /*bucket*/) override { return bucket_; }
    const collective::StepVotes& votes() const override { return votes_; }
    void publish(std::size_t /*bucket*/) override {}
    Result<void> finishStep() override { return {}; }
    Result<void> broadcastState() override { return {}; }
    Result<void> allGather(std::span<const std::uint64_t> mine,
                           std::span<std::uint64_t> all) override {
        std::ranges::copy(mine, all.begin());
        return {};
    }
    Result<void> allToAll(std::span<const std::uint64_t> mine,
                          std::span<std::uint64_t> pieces) override {
        std::ranges::copy(mine, pieces.begin());
        return {};
    }
    void abort() override {}

private:
    collective::Range bucket_;
    std::vector<float> gradients_;
    std::vector<float> parameters_;
    std::vector<float> moments_[3];
    collective::StepVotes votes_;
};

config::TrainingSpec settings(config::OptimizerKind kind, double rate) {
    config::TrainingSpec training;
    training.optimizer = kind;
    training.learningRate = rate;
    if (kind == config::OptimizerKind::AdamW) training.weightDecay = config::kAdamWDecay;
    if (kind == config::OptimizerKind::Lion) training.beta2 = config::kLionBeta2;
    return training;
}

/// The optimizers of tests/golden/optimizers.py.
std::map<std::string, config::TrainingSpec> goldenSettings() {
    using Kind = config::OptimizerKind;
    std::map<std::string, config::TrainingSpec> all;
    for (const char* name :
         {"sgd", "momentum", "nesterov", "clipnorm", "clipvalue", "global_clipnorm"})
        all[name] = settings(Kind::Sgd, 0.1);
    all["momentum"].momentum = all["nesterov"].momentum = 0.9;
    all["nesterov"].nesterov = true;
    all["clipnorm"].clipNorm = all["global_clipnorm"].globalClipNorm = 1;
    all["clipvalue"].clipValue = 0.25;
    all["adam"] = all["cosine_adam"] = settings(Kind::Adam, 0.01);
    all["cosine_adam"].schedule = {.kind = config::ScheduleKind::Cosine,
                                   .initialLearningRate = 0.0,
                                   .decaySteps = 15,
                                   .warmupTarget = 0.01,
                                   .warmupSteps = 5};
    all["adamw"] = all["adamw_matrices"] = settings(Kind::AdamW, 0.01);
    all["adamw_matrices"].weightDecay = 0.5;
    all["adamw_matrices"].weightDecayOn = config::DecayOn::Matrices;
    all["rmsprop"] = all["rmsprop_momentum"] = settings(Kind::RmsProp, 0.01);
    all["rmsprop_momentum"].momentum = 0.9;
    all["lion"] = all["lion_decay"] = settings(Kind::Lion, 0.01);
    all["lion_decay"].weightDecay = 0.1;
    return all;
}

program::Network smallNetwork() {
    config::ModelSpec model;
    model.layers.push_back({.units = 5});
    return program::makeNetwork(model, {.input = {4}, .classes = 5}).value();
}

/// The same with tensors that are not trained.
program::Network frozen(std::initializer_list<std::size_t> tensors) {
    model::Graph graph = smallNetwork().graph();
    for (const std::size_t tensor : tensors)
        graph.tensors[tensor].isTrainable = false;
    return program::Network(std::move(graph));
}

std::uint32_t sumOf(std::span<const float> values) {
    return tensor::sumOfBits(tensor::VectorIsa::Baseline, values);
}

/// No two weights are the same, the gaps are zero.
void fill(const program::Network& network, std::span<float> values, std::size_t seed) {
    for (const program::PlacedTensor& tensor : network.tensors())
        for (std::size_t i = tensor.offset; float& value : tensor.in(values)) {
            value = (static_cast<float>((i * 7 + seed * 13) % 61) - 30.25F) / 64;
            ++i;
        }
}

/// What every step's sums are not, of shares that begin and end within tensors.
std::string wrongSums(const config::TrainingSpec& training, const program::Network& network) {
    const std::size_t count = network.parameterCount();
    const auto optimizer = optim::Optimizer::make(training).value();
    train::ParameterUpdate update(optimizer, network, {{0, count}}, 10);
    OneReplica replica(count, {0, count});
    fill(network, replica.parameters(), 1);
    const std::span<const float> weights = replica.parameters();
    for (std::size_t step = 1; step <= 3; ++step) {
        fill(network, replica.gradients(), step + 1);
        const std::vector<collective::Range> shares{{0, count}};
        if (update.needsNorms() && !update.measureNorms(replica, shares)) return "no norms";
        for (const auto& share :
             std::vector<collective::Range>{{0, 7}, {7, count - 2}, {count - 2, count}}) {
            const std::span<const float> mine = weights.subspan(share.begin, share.size());
            const std::uint32_t before = sumOf(mine);
            const auto sums =
                update.apply(replica, share, static_cast<std::int64_t>(step), step == 1, true);
            if (sums.found != before)
                return fmt::format("found of step {} from {}", step, share.begin);
            if (sums.left != sumOf(mine))
                return fmt::format("left of step {} from {}", step, share.begin);
        }
    }
    return "";
}

/// The tensors' values after the golden file's 20 steps, and the gaps' behind them.
std::vector<float> trained(const config::TrainingSpec& training, const program::Network& network,
                           const std::vector<std::size_t>& cuts = {}) {
    const std::size_t count = network.parameterCount();
    const auto optimizer = optim::Optimizer::make(training).value();
    OneReplica replica(count, {0, count});
    const auto placeOf = [&](std::size_t i) {
        return i < kWeights ? network.tensors()[0].offset + i
                            : network.tensors()[1].offset + i - kWeights;
    };
    train::ParameterUpdate update(optimizer, network, {{0, count}}, 10);
    for (std::size_t i = 0; i < kWeights + 5; ++i)
        replica.parameters()[placeOf(i)] = (static_cast<float>((i * 5 + 3) % 17) - 8) / 16;
    for (int step = 1; step <= kSteps; ++step) {
        for (std::size_t i = 0; i < kWeights + 5; ++i)
            replica.gradients()[placeOf(i)] =
                (static_cast<float>((i * 7 + static_cast<std::size_t>(step) * 13) % 29) - 14) / 16;
        const std::vector<collective::Range> shares{{0, count}};
        if (update.needsNorms() && !update.measureNorms(replica, shares)) return {};
        std::size_t begin = 0;
        for (const std::size_t end : cuts) {
            update.apply(replica, {begin, end}, step);
            begin = end;
        }
        update.apply(replica, {begin, count}, step);
    }
    std::vector<float> values;
    std::vector<bool> isTensor(count);
    for (std::size_t i = 0; i < kWeights + 5; ++i) {
        values.push_back(replica.parameters()[placeOf(i)]);
        isTensor[placeOf(i)] = true;
    }
    for (std::size_t i = 0; i < count; ++i)
        if (!isTensor[i]) values.push_back(replica.parameters()[i]);
    return values;
}

double errorOf(const std::vector<float>& values, const std::vector<double>& expected) {
    double error = 0;
    double largest = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        error = std::max(error, std::abs(static_cast<double>(values[i]) - expected[i]));
        largest = std::max(largest, std::abs(expected[i]));
    }
    return error / largest;
}

config::TrainingSpec scheduled(const config::ScheduleSpec& schedule) {
    config::TrainingSpec training;
    training.learningRate = 0.1;
    training.schedule = schedule;
    return training;
}

}  // namespace

class ParameterUpdateTest : public QObject {
    Q_OBJECT
private slots:
    void twentyStepsAreThoseOfKeras() {
        const auto golden = goldenNumbers();
        const auto network = smallNetwork();
        for (const auto& [name, training] : goldenSettings()) {
            const auto values = trained(training, network);
            QVERIFY2(values.size() > kWeights + 5, name.c_str());  // there are gaps
            const double error = errorOf(values, golden.at("update " + name));
            QVERIFY2(error < 1e-6,
                     qPrintable(QString::fromStdString(name) + " " + QString::number(error)));
            for (std::size_t i = kWeights + 5; i < values.size(); ++i)
                QCOMPARE(values[i], 0.0F);
        }
    }
    void sharesUpdateAsTheWholeDoes() {
        const auto network = smallNetwork();
        for (const auto& [name, training] : goldenSettings())
            QVERIFY2(trained(training, network) == trained(training, network, {1, 7, 16, 21, 33}),
                     name.c_str());
    }
    void aTensorThatIsNotTrainedStaysAsItIs() {
        config::TrainingSpec training = settings(config::OptimizerKind::AdamW, 0.1);
        training.weightDecay = 0.5;
        const auto values = trained(training, frozen({0, 1}));
        for (std::size_t i = 0; i < kWeights + 5; ++i)
            QCOMPARE(values[i], (static_cast<float>((i * 5 + 3) % 17) - 8) / 16);
    }
    void anUpdateTellsTheBitsThatItFoundAndLeft() {
        auto all = goldenSettings();
        for (const auto& [name, training] : goldenSettings()) {
            config::TrainingSpec& decays = all[name + ", decay"] = training;
            decays.weightDecay = 0.25;
            config::TrainingSpec& clips = all[name + ", decay of matrices, clipped by tensor"] =
                decays;
            clips.weightDecayOn = config::DecayOn::Matrices;
            clips.clipNorm = 0.5;
            clips.clipValue = clips.globalClipNorm = 0;
            all[name + ", average"] = training;
            all[name + ", average"].average.isUsed = true;
        }
        for (const auto& [name, training] : all)
            for (const auto& network : {smallNetwork(), frozen({0}), frozen({1}), frozen({0, 1})}) {
                const std::string wrong = wrongSums(training, network);
                QVERIFY2(wrong.empty(), (name + ": " + wrong).c_str());
            }
    }
    void whatIsNotTrainedIsSummedWhereAllCountsOnly() {
        const auto network = frozen({0});
        const std::size_t count = network.parameterCount();
        const auto optimizer =
            optim::Optimizer::make(settings(config::OptimizerKind::Adam, 0.1)).value();
        OneReplica replica(count, {0, count});
        const train::ParameterUpdate update(optimizer, network, {{0, count}}, 10);
        fill(network, replica.parameters(), 1);
        fill(network, replica.gradients(), 2);
        const std::span<const float> weights = replica.parameters();
        const std::size_t trained = network.tensors()[1].offset;
        const std::uint32_t before = sumOf(weights.subspan(trained));
        const auto sums = update.apply(replica, {0, count}, 1);
        QCOMPARE(sums.found, before);
        QCOMPARE(sums.left, sumOf(weights.subspan(trained)));
        QVERIFY(sums.found != sums.left);
        const auto ofAll = update.apply(replica, {0, count}, 2, false, true);
        QCOMPARE(ofAll.found, sums.left + sumOf(weights.first(trained)));
    }
    void schedulesAreThoseOfKeras() {
        using Kind = config::ScheduleKind;
        const std::map<std::string, config::ScheduleSpec> schedules{
            {"cosine", {.kind = Kind::Cosine, .decaySteps = 30, .alpha = 0.1}},
            {"cosine_warmup",
             {.kind = Kind::Cosine,
              .initialLearningRate = 0.01,
              .decaySteps = 30,
              .alpha = 0.05,
              .warmupTarget = 0.1,
              .warmupSteps = 9}},
            {"exponential", {.kind = Kind::Exponential, .decaySteps = 7, .decayRate = 0.96}},
            {"staircase",
             {.kind = Kind::Exponential, .decaySteps = 7, .decayRate = 0.5, .staircase = true}},
            {"piecewise",
             {.kind = Kind::Piecewise, .boundaries = {5, 29}, .values = {1, 0.5, 0.1}}},
            {"polynomial",
             {.kind = Kind::Polynomial, .decaySteps = 30, .endLearningRate = 0.001, .power = 2.5}},
            {"polynomial_cycle",
             {.kind = Kind::Polynomial, .decaySteps = 30, .endLearningRate = 0.001, .cycle = true}},
        };
        std::vector<std::int64_t> iterations{25, 29, 30, 31, 39, 40, 41, 60, 99, 1000};
        for (std::int64_t i = 19; i >= 0; --i)
            iterations.insert(iterations.begin(), i);
        const auto golden = goldenNumbers();
        for (const auto& [name, spec] : schedules) {
            const optim::Schedule schedule(scheduled(spec), 10);
            const auto& expected = golden.at("schedule " + name);
            QCOMPARE(expected.size(), iterations.size());
            for (std::size_t i = 0; i < iterations.size(); ++i) {
                const double error = std::abs(schedule.rateAt(iterations[i] + 1) - expected[i]);
                QVERIFY2(error < 1e-12, qPrintable(QString("%1 at %2: off by %3")
                                                       .arg(name.c_str())
                                                       .arg(iterations[i])
                                                       .arg(error)));
            }
        }
    }
    void epochsCountAsTheirSteps() {
        const optim::Schedule steps(scheduled({.kind = config::ScheduleKind::Cosine,
                                               .decaySteps = 25,
                                               .warmupTarget = 0.2,
                                               .warmupSteps = 5}),
                                    10);
        const optim::Schedule epochs(scheduled({.kind = config::ScheduleKind::Cosine,
                                                .decayEpochs = 2.5,
                                                .warmupTarget = 0.2,
                                                .warmupEpochs = 0.5}),
                                     10);
        for (std::int64_t step = 1; step <= 40; ++step)
            QCOMPARE(epochs.rateAt(step), steps.rateAt(step));
        QVERIFY(steps.rateAt(1) != steps.rateAt(2));
    }
    void aSumOfSquaresIsTheSameHoweverItIsCut() {
        std::vector<float> values(10'000);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(std::sin(static_cast<double>(i * i))) *
                        std::ldexp(1.0F, -static_cast<int>(i % 23));
        const auto isas = tensor::supportedIsas();
        const double unit = tensor::unitOfSquares(tensor::largestMagnitude(isas[0], values));
        const auto whole = tensor::sumOfSquares(isas[0], values, unit);
        double expected = 0;
        for (const float value : values)
            expected += static_cast<double>(value) * static_cast<double>(value);
        QVERIFY(std::abs(whole.toDouble() * unit / expected - 1) < 1e-9);
        for (const tensor::VectorIsa isa : isas)
            for (const std::size_t cut : {1U, 7U, 16U, 4095U, 9999U}) {
                tensor::WideSum sum =
                    tensor::sumOfSquares(isa, std::span(values).subspan(cut), unit);
                sum.add(tensor::sumOfSquares(isa, std::span(values).first(cut), unit));
                QCOMPARE(sum.low, whole.low);
                QCOMPARE(sum.high, whole.high);
            }
    }
};

QTEST_GUILESS_MAIN(ParameterUpdateTest)
#include "tst_parameter_update.moc"

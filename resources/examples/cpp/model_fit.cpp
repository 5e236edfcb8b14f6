// SPDX-License-Identifier: Apache-2.0
// model_fit.cpp: a network on numbers of the program's own. Started once it trains on two replicas
// of this machine; started as every task of a cluster, with its TF_CONFIG, on all of them.
#include <cmath>
#include <iostream>
#include <random>

#include "core/distribution/devices.h"
#include "core/distribution/strategy.h"
#include "core/fit/model.h"

using namespace lockstep;

/// Points of two spirals, and on which of them each lies.
fit::Dataset spirals(std::uint64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(0, 1);
    std::vector<float> points;
    std::vector<std::int64_t> classes;
    for (std::uint64_t i = 0; i < count; ++i) {
        const bool second = uniform(random) < 0.5F;
        const float turn = 1 + 5 * uniform(random);
        const float angle = turn + (second ? 3.14159F : 0);
        points.push_back(turn * std::cos(angle) + 0.2F * uniform(random));
        points.push_back(turn * std::sin(angle) + 0.2F * uniform(random));
        classes.push_back(second ? 1 : 0);
    }
    return fit::Dataset::fromTensors(*fit::Tensor::make(points, {count, 2}),
                                     *fit::Tensor::make(classes, {count}));
}

int failed(const Error& error) {
    std::cerr << "error: " << error.message << "\n  " << error.remedy << "\n";
    return 1;
}

int main(int argc, char** argv) {
    distribution::InitializeOptions options;  // who is who comes from TF_CONFIG and its kin
    if (argc > 1) options.keyFile = argv[1];  // on several machines: a path that all of them see
    if (auto set = distribution::setCpuDeviceCount(2); !set) return failed(set.error());
    const auto strategy = distribution::MultiWorkerMirroredStrategy::make(options);
    if (!strategy) return failed(strategy.error());
    const auto scope = (*strategy)->scope();

    auto model = fit::Model::sequential({{"dense", {{"units", 64}, {"activation", "relu"}}},
                                         {"dense", {{"units", 64}, {"activation", "relu"}}},
                                         {"dense", {{"units", 2}}}});
    if (!model) return failed(model.error());
    if (auto compiled = model->compile({"adam", {{"learning_rate", 0.003}}},
                                       {"sparse_categorical_crossentropy"});
        !compiled)
        return failed(compiled.error());

    // A scale that suits the network, then an order of its own for every epoch; 64 is the batch of
    // all replicas together.
    const auto halved = [](const fit::Element& sample) -> Result<fit::Element> {
        auto x = sample.x.values<float>();
        for (float& number : x)
            number /= 2;
        return fit::Element{fit::Tensor::ofValues(x), sample.y};
    };
    const auto train = spirals(2000, 1).map(halved).cache().shuffle(2000).batch(64).prefetch(4);
    const auto validation = spirals(500, 2).map(halved).batch(100);

    const auto history =
        model->fit(train, {.validation = validation,
                           .epochs = 40,
                           .callbacks = {fit::onEpochEnd([](const fit::EpochFigures& epoch) {
                               return epoch.validation.accuracy < 0.99;  // that is good enough
                           })},
                           .seed = 1,
                           .settings = {{"early_stopping.monitor", "validation_loss"},
                                        {"early_stopping.patience", 10},
                                        {"log.csv", true}}});
    if (!history) return failed(history.error());
    std::cout << "epochs " << history->epochs.size() << ", loss "
              << history->values.at("loss").back() << ", validation accuracy "
              << history->values.at("val_accuracy").back() << "\n";

    if (!(*strategy)->isEvaluator()) {
        const auto scores = model->evaluate(spirals(500, 3).map(halved).batch(100));
        if (!scores) return failed(scores.error());
        const auto logits =
            model->predict(*fit::Tensor::make(std::vector<float>{0.5F, 0.4F}, {1, 2}));
        if (!logits) return failed(logits.error());
        std::cout << "test accuracy " << scores->at("accuracy") << ", a point's logits "
                  << logits->at(0) << " and " << logits->at(1) << "\n";
    }
    std::cout << "state " << history->stateHash << ", run " << history->runFolder.string() << "\n";
    const auto left = distribution::shutdown();
    return left ? 0 : failed(left.error());
}

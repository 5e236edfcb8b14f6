// SPDX-License-Identifier: Apache-2.0
// model_parallel.cpp: a network whose variables two devices share, and whose batch two rows of
// devices share. Started once it has the four devices itself; started as each of two or four
// processes of a group (KERAS_DISTRIBUTION_*), together with the others.
#include <iostream>
#include <random>

#include "core/distribution/devices.h"
#include "core/distribution/initialize.h"
#include "core/distribution/model_parallel.h"
#include "core/fit/model.h"

using namespace lockstep;

int failed(const Error& error) {
    std::cerr << "error: " << error.message << "\n  " << error.remedy << "\n";
    return 1;
}

/// Points in a square, and whether each lies within a circle.
fit::Dataset circle(std::uint64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> points;
    std::vector<std::int64_t> classes;
    for (std::uint64_t i = 0; i < count; ++i) {
        const float x = uniform(random);
        const float y = uniform(random);
        points.insert(points.end(), {x, y});
        classes.push_back(x * x + y * y < 0.5F ? 1 : 0);
    }
    return fit::Dataset::fromTensors(*fit::Tensor::make(points, {count, 2}),
                                     *fit::Tensor::make(classes, {count}));
}

int main(int argc, char** argv) {
    const int each = argc > 1 ? std::stoi(argv[1]) : 4;  // devices of a process
    if (auto set = distribution::setCpuDeviceCount(each); !set) return failed(set.error());
    if (each < 4)
        if (auto formed = distribution::initialize(); !formed) return failed(formed.error());

    const auto cpus = distribution::listDevices("cpu");  // or "gpu"
    if (!cpus) return failed(cpus.error());
    const auto mesh = distribution::DeviceMesh::make({2, 2}, {"batch", "model"}, *cpus);
    if (!mesh) return failed(mesh.error());
    distribution::LayoutMap layouts(*mesh);
    // Kernels are (inputs, outputs), as Keras has them.
    for (const auto& [path, axes] :
         std::initializer_list<std::pair<const char*, distribution::TensorLayout::Axes>>{
             {"up/kernel", {std::nullopt, "model"}},
             {"up/bias", {"model"}},
             {"down/kernel", {"model", std::nullopt}}})
        if (auto put = layouts.insert(path, axes); !put) return failed(put.error());
    const auto parallel = distribution::ModelParallel::make({.layoutMap = layouts});
    if (!parallel) return failed(parallel.error());
    distribution::setDistribution(*parallel);

    auto model = fit::Model::sequential(
        {{"dense", {{"name", "up"}, {"units", 64}, {"activation", "relu"}}},
         {"dense", {{"name", "down"}, {"units", 64}, {"activation", "relu"}}},
         {"dense", {{"name", "out"}, {"units", 2}}}});
    if (!model) return failed(model.error());
    if (auto compiled = model->compile({"adam"}, {"sparse_categorical_crossentropy"}); !compiled)
        return failed(compiled.error());
    const auto history =
        model->fit(circle(4000, 1).shuffle(4000).batch(64),
                   {.validation = circle(1000, 2).batch(100), .epochs = 12, .seed = 1});
    if (!history) return failed(history.error());
    std::cout << "validation accuracy " << history->values.at("val_accuracy").back() << "\nstate "
              << history->stateHash << ", run " << history->runFolder.string() << "\n";
    const auto left = distribution::shutdown();
    return left ? 0 : failed(left.error());
}

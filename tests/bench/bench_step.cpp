// SPDX-License-Identifier: Apache-2.0
// Prints the time of a training step of the guide's network (784-256-256-10, Adam) on one thread:
// gather, forward, loss, backward, finite check and update. Not a test: it judges nothing.
#include <array>
#include <vector>

#include "core/base/clock.h"
#include "core/base/rng.h"
#include "core/base/thread.h"
#include "core/nn/network.h"
#include "core/optim/optimizer.h"
#include "tests/bench/figures.h"

using namespace lockstep;
using namespace lockstep::bench;

namespace {

constexpr std::size_t kFeatures = 784;
constexpr std::size_t kClasses = 10;
constexpr std::size_t kImages = 20000;
constexpr int kRounds = 3;
enum Phase : std::size_t { Gather, Forward, Loss, Backward, Check, Update, PhaseCount };
constexpr std::array<const char*, PhaseCount> kPhaseNames{"gather",   "forward", "loss",
                                                          "backward", "check",   "update"};

/// Microseconds of each phase of every step, the whole step last.
using Times = std::array<std::vector<double>, PhaseCount + 1>;

struct Bench {
    std::unique_ptr<tensor::Device> device = tensor::openCpuDevice();
    std::unique_ptr<tensor::Stream> stream = device->makeStream().value();
    nn::Network network =
        nn::Network::make({.layers = {{.units = 256, .activation = config::Activation::Relu},
                                      {.units = 256, .activation = config::Activation::Relu},
                                      {.units = 10}}},
                          kFeatures, kClasses)
            .value();
    optim::Optimizer optimizer = optim::Optimizer::make({}).value();
    std::vector<std::uint8_t> images;
    std::vector<std::uint8_t> labels;

    Bench() : images(kImages * kFeatures), labels(kImages) {
        CounterRng rng(1);
        for (auto& pixel : images)
            pixel = static_cast<std::uint8_t>(rng.nextBelow(5) == 0 ? rng.nextBelow(256) : 0);
        for (auto& label : labels)
            label = static_cast<std::uint8_t>(rng.nextBelow(kClasses));
    }

    tensor::Buffer floats(std::size_t count) {
        return device->allocate(count * sizeof(float)).value();
    }
    void measure(std::size_t batch, int steps, Times& times);
};

void Bench::measure(std::size_t batch, int steps, Times& times) {
    auto& ops = device->ops();
    const std::size_t count = network.parameterCount();
    auto memory = floats(count), gradientMemory = floats(count);
    auto first = floats(count), second = floats(count), xMemory = floats(batch * kFeatures);
    const auto parameters = memory.as<float>(), gradients = gradientMemory.as<float>();
    const optim::Moments moments{first.as<float>(), second.as<float>()};
    const tensor::Matrix x{xMemory.as<float>().data(), batch, kFeatures};
    auto workspace = nn::Workspace::make(*device, network, batch).value();
    std::vector<std::uint32_t> indices(batch);
    std::vector<std::int32_t> targets(batch);
    CounterRng rng(2);
    network.initialise(parameters, 1);

    for (int step = 1; step <= steps; ++step) {
        for (auto& index : indices)
            index = rng.nextBelow(kImages);
        std::array<Nanos, PhaseCount + 1> at{SteadyClock::read()};
        ops.gatherImages(*stream, images, indices, x);
        ops.gatherLabels(*stream, labels, indices, targets);
        at[Gather + 1] = SteadyClock::read();
        network.forward(*stream, parameters, x, workspace);
        at[Forward + 1] = SteadyClock::read();
        network.lossAndGradient(*stream, targets, 1.0F / static_cast<float>(batch), workspace);
        at[Loss + 1] = SteadyClock::read();
        network.backward(*stream, parameters, gradients, workspace, {});
        at[Backward + 1] = SteadyClock::read();
        bool finite = false;
        ops.allFinite(*stream, gradients, finite);
        at[Check + 1] = SteadyClock::read();
        optimizer.update(ops, *stream, 0, count, gradients, parameters, moments, step);
        at[Update + 1] = SteadyClock::read();
        for (std::size_t i = 0; i < PhaseCount; ++i)
            times[i].push_back(Seconds(at[i + 1] - at[i]).count() * 1e6);
        times[PhaseCount].push_back(Seconds(at[PhaseCount] - at[0]).count() * 1e6);
    }
}

void print(std::size_t batch, const Times& times) {
    std::string phases;
    for (std::size_t i = 0; i < PhaseCount; ++i)
        phases += fmt::format("{} {:.0f}  ", kPhaseNames[i], median(times[i]));
    row(fmt::format("batch {}, median of {} steps", batch, times[PhaseCount].size()),
        median(times[PhaseCount]), "us", phases);
}

}  // namespace

int main() {
    struct Size {
        std::size_t batch;
        int steps;  // a round
        Times times{};
    };
    flushDenormals();
    Bench bench;
    std::array<Size, 3> sizes{{{32, 1000}, {512, 100}, {4096, 15}}};
    for (int round = 0; round < kRounds; ++round)
        for (Size& size : sizes)
            bench.measure(size.batch, size.steps, size.times);
    fmt::print("  training step on one thread, {} rounds\n", kRounds);
    for (const Size& size : sizes)
        print(size.batch, size.times);
    return 0;
}

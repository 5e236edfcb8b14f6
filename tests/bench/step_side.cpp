// SPDX-License-Identifier: Apache-2.0
// Our side of the comparisons of a training step, asked by programs of tests/bench/compare. Each
// line of standard input is a question, each line of output its answer in microseconds:
//   floor BATCH STEPS   the step's matrix products and one pass of Adam, without anything else
//   step BATCH STEPS    the whole step of the real loop, its prefetching included
//   wall BATCH STEPS    the same in the time that passes
//   phases BATCH STEPS  medians of its phases: data, forward, backward, all-reduce, update
//   identity BATCH STEPS EVERY  the step, with training.identity_every_steps = EVERY
//   copy ROUNDS         one comparison of copies of the weights: the hash of a copy
//   drift STEPS         medians of steps 200 to 1200 and of the last thousand, batch 32
// Floor and step are processor time of the process a step: other users of the machine do not count,
// and on one idle processor it is the time that passes.
#include <ctime>
#include <iostream>
#include <sstream>

#include "core/base/hash.h"
#include "core/base/thread.h"
#include "core/tensor/cpu/gemm.h"
#include "core/tensor/cpu/kernels.h"
#include "tests/bench/guide_job.h"

using namespace lockstep;
using namespace lockstep::bench;

namespace {

double micros(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return double(now.tv_sec) * 1e6 + double(now.tv_nsec) * 1e-3;
}
double processorMicros() {
    return micros(CLOCK_PROCESS_CPUTIME_ID);
}

/// The time of the steps alone: from the first until the epoch has ended.
struct StepClock final : UnwatchedEvents {
    explicit StepClock(clockid_t source) : clock(source) {}
    clockid_t clock;
    double begin = 0;
    double end = 0;
    void stateChanged(wire::RunState state, const std::string& /*sentence*/) override {
        if (state == wire::RUN_STATE_TRAINING && begin == 0) begin = micros(clock);
        if (state == wire::RUN_STATE_TESTING) end = micros(clock);
    }
};

/// The operands of one dense layer's three products.
class Products {
public:
    Products(tensor::Device& device, std::size_t batch, std::size_t inputs, std::size_t units)
        : x_(matrix(device, batch, inputs)),
          weight_(matrix(device, units, inputs)),
          y_(matrix(device, batch, units)),
          dx_(matrix(device, batch, inputs)),
          dWeight_(matrix(device, units, inputs)) {
        CounterRng rng(1);
        for (const tensor::Matrix one : {x_, weight_, y_})
            for (float& value : one.flat())
                value = rng.nextFloat(-0.1F, 0.1F);
    }
    void forward() const { tensor::multiplyByTransposed(x_, weight_, y_); }
    void backward(bool wantsInputGradient) const {
        tensor::multiplyTransposedBy(y_, x_, dWeight_);
        if (wantsInputGradient) tensor::multiply(y_, weight_, dx_);
    }

private:
    tensor::Matrix matrix(tensor::Device& device, std::size_t rows, std::size_t columns) {
        memory_.push_back(valueOrExit(device.allocate(rows * columns * sizeof(float))));
        return {memory_.back().as<float>().data(), rows, columns};
    }
    std::vector<tensor::Buffer> memory_;
    tensor::Matrix x_, weight_, y_, dx_, dWeight_;
};

double floorMicros(std::uint32_t batch, int steps) {
    const auto device = tensor::openCpuDevice();
    const std::array<Products, 3> layers{{{*device, batch, kFeatures, kHidden},
                                          {*device, batch, kHidden, kHidden},
                                          {*device, batch, kHidden, kClasses}}};
    const auto network = valueOrExit(
        program::makeNetwork(GuideJob::model(), {.input = {kFeatures}, .classes = kClasses}));
    const std::size_t count = network.parameterCount();
    std::array<tensor::Buffer, 4> state;  // parameters, gradients and both moments
    for (auto& one : state)
        one = valueOrExit(device->allocate(count * sizeof(float)));
    const tensor::AdamSettings adam{1e-3F, 0.1F, 1e-3F, 1e-7F};
    double begin = 0;
    for (int step = -1; step < steps; ++step) {  // the first one compiles the products
        if (step == 0) begin = processorMicros();
        for (const Products& layer : layers)
            layer.forward();
        for (std::size_t layer = layers.size(); layer-- > 0;)
            layers[layer].backward(layer > 0);
        tensor::bestKernels().adam(adam, state[1].as<float>().data(), state[0].as<float>().data(),
                                   state[2].as<float>().data(), state[3].as<float>().data(), count);
    }
    return (processorMicros() - begin) / steps;
}

double stepMicros(GuideJob& job, std::uint32_t batch, int steps, clockid_t source) {
    StepClock clock(source);
    std::ignore = job.train(batch, steps, nullptr, &clock);
    return (clock.end - clock.begin) / steps;
}

double guardedStepMicros(GuideJob& job, std::uint32_t batch, int steps, int every) {
    StepClock clock(CLOCK_PROCESS_CPUTIME_ID);
    std::ignore = job.train(batch, steps, nullptr, &clock, every);
    return (clock.end - clock.begin) / steps;
}

/// As WeightIdentity does it; its exchange of a number for each replica is not in it.
double copyMicros(const GuideJob& job, int rounds) {
    std::vector<float> weights(job.parameterCount(), 0.5F);
    const std::string_view bytes(reinterpret_cast<const char*>(weights.data()),
                                 weights.size() * sizeof(float));
    std::uint64_t all = 0;
    const double begin = processorMicros();
    for (int round = 0; round < rounds; ++round) {
        weights[0] += 1;
        all ^= shortHash(bytes);
    }
    const double micros = (processorMicros() - begin) / rounds;
    return all == 0 ? 0 : micros;
}

std::string phaseMicros(GuideJob& job, std::uint32_t batch, int steps) {
    telemetry::StepRing ring(0, static_cast<std::size_t>(steps));
    std::ignore = job.train(batch, steps, &ring, nullptr);
    std::vector<wire::Record> records;
    ring.drainLast(0, records);
    const wire::StepBatch& batches = records.front().steps();
    std::string medians;
    for (const auto* phase : {&batches.data_us(), &batches.forward_us(), &batches.backward_us(),
                              &batches.all_reduce_us(), &batches.update_us()})
        medians +=
            fmt::format("{:.3f} ", median(std::vector<double>(phase->begin(), phase->end())));
    return medians;
}

std::string driftMicros(GuideJob& job, int steps) {
    constexpr std::ptrdiff_t kWindow = 1000;
    constexpr std::ptrdiff_t kWarm = 200;
    const auto times = job.train(32, steps, nullptr, nullptr).stepMilliseconds;
    const auto medianOf = [](auto first) {
        return 1e3 * median(std::vector<double>(first, first + kWindow));
    };
    return fmt::format("{:.3f} {:.3f}", medianOf(times.begin() + kWarm),
                       medianOf(times.end() - kWindow));
}

}  // namespace

int main() {
    flushDenormals();
    GuideJob job(randomSplit(32768));
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string question;
        std::uint32_t first = 0;
        int steps = 0;
        int every = 0;
        words >> question >> first >> steps >> every;
        if (question == "drift")
            std::cout << driftMicros(job, static_cast<int>(first)) << std::endl;
        else if (question == "phases" && steps > 0)
            std::cout << phaseMicros(job, first, steps) << std::endl;
        else if (question == "identity" && steps > 0)
            std::cout << guardedStepMicros(job, first, steps, every) << std::endl;
        else if (question == "copy" && first > 0)
            std::cout << copyMicros(job, static_cast<int>(first)) << std::endl;
        else if (question == "floor" && steps > 0)
            std::cout << floorMicros(first, steps) << std::endl;
        else if (question == "step" && steps > 0)
            std::cout << stepMicros(job, first, steps, CLOCK_PROCESS_CPUTIME_ID) << std::endl;
        else if (question == "wall" && steps > 0)
            std::cout << stepMicros(job, first, steps, CLOCK_MONOTONIC) << std::endl;
        else
            return 2;
    }
    return 0;
}

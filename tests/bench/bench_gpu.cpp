// SPDX-License-Identifier: Apache-2.0
// Times whole training steps of the guide's network (784-256-256-10, Adam) on a GPU, data resident,
// as one CUDA graph a step and launch by launch. With --json a line of JSON for each, for
// tests/gpu/check_gpu.py. Without a GPU it says why and ends well.
#include <cstring>

#include "core/base/rng.h"
#include "core/data/batch_plan.h"
#include "core/optim/optimizer.h"
#include "core/program/job_network.h"
#include "core/tensor/cuda_module.h"
#include "core/tensor/gpu_support.h"
#include "core/train/replica/gpu_program.h"
#include "tests/bench/figures.h"

using namespace lockstep;
using namespace lockstep::bench;

namespace {

constexpr std::uint32_t kImages = 65'536;
constexpr std::size_t kFeatures = 784;
constexpr double kWeights = 784.0 * 256 + 256.0 * 256 + 256.0 * 10;

struct Case {
    std::uint32_t batch;
    config::Precision precision;
    bool captured;
    int windows;
};

const char* nameOf(config::Precision precision) {
    return precision == config::Precision::Float32 ? "float32"
           : precision == config::Precision::Tf32  ? "tf32"
                                                   : "bfloat16";
}

struct Job {
    data::Dataset data;
    config::TrainingSpec training;
    program::Network network =
        program::makeNetwork({.layers = {{.units = 256, .activation = config::Activation::Relu},
                                         {.units = 256, .activation = config::Activation::Relu},
                                         {.units = 10}}},
                             {.input = {kFeatures}, .classes = 10})
            .value();

    Job() {
        std::vector<std::uint8_t> images(kImages * kFeatures);
        std::vector<std::uint8_t> labels(kImages);
        CounterRng rng(1);
        for (auto& pixel : images)
            pixel = static_cast<std::uint8_t>(rng.nextBelow(5) == 0 ? rng.nextBelow(256) : 0);
        for (auto& label : labels)
            label = static_cast<std::uint8_t>(rng.nextBelow(10));
        data.train = std::make_shared<data::Split>(
            data::imageSplit(kImages, {28, 28, 1}, std::move(images), data::labelBytes(labels)));
        data.validation = data.test =
            std::make_shared<data::Split>(data::imageSplit(0, {28, 28, 1}, {}, {}));
        data.facts = {.input = {28, 28, 1}, .classes = 10};
    }
};

struct Times {
    std::vector<double> steps;  ///< Microseconds of each, by the device's clock, from end to end.
    double products = 0;        ///< Microseconds of a step's products alone.
};

Times measure(const Job& job, const Case& one) {
    config::TrainingSpec training = job.training;
    training.precision = one.precision;
    auto programs = train::enginePrograms(
        training, job.network, job.data,
        collective::planBuckets(job.network.cuts(), job.network.parameterCount()), one.batch, 1);
    tensor::EngineProgram& program = programs.steps;
    program.captured = one.captured;
    program.splits.resize(1);
    const auto module = valueOrExit(tensor::loadCudaModule());
    const auto engine = valueOrExit(program::makeCudaEngine(programs, {}));
    std::vector<float> parameters(program.parameters);
    std::vector<float> moment(program.parameters);
    job.network.initialise(parameters, 1);
    const std::span<float> moments[] = {moment, moment};
    valueOrExit(engine->upload(parameters, {}, moments));
    std::vector<std::uint32_t> order(kImages);
    for (std::uint32_t i = 0; i < kImages; ++i)
        order[i] = (i * 40'503U) % kImages;  // odd, so every image once
    valueOrExit(engine->setOrder(order));

    std::vector<double> times;
    std::int64_t step = 0;
    for (int window = 0; window < one.windows || engine->underWay() > 0; ++window) {
        if (window < one.windows) {
            std::vector<tensor::EngineStep> steps;
            for (std::size_t i = 0; i < tensor::StepEngine::kWindow; ++i) {
                const auto first = static_cast<std::uint32_t>(
                    static_cast<std::uint64_t>(step) * one.batch % (kImages - one.batch + 1));
                ++step;
                steps.push_back({first, one.batch, one.batch, 1.0F / static_cast<float>(one.batch),
                                 static_cast<float>(optim::adamStepSize(0.001, 0.9, 0.999, step))});
            }
            valueOrExit(engine->enqueue(steps));
            if (window == 0) continue;
        }
        for (const tensor::EngineFigures& figures :
             valueOrExit(engine->collect(std::chrono::seconds(120))))
            if (step > 64 && figures.stamps[0] > 0)
                times.push_back(static_cast<double>(figures.stamps[5] - figures.stamps[0]) * 1e-3);
    }
    times.erase(times.begin(), times.begin() + std::min<std::ptrdiff_t>(64, std::ssize(times) / 2));
    const double products = valueOrExit(module.table.productSeconds(0, program, one.batch));
    return {std::move(times), products * 1e6};
}

void print(const Case& one, const Times& measured, bool json) {
    const std::vector<double>& times = measured.steps;
    const double typical = median(times);
    const double teraflops = 6 * kWeights * one.batch / typical * 1e-6;
    // Read the batch's bytes, and gradients, weights and moments once each; write them once.
    const double bytes = one.batch * 784.0 + kWeights * 4 * 8;
    if (json) {
        fmt::print(
            "{{\"batch\": {}, \"precision\": \"{}\", \"captured\": {}, \"median_us\": {:.3f}, "
            "\"p99_us\": {:.3f}, \"teraflops\": {:.3f}, \"products_us\": {:.3f}, "
            "\"bytes\": {:.0f}}}\n",
            one.batch, nameOf(one.precision), one.captured, typical, quantile(times, 0.99),
            teraflops, measured.products, bytes);
        return;
    }
    row(fmt::format("batch {}, {}, {}", one.batch, nameOf(one.precision),
                    one.captured ? "one graph a step" : "launch by launch"),
        typical, "us",
        fmt::format("{:.2f} TFLOP/s, products alone {:.1f} us, {} steps", teraflops,
                    measured.products, times.size()));
}

}  // namespace

int main(int argc, char** argv) {
    const bool json = argc > 1 && std::strcmp(argv[1], "--json") == 0;
    const tensor::GpuSupport support = tensor::findGpuSupport();
    if (!support.usable()) {
        fmt::print(stderr, "  skipped: {}\n", support.sentence);
        return 0;
    }
    using config::Precision;
    const Job job;
    for (const Precision precision : {Precision::Float32, Precision::Tf32, Precision::BFloat16})
        for (const Case& one : {Case{32, precision, true, 40}, Case{32, precision, false, 20},
                                Case{512, precision, true, 40}, Case{65'536, precision, true, 4}})
            print(one, measure(job, one), json);
    return 0;
}

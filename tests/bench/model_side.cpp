// SPDX-License-Identifier: Apache-2.0
// Our side of the comparisons of described networks, asked by compare/models.py. Each line of
// standard input is a question, each line of output its answer:
//   step NETWORK STEPS         microseconds of processor time, and of time that passes, a step:
//                              forward, loss, backward and update; batches lie ready
//   convolutions NETWORK STEPS the same of the network's convolutions alone, with their gradients
//   profile NETWORK STEPS      its program with the time of each instruction, to standard error
//   peak                       the largest resident size so far, in MB
// NETWORK is the file tests/bench/networks/NETWORK.toml.
#include <sys/resource.h>

#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <variant>

#include "core/base/rng.h"
#include "core/base/thread.h"
#include "core/config/document/job_file.h"
#include "core/config/job/model_spec.h"
#include "core/model/build_graph.h"
#include "core/optim/optimizer.h"
#include "core/program/compile.h"
#include "core/program/cpu/cpu_executor.h"
#include "core/program/cpu/time_program.h"
#include "core/program/network.h"
#include "core/program/print.h"
#include "core/tensor/cpu/layers/losses.h"
#include "tests/bench/figures.h"

using namespace lockstep;
using namespace lockstep::bench;

namespace {

double micros(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return double(now.tv_sec) * 1e6 + double(now.tv_nsec) * 1e-3;
}

model::DataFacts factsOf(const std::string& name) {
    if (name == "gpt") return {.input = {64}, .vocabulary = 65};
    if (name.starts_with("resnet")) return {.input = {32, 32, 3}, .classes = 10};
    return {.input = {28, 28, 1}, .classes = 10};
}

/// One replica's training of a network, on the calling thread, from a batch that lies ready.
class Training {
public:
    explicit Training(const std::string& name)
        : spec_(readSpec(name)),
          network_(graphOf(spec_, name)),
          optimizer_(valueOrExit(optim::Optimizer::make(spec_.training))),
          executor_(valueOrExit(program::CpuExecutor::make(
              *device_, program::compile(network_.graph(), spec_.training.globalBatchSize,
                                         program::Program::Mode::Training)))) {
        parameters_ = floats(network_.parameterCount());
        gradients_ = floats(network_.parameterCount());
        for (int i = 0; i < optimizer_.momentCount(); ++i)
            moments_.push_back(floats(network_.parameterCount()));
        statistics_.resize(network_.statisticsCount());
        network_.initialise(parameters_.as<float>(), 1, statistics_);
        const auto rows = static_cast<std::size_t>(spec_.training.globalBatchSize);
        samples_.resize(rows * network_.inputFeatures());
        CounterRng rng(1);
        for (float& value : samples_)
            value = name == "gpt" ? static_cast<float>(rng.nextBelow(65)) : rng.nextFloat();
        classes_ = static_cast<std::size_t>(network_.graph().output().back());
        labels_.resize(rows * network_.outputFeatures() / classes_);
        for (auto& label : labels_)
            label = static_cast<std::int32_t>(rng.nextBelow(static_cast<std::uint32_t>(classes_)));
    }

    void step() {
        ++step_;
        const auto logits = valueOrExit(executor_->forward(
            {.samples = samples_, .rows = spec_.training.globalBatchSize, .step = step_},
            parameters_.as<float>(), statistics_, alone_));
        tensor::LossTotals totals;
        tensor::sparseCrossEntropy({logits.data(), labels_.size(), classes_}, labels_, {},
                                   1.0F / static_cast<float>(labels_.size()),
                                   {executor_->outputGradient().data(), labels_.size(), classes_},
                                   totals);
        valueOrExit(
            executor_->backward(parameters_.as<float>(), gradients_.as<float>(), alone_, {}));
        optim::Moments moments;
        for (std::size_t i = 0; i < moments_.size(); ++i)
            moments[i] = moments_[i].as<float>();
        optimizer_.update(0, network_.parameterCount(), gradients_.as<float>(),
                          parameters_.as<float>(), moments, step_);
    }
    [[nodiscard]] const program::Program& program() const { return executor_->program(); }

private:
    static config::JobSpec readSpec(const std::string& name) {
        const std::ifstream file(LOCKSTEP_NETWORKS "/" + name + ".toml");
        std::stringstream text;
        text << file.rdbuf();
        return valueOrExit(config::JobDocument::parse(text.str(), name)).spec();
    }
    static program::Network graphOf(const config::JobSpec& spec, const std::string& name) {
        auto graph = model::buildGraph(config::descriptionOf(spec.model), factsOf(name));
        if (!graph) {
            std::cerr << name << ": " << model::sentenceOf(graph.error()) << std::endl;
            std::exit(1);
        }
        return program::Network(*std::move(graph));
    }
    [[nodiscard]] tensor::Buffer floats(std::size_t count) const {
        return valueOrExit(device_->allocate(count * sizeof(float)));
    }

    std::unique_ptr<tensor::Device> device_ = tensor::openCpuDevice();
    config::JobSpec spec_;
    program::Network network_;
    optim::Optimizer optimizer_;
    std::unique_ptr<program::CpuExecutor> executor_;
    tensor::Buffer parameters_;
    tensor::Buffer gradients_;
    std::vector<tensor::Buffer> moments_;
    std::vector<float> statistics_;
    std::vector<float> samples_;
    std::vector<std::int32_t> labels_;
    std::size_t classes_ = 0;
    program::NoReplicaSum alone_;
    std::int64_t step_ = 0;
};

/// Of the convolutions with their gradients, in microseconds a step.
double convolutionMicros(const program::Program& program, int steps) {
    const auto times = valueOrExit(program::timeProgram(program, steps));
    Nanos sum{0};
    const auto add = [&](const auto& instructions, const std::vector<Nanos>& of) {
        for (std::size_t i = 0; i < instructions.size(); ++i) {
            const auto& node = program.graph.nodes[static_cast<std::size_t>(instructions[i].node)];
            const bool counts = std::holds_alternative<model::Convolution>(node.operation) &&
                                instructions[i].action != program::Action::Accumulate;
            if (counts) sum += of[i];
        }
    };
    add(program.forward, times.forward);
    add(program.backward, times.backward);
    return static_cast<double>(sum.count()) * 1e-3 / steps;
}

double peakMegabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_maxrss) / 1024;
}

}  // namespace

int main() {
    flushDenormals();
    std::map<std::string, std::unique_ptr<Training>> known;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        std::string question;
        std::string name;
        int steps = 0;
        words >> question >> name >> steps;
        if (question == "peak") {
            std::cout << peakMegabytes() << std::endl;
            continue;
        }
        if (steps < 1) return 2;
        auto& training = known[name];
        if (!training) {
            training = std::make_unique<Training>(name);
            training->step();
        }
        if (question == "profile") {
            const auto times = valueOrExit(program::timeProgram(training->program(), steps));
            std::cerr << toText(training->program(), times);
            std::cout << 0 << std::endl;
        } else if (question == "convolutions") {
            std::cout << convolutionMicros(training->program(), steps) << std::endl;
        } else if (question == "step") {
            const double processor = micros(CLOCK_PROCESS_CPUTIME_ID);
            const double passed = micros(CLOCK_MONOTONIC);
            for (int step = 0; step < steps; ++step)
                training->step();
            std::cout << (micros(CLOCK_PROCESS_CPUTIME_ID) - processor) / steps << ' '
                      << (micros(CLOCK_MONOTONIC) - passed) / steps << std::endl;
        } else {
            return 2;
        }
    }
    return 0;
}

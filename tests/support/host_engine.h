// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "core/optim/optimizer.h"
#include "core/program/compile.h"
#include "core/program/cpu/cpu_executor.h"
#include "core/program/network.h"
#include "core/tensor/cpu/layers/losses.h"
#include "core/tensor/cpu/operations.h"
#include "core/tensor/device.h"
#include "core/tensor/step_engine.h"

namespace lockstep::tests {

/// Adds up what the engines of a job bring, in the order of replicas. Every wait ends after 20 s.
class HostSums {
public:
    explicit HostSums(int replicas) : arrays_(static_cast<std::size_t>(replicas)) {}

    /// False: somebody did not come.
    [[nodiscard]] bool sum(int replica, std::span<double> values) {
        std::unique_lock lock(mutex_);
        const std::uint64_t round = round_;
        arrays_[static_cast<std::size_t>(replica)] = values;
        if (++arrived_ == arrays_.size()) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                double total = 0;
                for (const auto array : arrays_)
                    total += array[i];
                for (const auto array : arrays_)
                    array[i] = total;
            }
            arrived_ = 0;
            ++round_;
            changed_.notify_all();
            return true;
        }
        return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return round_ != round; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::span<double>> arrays_;
    std::size_t arrived_ = 0;
    std::uint64_t round_ = 0;
};

/// A StepEngine on the CPU, by the network and the optimiser that train there: what an engine must
/// do, for tests of all that drives one. Steps run when they are enqueued.
class HostEngine final : public tensor::StepEngine {
public:
    struct Parts {
        const program::Network& network;
        const optim::Optimizer& optimizer;
        std::shared_ptr<HostSums> sums;  ///< Null: alone.
        int replica = 0;
    };

    HostEngine(const tensor::EngineProgram& program, Parts parts)
        : program_(program),
          parts_(std::move(parts)),
          executor_(program::CpuExecutor::make(*device_,
                                               program::compile(parts_.network.graph(), kRows,
                                                                program::Program::Mode::Training))
                        .value()),
          parameters_(program.parameters),
          gradients_(program.parameters) {
        for (auto& moment : moments_)
            moment.resize(program.parameters);
    }

    [[nodiscard]] Result<void> upload(std::span<const float> parameters,
                                      std::span<const float> statistics,
                                      std::span<const std::span<float>> moments) override {
        parameters_.assign(parameters.begin(), parameters.end());
        statistics_.assign(statistics.begin(), statistics.end());
        for (std::size_t i = 0; i < moments.size(); ++i)
            moments_[i].assign(moments[i].begin(), moments[i].end());
        return {};
    }
    [[nodiscard]] Result<void> download(std::span<float> parameters, std::span<float> statistics,
                                        std::span<const std::span<float>> moments) override {
        std::ranges::copy(parameters_, parameters.begin());
        std::ranges::copy(statistics_, statistics.begin());
        for (std::size_t i = 0; i < moments.size(); ++i)
            std::ranges::copy(moments_[i], moments[i].begin());
        return {};
    }
    [[nodiscard]] Result<void> setOrder(std::span<const std::uint32_t> order) override {
        order_.assign(order.begin(), order.end());
        return {};
    }
    [[nodiscard]] Result<void> enqueue(std::span<const tensor::EngineStep> steps) override {
        std::vector<tensor::EngineFigures> window;
        for (const tensor::EngineStep& step : steps) {
            auto figures = run(step);
            if (!figures) return fail(figures.error());
            window.push_back(*figures);
        }
        windows_.push_back(std::move(window));
        widest_ = std::max(widest_, steps.size());
        return {};
    }
    int underWay() const override { return static_cast<int>(windows_.size()); }
    [[nodiscard]] Result<std::span<const tensor::EngineFigures>> collect(
        Nanos /*timeout*/) override {
        collected_ = std::move(windows_.front());
        windows_.pop_front();
        return std::span<const tensor::EngineFigures>(collected_);
    }
    void requestStop() override { stop_ = true; }
    // It has the data.
    std::span<float> samplesOfStep() override { return {}; }
    [[nodiscard]] Result<std::span<const float>> forward(const tensor::EngineStep&) override {
        return fail(ErrorCode::Internal, "an engine with data of its own is not fed");
    }
    std::span<float> outputGradient() override { return {}; }
    [[nodiscard]] Result<void> backward(const tensor::LossTotals&) override {
        return fail(ErrorCode::Internal, "an engine with data of its own is not fed");
    }
    [[nodiscard]] Result<tensor::LossTotals> gradients(const tensor::EngineStep& step,
                                                       std::span<float> gradients) override {
        const tensor::LossTotals totals = compute(step);
        std::ranges::copy(gradients_, gradients.begin());
        return totals;
    }
    [[nodiscard]] Result<tensor::LossTotals> score(std::size_t split, std::uint32_t first,
                                                   std::uint32_t count) override {
        order_.resize(std::max<std::size_t>(order_.size(), 1));
        tensor::LossTotals totals;
        for (std::uint32_t done = 0; done < count; done += kRows) {
            const std::uint32_t rows = std::min(kRows, count - done);
            std::vector<std::uint32_t> indices(rows);
            for (std::uint32_t i = 0; i < rows; ++i)
                indices[i] = first + done + i;
            const auto x = gather(split, indices);
            lossOf(x, 1, {}, totals);
        }
        return totals;
    }
    std::string describe() const override { return "on the host"; }

    [[nodiscard]] std::size_t widestWindow() const { return widest_; }

private:
    static constexpr std::uint32_t kRows = 256;

    tensor::ConstMatrix gather(std::size_t split, std::span<const std::uint32_t> indices) {
        pixels_.resize(indices.size() * program_.features);
        labels_.resize(indices.size());
        const tensor::Matrix x{pixels_.data(), indices.size(), program_.features};
        const tensor::EngineSplit& from = program_.splits[split];
        for (std::size_t i = 0; i < indices.size(); ++i) {
            tensor::scaleBytes(from.images.subspan(indices[i] * x.columns, x.columns), x.row(i));
            labels_[i] = from.labels[indices[i]];
        }
        return x;
    }
    tensor::LossTotals compute(const tensor::EngineStep& step) {
        std::ranges::fill(gradients_, 0.0F);
        if (step.count == 0) return {};
        const auto x = gather(0, std::span(order_).subspan(step.first, step.count));
        tensor::LossTotals totals;
        const std::size_t classes = parts_.network.outputFeatures();
        lossOf(x, step.gradientScale, {executor_->outputGradient().data(), x.rows, classes},
               totals);
        std::ignore = executor_->backward(parameters_, gradients_, alone_, {});
        return totals;
    }
    void lossOf(tensor::ConstMatrix x, float scale, tensor::Matrix gradient,
                tensor::LossTotals& totals) {
        const auto logits =
            executor_
                ->forward({.samples = x.flat(), .rows = static_cast<std::int64_t>(x.rows)},
                          parameters_, statistics_, alone_)
                .value();
        const std::size_t classes = parts_.network.outputFeatures();
        tensor::sparseCrossEntropy({logits.data(), x.rows, classes}, labels_, {}, scale, gradient,
                                   totals);
    }
    [[nodiscard]] Result<tensor::EngineFigures> run(const tensor::EngineStep& step) {
        tensor::EngineFigures figures;
        figures.mine = compute(step);
        std::vector<double> words{figures.mine.lossSum, figures.mine.correct, figures.mine.samples,
                                  stop_ ? 1.0 : 0.0,
                                  std::isfinite(figures.mine.lossSum) ? 0.0 : 1.0};
        words.insert(words.end(), gradients_.begin(), gradients_.end());
        if (parts_.sums != nullptr && !parts_.sums->sum(parts_.replica, words))
            return fail(ErrorCode::Timeout, "the others started other steps");
        figures.all = {words[0], words[1], words[2]};
        figures.stop = words[3];
        figures.notFinite = words[4];
        for (std::size_t i = 0; i < gradients_.size(); ++i)
            gradients_[i] = static_cast<float>(words[i + 5]);
        if (figures.notFinite == 0 && !ended_) {
            ++steps_;
            // Of the job's own rate more digits are known than a step has.
            const double own = parts_.optimizer.settings().learningRate;
            const bool isOwn = step.learningRate == static_cast<float>(own);
            parts_.optimizer.update(
                0, parameters_.size(), gradients_, parameters_,
                {std::span(moments_[0]), std::span(moments_[1])},
                {.step = steps_, .learningRate = isOwn ? own : double{step.learningRate}});
        }
        ended_ = ended_ || figures.stop > 0 || (figures.notFinite > 0 && program_.endsOnNonFinite);
        for (std::uint64_t& stamp : figures.stamps)
            stamp = clock_ += 1000;
        return figures;
    }

    tensor::EngineProgram program_;
    Parts parts_;
    std::unique_ptr<tensor::Device> device_ = tensor::openCpuDevice();
    std::unique_ptr<program::Executor> executor_;
    program::NoReplicaSum alone_;
    std::vector<float> parameters_;
    std::vector<float> statistics_;
    std::vector<float> gradients_;
    std::array<std::vector<float>, 2> moments_;
    std::vector<std::uint32_t> order_;
    std::vector<float> pixels_;
    std::vector<std::int32_t> labels_;
    std::deque<std::vector<tensor::EngineFigures>> windows_;
    std::vector<tensor::EngineFigures> collected_;
    std::int64_t steps_ = 0;
    std::uint64_t clock_ = 1'000'000;
    bool stop_ = false;
    bool ended_ = false;
    std::size_t widest_ = 0;
};

}  // namespace lockstep::tests

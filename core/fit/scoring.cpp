// SPDX-License-Identifier: Apache-2.0
#include "core/fit/scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/data/arrays/load_arrays.h"
#include "core/data/arrays/npy_writer.h"
#include "core/fit/training_data.h"
#include "core/tensor/device.h"
#include "core/train/objective/objective.h"
#include "core/train/replica/evaluation.h"

namespace lockstep::fit {

namespace fs = std::filesystem;

namespace {

/// Of files that are read as arrays of a job are, so that both are scored alike; they go as soon as
/// they are mapped.
class ArrayFolder {
public:
    static Result<ArrayFolder> make() {
        std::error_code error;
        fs::path folder = fs::temp_directory_path(error) / ("lockstep-" + randomHex(12));
        if (!error) fs::create_directory(folder, error);
        if (error)
            return fail(ErrorCode::Io, fmt::format("the folder {} cannot be made: {}",
                                                   folder.string(), error.message()));
        return ArrayFolder(std::move(folder));
    }
    ArrayFolder(ArrayFolder&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
    ArrayFolder& operator=(ArrayFolder&&) = delete;
    ~ArrayFolder() {
        std::error_code error;
        if (!folder_.empty()) fs::remove_all(folder_, error);
    }
    [[nodiscard]] const fs::path& path() const { return folder_; }

private:
    explicit ArrayFolder(fs::path folder) : folder_(std::move(folder)) {}

    fs::path folder_;
};

Result<data::Dataset> loadSamples(const Element& samples, double targetScale) {
    const ArrayFolder folder = TRY(ArrayFolder::make());
    TRY(data::writeNpy(folder.path() / "x.npy", samples.x.array()));
    TRY(data::writeNpy(folder.path() / "y.npy", samples.y.array()));
    config::DataSpec spec;
    spec.dataset = "arrays";
    spec.arrays = {.inputs = "x.npy", .targets = "y.npy"};
    spec.validationSplit = 0;
    spec.cache = "none";
    spec.table.targetScale = targetScale;
    return data::loadArrays(spec, folder.path(), {});
}

std::string shapeOf(const model::Shape& shape) {
    std::string text;
    for (const auto side : shape)
        text += (text.empty() ? "" : " x ") + std::to_string(side);
    return text;
}

Result<void> checkKind(const data::SampleFacts& trained) {
    if (trained.targetKind == data::TargetKind::NextToken)
        return fail(ErrorCode::BadInput,
                    "the network was trained to continue text, of which tensors are no samples",
                    "lockstepctl predict continues prompts.");
    if (trained.inputKind == data::InputKind::Floats && !trained.preparation.empty())
        return fail(ErrorCode::BadInput,
                    "the network's samples are prepared from rows of a table, which tensors are "
                    "not",
                    "lockstepctl predict takes such rows.");
    return {};
}

Result<void> checkInputs(const data::SampleFacts& trained, const data::Dataset& given) {
    const data::Split& split = *given.train;
    if (split.shape != trained.facts.input || split.inputKind != trained.inputKind)
        return fail(ErrorCode::BadInput,
                    fmt::format("the network was trained on samples of {}{}, and these are of {}{}",
                                shapeOf(trained.facts.input),
                                trained.inputKind == data::InputKind::Pixels ? " bytes" : "",
                                shapeOf(split.shape),
                                split.inputKind == data::InputKind::Pixels ? " bytes" : ""),
                    "Give samples of the shape and type that fit() was given.");
    if (trained.facts.vocabulary > 0 && given.facts.vocabulary > trained.facts.vocabulary)
        return fail(ErrorCode::BadInput,
                    fmt::format("the network was trained on whole numbers below {}, and a sample "
                                "holds {}",
                                trained.facts.vocabulary, given.facts.vocabulary - 1),
                    "Give whole numbers of the same vocabulary.");
    return {};
}

Result<void> checkTargets(const data::SampleFacts& trained, const data::Dataset& given) {
    const data::Split& split = *given.train;
    if (split.targetKind != trained.targetKind || (split.targetKind == data::TargetKind::Values &&
                                                   given.facts.values != trained.facts.values))
        return fail(ErrorCode::BadInput,
                    "the targets are of another kind than those that the network was trained on",
                    "Give targets of the type and shape that fit() was given.");
    for (std::uint32_t i = 0; split.targetKind == data::TargetKind::Class && i < split.count; ++i)
        if (split.label(i) >= trained.facts.classes)
            return fail(ErrorCode::BadInput,
                        fmt::format("the class of sample {} is {}, and the network was trained on "
                                    "{} classes, from 0",
                                    i, split.label(i), trained.facts.classes));
    return {};
}

/// Targets where nobody asks for them.
Result<Tensor> noTargets(const Tensor& x, const data::SampleFacts& trained) {
    if (trained.targetKind == data::TargetKind::Class)
        return Tensor::make(std::vector<std::uint8_t>(x.rows()), {x.rows()});
    const auto values = static_cast<std::uint64_t>(trained.facts.values);
    return Tensor::make(std::vector<float>(x.rows() * values), {x.rows(), values});
}

/// Scores batches, each by itself, so that their sum is the same on however many devices.
class Scorer {
public:
    Scorer(const train::SavedNetwork& saved, const train::Objective& objective,
           const data::Split& split)
        : saved_(saved), objective_(objective), split_(split), statistics_(saved.statistics) {}

    Result<train::SplitScore> score(int devices) {
        auto first = TRY(evaluatorOn(0));
        batch_ = first.evaluator.batch();
        scores_.resize((split_.count + batch_ - 1) / batch_);
        const auto parts = std::clamp<std::size_t>(static_cast<std::size_t>(devices), 1,
                                                   std::max<std::size_t>(scores_.size(), 1));
        std::vector<Result<void>> done(parts);
        {
            std::vector<std::jthread> threads;
            for (std::size_t part = 1; part < parts; ++part)
                threads.push_back(startThread(fmt::format("evaluate-{}", part),
                                              [this, part, parts, &done](const std::stop_token&) {
                                                  flushDenormals();
                                                  auto own = evaluatorOn(static_cast<int>(part));
                                                  done[part] =
                                                      own ? scorePart(own->evaluator, part, parts)
                                                          : Result<void>(fail(own.error()));
                                              }));
            done[0] = scorePart(first.evaluator, 0, parts);
        }
        train::SplitScore sum;
        sum.metrics.resize(objective_.metrics().size());
        for (const Result<void>& one : done)
            TRY(Result<void>(one));
        for (const train::SplitScore& one : scores_)
            sum.add(one);
        return sum;
    }

private:
    struct Place {
        std::unique_ptr<tensor::Device> device;
        train::SplitEvaluator evaluator;
    };

    Result<Place> evaluatorOn(int number) const {
        auto device = tensor::openCpuDevice(number);
        auto evaluator = TRY(train::SplitEvaluator::make(*device, saved_.network, objective_));
        return Place{std::move(device), std::move(evaluator)};
    }
    Result<void> scorePart(train::SplitEvaluator& evaluator, std::size_t part, std::size_t parts) {
        const std::size_t end = scores_.size() * (part + 1) / parts;
        for (std::size_t i = scores_.size() * part / parts; i < end; ++i) {
            const auto begin = static_cast<std::uint32_t>(i) * batch_;
            scores_[i] = TRY(evaluator.score({saved_.parameters, statistics_}, split_, begin,
                                             std::min(batch_, split_.count - begin)));
        }
        return {};
    }

    const train::SavedNetwork& saved_;
    const train::Objective& objective_;
    const data::Split& split_;
    std::vector<float> statistics_;  ///< Read by all.
    std::uint32_t batch_ = 1;
    std::vector<train::SplitScore> scores_;
};

}  // namespace

Result<std::map<std::string, double>> scoreSamples(const train::SavedNetwork& saved,
                                                   const Element& samples, int devices) {
    TRY(checkKind(saved.samples));
    if (samples.y.isEmpty())
        return fail(ErrorCode::BadInput, "evaluate(): the dataset has no targets",
                    "Give them to fromTensors(x, y), or call predict().");
    Element classes = samples;
    TRY(takeClasses(saved.job.training.loss.kind, classes.y));
    auto data = TRY(loadSamples(classes, saved.samples.targetScale));
    TRY(checkInputs(saved.samples, data));
    TRY(checkTargets(saved.samples, data));
    data.facts = saved.samples.facts;
    const auto objective = TRY(train::Objective::make(saved.job.training, data));
    const auto score = TRY(Scorer(saved, objective, *data.train).score(devices));
    std::map<std::string, double> figures{{"loss", score.loss()}, {"accuracy", score.accuracy()}};
    for (const train::Figure& figure : objective.metrics().figures(score))
        figures[figure.name] = figure.value;
    return figures;
}

Result<Tensor> outputsOf(train::Predictor& predictor, const Tensor& x) {
    const train::SavedNetwork& saved = predictor.saved();
    TRY(checkKind(saved.samples));
    const auto data = TRY(loadSamples({x, TRY(noTargets(x, saved.samples))}, 1));
    TRY(checkInputs(saved.samples, data));
    const std::uint64_t width = saved.network.outputFeatures();
    std::vector<float> outputs(data.train->count * width);
    TRY(predictor.compute(*data.train, [&](std::uint32_t index, std::span<const float> one) {
        std::ranges::copy(one, outputs.begin() + static_cast<std::ptrdiff_t>(index * width));
    }));
    if (saved.samples.targetKind == data::TargetKind::Values)
        for (float& number : outputs)
            number = static_cast<float>(number / saved.samples.targetScale);
    return Tensor::make(outputs, {data.train->count, width});
}

}  // namespace lockstep::fit

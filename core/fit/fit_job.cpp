// SPDX-License-Identifier: Apache-2.0
#include "core/fit/fit_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/data/arrays/npy_writer.h"
#include "core/data/shared_bytes.h"
#include "core/distribution/all_gather.h"
#include "core/distribution/distribution.h"
#include "core/distribution/initialize.h"
#include "core/distribution/process_state.h"

namespace lockstep::fit {

namespace fs = std::filesystem;

namespace {

constexpr double kAgreeSeconds = 300;
constexpr const char* kTrainX = "train_x.npy";
constexpr const char* kTrainY = "train_y.npy";
constexpr const char* kValidationX = "validation_x.npy";
constexpr const char* kValidationY = "validation_y.npy";
constexpr std::array kArrayFiles{kTrainX, kTrainY, kValidationX, kValidationY};

fs::path fileIn(const fs::path& runFolder, const char* name) {
    return runFolder / "data" / name;
}

struct ArrayFile {
    const char* name;
    const Tensor* tensor;
};

std::vector<ArrayFile> filesOf(const FitData& data) {
    std::vector<ArrayFile> files{{kTrainX, &data.train.samples.x},
                                 {kTrainY, &data.train.samples.y}};
    if (data.validation) {
        files.push_back({kValidationX, &data.validation->x});
        files.push_back({kValidationY, &data.validation->y});
    }
    return files;
}

/// For the arrays of a new run. What lies there may be anybody's: it is neither replaced nor, if
/// the start comes to nothing, removed.
Result<void> makeFolder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        return fail(ErrorCode::BadInput,
                    fmt::format("fit(): the folder {} cannot be made: {}", folder.string(),
                                error.message()),
                    "Name a run folder that may be written to.");
    if (fs::is_empty(folder, error) && !error) return {};
    return fail(
        ErrorCode::BadInput,
        fmt::format("fit(): {} holds files that are not of this run", folder.string()),
        "The samples are to be kept there: name another run folder, or move the files away.");
}

bool mayBeSet(std::string_view key) {
    constexpr std::array<std::string_view, 3> kSections{"checkpoint.", "early_stopping.", "log."};
    return key == "cluster.device" || key == "cluster.transport" ||
           (key != "checkpoint.resume" &&
            std::ranges::any_of(
                kSections, [key](std::string_view section) { return key.starts_with(section); }));
}

Result<config::JobSpec> withSettings(const config::JobSpec& job,
                                     const std::vector<Option>& settings) {
    auto document = TRY(config::JobDocument::parse(config::resolvedToml(job), "fit()"));
    for (const Option& option : settings) {
        TRY(checkName(option.name, true));
        if (!mayBeSet(option.name))
            return fail(
                ErrorCode::BadInput,
                fmt::format("fit(): {} is no setting of a training", sanitizeLine(option.name, 80)),
                "Settings are the keys of [checkpoint] (but resume), [early_stopping] and "
                "[log], cluster.device and cluster.transport.");
        TRY(document.set(option.name, tomlOf(option.value)));
    }
    return document.checked();
}

/// Which all processes have alike: fit()'s, else the group's. Absent in a process alone.
std::optional<std::uint64_t> sharedSeed(const FitOptions& options) {
    if (options.seed) return options.seed;
    const auto group = distribution::ProcessState::instance().group();
    return group ? std::optional(group->seed()) : std::nullopt;
}

/// A new run's files may be replaced; those of a run that goes on are looked at.
Result<void> checkSame(const fs::path& file, const Tensor& tensor) {
    const auto there = data::mapFile(file);
    const auto array = there ? data::parseNpy(*there) : Result<data::NpyArray>(fail(there.error()));
    if (array && Tensor::of(*array) == tensor) return {};
    return fail(
        ErrorCode::BadInput,
        array ? fmt::format("fit(): the run in {} was trained on other data than these",
                            file.parent_path().parent_path().string())
              : fmt::format("fit(): {} cannot be read: {}", file.string(), array.error().message),
        "A run goes on with the data that it began with; for others make a new model, with "
        "loadWeights() where it is to begin with this run's.");
}

}  // namespace

Result<FitData> fitDataOf(const Dataset& train, const FitOptions& options, config::LossKind loss) {
    const auto seed = sharedSeed(options);
    FitData data{TRY(trainingDataOf(train, seed))};
    TRY(takeClasses(loss, data.train.samples.y));
    if (!options.validation) return data;
    auto validation = samplesOf(*options.validation, seed);
    if (!validation) return failWithin("fit(): the validation data", validation.error());
    if (validation->y.isEmpty())
        return fail(ErrorCode::BadInput, "fit(): the validation data have no targets",
                    "Give them to fromTensors(x, y).");
    TRY(takeClasses(loss, validation->y));
    data.validation = std::move(*validation);
    return data;
}

Result<config::JobSpec> fitJob(const config::JobSpec& model, const Dataset& dataset,
                               const FitData& data, const FitOptions& options,
                               const fs::path& runFolder) {
    config::JobSpec job;
    job.name = options.name;
    job.model = model.model;
    job.training = model.training;
    if (options.epochs < 1)
        return fail(ErrorCode::BadInput,
                    fmt::format("fit(): {} asked for", countedWas(options.epochs, "epoch")),
                    "Train for 1 or more.");
    job.training.epochs = options.epochs;
    job.training.globalBatchSize = static_cast<int>(data.train.batch);
    job.training.seed = options.seed;
    job.cluster.evaluator = false;  // the strategy says whether there is one
    config::DataSpec& spec = job.data;
    spec.dataset = "arrays";
    spec.arrays.inputs = fileIn(runFolder, kTrainX).string();
    spec.arrays.targets = fileIn(runFolder, kTrainY).string();
    if (data.validation) {
        spec.arrays.validationInputs = fileIn(runFolder, kValidationX).string();
        spec.arrays.validationTargets = fileIn(runFolder, kValidationY).string();
    } else {
        spec.validationSplit = 0;
    }
    spec.shuffle = data.train.shuffle;
    spec.dropRemainder = data.train.dropRemainder;
    spec.prefetch = data.train.prefetch;
    if (dataset.autoShard() == config::AutoShard::File)
        return fail(ErrorCode::BadInput,
                    "FILE sharding policy was asked for: Found an unshardable source dataset: "
                    "TensorSliceDataset, which has no files to deal out",
                    "Use withAutoShard(config::AutoShard::Data), or leave it out.");
    spec.autoShard = dataset.autoShard();
    return withSettings(job, options.settings);
}

Result<void> writeArrays(const FitData& data, const fs::path& runFolder, bool resume) {
    if (!resume) TRY(makeFolder(runFolder / "data"));
    for (const ArrayFile& file : filesOf(data)) {
        const fs::path path = fileIn(runFolder, file.name);
        if (resume) {
            TRY(checkSame(path, *file.tensor));
            continue;
        }
        if (auto written = data::writeNpy(path, file.tensor->array()); !written) {
            removeArrays(runFolder);
            return written;
        }
    }
    return {};
}

void removeArrays(const fs::path& runFolder) {
    std::error_code error;
    if (fs::exists(runFolder / "job.toml", error)) return;
    for (const char* name : kArrayFiles)
        fs::remove(fileIn(runFolder, name), error);
    fs::remove(runFolder / "data", error);  // where they are empty
    fs::remove(runFolder, error);
}

Result<void> agreeOnFit(const Result<void>& soFar, const std::string& identity) {
    if (distribution::processCount() == 1) return soFar;
    const auto inForce = distribution::distribution();
    // None stands for all devices. Where these cannot be told, all others have to hear it.
    const auto allDevices = inForce ? Result<std::shared_ptr<const distribution::DataParallel>>()
                                    : distribution::DataParallel::make();
    if (soFar && !allDevices) return agreeOnFit(fail(allDevices.error()), identity);
    const std::string placed = contentHash(inForce ? inForce->text() : (*allDevices)->text());
    const auto all = TRY(distribution::allGather(
        soFar ? fmt::format("+{}\n{}", identity, placed)
              : fmt::format("-{}\n{}", sanitizeLine(soFar.error().message, 2000),
                            soFar.error().remedy.substr(0, 2000)),
        kAgreeSeconds));
    if (!soFar) return soFar;
    for (std::size_t process = 0; process < all.size(); ++process) {
        const std::string& theirs = all[process];
        const std::size_t line = theirs.find('\n');
        if (theirs.starts_with('-'))
            return fail(ErrorCode::BadInput,
                        fmt::format("process {}: {}", process, theirs.substr(1, line - 1)),
                        theirs.substr(std::min(line + 1, theirs.size())));
    }
    const auto distributionOf = [](const std::string& theirs) {
        return theirs.substr(theirs.find('\n') + 1);
    };
    for (std::size_t process = 1; process < all.size(); ++process) {
        if (distributionOf(all[process]) != distributionOf(all.front()))
            return fail(ErrorCode::BadInput,
                        fmt::format("fit(): process {} has set another distribution than process 0",
                                    process),
                        "All processes set the same: mesh, layouts and all.");
        if (all[process] != all.front())
            return fail(ErrorCode::BadInput,
                        fmt::format("fit(): process {} brings other data or another model than "
                                    "process 0",
                                    process),
                        "All processes call fit() alike, with the same samples.");
    }
    return {};
}

}  // namespace lockstep::fit

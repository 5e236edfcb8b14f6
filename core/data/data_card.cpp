// SPDX-License-Identifier: Apache-2.0
#include "core/data/data_card.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/base/try.h"
#include "core/data/augment/augmenter.h"
#include "core/data/batch_plan.h"
#include "core/data/load_dataset.h"

namespace lockstep::data {

namespace {

std::string kindOf(const Split& split) {
    switch (split.inputKind) {
        case InputKind::Pixels:
            return "images";
        case InputKind::Floats:
            return "rows";
        case InputKind::Tokens:
            break;
    }
    return "text";
}

DataCard::Part partOf(std::string name, const Split& split, std::size_t classes) {
    DataCard::Part part{std::move(name), split.count, {}};
    if (split.targetKind != TargetKind::Class) return part;
    part.perClass.resize(classes);
    for (std::uint32_t i = 0; i < split.count; ++i)
        ++part.perClass.at(split.label(i));
    return part;
}

/// The first ones of each class in turn, until there are enough.
std::vector<std::uint32_t> chosenFrom(const Split& split, std::size_t wanted) {
    std::map<int, std::vector<std::uint32_t>> byClass;
    for (std::uint32_t i = 0; i < split.count; ++i) {
        auto& members = byClass[split.targetKind == TargetKind::Class ? split.label(i) : 0];
        if (members.size() < wanted) members.push_back(i);
    }
    std::vector<std::uint32_t> chosen;
    for (std::size_t round = 0; round < wanted; ++round)
        for (const auto& [label, members] : byClass)
            if (chosen.size() < wanted && round < members.size()) chosen.push_back(members[round]);
    return chosen;
}

/// Changes samples as training will.
class Versions {
public:
    static Result<Versions> make(const config::JobSpec& job, const Dataset& dataset,
                                 std::uint64_t seed) {
        const Split& train = *dataset.train;
        auto augmenter = TRY(Augmenter::make(
            dataset.augment, {train.height(), train.width(), train.channels()}, seed));
        SampleOrder order = orderOf(job.data);
        order.dropRemainder = false;  // every sample is shown
        const auto plan = TRY(
            BatchPlan::make(train.count, static_cast<std::uint32_t>(job.training.globalBatchSize),
                            1, job.data.shuffle.seed.value_or(seed), 1, order));
        return Versions(train, std::move(augmenter), plan);
    }

    /// Of all `samples` in one epoch.
    void add(std::int64_t epoch, std::vector<DataCard::Sample>& samples) {
        const auto order = plan_.epochOrder(epoch);
        std::vector<std::uint32_t> placeOf(order.size());
        for (std::uint32_t place = 0; place < order.size(); ++place)
            placeOf[order[place]] = place;
        const std::int64_t first = epoch * plan_.stepsPerEpoch();
        const std::uint32_t perStep = plan_.globalBatch(first).count;
        for (DataCard::Sample& sample : samples) {
            const SampleRange batch = plan_.globalBatch(first + placeOf[sample.index] / perStep);
            sample.versions.push_back(versionOf(
                {epoch, sample.index, std::span(order).subspan(batch.first, batch.count)}));
        }
    }

private:
    Versions(const Split& split, Augmenter augmenter, const BatchPlan& plan)
        : split_(&split), augmenter_(std::move(augmenter)), plan_(plan) {}

    DataCard::Version versionOf(const SamplePlace& place) {
        DataCard::Version version;
        version.pixels.resize(split_->bytesPerSample());
        const Mixture mixture = augmenter_.apply(
            place, [this](std::uint32_t sample) { return split_->input(sample); }, workspace_,
            version.pixels.data());
        version.share = mixture.share;
        if (mixture.share < 1) version.otherClass = split_->label(mixture.partner);
        return version;
    }

    const Split* split_;
    Augmenter augmenter_;
    BatchPlan plan_;
    Augmenter::Workspace workspace_;
};

}  // namespace

Result<DataCard> dataCardOf(const config::JobSpec& job, const Dataset& dataset,
                            const DataCardOptions& options) {
    const Split& train = *dataset.train;
    DataCard card{.kind = kindOf(train), .shape = train.shape};
    card.classNames = dataset.classNames;
    card.notes = dataset.notes;
    for (const Error& warning : dataset.warnings)
        card.notes.push_back(warning.message);
    card.facts = dataset.facts;
    card.seed = job.training.seed.value_or(0);
    for (auto [name, split] :
         {std::pair{"training", &dataset.train}, std::pair{"validation", &dataset.validation},
          std::pair{"test", &dataset.test}})
        card.parts.push_back(partOf(name, **split, dataset.classNames.size()));
    if (train.inputKind != InputKind::Pixels) return card;
    for (const std::uint32_t index : chosenFrom(train, options.samples)) {
        const auto pixels = train.input(index);
        card.samples.push_back({.index = index,
                                .label = train.targetKind == TargetKind::Class
                                             ? static_cast<int>(train.label(index))
                                             : -1,
                                .pixels = {pixels.begin(), pixels.end()}});
    }
    if (dataset.augment.empty()) return card;
    auto versions = TRY(Versions::make(job, dataset, card.seed));
    for (std::size_t epoch = 0; epoch < options.versions; ++epoch)
        versions.add(static_cast<std::int64_t>(epoch), card.samples);
    return card;
}

Result<DataCard> makeDataCard(const config::JobSpec& job, const std::filesystem::path& jobFolder,
                              const DataCardOptions& options) {
    const Dataset dataset = TRY(loadDataset(job.data, jobFolder, cacheFolder(), options.watch));
    return dataCardOf(job, dataset, options);
}

}  // namespace lockstep::data

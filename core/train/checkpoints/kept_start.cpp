// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/kept_start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/checkpoint/training_state.h"

namespace lockstep::train {

namespace {

std::string keyOf(int process) {
    return fmt::format("train/kept/{}", process);
}

Result<KeptOffer> parseOffer(const std::string& text) {
    KeptOffer offer;
    std::istringstream words(text);
    std::size_t count = 0;
    if (!(words >> count) || count > KeptReplica::kSlots)
        return fail(ErrorCode::Corrupt, "what a process has kept cannot be read: " + text);
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t step = 0;
        if (!(words >> step))
            return fail(ErrorCode::Corrupt, "what a process has kept cannot be read: " + text);
        offer.steps.push_back(step);
    }
    if (!(words >> offer.lineage >> offer.isDistrusted))
        return fail(ErrorCode::Corrupt, "what a process has kept cannot be read: " + text);
    std::getline(words >> std::ws, offer.trouble);
    return offer;
}

/// What keeps it from any step: a sentence's end.
std::string whyNothing(std::size_t process, const KeptOffer& offer) {
    return offer.trouble.empty()
               ? fmt::format("process {} had completed no step, or has lost what it kept", process)
               : fmt::format("process {}: {}", process, offer.trouble);
}

}  // namespace

KeptOffer offerOf(const KeptSteps& kept) {
    return {kept.wholeSteps(), kept.trouble(), kept.isDistrusted(), kept.lineage()};
}

namespace {

bool has(const KeptOffer& offer, std::int64_t step) {
    return std::ranges::find(offer.steps, step) != offer.steps.end();
}

KeptChoice newestInCommon(std::span<const KeptOffer> offers) {
    for (std::size_t process = 0; process < offers.size(); ++process)
        if (offers[process].steps.empty()) return {0, whyNothing(process, offers[process])};
    for (const std::int64_t step : offers.front().steps)
        if (std::ranges::all_of(offers, [step](const auto& offer) { return has(offer, step); }))
            return {step, {}};
    for (std::size_t process = 0; process < offers.size(); ++process)
        if (!offers[process].trouble.empty()) return {0, whyNothing(process, offers[process])};
    std::vector<std::string> kept;
    for (std::size_t process = 0; process < offers.size(); ++process)
        kept.push_back(fmt::format("process {} {}{} {}", process, process == 0 ? "has kept " : "",
                                   nounFor(offers[process].steps.size(), "step"),
                                   fmt::join(offers[process].steps, " and ")));
    return {0, fmt::format("{}", fmt::join(kept, ", "))};
}

/// The newest step that all processes of the source have; with `isOfAll` of those that nobody lacks
/// who has any. 0: there is none.
std::int64_t newestOfSource(std::span<const KeptOffer> offers, std::span<const int> source,
                            bool isOfAll) {
    for (const std::int64_t step : offers.front().steps) {
        const bool isWhole = std::ranges::all_of(source, [&](int process) {
            return has(offers[static_cast<std::size_t>(process)], step);
        });
        const bool isCommon = std::ranges::all_of(offers, [step](const KeptOffer& offer) {
            return offer.steps.empty() || has(offer, step);
        });
        if (isWhole && (isCommon || !isOfAll)) return step;
    }
    return 0;
}

}  // namespace

KeptChoice newestOfAll(std::span<const KeptOffer> offers, const KeptFeeding& feeding) {
    KeptChoice choice = newestInCommon(offers);
    if (choice.step > 0 || feeding.source.empty()) return choice;
    for (std::size_t process = 0; process < offers.size(); ++process)
        if (offers[process].isDistrusted) return {0, whyNothing(process, offers[process])};
    std::int64_t step = newestOfSource(offers, feeding.source, true);
    if (step == 0) step = newestOfSource(offers, feeding.source, false);
    if (step == 0) return choice;
    if (!feeding.whyNot.empty()) return {0, choice.why + ", and " + feeding.whyNot};
    choice = {step, {}};
    for (std::size_t process = 0; process < offers.size(); ++process)
        if (!has(offers[process], step)) choice.fed.push_back(static_cast<int>(process));
    return choice;
}

Result<void> announceKept(collective::Store& store, int process, const KeptOffer& offer) {
    return store.set(keyOf(process), fmt::format("{} {} {} {:d} {}", offer.steps.size(),
                                                 fmt::join(offer.steps, " "), offer.lineage,
                                                 offer.isDistrusted, offer.trouble));
}

Result<KeptChoice> chooseKept(collective::Store& store, int processes, const KeptOffer& own,
                              Nanos timeout, const KeptFeeding& feeding) {
    std::vector<KeptOffer> offers{own};
    for (int process = 1; process < processes; ++process) {
        const auto text = TRY(store.get(keyOf(process), timeout));
        KeptOffer& offer = offers.emplace_back(TRY(parseOffer(text)));
        if (!offer.steps.empty() && offer.lineage != own.lineage)
            offer = {.trouble = "what it kept is of another run"};
    }
    return newestOfAll(offers, feeding);
}

Result<StartPoint> startOfKept(const KeptReplica& first, std::int64_t step,
                               const data::Dataset& data) {
    auto state = TRY(checkpoint::parseState(first.text(step)));
    state.step = step;
    StartPoint start{.step = step,
                     .seed = state.seed,
                     .skippedSteps = first.figures(step).skippedSteps,
                     .isKept = true,
                     .dataFingerprint = data.fingerprint};
    start.initialWeights = state.initialWeights;
    start.convolutions = TRY(tensor::ConvolutionMethods::parse(state.convolutions));
    if (state.dataFingerprint != data.fingerprint)
        return fail(ErrorCode::BadInput, "the data are others than before the failure",
                    "Put the files of [data] back as they were.");
    start.checkpoint.emplace();
    start.checkpoint->state = std::move(state);
    return start;
}

}  // namespace lockstep::train

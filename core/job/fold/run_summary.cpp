// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/run_summary.h"

#include <algorithm>
#include <utility>

#include "core/base/file.h"
#include "core/base/summary_limit.h"
#include "core/run/run_end.h"
#include "core/text/json.h"

namespace lockstep::job {

namespace {

/// Whether every figure that was kept is that of `whole`.
bool isShortOf(const text::Json& whole, const text::Json& kept) {
    return std::ranges::all_of(kept.members(), [&whole](const auto& member) {
        const text::Json* same = whole.find(member.first);
        return member.first == run::kLeftOutField || member.second.isNull() ||
               (same != nullptr && same->text() == member.second.text());
    });
}

}  // namespace

SummaryFile readSummaryFile(const run::RunPaths& paths) {
    auto text = readFile(paths.summary(), kMostSummaryBytes);
    if (!text && text.error().code == ErrorCode::NotFound) return {};
    if (!text) return {{}, std::move(text.error().message)};
    if (const auto summary = text::parseJson(*text, kMostSummaryBytes); !summary)
        return {{}, paths.summary().string() + ": " + summary.error().message};
    return {*std::move(text), {}};
}

void fillSummary(wire::RunEnd& end, const run::RunPaths& paths) {
    const auto kept = text::parseJson(end.summary_json()).value_or(text::Json());
    if (!kept.has(run::kLeftOutField)) return;
    SummaryFile file = readSummaryFile(paths);
    const auto whole = text::parseJson(file.text, kMostSummaryBytes).value_or(text::Json());
    if (isShortOf(whole, kept)) end.set_summary_json(std::move(file.text));
}

}  // namespace lockstep::job

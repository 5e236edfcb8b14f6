// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/result_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "core/base/file.h"
#include "core/base/summary_limit.h"
#include "core/base/try.h"
#include "core/text/json.h"

namespace lockstep::train {

namespace {

using Warn = std::function<void(const std::string&)>;

/// The step whose weights a completed run was given back at its end.
std::optional<std::int64_t> restoredStep(const std::filesystem::path& run,
                                         const std::vector<std::int64_t>& steps, const Warn& warn) {
    const auto text = readFile(run / "summary.json", kMostSummaryBytes);
    const auto summary =
        text ? text::parseJson(*text, kMostSummaryBytes) : Result<text::Json>(fail(text.error()));
    if (!summary && summary.error().code != ErrorCode::NotFound)
        warn(
            fmt::format("the summary of {} cannot be read ({}): its newest checkpoint is taken, "
                        "whether or not an older one was its best",
                        run.string(), summary.error().message));
    if (!summary || summary->get<std::string>("status") != "completed") return std::nullopt;
    const auto restored = summary->get<std::int64_t>("restored_step");
    // A resume that goes on behind that end writes checkpoints, but no summary before it ends.
    const bool goesOn = !steps.empty() && steps.back() > summary->get<std::int64_t>("steps");
    if (!restored || goesOn || std::ranges::find(steps, *restored) == steps.end())
        return std::nullopt;
    return restored;
}

}  // namespace

Result<std::int64_t> resultStep(const std::filesystem::path& run,
                                const checkpoint::CheckpointStore& store,
                                const std::function<void(const std::string&)>& warn) {
    const auto steps = TRY(store.list());
    const auto restored = restoredStep(run, steps, warn);
    const auto verified =
        restored ? store.verify(*restored, checkpoint::Contents::Model) : Result<void>{};
    if (restored && verified) {
        if (*restored != steps.back())
            std::fprintf(stderr,
                         "note: the run ended with the weights of step %lld, its best; its newest "
                         "checkpoint is of step %lld\n",
                         static_cast<long long>(*restored), static_cast<long long>(steps.back()));
        return *restored;
    }
    const auto latest = TRY(store.latestGood(checkpoint::Contents::Model));
    for (const std::string& reason : latest.rejected)
        warn(latest.step ? fmt::format("passed over a damaged checkpoint: {}; taking that of step "
                                       "{} instead",
                                       reason, *latest.step)
                         : reason);
    for (const checkpoint::Suspicion& one : latest.suspects)
        if (one.step != *latest.step)
            warn(
                fmt::format("the checkpoint of step {} is passed over: {}; taking that of step {} "
                            "instead",
                            one.step, suspicionText(one), *latest.step));
    if (latest.step && !verified)
        warn(
            fmt::format("the run ended with the weights of step {}, whose checkpoint is damaged: "
                        "{}; taking that of step {} instead",
                        *restored, verified.error().message, *latest.step));
    if (latest.step) return *latest.step;
    if (!latest.rejected.empty())
        return fail(ErrorCode::Corrupt,
                    fmt::format("none of the checkpoints of {} can be read", run.string()),
                    "Put a good copy of one in its place.");
    return fail(ErrorCode::NotFound, fmt::format("{} has no checkpoint yet", run.string()),
                "Wait for the first one.");
}

}  // namespace lockstep::train

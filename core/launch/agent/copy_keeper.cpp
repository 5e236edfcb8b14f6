// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/copy_keeper.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <tuple>
#include <vector>

#include "core/base/file.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/suspect_mark.h"
#include "core/coordination/client/checkpoint_link.h"
#include "core/coordination/client/journal_link.h"

namespace lockstep::launch {

namespace {

constexpr Millis kPause{500};
constexpr std::chrono::seconds kPatience{20};  ///< For an answer.
constexpr int kPiecesATurn = 64;               ///< Of the journal: checkpoints come between them.

/// The folder is not a copy.
bool isOthers(const Result<void>& taken) {
    return !taken && taken.error().code == ErrorCode::BadInput;
}

}  // namespace

CopyKeeper::CopyKeeper(Options options, coordination::Client& client)
    : options_(std::move(options)), client_(client) {
    thread_ = startThread("copies", [this](const std::stop_token& stop) { run(stop); });
}

CopyKeeper::~CopyKeeper() {
    endCopying();
}

void CopyKeeper::endCopying() {
    thread_.request_stop();
    client_.cancelQuestions();
    if (thread_.joinable()) thread_.join();
}

void CopyKeeper::finish(const wire::RunEnd& end) {
    endCopying();  // a listing of before has not the mark that is made here
    if (!hasFolder_) return;
    std::ignore = replaceFileDurably(options_.places.summary(), end.summary_json());
    // Nobody answers any more who could tell it of the original.
    if (end.suspect_checkpoint() > 0)
        std::ignore =
            checkpoint::markSuspect(options_.places.checkpoints(),
                                    {.step = static_cast<std::int64_t>(end.suspect_checkpoint()),
                                     .failedAt = static_cast<std::int64_t>(end.suspect_failed_at()),
                                     .cause = end.error()});
}

void CopyKeeper::run(const std::stop_token& stop) {
    yieldToOthers();
    coordination::CheckpointLink link(client_, kPatience);
    checkpoint::CheckpointCopies copies(link, options_.places.checkpoints(), options_.keep,
                                        [&stop] { return stop.stop_requested(); });
    while (!stop.stop_requested()) {
        const auto taken = mirror_ ? Result<void>() : takeFolder();
        const auto followed = taken ? pullJournal(stop) : taken;
        if (!stop.stop_requested()) tellJournal(followed);
        const auto copied = copies.turn(SteadyClock::read(), taken);
        if (copied && !stop.stop_requested()) report(*copied);
        if (isOthers(taken) && copied) return;  // and stays so: it is said once
        Lock lock(mutex_);
        woken_.wait_for(mutex_, stop, kPause, [] { return false; });
    }
}

void CopyKeeper::report(const checkpoint::CopyReport& report) {
    wire::Record record;
    wire::CheckpointCopy& copy = *record.mutable_checkpoint_copy();
    copy.set_step(static_cast<std::uint64_t>(report.step));
    copy.set_host(options_.host);
    copy.set_path(options_.places.folder.string());
    copy.set_seconds(report.seconds);
    copy.set_failures(report.failures);
    if (report.error) copy.set_error(report.error->message);
    const std::string line =
        report.error ? fmt::format("the checkpoint of step {} was not copied, attempt {}: {}",
                                   report.step, report.failures, report.error->message)
                     : fmt::format("the checkpoint of step {} is copied, {:.1f} s", report.step,
                                   report.seconds);
    std::fprintf(stderr, "%s\n", line.c_str());
    if (const auto sent = client_.sendRecord(std::move(record)); !sent)
        std::fprintf(stderr, "warning: not journalled: %s\n", sent.error().message.c_str());
}

/// What goes on from a copy takes its mark away. So it is one that this may write to, or nothing
/// lies there yet.
Result<void> CopyKeeper::checkIsCopy() const {
    const run::RunPaths& places = options_.places;
    std::error_code error;
    if (std::filesystem::exists(places.copyMark(), error)) return {};
    const auto store = checkpoint::CheckpointStore::open(places.checkpoints(),
                                                         checkpoint::CheckpointStore::Access::Read);
    const bool hasSteps = store && !store->list().value_or(std::vector<std::int64_t>()).empty();
    if (!hasSteps && !std::filesystem::exists(places.journal(), error))
        return replaceFileDurably(places.copyMark(), options_.runId + "\n");
    return fail(
        ErrorCode::BadInput,
        fmt::format("{} holds a run that has gone on by itself, or that is no copy of this one, "
                    "and is left as it is; copies are made again once that folder has another name",
                    places.folder.string()));
}

/// A former agent of this host may hold the folder for a moment.
Result<void> CopyKeeper::takeFolder() {
    TRY(checkIsCopy());
    auto mirror = run::RunMirror::open(options_.places, options_.runId);  // TRY: GCC 12 warns
    if (!mirror) return fail(std::move(mirror.error()));
    if (!mirror->writes())
        return fail(ErrorCode::Unavailable,
                    fmt::format("another program writes to {}", options_.places.folder.string()));
    std::error_code ignored;
    std::filesystem::remove(options_.places.summary(), ignored);  // of a start before
    std::ignore = replaceFileDurably(options_.places.job(), options_.jobToml);
    mirror_.emplace(std::move(*mirror));
    hasFolder_ = true;
    return {};
}

Result<void> CopyKeeper::pullJournal(const std::stop_token& stop) {
    bool isFresh = false;
    for (int pieces = 0; pieces < kPiecesATurn && !stop.stop_requested(); ++pieces) {
        const auto piece = coordination::fetchJournal(client_, mirror_->size(), kPatience);
        if (!piece) break;  // nobody answers: the run's own affair
        // Its host has lost what lay behind: before this start, or now.
        const std::uint64_t end = cutBack_ ? piece->size() : piece->begin();
        if (const std::uint64_t had = mirror_->size(); had > end) {
            TRY(mirror_->cutAside(end));
            if (cutBack_) tellCut(had - end);
            continue;
        }
        cutBack_ = true;
        if (piece->frames().empty()) break;
        TRY(mirror_->append(mirror_->size(), piece->frames()));
        isFresh = true;
    }
    return isFresh ? mirror_->sync() : Result<void>();
}

/// Once when it begins, once when it is over.
void CopyKeeper::tellJournal(const Result<void>& followed) {
    const std::string problem = followed ? "" : followed.error().message;
    if (problem.empty() == journalProblem_.empty()) return;
    journalProblem_ = problem;
    if (problem.empty())
        return notice(fmt::format("the journal is copied to {} again", options_.host));
    notice(fmt::format("the journal is not copied to {}: {}{}", options_.host, problem,
                       isOthers(followed) ? "" : "; it goes on as soon as it can"));
}

void CopyKeeper::tellCut(std::uint64_t bytes) {
    notice(
        fmt::format("the run's own journal has {} bytes less than its copy on {} had: they are "
                    "kept beside the copy, in journal.cut-N",
                    bytes, options_.host));
}

void CopyKeeper::notice(const std::string& sentence) {
    std::fprintf(stderr, "%s\n", sentence.c_str());
    wire::Record record;
    record.mutable_notice()->set_role(wire::ROLE_AGENT);
    record.mutable_notice()->set_process_id(options_.agentId);
    record.mutable_notice()->set_sentence(sentence);
    if (const auto sent = client_.sendRecord(std::move(record)); !sent)
        std::fprintf(stderr, "warning: not journalled: %s\n", sent.error().message.c_str());
}

}  // namespace lockstep::launch

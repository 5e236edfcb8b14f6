// SPDX-License-Identifier: Apache-2.0
#include "core/job/slurm_source.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "core/base/absolute_path.h"
#include "core/base/exit_status.h"
#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/job/folding_session.h"
#include "core/job/source/live_source.h"
#include "core/launch/process/child_process.h"
#include "core/wire/codec.h"

namespace lockstep::job {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPieceBytes = 1 << 20;
constexpr Millis kReadInterval{250};  ///< Of a file that may lie on another machine.
/// So long the agent's folder may take to tell where the coordinator is.
constexpr std::chrono::seconds kContactPatience{5};

std::uint64_t sizeOf(const fs::path& file) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    return error ? 0 : static_cast<std::uint64_t>(size);
}

}  // namespace

SlurmSource::SlurmSource(std::unique_ptr<launch::SlurmStart> start, Options options)
    : start_(std::move(start)), options_(std::move(options)), paths_{options_.runDir} {
    status_.link.sentence = start_->sentence();
    warning_ = options_.earlier.note();
}

SlurmSource::~SlurmSource() {
    if (options_.tied && !sawEnd_) start_->cancelNow();
}

Result<std::optional<JournalSource::Piece>> SlurmSource::next(Nanos timeout) {
    if (status_.exhausted) return std::nullopt;
    if (live_ || file_) {
        start_->poll(Nanos{0});
        return follow(timeout);
    }
    start_->poll(timeout);
    tellOfQueue();
    const bool isOver = start_->phase() == launch::SlurmPhase::Over;
    if (hasBegun())
        chooseSource();
    else if (isOver)
        conclude();
    return std::nullopt;
}

/// Whether the journal holds something of this start.
bool SlurmSource::hasBegun() const {
    const bool starts = start_->phase() == launch::SlurmPhase::Running ||
                        start_->phase() == launch::SlurmPhase::Over;
    return starts && sizeOf(paths_.journal()) > start_->journalEnd();
}

void SlurmSource::tellOfQueue() {
    status_.link = {};
    status_.link.sentence = start_->sentence();
    if (start_->phase() == launch::SlurmPhase::Waiting) status_.link.queue = status_.link.sentence;
}

/// The coordinator's socket when it is on this machine.
std::optional<run::Contact> SlurmSource::contactHere() const {
    if (!run::isLocked(paths_)) return std::nullopt;
    const auto processes = run::readProcesses(paths_);
    if (!processes || processes->empty() || processes->front().host != hostName())
        return std::nullopt;
    auto contact = run::readContact(paths_);
    std::error_code error;
    const bool isReadable =
        contact && contact->runId == run::readRunId(paths_) && fs::exists(contact->keyFile, error);
    return isReadable ? std::optional(std::move(*contact)) : std::nullopt;
}

void SlurmSource::chooseSource() {
    const Nanos now = SteadyClock::read();
    if (grownSince_ == Nanos{0}) grownSince_ = now;
    if (auto contact = contactHere()) {
        live_ = std::make_unique<LiveSource>(paths_, std::move(*contact), offset_);
        return;
    }
    const auto processes = run::readProcesses(paths_);
    const bool isElsewhere =
        processes && !processes->empty() && processes->front().host != hostName();
    const bool isOver = start_->phase() == launch::SlurmPhase::Over;
    if (!isElsewhere && !isOver && now - grownSince_ < kContactPatience) return;
    auto reader = telemetry::JournalReader::open(paths_.journal());
    if (reader) file_.emplace(std::move(*reader));
}

Result<std::optional<JournalSource::Piece>> SlurmSource::follow(Nanos timeout) {
    auto piece = TRY(live_ ? live_->next(timeout) : readFile());
    if (piece) return noted(std::move(*piece));
    const bool isDrained = live_ ? live_->status().exhausted : true;
    adoptLink();
    if (!isDrained) return std::nullopt;
    if ((sawEnd_ && !mayGoOn()) || start_->phase() == launch::SlurmPhase::Over) {
        conclude();
    } else if (start_->phase() == launch::SlurmPhase::Waiting) {
        live_.reset();  // Slurm has put it back into the queue
        file_.reset();
        grownSince_ = Nanos{0};
        sawEnd_ = false;
    } else {
        if (live_) start_->lookSoon();  // its agent has gone
        std::this_thread::sleep_for(timeout);
    }
    return std::nullopt;
}

/// A run that was stopped, and not by us, may be one that Slurm puts back into the queue.
bool SlurmSource::mayGoOn() const {
    return sawEnd_ && wasStopped_ && !asked_;
}

void SlurmSource::adoptLink() {
    if (live_) status_.link = live_->status().link;
    if (mayGoOn()) status_.link.caughtUp = false;  // this end need not be the last word
}

Result<std::optional<JournalSource::Piece>> SlurmSource::readFile() {
    const Nanos now = SteadyClock::read();
    const bool isOver = start_->phase() == launch::SlurmPhase::Over;
    if (now < nextRead_ && !isOver) return std::nullopt;
    auto frames = TRY(file_->read(offset_, kPieceBytes));
    status_.link = {true, frames.empty(), "following the journal in the run folder", {}};
    if (frames.empty()) {
        nextRead_ = now + kReadInterval;
        return std::nullopt;
    }
    return Piece{offset_, std::move(frames)};
}

JournalSource::Piece SlurmSource::noted(Piece piece) {
    offset_ = piece.offset + piece.frames.size();
    telemetry::FrameCursor cursor(piece.frames, piece.offset);
    while (const auto bytes = cursor.next()) {
        if (cursor.offset() <= start_->journalEnd()) continue;
        const auto record = wire::decode<wire::Record>(*bytes);
        // The first word of another start, which Slurm has made of this one.
        if (record && record->run_state().state() == wire::RUN_STATE_LAUNCHING) sawEnd_ = false;
        if (record && record->has_run_end()) {
            sawEnd_ = true;
            wasStopped_ = record->run_end().exit_status() == kExitStopped;
        }
    }
    adoptLink();
    return piece;
}

void SlurmSource::conclude() {
    status_.exhausted = true;
    status_.link = {false, true, start_->sentence(), {}};
    if (sawEnd_) return;
    const launch::SlurmEnd end = start_->end();
    status_.ending = Ending{end.exitStatus, end.error, end.remedy};
    if (end.exitStatus != 1) removeUnused();
}

/// What was made for a run that never began: nothing of ours remains.
void SlurmSource::removeUnused() {
    std::error_code ignored;
    if (run::holdsRun(paths_)) return;
    fs::remove_all(launch::SlurmPlaces{options_.runDir}.folder(), ignored);
    options_.earlier.putBack();
    if (options_.created.empty()) return;
    for (fs::path folder = options_.runDir;
         folder.native().size() >= options_.created.native().size(); folder = folder.parent_path())
        fs::remove(folder, ignored);  // where nothing else came to live in it
}

void SlurmSource::requestStop() {
    asked_ = true;
    if (live_)
        live_->requestStop();
    else
        start_->requestStop();
}

void SlurmSource::waitLonger() {
    if (live_) live_->waitLonger();
}

void SlurmSource::drill(const DrillOrder& order) {
    if (live_) live_->drill(order);
}

void SlurmSource::kill() {
    asked_ = true;
    if (live_)
        live_->kill();
    else
        start_->kill();
}

Result<std::unique_ptr<Session>> launchOnSlurm(const config::JobSpec& job,
                                               const LaunchOptions& options, bool resume,
                                               const fs::path& created) {
    const run::RunPaths paths{job.runDir};
    TRY(run::checkUsable(paths, resume));
    const fs::path made = created.empty() ? run::firstMissingFolder(paths.folder) : created;
    auto worker = TRY(absolutePath(options.workerProgram.empty()
                                       ? launch::programBesideThis("lockstep-worker")
                                       : options.workerProgram));
    const bool startsAnew = resume && options.fromScratch;
    run::EarlierRun earlier;
    if (startsAnew) earlier = TRY(run::EarlierRun::putAside(paths));
    launch::SlurmRequest request{job, std::move(worker), resume && !startsAnew};
    if (auto written = launch::writeSlurmFolder(request); !written) {
        earlier.putBack();
        return fail(written.error());
    }
    const bool isInside = launch::isInAllocation();
    auto start = isInside ? launch::startInAllocation(std::move(request))
                          : launch::submitToSlurm(std::move(request));
    return std::make_unique<FoldingSession>(
        paths.folder, std::make_unique<SlurmSource>(
                          std::move(start), SlurmSource::Options{paths.folder, made, options.tied,
                                                                 std::move(earlier)}));
}

bool isSubmitted(const run::RunPaths& paths) {
    const launch::SlurmPlaces places{paths.folder};
    const auto submission = launch::readSubmission(places);
    if (!submission || launch::isInAllocation(submission->jobId)) return false;
    std::error_code error;
    const auto submitted = fs::last_write_time(places.submission(), error);
    const auto ended = fs::last_write_time(paths.summary(), error);
    return error || ended <= submitted;
}

std::unique_ptr<Session> attachToSlurm(const run::RunPaths& paths) {
    if (!isSubmitted(paths)) return nullptr;
    const launch::SlurmPlaces places{paths.folder};
    const auto submission = launch::readSubmission(places);
    if (!submission) return nullptr;
    return std::make_unique<FoldingSession>(
        paths.folder, std::make_unique<SlurmSource>(launch::followSubmission(places, *submission),
                                                    SlurmSource::Options{paths.folder, {}, false}));
}

}  // namespace lockstep::job

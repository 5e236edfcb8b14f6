// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/config/job/job_spec.h"
#include "core/job/fold/session.h"
#include "core/job/source/journal_source.h"
#include "core/launch/slurm/slurm_start.h"
#include "core/run/run_folder.h"
#include "core/telemetry/journal.h"

namespace lockstep::job {

/// The journal of a run whose processes Slurm starts: its place in the queue first, then the
/// coordinator when it is on this host, else the journal's file on the file system that all nodes
/// share. A tied job is cancelled when this source is destroyed before the run has ended.
class SlurmSource final : public JournalSource {
public:
    struct Options {
        std::filesystem::path runDir;
        std::filesystem::path created{};  ///< The topmost folder made for it; empty: none.
        bool tied = false;
        run::EarlierRun earlier{};  ///< That this one takes the place of.
    };
    SlurmSource(std::unique_ptr<launch::SlurmStart> start, Options options);
    ~SlurmSource() override;

    [[nodiscard]] Result<std::optional<Piece>> next(Nanos timeout) override;
    [[nodiscard]] Status status() const override { return status_; }
    void requestStop() override;
    void kill() override;
    void waitLonger() override;
    void drill(const DrillOrder& order) override;
    [[nodiscard]] std::string takeWarning() override { return std::exchange(warning_, {}); }

private:
    [[nodiscard]] bool hasBegun() const;
    void chooseSource();
    [[nodiscard]] std::optional<run::Contact> contactHere() const;
    [[nodiscard]] Result<std::optional<Piece>> follow(Nanos timeout);
    [[nodiscard]] Result<std::optional<Piece>> readFile();
    [[nodiscard]] bool mayGoOn() const;
    void adoptLink();
    void tellOfQueue();
    void conclude();
    [[nodiscard]] Piece noted(Piece piece);
    void removeUnused();

    std::unique_ptr<launch::SlurmStart> start_;
    Options options_;
    run::RunPaths paths_;
    std::unique_ptr<JournalSource> live_;
    std::optional<telemetry::JournalReader> file_;
    std::uint64_t offset_ = 0;
    Nanos grownSince_{0};  ///< When this start's journal was first seen; 0: not yet.
    Nanos nextRead_{0};
    bool sawEnd_ = false;      ///< The journal tells how this start ended.
    bool wasStopped_ = false;  ///< With a checkpoint, by whomever.
    bool asked_ = false;       ///< The user has asked for the end.
    std::string warning_;
    Status status_;
};

/// Launches a complete job by Slurm: a step of the allocation that this process is in, else a
/// submission. BadInput when the run folder cannot be used. `created`: as in SlurmSource::Options.
/// `resume`: with options.fromScratch from step 0.
[[nodiscard]] Result<std::unique_ptr<Session>> launchOnSlurm(const config::JobSpec& job,
                                                             const LaunchOptions& options,
                                                             bool resume,
                                                             const std::filesystem::path& created);

/// Whether the run's newest start was submitted to Slurm and may not be over.
[[nodiscard]] bool isSubmitted(const run::RunPaths& paths);
/// The session of such a run; null of another one.
[[nodiscard]] std::unique_ptr<Session> attachToSlurm(const run::RunPaths& paths);

}  // namespace lockstep::job

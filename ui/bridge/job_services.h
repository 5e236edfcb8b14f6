// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/config/job/job_spec.h"
#include "core/job/asker.h"
#include "core/job/data_card.h"
#include "core/job/data_folder.h"
#include "core/job/doctor.h"
#include "core/job/fold/session.h"
#include "core/job/handover/export_network.h"
#include "core/job/handover/layer_times.h"
#include "core/job/handover/predict.h"
#include "core/job/handover/sample_answers.h"
#include "core/job/handover/scored_samples.h"
#include "core/job/runs_folder.h"
#include "core/model/data_facts.h"

namespace lockstep::ui {

/// The functions of core/job that the window calls, passed in by the program (tests pass their
/// own). They may block and are called on worker threads only.
struct JobServices {
    using OpenedSession = Result<std::unique_ptr<job::Session>>;

    std::function<OpenedSession(const std::string& jobToml, const std::filesystem::path& jobFolder,
                                const job::LaunchOptions& options)>
        launch;
    std::function<OpenedSession(const std::filesystem::path& runDir,
                                const job::ConnectOptions& options)>
        attach;
    std::function<std::vector<job::RunEntry>(const std::filesystem::path& runsFolder)> listRuns;

    /// Whether some program holds the run's folder now.
    std::function<bool(const std::filesystem::path& runDir)> isRunning{};

    /// All of this user, wherever their folders are.
    std::function<std::vector<job::RunEntry>()> knownRuns{};

    /// Where the runs of a job come to lie, for window and terminal; see runs_folder.h.
    std::function<job::RunsFolder(const std::filesystem::path& jobFolder)> runsFolder{};
    std::function<Result<void>(const std::filesystem::path& folder)> chooseRunsFolder{};
    /// Whether the data of a job are there.
    std::function<Result<void>(const config::JobSpec& job, const std::filesystem::path& jobFolder)>
        checkData{};
    /// What a network must know of the data of a job.
    std::function<Result<model::DataFacts>(const config::JobSpec& job,
                                           const std::filesystem::path& jobFolder)>
        factsOfData{};
    /// The columns of a job's table.
    std::function<Result<std::vector<job::TableColumn>>(const config::JobSpec& job,
                                                        const std::filesystem::path& jobFolder)>
        columnsOfTable{};
    /// What a job trains on, with samples; takes as long as loading it, or as the watch waits.
    std::function<Result<job::DataCard>(const config::JobSpec& job,
                                        const std::filesystem::path& jobFolder,
                                        const job::LoadWatch& watch)>
        makeDataCard{};

    // Of networks that runs have trained. `ask` returns when all is answered, or the listener wants
    // no more.
    std::function<Result<job::NetworkFacts>(const job::NetworkPlace& place)> factsOfNetwork{};
    std::function<Result<job::Answered>(const job::NetworkPlace& place,
                                        const job::Question& question,
                                        const job::Listener& listener)>
        ask{};
    std::function<Result<job::ExportedNetwork>(const job::NetworkPlace& place,
                                               job::NetworkFormat format,
                                               const std::filesystem::path& file)>
        exportNetwork{};
    /// Every sample that a checkpoint was scored on; takes as long as computing them.
    std::function<Result<std::shared_ptr<const job::ScoredSamples>>(const job::ScoredSplit& scored,
                                                                    const job::LoadWatch& watch)>
        scoreSamples{};
    /// What several checkpoints say of a few samples; takes as long as asking them one by one.
    std::function<Result<void>(const job::AskedSamples& asked, const job::HearStep& hear,
                               const job::LoadWatch& watch)>
        askCheckpoints{};
    /// Keeps the files of a checkpoint whatever comes after it, or takes that back.
    std::function<Result<void>(const std::filesystem::path& runDir, std::int64_t step, bool keep)>
        keepCheckpoint{};

    /// Where the time of a network's steps goes.
    std::function<Result<job::LayerTimes>(const model::Graph& graph, int samples)> timeLayers{};

    using StartedDoctor = Result<std::unique_ptr<job::Doctor>>;
    std::function<StartedDoctor(const std::string& jobToml, const std::filesystem::path& jobFolder,
                                const job::DoctorOptions& options)>
        startDoctor{};
    /// Lets hosts ask the user; returns at once.
    std::function<Result<std::shared_ptr<job::AskServer>>(job::Ask)> startAsker{};
};

}  // namespace lockstep::ui

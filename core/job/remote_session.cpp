// SPDX-License-Identifier: Apache-2.0
#include "core/job/remote_session.h"

#include <fmt/format.h>

#include "core/base/exit_status.h"
#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/job/folding_session.h"
#include "core/job/source/data_places.h"
#include "core/job/source/remote_source.h"
#include "core/launch/host/host_replacement.h"

namespace lockstep::job {

namespace fs = std::filesystem;

namespace {

/// What says where a run lies, and where its copy, is lost with the folder.
Error withWayToCopy(Error error, const config::JobSpec& job,
                    const std::vector<launch::HostPlan>& plan) {
    if (job.checkpoint.copies < 2 || plan.size() < 2 || !isBadInput(error.code)) return error;
    error.remedy += fmt::format(
        "\nWhere the run's folder is lost, {} may have a copy, below ~/.local/state/lockstep/runs. "
        "There, `lockstepctl run COPY/job.toml --processes {} --run-dir COPY --resume` goes on "
        "with it.",
        plan[1].host, job.cluster.numProcesses);
    return error;
}

}  // namespace

Result<std::unique_ptr<Session>> launchRemote(const config::JobSpec& job, const fs::path& jobFolder,
                                              const RemoteLaunchPlace& place, bool tied,
                                              const launch::MakeLinks& makeLinks) {
    auto plan = TRY(launch::planHosts(job));
    const run::RunPaths paths{place.folder};
    if (auto usable = run::checkUsable(paths, place.resume); !usable)
        return fail(place.resume ? withWayToCopy(usable.error(), job, plan) : usable.error());
    launch::RemoteOrder order;
    order.plan = std::move(plan);
    order.config.set_run_id(randomHex(6));
    order.config.set_run_dir(place.folder.string());
    order.config.set_job_toml(config::resolvedToml(job));
    order.config.set_job_dir(jobFolder.string());
    const bool goesOn = place.resume && !place.fromScratch;
    order.config.set_resume(goesOn);
    order.config.set_from_scratch(place.fromScratch);
    order.config.set_created_folder(place.created.string());
    order.folderName = place.folder.filename().string() + "-" + order.config.run_id();
    order.tied = tied;
    order.leaseSeconds = job.launch.leaseSeconds;
    order.spares = launch::sparesOf(job);
    order.spareAfterSeconds = job.launch.spareAfterSeconds;
    order.examination = examinationOf(job, jobFolder, place.folder);
    if (goesOn) {
        const auto former = readRemoteRecord(place.folder);
        if (former && !former->place.visible) {
            order.resumedDir = former->place.runDir;
            order.resumedHost = former->place.host;
        }
        // Other hosts have their part of the run, and copies of it, where they had it before.
        if (former && !former->folderName.empty())
            order.folderName = former->folderName;
        else if (former && !former->place.visible)
            order.folderName = fs::path(former->place.runDir).filename().string();
    }
    return std::make_unique<FoldingSession>(
        place.folder,
        std::make_unique<RemoteSource>(RemoteSource::Options{paths, place.created, std::move(order),
                                                             makeLinks, job.launch.sshConfig}));
}

std::unique_ptr<Session> attachRemote(const fs::path& runDir, const RemoteRecord& record,
                                      const launch::MakeLinks& makeLinks) {
    return std::make_unique<FoldingSession>(
        runDir, std::make_unique<RemoteSource>(RemoteSource::Options{
                    run::RunPaths{runDir},
                    {},
                    launch::RemoteRun::Comeback{record.place, record.leaseSeconds},
                    makeLinks,
                    record.sshConfig}));
}

}  // namespace lockstep::job

// SPDX-License-Identifier: Apache-2.0
#include "core/job/doctor.h"

#include <utility>

#include "core/base/mutex.h"
#include "core/base/program_output.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/job/doctor_view.h"
#include "core/job/runs_folder.h"
#include "core/job/source/data_places.h"
#include "core/job/source/ssh_links.h"
#include "core/launch/doctor/doctor.h"
#include "core/launch/doctor/facts/doctor_requests.h"
#include "core/launch/doctor/facts/host_facts.h"
#include "core/launch/doctor/this_host_link.h"
#include "core/launch/process/child_process.h"

namespace lockstep::job {

namespace fs = std::filesystem;

namespace {

launch::OpenLink thisHost(const fs::path& worker) {
    return [worker](const std::string& host, const auto& /*say*/) {
        return Result<std::unique_ptr<launch::HostLink>>(
            launch::makeThisHostLink(host, launch::doctorRequests(worker)));
    };
}

class RunningDoctor final : public Doctor {
public:
    RunningDoctor(launch::DoctorTask task, fs::path worker, ConnectOptions connect)
        : task_(std::move(task)), worker_(std::move(worker)), connect_(std::move(connect)) {
        publish(launch::beginningOf(task_));
        thread_ = startThread("doctor", [this](const std::stop_token& stop) { run(stop); });
    }

    [[nodiscard]] std::shared_ptr<const DoctorView> view() const override {
        Lock lock(mutex_);
        return view_;
    }
    void cancel() override { thread_.request_stop(); }

private:
    void run(const std::stop_token& stop) {
        // This machine's build, as its own worker tells it: what the hosts' are held against.
        wire::HostFacts own;
        launch::addWorkerFacts(worker_, own);
        task_.build = own.build();
        const bool remote = task_.job.launch.method == config::LaunchMethod::Ssh;
        const launch::OpenLink open =
            remote ? sshLinks(task_.job.launch.sshConfig, connect_)(stop) : thisHost(worker_);
        const launch::Examination all = launch::examineHosts(
            task_, open, [this](const launch::Examination& now) { publish(now); }, stop);
        if (stop.stop_requested()) publish(all, true);
    }

    void publish(const launch::Examination& all, bool cancelled = false) {
        auto fresh = std::make_shared<DoctorView>(doctorViewOf(all, cancelled));
        Lock lock(mutex_);
        fresh->revision = view_ ? view_->revision + 1 : 1;
        view_ = std::move(fresh);
    }

    launch::DoctorTask task_;
    const fs::path worker_;
    const ConnectOptions connect_;
    mutable Mutex mutex_;
    std::shared_ptr<const DoctorView> view_ LS_GUARDED_BY(mutex_);
    std::jthread thread_;  ///< The last: it ends before what it touches.
};

}  // namespace

Result<std::unique_ptr<Doctor>> startDoctor(const std::string& jobToml, const fs::path& jobFolder,
                                            const DoctorOptions& options) {
    auto document = TRY(config::JobDocument::parse(jobToml, "job.toml"));
    auto job = TRY(document.checked());
    launch::DoctorTask task;
    task.job = std::move(job);
    task.job.launch.sshConfig = absoluteSshConfig(task.job, jobFolder);
    std::error_code error;
    const fs::path runs = options.runsFolder.empty()
                              ? launchedRunsFolder(task.job.launch.method, jobFolder)
                              : options.runsFolder;
    task.runFolder = task.job.runDir.empty() ? fs::absolute(runs, error).lexically_normal()
                                             : absoluteBelow(jobFolder, task.job.runDir);
    task.dataDirectory = dataDirectoryOf(task.job, jobFolder);
    task.dataPlaces = dataPlacesOf(task.job.data, jobFolder);
    const fs::path worker = options.workerProgram.empty()
                                ? launch::programBesideThis("lockstep-worker")
                                : options.workerProgram;
    return std::make_unique<RunningDoctor>(std::move(task), worker, options);
}

}  // namespace lockstep::job

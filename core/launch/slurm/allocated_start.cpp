// SPDX-License-Identifier: Apache-2.0
// The tasks of a job as one step of the allocation that the launcher is in.
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "core/base/file.h"
#include "core/launch/process/child_process.h"
#include "core/launch/slurm/slurm_start.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kCancelPatience{40};
constexpr std::uint64_t kMostOutput = 1 << 20;

class AllocatedStart final : public SlurmStart {
public:
    explicit AllocatedStart(SlurmRequest request)
        : places_{request.job.runDir}, request_(std::move(request)) {
        std::error_code error;
        const auto size = std::filesystem::file_size(places_.runFolder / "journal", error);
        journalEnd_ = error ? 0 : static_cast<std::uint64_t>(size);
    }
    ~AllocatedStart() override {
        if (srun_) srun_->release();  // the step goes on
    }

    void poll(Nanos timeout) override;
    SlurmPhase phase() const override { return phase_; }
    std::string sentence() const override {
        const char* id = std::getenv("SLURM_JOB_ID");
        return fmt::format("a step of Slurm job {}", id == nullptr ? "" : id);
    }
    std::uint64_t journalEnd() const override { return journalEnd_; }
    SlurmEnd end() const override { return end_; }
    /// srun hands the signal on to its tasks.
    void requestStop() override { signal(SIGTERM); }
    /// With --quit-on-interrupt it ends them.
    void kill() override { signal(SIGINT); }
    void lookSoon() override {}
    void cancelNow() override;

private:
    void start();
    void signal(int number) const {
        if (srun_ && phase_ == SlurmPhase::Running) ::kill(srun_->pid(), number);
    }
    void finish(const ExitStatus& status);

    SlurmPlaces places_;
    SlurmRequest request_;
    std::uint64_t journalEnd_ = 0;
    std::unique_ptr<ChildProcess> srun_;
    SlurmPhase phase_ = SlurmPhase::Asking;
    SlurmEnd end_;
};

void AllocatedStart::start() {
    ChildOptions options;
    options.program = "/bin/sh";
    options.arguments = {places_.script().string()};
    for (std::string& argument : scriptArguments(request_, true))
        options.arguments.push_back(std::move(argument));
    options.ownSession = true;
    options.dieWithParent = false;
    options.captureOutput = false;
    auto child = ChildProcess::start(options);
    if (!child) {
        end_ = {1, child.error().message, child.error().remedy};
        phase_ = SlurmPhase::Over;
        return;
    }
    srun_ = std::move(*child);
    srun_->closeInput();
    phase_ = SlurmPhase::Running;
}

void AllocatedStart::poll(Nanos timeout) {
    if (phase_ == SlurmPhase::Asking) return start();
    if (phase_ == SlurmPhase::Over) {
        if (timeout > Nanos{0}) std::this_thread::sleep_for(timeout);
        return;
    }
    if (const auto status = srun_->wait(timeout)) finish(*status);
}

void AllocatedStart::finish(const ExitStatus& status) {
    const auto output = readFile(places_.output(), kMostOutput);
    SlurmState state;
    (status.signalled ? state.signal : state.exitStatus) = status.code;
    const char* id = std::getenv("SLURM_JOB_ID");
    end_ = endOf(id == nullptr ? 0 : std::atoll(id), state, output ? *output : "");
    srun_.reset();
    phase_ = SlurmPhase::Over;
}

void AllocatedStart::cancelNow() {
    if (phase_ != SlurmPhase::Running) return;
    signal(SIGTERM);
    if (const auto status = srun_->wait(kCancelPatience)) return finish(*status);
    signal(SIGINT);
}

}  // namespace

bool isInAllocation() {
    const char* id = std::getenv("SLURM_JOB_ID");
    return id != nullptr && *id != '\0';
}

bool isInAllocation(std::int64_t jobId) {
    const char* id = std::getenv("SLURM_JOB_ID");
    return id != nullptr && std::to_string(jobId) == id;
}

std::unique_ptr<SlurmStart> startInAllocation(SlurmRequest request) {
    return std::make_unique<AllocatedStart>(std::move(request));
}

}  // namespace lockstep::launch

// SPDX-License-Identifier: Apache-2.0
// A job that sbatch has put into Slurm's queue.
#include <fmt/format.h>

#include <charconv>
#include <deque>
#include <thread>
#include <tuple>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/launch/slurm/slurm_command.h"
#include "core/launch/slurm/slurm_start.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kAskLimit{20};
constexpr std::chrono::seconds kCancelLimit{10};
constexpr std::chrono::seconds kLookSoon{1};
constexpr std::uint64_t kMostOutput = 1 << 20;

std::uint64_t sizeOf(const std::filesystem::path& file) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    return error ? 0 : static_cast<std::uint64_t>(size);
}

/// "12" or "12;cluster" in the line that `sbatch --parsable` ends with; 0: none.
std::int64_t jobIdIn(const std::string& text) {
    const std::size_t last = text.find_last_not_of("\n ");
    if (last == std::string::npos) return 0;
    const std::size_t newline = text.rfind('\n', last);
    const char* begin = text.data() + (newline == std::string::npos ? 0 : newline + 1);
    std::int64_t id = 0;
    const auto [stop, status] = std::from_chars(begin, text.data() + last + 1, id);
    const bool ends = stop == text.data() + last + 1 || *stop == ';';
    return status == std::errc() && ends ? id : 0;
}

class SubmittedStart final : public SlurmStart {
public:
    explicit SubmittedStart(SlurmRequest request)
        : places_{request.job.runDir}, request_(std::move(request)) {
        submission_.journalEnd = sizeOf(places_.runFolder / "journal");
        sentence_ = "submitting the job to Slurm";
    }
    SubmittedStart(const SlurmPlaces& places, const Submission& submission)
        : places_(places), submission_(submission) {
        sentence_ = fmt::format("asking Slurm for job {}", submission.jobId);
    }
    ~SubmittedStart() override {
        // Cut off now, nobody would know whether Slurm has taken it.
        if (command_ && doing_ == Doing::Submit) handle(command_->wait());
    }

    void poll(Nanos timeout) override;
    SlurmPhase phase() const override { return phase_; }
    std::string sentence() const override { return sentence_; }
    std::uint64_t journalEnd() const override { return submission_.journalEnd; }
    SlurmEnd end() const override { return end_; }
    void requestStop() override { wishes_.push_back(Doing::Stop); }
    void kill() override { wishes_.push_back(Doing::Kill); }
    void lookSoon() override {
        const Nanos soon = SteadyClock::read() + kLookSoon;
        if (nextLook_ > soon) nextLook_ = soon;
    }
    void cancelNow() override;

private:
    enum class Doing : std::uint8_t { Submit, Look, LookUpAccount, Stop, Kill, Cancel };

    void begin(Doing what);
    [[nodiscard]] std::pair<std::string, std::vector<std::string>> commandFor(Doing what) const;
    void handle(Result<SlurmAnswer> answer);
    void handleSubmission(const SlurmAnswer& answer);
    void handleLook(const SlurmAnswer& answer);
    void handleAccount(const SlurmAnswer& answer);
    void adopt(const SlurmState& state);
    void enter(SlurmPhase phase);
    void refuse(const Error& error);
    void leaveOpen(const Error& error);
    void vanish(const std::string& words);

    SlurmPlaces places_;
    std::optional<SlurmRequest> request_;  ///< Until it is submitted.
    std::string jobName_;
    Submission submission_;
    SlurmPhase phase_ = SlurmPhase::Asking;
    Nanos enteredAt_ = SteadyClock::read();
    Nanos nextLook_{0};
    std::optional<SlurmCommand> command_;
    Doing doing_ = Doing::Look;
    std::deque<Doing> wishes_;
    bool hasStopped_ = false;  ///< We have asked for its end.
    bool hasRun_ = false;
    std::string sentence_;
    SlurmEnd end_;
};

void SubmittedStart::poll(Nanos timeout) {
    if (!command_ && phase_ != SlurmPhase::Over) {
        if (request_) {
            begin(Doing::Submit);
        } else if (!wishes_.empty()) {
            const Doing wish = wishes_.front();
            wishes_.pop_front();
            begin(wish);
        } else if (SteadyClock::read() >= nextLook_) {
            begin(Doing::Look);
        }
    }
    if (!command_) {
        if (timeout > Nanos{0}) std::this_thread::sleep_for(timeout);
        return;
    }
    if (auto answer = command_->poll(timeout)) {
        command_.reset();
        handle(std::move(*answer));
    }
}

std::pair<std::string, std::vector<std::string>> SubmittedStart::commandFor(Doing what) const {
    const std::string id = std::to_string(submission_.jobId);
    switch (what) {
        case Doing::Submit:
            return {"sbatch", sbatchArguments(*request_)};
        case Doing::Look:
            return {"scontrol", {"--oneliner", "show", "job", id}};
        case Doing::LookUpAccount:
            return {"sacct",
                    {"--noheader", "--parsable2", "--allocations", "--jobs=" + id,
                     "--format=State,ExitCode,NodeList,Partition"}};
        case Doing::Stop:
            if (phase_ == SlurmPhase::Running) return {"scancel", {"--signal=TERM", id}};
            return {"scancel", {id}};
        case Doing::Kill:  // of the step: told to kill the whole job, Slurm asks it to end first
            if (phase_ == SlurmPhase::Running) return {"scancel", {"--signal=KILL", id + ".0"}};
            return {"scancel", {id}};
        case Doing::Cancel:
            return {"scancel", {id}};
    }
    return {};
}

void SubmittedStart::begin(Doing what) {
    const auto [program, arguments] = commandFor(what);
    const Nanos limit = what == Doing::Submit ? request_->submitLimit : Nanos(kAskLimit);
    auto command = SlurmCommand::start(program, arguments, limit);
    if (what == Doing::Submit) {
        jobName_ = request_->job.name;
        request_.reset();
    }
    if (what == Doing::Stop || what == Doing::Kill || what == Doing::Cancel) hasStopped_ = true;
    doing_ = what;
    if (command)
        command_.emplace(std::move(*command));
    else
        handle(fail(command.error()));
}

void SubmittedStart::handle(Result<SlurmAnswer> answer) {
    const Nanos now = SteadyClock::read();
    nextLook_ = now + lookInterval(phase_, now - enteredAt_);
    if (!answer) {
        if (doing_ == Doing::Submit && answer.error().code == ErrorCode::Timeout)
            return leaveOpen(answer.error());
        if (doing_ == Doing::Submit) return refuse(answer.error());
        if (doing_ == Doing::LookUpAccount) return vanish(answer.error().message);
        sentence_ = fmt::format("Slurm job {}: {}", submission_.jobId, answer.error().message);
        return;
    }
    switch (doing_) {
        case Doing::Submit:
            return handleSubmission(*answer);
        case Doing::Look:
            return handleLook(*answer);
        case Doing::LookUpAccount:
            return handleAccount(*answer);
        case Doing::Stop:
        case Doing::Kill:
        case Doing::Cancel:
            if (answer->status != 0) sentence_ = "Slurm does not end the job: " + answer->words();
            return lookSoon();
    }
}

void SubmittedStart::handleSubmission(const SlurmAnswer& answer) {
    const std::int64_t id = answer.status == 0 ? jobIdIn(answer.text) : 0;
    if (id == 0)
        return refuse(
            {ErrorCode::BadInput, "Slurm does not take the job: " + answer.words(),
             "Correct [slurm] in the job file; `sinfo` lists partitions and their limits, "
             "`sacctmgr show associations user=$USER` accounts."});
    submission_.jobId = id;
    sentence_ = fmt::format("submitted to Slurm as job {}", id);
    if (auto written = writeSubmission(places_, submission_); !written) {
        sentence_ += ", which `attach` will not find: " + written.error().message;
    }
    nextLook_ = Nanos{0};
    enter(SlurmPhase::Waiting);
}

void SubmittedStart::handleLook(const SlurmAnswer& answer) {
    if (const auto state = parseShownJob(answer.text); state && answer.status == 0)
        return adopt(*state);
    // Slurm forgets jobs minutes after their end; accounting, where there is one, does not.
    if (answer.text.find("Invalid job id") != std::string::npos) return begin(Doing::LookUpAccount);
    sentence_ = fmt::format("Slurm does not tell of job {}: {}", submission_.jobId, answer.words());
}

void SubmittedStart::handleAccount(const SlurmAnswer& answer) {
    const auto state = parseAccountedJob(answer.text);
    if (state && answer.status == 0) return adopt(*state);
    vanish(answer.words());
}

void SubmittedStart::adopt(const SlurmState& state) {
    sentence_ = wordsOf(submission_.jobId, state);
    if (isWaiting(state)) return enter(SlurmPhase::Waiting);
    if (!isOver(state)) return enter(SlurmPhase::Running);
    const auto output = readFile(places_.output(), kMostOutput);
    end_ = endOf(submission_.jobId, state, output ? *output : "");
    const bool isCancelled = state.state.starts_with("CANCELLED");
    if (hasStopped_ && isCancelled) {
        end_ = {hasRun_ ? 1 : 3, hasRun_ ? end_.error : "", ""};
        if (!hasRun_)
            sentence_ = fmt::format("Slurm job {} left the queue unstarted", submission_.jobId);
    }
    enter(SlurmPhase::Over);
}

void SubmittedStart::enter(SlurmPhase phase) {
    if (phase == SlurmPhase::Running) hasRun_ = true;
    // Back in the queue: what the journal holds by now is an earlier start's.
    if (phase == SlurmPhase::Waiting && phase_ == SlurmPhase::Running) {
        submission_.journalEnd = sizeOf(places_.runFolder / "journal");
        std::ignore = writeSubmission(places_, submission_);
    }
    if (phase != phase_) enteredAt_ = SteadyClock::read();
    phase_ = phase;
}

void SubmittedStart::refuse(const Error& error) {
    end_ = {2, error.message, error.remedy};
    sentence_ = "not submitted";
    enter(SlurmPhase::Over);
}

/// sbatch was ended before it told; Slurm may have taken the job all the same.
void SubmittedStart::leaveOpen(const Error& error) {
    end_ = {1, error.message + ", and Slurm may have taken the job all the same: nobody follows it",
            fmt::format("Look for a job named {} with `squeue --me`, and end it with `scancel "
                        "JOBID` before you launch again.\n{}",
                        jobName_, error.remedy)};
    sentence_ = "not known to be submitted";
    enter(SlurmPhase::Over);
}

void SubmittedStart::vanish(const std::string& words) {
    end_ = {1, fmt::format("Slurm does not know job {} any more: {}", submission_.jobId, words),
            "See " + places_.output().string() + " for what it wrote; go on with --resume."};
    sentence_ = end_.error;
    enter(SlurmPhase::Over);
}

void SubmittedStart::cancelNow() {
    if (command_ && doing_ == Doing::Submit) handle(command_->wait());
    command_.reset();
    if (phase_ == SlurmPhase::Over || submission_.jobId == 0) return;
    auto command =
        SlurmCommand::start("scancel", {std::to_string(submission_.jobId)}, kCancelLimit);
    if (command) std::ignore = command->wait();  // nobody is left to be told
}

}  // namespace

Nanos lookInterval(SlurmPhase phase, Nanos inPhase) {
    using std::chrono::minutes;
    using std::chrono::seconds;
    if (phase == SlurmPhase::Running) return seconds(30);
    if (inPhase < seconds(20)) return seconds(2);
    return inPhase < minutes(10) ? seconds(10) : seconds(30);
}

std::unique_ptr<SlurmStart> submitToSlurm(SlurmRequest request) {
    return std::make_unique<SubmittedStart>(std::move(request));
}

std::unique_ptr<SlurmStart> followSubmission(const SlurmPlaces& places,
                                             const Submission& submission) {
    return std::make_unique<SubmittedStart>(places, submission);
}

}  // namespace lockstep::launch

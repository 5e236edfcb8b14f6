// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/finding.h"
#include "core/job/fold/session.h"

namespace lockstep::job {

/// How a check of a host stands.
enum class CheckState : std::uint8_t {
    Pending,
    Running,
    Unknown,        ///< Could not be examined, since the host was not reached.
    NotApplicable,  ///< This job does not ask it of this host.
    Ok,
    Note,
    Warning,
    Failure,  ///< It would stop the job.
};

struct CheckView {
    CheckState state = CheckState::Pending;
    std::string word;    ///< "ok", "12.4 GiB", "fails".
    std::string detail;  ///< Lines: what was found, and why.
};

/// A row of the matrix.
struct HostChecks {
    std::string host;
    std::string processes;  ///< "processes 0-3, evaluator".
    std::string progress;  ///< "copying Lockstep to host3, 4 of 11 MB"; empty when nothing is said.
    std::vector<CheckView> checks;  ///< In order of DoctorView::checks.
};

/// One thing that is wrong, and what to do about it: a command for a terminal of this machine, a
/// change of the job file, or words.
struct HostProblem {
    std::string host;
    std::string otherHost;  ///< The other one of a pair; empty: it concerns one host.
    int check = 0;          ///< Index of DoctorView::checks.
    config::Severity severity = config::Severity::Error;  ///< Error: it would stop the job.
    std::string sentence;
    std::string advice;
    std::string command;  ///< Empty: there is none.
    std::string key;      ///< Of the job file; empty: no change of it helps.
    std::string value;    ///< What to set it to, as JobDocument::set takes it.
    std::string change;   ///< What that does: "Let the system choose the port".
};

/// Everything that is known of a job's hosts, as one immutable value.
struct DoctorView {
    std::uint64_t revision = 0;
    bool running = true;
    bool cancelled = false;
    std::vector<std::string> checks;  ///< Names of the columns: "ssh", "build", …
    std::vector<HostChecks> hosts;
    std::vector<HostProblem> problems;  ///< The gravest first.
    int errors = 0;
    int warnings = 0;
    double seconds = 0;    ///< Since it began.
    std::string sentence;  ///< "4 hosts are ready.", "2 of 4 hosts have problems."

    /// All is known and nothing would stop the job.
    [[nodiscard]] bool ready() const { return !running && !cancelled && errors == 0; }
};

/// An examination of a job's hosts that goes on by itself. All calls return at once and may come
/// from any one thread; destruction waits for connections that are being opened (seconds).
class Doctor {
public:
    virtual ~Doctor() = default;

    /// Never null. The same pointer until something changed.
    [[nodiscard]] virtual std::shared_ptr<const DoctorView> view() const = 0;
    virtual void cancel() = 0;
};

struct DoctorOptions : ConnectOptions {
    std::filesystem::path workerProgram;  ///< Empty: lockstep-worker beside this program.
    std::filesystem::path runsFolder{};   ///< Empty: as runsFolderFor() of runs_folder.h finds.
};

/// Examines the hosts of the job of `jobToml`, without starting anything of it: over ssh where the
/// job is launched so, else this machine alone. Relative paths in the job are relative to
/// `jobFolder`. Fails at once only with BadInput for a job that does not lint.
[[nodiscard]] Result<std::unique_ptr<Doctor>> startDoctor(const std::string& jobToml,
                                                          const std::filesystem::path& jobFolder,
                                                          const DoctorOptions& options);

}  // namespace lockstep::job

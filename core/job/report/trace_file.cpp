// SPDX-License-Identifier: Apache-2.0
#include "core/job/report/trace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "core/base/file.h"
#include "core/run/run_folder.h"
#include "core/telemetry/trace_export.h"

namespace lockstep::job {

namespace {

Result<telemetry::TraceAccount> write(const std::filesystem::path& journal,
                                      const telemetry::TraceWindow& window, const std::string& file,
                                      const TraceWatch& watch) {
    const std::string unfinished = file + ".unfinished";
    const UniqueFd fd(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd.valid())
        return fail(ErrorCode::BadInput, fmt::format("cannot write {}: {}", file, errnoText()),
                    "Name another file.");
    std::uint64_t done = 0;
    auto account =
        telemetry::exportTrace(journal, window, [&](std::string_view bytes) -> Result<void> {
            if (auto written = writeAll(fd.get(), bytes); !written)
                return failWithin("writing " + file, written.error());
            done += bytes.size();
            if (watch && !watch(done)) return fail(ErrorCode::Cancelled, "the trace was given up");
            return {};
        });
    if (account && ::fsync(fd.get()) != 0)
        account = fail(ErrorCode::Io, fmt::format("writing {}: {}", file, errnoText()));
    if (account && ::rename(unfinished.c_str(), file.c_str()) != 0)
        account = fail(ErrorCode::Io, fmt::format("cannot write {}: {}", file, errnoText()));
    if (!account) ::unlink(unfinished.c_str());
    return account;
}

}  // namespace

Result<WrittenTrace> writeTraceFile(const std::filesystem::path& runDir,
                                    const telemetry::TraceWindow& window,
                                    const std::filesystem::path& file, const TraceWatch& watch) {
    const run::RunPaths paths{runDir};
    auto account = write(paths.journal(), window, file.string(), watch);
    if (!account) return fail(std::move(account.error()));
    if (run::isLocked(paths)) account->check.torn = 0;  // it is being written
    return WrittenTrace{account->counts.steps, account->bytes, telemetry::describe(*account),
                        telemetry::describe(account->check)};
}

Result<WrittenTrace> writeTraceFile(const std::filesystem::path& runDir,
                                    const std::filesystem::path& file, const TraceWatch& watch) {
    return writeTraceFile(runDir, telemetry::TraceWindow(), file, watch);
}

std::string traceFileName(const std::filesystem::path& runDir) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(runDir, ignored).filename().string() + ".pftrace";
}

}  // namespace lockstep::job

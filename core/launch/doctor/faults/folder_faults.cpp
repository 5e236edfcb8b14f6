// SPDX-License-Identifier: Apache-2.0
// Faults of what a host keeps on disk: the run folder; the data are in data_faults.cpp.
#include <fmt/format.h>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/launch/doctor/faults/data_faults.h"
#include "core/launch/doctor/faults/fault_report.h"
#include "core/launch/doctor/faults/needs.h"

namespace lockstep::launch {

namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr std::uint64_t kFewInodes = 128;

double mebibytes(std::uint64_t bytes) {
    return static_cast<double>(bytes) / kMebibyte;
}

void findUnwritable(const ExaminedHost& host, const wire::FolderFacts& folder,
                    FaultReport& report) {
    HostFinding& finding =
        report.error(host.name, Check::Disk,
                     fmt::format("{} cannot write to the run folder {}: {}: {}", host.name,
                                 folder.path(), folder.existing(), folder.error()));
    if (folder.read_only()) {
        finding.advice = "Mount it for writing, or name another run folder in job.run_dir.";
        finding.command = report.on(
            host.name, fmt::format("sudo mount -o remount,rw \"$(findmnt -no TARGET -T {})\"",
                                   shellWord(folder.existing())));
    } else {
        finding.advice = "Make it yours, or name another run folder in job.run_dir.";
        finding.command =
            report.on(host.name, fmt::format("sudo chown {} {}", shellWord(host.facts->user()),
                                             shellWord(folder.existing())));
    }
}

/// The first host behind process 0's, unless both have the launcher's folder.
bool keepsCopy(const Examination& all, const ExaminedHost& host) {
    const bool areMade =
        all.remote && all.job.checkpoint.copies > 1 && !all.job.launch.runsOwnProgram();
    return areMade && all.hosts.size() > 1 && &host == &all.hosts[1] && !host.isSpare &&
           !host.facts->run_folder().shared();
}

void findNoRoomForCopy(const ExaminedHost& host, const wire::FolderFacts& folder,
                       FaultReport& report) {
    HostFinding& finding = report.error(
        host.name, Check::Disk,
        fmt::format("{} keeps a copy of the run (checkpoint.copies = 2) in {}, has {:.0f} MiB left "
                    "there, and the job needs about {:.0f} MiB",
                    host.name, folder.path(), mebibytes(folder.free_bytes()),
                    mebibytes(diskNeedOf(report.all()))));
    finding.advice = fmt::format(
        "Remove what is not needed there, or give another host the place behind {}; with "
        "checkpoint.copies = 1 the checkpoints lie on {} alone.",
        report.all().hosts.front().name, report.all().hosts.front().name);
    finding.command = report.on(
        host.name, fmt::format("du -xah {} | sort -h | tail", shellWord(folder.existing())));
}

void findDiskFaults(const ExaminedHost& host, FaultReport& report) {
    const wire::FolderFacts& folder = host.facts->run_folder();
    if (folder.existing().empty()) return;
    const std::uint64_t need = diskNeedOf(report.all());
    const bool full = folder.free_bytes() < need;
    if (full && keepsCopy(report.all(), host)) return findNoRoomForCopy(host, folder, report);
    if (full || folder.free_inodes() < kFewInodes) {
        HostFinding& finding = report.error(
            host.name, Check::Disk,
            full ? fmt::format("{} has {:.0f} MiB left for the run folder {}, and the job needs "
                               "about {:.0f} MiB",
                               host.name, mebibytes(folder.free_bytes()), folder.path(),
                               mebibytes(need))
                 : fmt::format("{} has room for only {} where the run folder {} lies", host.name,
                               counted(folder.free_inodes(), "more file"), folder.path()));
        finding.advice =
            "Remove what is not needed there, or name another run folder in "
            "job.run_dir.";
        finding.command = report.on(
            host.name, fmt::format("du -xah {} | sort -h | tail", shellWord(folder.existing())));
        return;
    }
    if (!folder.writable()) findUnwritable(host, folder, report);
}

}  // namespace

void findFolderFaults(FaultReport& report) {
    const DataReference data(report.all());
    for (const ExaminedHost& host : report.all().hosts) {
        if (!host.facts) continue;
        findDiskFaults(host, report);
        data.findFaults(host, report);
    }
}

}  // namespace lockstep::launch

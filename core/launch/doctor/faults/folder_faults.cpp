// SPDX-License-Identifier: Apache-2.0
// Faults of what a host keeps on disk: the run folder and the data.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/plural.h"
#include "core/base/text.h"
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

void findDiskFaults(const ExaminedHost& host, FaultReport& report) {
    const wire::FolderFacts& folder = host.facts->run_folder();
    if (folder.existing().empty()) return;
    const std::uint64_t need = diskNeedOf(report.all());
    const bool full = folder.free_bytes() < need;
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

/// The one whose data the others are held against: the first of the most that agree.
const ExaminedHost* referenceOf(const Examination& all) {
    std::map<std::string, int> counts;
    for (const ExaminedHost& host : all.hosts)
        if (host.facts && host.facts->data().present()) ++counts[host.facts->data().fingerprint()];
    const ExaminedHost* best = nullptr;
    int most = 0;
    for (const ExaminedHost& host : all.hosts) {
        if (!host.facts || !host.facts->data().present()) continue;
        const int count = counts[host.facts->data().fingerprint()];
        if (count > most) best = &host;
        most = std::max(most, count);
    }
    return best;
}

void addCopy(const ExaminedHost* from, const ExaminedHost& to, FaultReport& report,
             HostFinding& finding) {
    const std::string folder = shellWord(report.all().dataDirectory.string());
    if (from == nullptr) {
        finding.advice = fmt::format(
            "Put the data there, or name in data.directory a folder that every host sees; {} "
            "should be in it.",
            "train-images-idx3-ubyte and its companions");
        finding.command = report.on(to.name, "mkdir -p " + folder);
        return;
    }
    finding.advice = fmt::format("Copy the data of {}.", from->name);
    finding.command = report.on(from->name, "tar -C " + folder + " -cf - .") + " | " +
                      report.on(to.name, "mkdir -p " + folder + " && tar -C " + folder + " -xf -");
}

void findDataFaults(const ExaminedHost& host, const ExaminedHost* reference, FaultReport& report) {
    const wire::DataFacts& data = host.facts->data();
    if (!data.needed() || (host.processes.empty() && !host.evaluator)) return;
    const std::string folder = report.all().dataDirectory.string();
    if (!data.missing().empty()) {
        const std::vector<std::string> names(data.missing().begin(), data.missing().end());
        HostFinding& finding =
            report.error(host.name, Check::Data,
                         fmt::format("{} {} missing in {} on {}", joinWords(names),
                                     names.size() == 1 ? "is" : "are", folder, host.name));
        addCopy(reference, host, report, finding);
    } else if (!data.error().empty()) {
        HostFinding& finding =
            report.error(host.name, Check::Data,
                         fmt::format("the data of {} cannot be read: {}", host.name, data.error()));
        addCopy(reference, host, report, finding);
    } else if (reference != nullptr &&
               reference->facts->data().fingerprint() != data.fingerprint()) {
        HostFinding& finding =
            report.error(host.name, Check::Data,
                         fmt::format("the data in {} on {} differ from those on {}", folder,
                                     host.name, reference->name));
        finding.otherHost = reference->name;
        addCopy(reference, host, report, finding);
    }
}

}  // namespace

void findFolderFaults(FaultReport& report) {
    const ExaminedHost* reference = referenceOf(report.all());
    for (const ExaminedHost& host : report.all().hosts) {
        if (!host.facts) continue;
        findDiskFaults(host, report);
        findDataFaults(host, reference, report);
    }
}

}  // namespace lockstep::launch

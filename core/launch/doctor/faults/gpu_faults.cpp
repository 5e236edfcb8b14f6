// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/base/plural.h"
#include "core/launch/doctor/faults/fault_report.h"

namespace lockstep::launch {

namespace {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr double kBusyShare = 0.05;  ///< Of a GPU's memory: a driver's own is less.
constexpr float kBusyPercent = 10;   ///< Of its time.
constexpr std::uint64_t kLittleShared = std::uint64_t{64} << 20;  ///< What NCCL takes in /dev/shm.

bool hasGpu(const ExaminedHost& host) {
    return host.facts && host.facts->gpu().state() == "usable";
}

bool trains(const ExaminedHost& host) {
    return host.facts && !host.processes.empty();
}

void findUnusable(FaultReport& report) {
    const Examination& all = report.all();
    const bool demanded = all.job.cluster.device == config::DeviceKind::Gpu;
    const auto other = std::ranges::find_if(all.hosts, hasGpu);
    if (!demanded && other == all.hosts.end()) return;  // a job without GPUs is none's fault
    for (const ExaminedHost& host : all.hosts) {
        if (!trains(host) || hasGpu(host)) continue;
        const wire::GpuFacts& gpu = host.facts->gpu();
        const std::string why =
            gpu.sentence().empty() ? "its worker does not tell" : gpu.sentence();
        if (host.isSpare) {
            report
                .warning(host.name, Check::Gpu,
                         fmt::format("spare {} has no GPU that can be used ({}): it cannot take "
                                     "the place of a host that has",
                                     host.name, why))
                .advice = gpu.remedy();
        } else if (demanded) {
            HostFinding& finding = report.error(
                host.name, Check::Gpu,
                fmt::format("{} has no GPU to compute on, and cluster.device is \"gpu\": {}",
                            host.name, why));
            finding.advice = gpu.remedy();
            finding.change =
                KeyChange{"cluster.device", "\"auto\"", "Use GPUs where all have them"};
        } else {
            HostFinding& finding = report.warning(
                host.name, Check::Gpu,
                fmt::format("all processes compute on CPUs, since {} has no GPU that can be used "
                            "({}) and {} has",
                            host.name, why, other->name));
            finding.advice = gpu.remedy();
        }
    }
}

void findBusy(const ExaminedHost& host, FaultReport& report) {
    int index = 0;
    for (const wire::GpuFigures& gpu : host.facts->gpu().gpus()) {
        const auto used = static_cast<double>(gpu.used_bytes());
        const auto total = static_cast<double>(gpu.total_bytes());
        const int number = index++;
        if (gpu.compute_percent() < kBusyPercent && used <= total * kBusyShare) continue;
        HostFinding& finding = report.warning(
            host.name, Check::Gpu,
            fmt::format(
                "GPU {} of {} ({}) is in use: {:.1f} of {:.1f} GiB and {:.0f} % of its time",
                number, host.name, gpu.name(), used / kGibibyte, total / kGibibyte,
                gpu.compute_percent()));
        finding.advice = "Let what uses it end, or choose others with CUDA_VISIBLE_DEVICES.";
        finding.command = report.on(host.name, "nvidia-smi");
    }
}

/// One slow GPU, or an older driver, sets the pace of all.
void findUnequal(const ExaminedHost& host, const ExaminedHost& first, FaultReport& report) {
    const wire::GpuFacts& gpu = host.facts->gpu();
    const wire::GpuFacts& other = first.facts->gpu();
    const auto version = [](std::uint32_t number) {
        return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
    };
    if (gpu.cuda_version() != other.cuda_version()) {
        HostFinding& finding = report.warning(
            host.name, Check::Gpu,
            fmt::format("the GPU driver of {} is for CUDA {}, that of {} for CUDA {}", host.name,
                        version(gpu.cuda_version()), first.name, version(other.cuda_version())));
        finding.otherHost = first.name;
        finding.advice = "Install the same driver on both.";
    }
    if (gpu.gpus_size() > 0 && other.gpus_size() > 0 &&
        gpu.gpus(0).name() != other.gpus(0).name()) {
        HostFinding& finding = report.warning(
            host.name, Check::Gpu,
            fmt::format("{} has {} and {} has {}: the slower one sets the pace", host.name,
                        gpu.gpus(0).name(), first.name, other.gpus(0).name()));
        finding.otherHost = first.name;
        finding.advice = "Use hosts with equal GPUs.";
    }
}

void findTooFew(const ExaminedHost& host, FaultReport& report) {
    const auto replicas =
        static_cast<int>(host.processes.size()) * report.all().job.cluster.localReplicas();
    const int gpus = host.facts->gpu().gpus_size();
    if (replicas > gpus)
        report
            .warning(
                host.name, Check::Gpu,
                fmt::format("{} has {} for {}: they share, and gradients go by way of the host",
                            host.name, counted(gpus, "GPU"), counted(replicas, "replica")))
            .advice =
            "Give each replica a GPU of its own: fewer processes on this host, or a lower "
            "cluster.devices_per_process.";
    if (replicas > 1 && host.facts->shared_memory_free_bytes() < kLittleShared) {
        HostFinding& finding = report.warning(
            host.name, Check::Memory,
            fmt::format("/dev/shm of {} has {} MiB left; NCCL needs it between the GPUs of a host",
                        host.name, host.facts->shared_memory_free_bytes() >> 20));
        finding.advice = "Make it larger; a container takes --shm-size.";
        finding.command = report.on(host.name, "sudo mount -o remount,size=1G /dev/shm");
    }
}

}  // namespace

void findGpuFaults(FaultReport& report) {
    const Examination& all = report.all();
    if (all.job.cluster.device == config::DeviceKind::Cpu) return;
    findUnusable(report);
    const auto first = std::ranges::find_if(all.hosts, hasGpu);
    for (const ExaminedHost& host : all.hosts) {
        if (!trains(host) || !hasGpu(host)) continue;
        findBusy(host, report);
        findTooFew(host, report);
        if (&host != &*first) findUnequal(host, *first, report);
    }
}

}  // namespace lockstep::launch

// SPDX-License-Identifier: Apache-2.0
// What the worker program of this host says of itself and of the GPUs.

#include "core/base/program_output.h"
#include "core/launch/doctor/facts/host_facts.h"
#include "core/telemetry/gpu_probe.h"
#include "core/text/json.h"

namespace lockstep::launch {

namespace {

using text::Json;

constexpr std::chrono::seconds kProbeTimeout{
    8};  ///< A driver that is not loaded yet takes seconds.

std::string textOf(const Json& probe, std::string_view name) {
    return probe.get<std::string>(name).value_or("");
}

void addGpus(const Json::List& listed, wire::GpuFacts& facts) {
    if (listed.empty()) return;
    std::vector<std::string> uuids;
    for (const Json& gpu : listed)
        uuids.push_back(textOf(gpu, "uuid"));
    if (auto load = telemetry::GpuProbe::open(uuids)) {
        for (wire::GpuFigures& figures : (*load)->sample())
            *facts.add_gpus() = std::move(figures);
        return;
    }
    for (const Json& gpu : listed) {
        wire::GpuFigures& figures = *facts.add_gpus();
        figures.set_uuid(textOf(gpu, "uuid"));
        figures.set_name(textOf(gpu, "name"));
        figures.set_total_bytes(gpu.get<std::uint64_t>("memory_bytes").value_or(0));
    }
}

}  // namespace

void addWorkerFacts(const std::filesystem::path& worker, wire::HostFacts& facts) {
    const auto probe = text::parseJson(outputOf(worker, {"--probe"}, kProbeTimeout));
    if (!probe) return;  // it does not run, or is not ours: the absence of a build says so
    facts.set_build(textOf(*probe, "build"));
    wire::GpuFacts& gpu = *facts.mutable_gpu();
    gpu.set_state(textOf(*probe, "gpu_state"));
    gpu.set_sentence(textOf(*probe, "gpu_sentence"));
    gpu.set_remedy(textOf(*probe, "gpu_remedy"));
    gpu.set_cuda_version(probe->get<std::uint32_t>("cuda_driver_version").value_or(0));
    if (const Json* gpus = probe->find("gpus")) addGpus(gpus->items(), gpu);
}

}  // namespace lockstep::launch

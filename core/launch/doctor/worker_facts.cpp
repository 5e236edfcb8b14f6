// SPDX-License-Identifier: Apache-2.0
// What the worker program of this host says of itself and of the GPUs.
#include <nlohmann/json.hpp>

#include "core/base/program_output.h"
#include "core/launch/doctor/host_facts.h"
#include "core/telemetry/gpu_probe.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kProbeTimeout{
    8};  ///< A driver that is not loaded yet takes seconds.

std::string textOf(const nlohmann::json& probe, const char* name) {
    const auto found = probe.find(name);
    return found != probe.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void addGpus(const nlohmann::json& probe, wire::GpuFacts& facts) {
    const auto listed = probe.find("gpus");
    if (listed == probe.end() || !listed->is_array() || listed->empty()) return;
    std::vector<std::string> uuids;
    for (const auto& gpu : *listed)
        uuids.push_back(textOf(gpu, "uuid"));
    if (auto load = telemetry::GpuProbe::open(uuids)) {
        for (wire::GpuFigures& figures : (*load)->sample())
            *facts.add_gpus() = std::move(figures);
        return;
    }
    for (const auto& gpu : *listed) {
        wire::GpuFigures& figures = *facts.add_gpus();
        figures.set_uuid(textOf(gpu, "uuid"));
        figures.set_name(textOf(gpu, "name"));
        figures.set_total_bytes(gpu.value("memory_bytes", std::uint64_t{0}));
    }
}

}  // namespace

void addWorkerFacts(const std::filesystem::path& worker, wire::HostFacts& facts) {
    const std::string said = outputOf(worker, {"--probe"}, kProbeTimeout);
    try {
        const auto probe = nlohmann::json::parse(said);
        facts.set_build(textOf(probe, "build"));
        wire::GpuFacts& gpu = *facts.mutable_gpu();
        gpu.set_state(textOf(probe, "gpu_state"));
        gpu.set_sentence(textOf(probe, "gpu_sentence"));
        gpu.set_remedy(textOf(probe, "gpu_remedy"));
        gpu.set_cuda_version(probe.value("cuda_driver_version", 0U));
        addGpus(probe, gpu);
    } catch (const nlohmann::json::exception&) {
        facts.clear_build();  // it does not run, or is not ours: the absence says so
    }
}

}  // namespace lockstep::launch

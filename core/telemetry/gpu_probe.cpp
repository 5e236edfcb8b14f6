// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/gpu_probe.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/base/dynamic_library.h"
#include "core/base/try.h"

namespace lockstep::telemetry {

namespace {

// The part of nvml.h that is used here; unchanged since driver 450.
using Device = void*;
struct Utilization {
    unsigned int gpu = 0;
    unsigned int memory = 0;
};
struct Memory {
    unsigned long long total = 0;
    unsigned long long free = 0;
    unsigned long long used = 0;
};
constexpr int kSuccess = 0;
constexpr int kTemperatureOfGpu = 0;
constexpr int kClockOfSms = 1;
constexpr int kClockOfMemory = 2;
constexpr int kUncorrected = 1;
constexpr int kSinceStart = 0;

struct Nvml {
    int (*init)() = nullptr;
    int (*byUuid)(const char*, Device*) = nullptr;
    int (*name)(Device, char*, unsigned int) = nullptr;
    int (*utilization)(Device, Utilization*) = nullptr;
    int (*memory)(Device, Memory*) = nullptr;
    int (*temperature)(Device, int, unsigned int*) = nullptr;
    int (*power)(Device, unsigned int*) = nullptr;
    int (*powerLimit)(Device, unsigned int*) = nullptr;
    int (*clock)(Device, int, unsigned int*) = nullptr;
    int (*eccErrors)(Device, int, int, unsigned long long*) = nullptr;
    int (*slowdown)(Device, unsigned long long*) = nullptr;
};

template <typename F>
bool bind(const DynamicLibrary& library, const char* symbol, F& target) {
    auto found = library.function<F>(symbol);
    if (found) target = *found;
    return found.has_value();
}

Result<Nvml> bindNvml(const DynamicLibrary& library) {
    Nvml nvml;
    const bool complete =
        bind(library, "nvmlInit_v2", nvml.init) &&
        bind(library, "nvmlDeviceGetHandleByUUID", nvml.byUuid) &&
        bind(library, "nvmlDeviceGetName", nvml.name) &&
        bind(library, "nvmlDeviceGetUtilizationRates", nvml.utilization) &&
        bind(library, "nvmlDeviceGetMemoryInfo", nvml.memory) &&
        bind(library, "nvmlDeviceGetTemperature", nvml.temperature) &&
        bind(library, "nvmlDeviceGetPowerUsage", nvml.power) &&
        bind(library, "nvmlDeviceGetEnforcedPowerLimit", nvml.powerLimit) &&
        bind(library, "nvmlDeviceGetClockInfo", nvml.clock) &&
        bind(library, "nvmlDeviceGetTotalEccErrors", nvml.eccErrors) &&
        (bind(library, "nvmlDeviceGetCurrentClocksThrottleReasons", nvml.slowdown) ||
         bind(library, "nvmlDeviceGetCurrentClocksEventReasons", nvml.slowdown));
    if (complete) return nvml;
    return fail(ErrorCode::Unavailable,
                fmt::format("{} is not the NVML that is expected", library.name()));
}

class NvmlProbe final : public GpuProbe {
public:
    explicit NvmlProbe(const Nvml& nvml) : nvml_(nvml) {}

    [[nodiscard]] Result<void> add(const std::string& uuid);
    [[nodiscard]] std::vector<wire::GpuFigures> sample() override;

private:
    struct Gpu {
        Device device = nullptr;
        std::string uuid;
        std::string name;
    };

    void addLoad(const Gpu& gpu, wire::GpuFigures& figures) const;
    void addHealth(const Gpu& gpu, wire::GpuFigures& figures) const;

    Nvml nvml_;
    std::vector<Gpu> gpus_;
};

Result<void> NvmlProbe::add(const std::string& uuid) {
    Gpu gpu;
    gpu.uuid = uuid;
    if (const int code = nvml_.byUuid(uuid.c_str(), &gpu.device); code != kSuccess)
        return fail(ErrorCode::NotFound,
                    fmt::format("NVML does not know {}: error {}", uuid, code));
    std::array<char, 96> name{};
    if (nvml_.name(gpu.device, name.data(), name.size() - 1) == kSuccess) gpu.name = name.data();
    gpus_.push_back(std::move(gpu));
    return {};
}

std::vector<wire::GpuFigures> NvmlProbe::sample() {
    std::vector<wire::GpuFigures> all;
    for (const Gpu& gpu : gpus_) {
        wire::GpuFigures& figures = all.emplace_back();
        figures.set_uuid(gpu.uuid);
        figures.set_name(gpu.name);
        addLoad(gpu, figures);
        addHealth(gpu, figures);
    }
    return all;
}

void NvmlProbe::addLoad(const Gpu& gpu, wire::GpuFigures& figures) const {
    if (Utilization load; nvml_.utilization(gpu.device, &load) == kSuccess) {
        figures.set_compute_percent(static_cast<float>(load.gpu));
        figures.set_memory_percent(static_cast<float>(load.memory));
    }
    if (Memory memory; nvml_.memory(gpu.device, &memory) == kSuccess) {
        figures.set_used_bytes(memory.used);
        figures.set_total_bytes(memory.total);
    }
    unsigned int megahertz = 0;
    if (nvml_.clock(gpu.device, kClockOfSms, &megahertz) == kSuccess)
        figures.set_compute_megahertz(megahertz);
    if (nvml_.clock(gpu.device, kClockOfMemory, &megahertz) == kSuccess)
        figures.set_memory_megahertz(megahertz);
}

void NvmlProbe::addHealth(const Gpu& gpu, wire::GpuFigures& figures) const {
    unsigned int value = 0;
    if (nvml_.temperature(gpu.device, kTemperatureOfGpu, &value) == kSuccess)
        figures.set_celsius(static_cast<float>(value));
    if (nvml_.power(gpu.device, &value) == kSuccess)
        figures.set_watts(static_cast<float>(value) * 1e-3F);
    if (nvml_.powerLimit(gpu.device, &value) == kSuccess)
        figures.set_watts_limit(static_cast<float>(value) * 1e-3F);
    unsigned long long errors = 0;
    if (nvml_.eccErrors(gpu.device, kUncorrected, kSinceStart, &errors) == kSuccess)
        figures.set_uncorrected_ecc_errors(errors);
    unsigned long long reasons = 0;
    if (nvml_.slowdown(gpu.device, &reasons) == kSuccess)
        figures.set_slowdown(slowdownWords(reasons));
}

}  // namespace

Result<std::unique_ptr<GpuProbe>> GpuProbe::open(const std::vector<std::string>& uuids,
                                                 const std::string& library) {
    const auto opened = TRY(DynamicLibrary::open(library));
    const auto nvml = TRY(bindNvml(opened));
    if (const int code = nvml.init(); code != kSuccess)
        return fail(ErrorCode::Unavailable, fmt::format("NVML does not start: error {}", code));
    auto probe = std::make_unique<NvmlProbe>(nvml);
    for (const std::string& uuid : uuids)
        if (auto added = probe->add(uuid); !added) return fail(std::move(added).error());
    return probe;
}

std::string slowdownWords(std::uint64_t reasons) {
    constexpr std::array<std::pair<std::uint64_t, const char*>, 6> kWords{{
        {0x04, "power limit"},
        {0x08, "hardware slowdown"},
        {0x20, "hot"},
        {0x40, "too hot (hardware)"},
        {0x80, "power brake (hardware)"},
        {0x10, "waits for another GPU"},
    }};
    std::string words;
    for (const auto& [bit, word] : kWords) {
        if ((reasons & bit) == 0) continue;
        if (!words.empty()) words += ", ";
        words += word;
    }
    return words;
}

}  // namespace lockstep::telemetry

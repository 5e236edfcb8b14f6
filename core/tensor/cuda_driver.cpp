// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda_driver.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "core/base/dynamic_library.h"
#include "core/base/try.h"

namespace lockstep::tensor {

namespace {

// The part of the driver's interface that is used here, as cuda.h has it since CUDA 11.
constexpr int kSuccess = 0;
constexpr int kNoDevice = 100;
constexpr int kAttributeMajor = 75;
constexpr int kAttributeMinor = 76;
struct Uuid {
    std::array<unsigned char, 16> bytes;
};
using Init = int (*)(unsigned int);
using DriverVersion = int (*)(int*);
using DeviceCount = int (*)(int*);
using DeviceGet = int (*)(int*, int);
using DeviceName = int (*)(char*, int, int);
using DeviceMemory = int (*)(std::size_t*, int);
using DeviceAttribute = int (*)(int*, int, int);
using DeviceUuid = int (*)(Uuid*, int);
using DevicePciBus = int (*)(char*, int, int);

struct Driver {
    Init init = nullptr;
    DriverVersion version = nullptr;
    DeviceCount count = nullptr;
    DeviceGet get = nullptr;
    DeviceName name = nullptr;
    DeviceMemory memory = nullptr;
    DeviceAttribute attribute = nullptr;
    DeviceUuid uuid = nullptr;
    DevicePciBus pciBus = nullptr;
};

template <typename F>
Result<void> bind(const DynamicLibrary& library, const char* symbol, F& target) {
    auto found = library.function<F>(symbol);
    if (!found) return fail(ErrorCode::Io, std::move(found).error().message);
    target = *found;
    return {};
}

Result<Driver> bindDriver(const DynamicLibrary& library) {
    Driver driver;
    for (auto bound :
         {bind(library, "cuInit", driver.init), bind(library, "cuDriverGetVersion", driver.version),
          bind(library, "cuDeviceGetCount", driver.count), bind(library, "cuDeviceGet", driver.get),
          bind(library, "cuDeviceGetName", driver.name),
          bind(library, "cuDeviceTotalMem_v2", driver.memory),
          bind(library, "cuDeviceGetAttribute", driver.attribute),
          bind(library, "cuDeviceGetUuid", driver.uuid),
          bind(library, "cuDeviceGetPCIBusId", driver.pciBus)})
        if (!bound) return fail(std::move(bound).error());
    return driver;
}

tl::unexpected<Error> refused(const char* call, int code) {
    return fail(ErrorCode::Io,
                fmt::format("{} of the NVIDIA driver fails with error {}", call, code));
}

/// As nvidia-smi prints it.
std::string uuidText(const Uuid& uuid) {
    std::string text = "GPU";
    for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += fmt::format("{:02x}", uuid.bytes[i]);
    }
    return text;
}

Result<GpuInfo> describeDevice(const Driver& driver, int index) {
    int device = 0;
    if (const int code = driver.get(&device, index); code != kSuccess)
        return refused("cuDeviceGet", code);
    GpuInfo info;
    info.index = index;
    std::array<char, 256> text{};
    if (driver.name(text.data(), text.size() - 1, device) == kSuccess) info.name = text.data();
    text = {};
    if (driver.pciBus(text.data(), text.size() - 1, device) == kSuccess) info.pciBus = text.data();
    Uuid uuid{};
    if (driver.uuid(&uuid, device) == kSuccess) info.uuid = uuidText(uuid);
    std::size_t bytes = 0;
    if (driver.memory(&bytes, device) == kSuccess) info.memoryBytes = bytes;
    if (const int code = driver.attribute(&info.computeMajor, kAttributeMajor, device);
        code != kSuccess)
        return refused("cuDeviceGetAttribute", code);
    if (const int code = driver.attribute(&info.computeMinor, kAttributeMinor, device);
        code != kSuccess)
        return refused("cuDeviceGetAttribute", code);
    return info;
}

}  // namespace

Result<DriverFacts> askCudaDriver(const std::string& library) {
    const auto opened = TRY(DynamicLibrary::open(library));
    const auto driver = TRY(bindDriver(opened));
    DriverFacts facts;
    if (const int code = driver.version(&facts.version); code != kSuccess)
        return refused("cuDriverGetVersion", code);
    const int started = driver.init(0);
    if (started == kNoDevice) return facts;
    if (started != kSuccess) return refused("cuInit", started);
    int count = 0;
    if (const int code = driver.count(&count); code != kSuccess && code != kNoDevice)
        return refused("cuDeviceGetCount", code);
    for (int index = 0; index < count; ++index) {
        auto info = describeDevice(driver, index);
        if (!info) return fail(std::move(info).error());
        facts.devices.push_back(std::move(*info));
    }
    return facts;
}

}  // namespace lockstep::tensor

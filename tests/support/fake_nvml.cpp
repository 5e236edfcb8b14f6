// SPDX-License-Identifier: Apache-2.0
// A library that stands in for libnvidia-ml.so.1 with one GPU, "GPU-one", that has no ECC memory;
// those of fake_cuda_driver.cpp are like it.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Utilization {
    unsigned int gpu;
    unsigned int memory;
};
struct Memory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
int theGpu = 0;

}  // namespace

extern "C" {

int nvmlInit_v2() {
    const char* code = std::getenv("FAKE_NVML_INIT");
    return code == nullptr ? 0 : std::atoi(code);
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
    const bool fromDriver = std::strncmp(uuid, "GPU-a", 5) == 0;
    if (!fromDriver && std::strcmp(uuid, "GPU-one") != 0) return kNotFound;
    *device = &theGpu;
    return 0;
}
int nvmlDeviceGetName(void* /*device*/, char* name, unsigned int length) {
    std::snprintf(name, length, "Pretended GPU");
    return 0;
}
int nvmlDeviceGetUtilizationRates(void* /*device*/, Utilization* load) {
    *load = {87, 40};
    return 0;
}
int nvmlDeviceGetMemoryInfo(void* /*device*/, Memory* memory) {
    *memory = {1000, 600, 400};
    return 0;
}
int nvmlDeviceGetTemperature(void* /*device*/, int sensor, unsigned int* celsius) {
    *celsius = sensor == 0 ? 54 : 0;
    return 0;
}
int nvmlDeviceGetPowerUsage(void* /*device*/, unsigned int* milliwatts) {
    *milliwatts = 410'500;
    return 0;
}
int nvmlDeviceGetEnforcedPowerLimit(void* /*device*/, unsigned int* milliwatts) {
    *milliwatts = 700'000;
    return 0;
}
int nvmlDeviceGetClockInfo(void* /*device*/, int clock, unsigned int* megahertz) {
    *megahertz = clock == 1 ? 1980 : 2619;
    return 0;
}
int nvmlDeviceGetTotalEccErrors(void* /*device*/, int, int, unsigned long long* /*errors*/) {
    return kNotSupported;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* /*device*/, unsigned long long* reasons) {
    *reasons = 0x01 | 0x04 | 0x20;
    return 0;
}
}

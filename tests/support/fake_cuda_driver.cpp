// SPDX-License-Identifier: Apache-2.0
// A library that stands in for libcuda.so.1: as many devices as FAKE_CUDA_DEVICES says, of
// capability FAKE_CUDA_CAPABILITY, starting with the code FAKE_CUDA_INIT, of version
// FAKE_CUDA_VERSION.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

int setting(const char* name, int otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace

extern "C" {

int cuInit(unsigned int /*flags*/) {
    return setting("FAKE_CUDA_INIT", 0);
}
int cuDriverGetVersion(int* version) {
    *version = setting("FAKE_CUDA_VERSION", 13000);
    return 0;
}
int cuDeviceGetCount(int* count) {
    *count = setting("FAKE_CUDA_DEVICES", 1);
    return 0;
}
int cuDeviceGet(int* device, int index) {
    *device = index;
    return 0;
}
int cuDeviceGetName(char* name, int length, int device) {
    std::snprintf(name, static_cast<std::size_t>(length), "Pretended GPU %d", device);
    return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int /*device*/) {
    *bytes = std::size_t{8} << 30;
    return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int /*device*/) {
    const int capability = setting("FAKE_CUDA_CAPABILITY", 90);
    *value = attribute == 75 ? capability / 10 : capability % 10;
    return 0;
}
int cuDeviceGetUuid(unsigned char* uuid, int device) {
    std::memset(uuid, 0xA0 + device, 16);
    return 0;
}
int cuDeviceGetPCIBusId(char* bus, int length, int device) {
    std::snprintf(bus, static_cast<std::size_t>(length), "0000:%02x:00.0", device);
    return 0;
}
}

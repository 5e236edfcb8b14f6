// SPDX-License-Identifier: Apache-2.0
#include "core/base/ids.h"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <vector>

#include "core/base/check.h"

namespace lockstep {

namespace {
void fillRandom(void* bytes, std::size_t count) {
    LS_CHECK(count <= 256, "the kernel gives no more random bytes at once");
    const ssize_t given = ::getrandom(bytes, count, 0);
    LS_CHECK(given == static_cast<ssize_t>(count), "the kernel must give random bytes");
}
}  // namespace

std::uint64_t newIncarnation() {
    std::uint64_t value = 0;
    while (value == 0)
        fillRandom(&value, sizeof value);
    return value;
}

std::string randomHex(int count) {
    std::vector<unsigned char> bytes(static_cast<std::size_t>(count));
    fillRandom(bytes.data(), bytes.size());
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : bytes) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

std::string utcStamp() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &parts);
    return text.data();
}

std::string hostName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::string hostIdentity() {
    std::array<char, 64> space{};
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    const bool known = ::readlink("/proc/self/ns/pid", space.data(), space.size() - 1) > 0;
    if (boot.empty() || !known) return {};
    return boot + " " + space.data() + " " + std::to_string(::geteuid());
}

}  // namespace lockstep

// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/monitor/monitor_key.h"

#include <fmt/format.h>

#include <sstream>

#include "core/base/file.h"

namespace lockstep::coordination {

namespace {
constexpr std::uint64_t kFileLimit = 4096;
}

Result<void> writeMonitorKey(const std::filesystem::path& file, const MonitorKey& key) {
    return replaceFileDurably(
        file,
        fmt::format("{}\n{}\n{}\n", key.serverPublicKey, key.keys.publicKey, key.keys.secretKey),
        0600);
}

Result<MonitorKey> readMonitorKey(const std::filesystem::path& file) {
    const auto text = readFile(file, kFileLimit);
    if (!text) return failWithin("reading the key of the run", text.error());
    MonitorKey key;
    std::istringstream lines(*text);
    std::getline(lines, key.serverPublicKey);
    std::getline(lines, key.keys.publicKey);
    std::getline(lines, key.keys.secretKey);
    return key;
}

}  // namespace lockstep::coordination

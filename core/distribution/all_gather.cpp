// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/all_gather.h"

#include <fmt/format.h>

#include <cstring>

#include "core/base/try.h"
#include "core/coordination/exchange/key_value_store.h"
#include "core/distribution/group_call.h"
#include "core/distribution/initialize.h"

namespace lockstep::distribution {

namespace {

std::string keyOf(std::uint64_t gather, int process) {
    return fmt::format("distribution/gather/{}/{}", gather, process);
}

}  // namespace

Result<std::vector<std::string>> allGather(const std::string& bytes, double timeoutSeconds) {
    const Nanos timeout = TRY(waitTime(timeoutSeconds));
    constexpr std::size_t kMost = coordination::KeyValueStore::kMaxValueBytes;
    if (bytes.size() > kMost)
        return fail(ErrorCode::BadInput,
                    fmt::format("a process brings at most {} bytes to allGather(), not {}", kMost,
                                bytes.size()));
    if (!isInitialized()) return std::vector<std::string>{bytes};
    const auto group = TRY(groupFor("allGather()", true));
    auto store = group->store();
    const std::uint64_t gather = group->nextGather();
    TRY(store.set(keyOf(gather, group->processId()), bytes));
    if (auto all = group->barrier(fmt::format("allGather {}", gather), timeout); !all)
        return fail(std::move(all).error());
    std::vector<std::string> parts;
    for (int process = 0; process < group->processCount(); ++process)
        parts.push_back(TRY(group->get(keyOf(gather, process), timeout)));
    // Whoever has come to this one has read all of the one before.
    if (gather > 1) TRY(store.erase(keyOf(gather - 1, group->processId())));
    return parts;
}

Result<std::vector<std::vector<double>>> allGatherNumbers(std::span<const double> numbers,
                                                          double timeoutSeconds) {
    std::string bytes(numbers.size_bytes(), '\0');
    if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
    const auto parts = TRY(allGather(bytes, timeoutSeconds));
    std::vector<std::vector<double>> all;
    for (const std::string& part : parts) {
        auto& own = all.emplace_back(part.size() / sizeof(double));
        if (!own.empty()) std::memcpy(own.data(), part.data(), own.size() * sizeof(double));
    }
    return all;
}

}  // namespace lockstep::distribution

// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/all_gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/try.h"
#include "core/coordination/exchange/key_value_store.h"
#include "core/distribution/group_call.h"
#include "core/distribution/initialize.h"

namespace lockstep::distribution {

namespace {

using Store = coordination::KeyValueStore;

/// Two gathers lie in the store at a time; half of it is left to others.
constexpr std::size_t kBytesOfAll = Store::kMaxTotalBytes / 4;
// What a value begins with.
constexpr char kBytes = '+';
constexpr char kReason = '-';

std::string keyOf(std::uint64_t gather, int process) {
    return fmt::format("distribution/gather/{}/{}", gather, process);
}

}  // namespace

std::size_t mostGatheredBytes(int processes) {
    return std::min(Store::kMaxValueBytes - 1,
                    kBytesOfAll / static_cast<std::size_t>(std::max(processes, 1)));
}

Result<std::vector<std::string>> allGather(const std::string& bytes, double timeoutSeconds) {
    const Nanos timeout = TRY(waitTime(timeoutSeconds));
    const std::size_t most = mostGatheredBytes(isInitialized() ? processCount() : 1);
    const std::string tooMany =
        bytes.size() <= most
            ? ""
            : fmt::format("a process brings at most {} bytes to allGather(), not {}", most,
                          bytes.size());
    if (!isInitialized()) {
        if (!tooMany.empty()) return fail(ErrorCode::BadInput, tooMany);
        return std::vector<std::string>{bytes};
    }
    const auto group = TRY(groupFor("allGather()", true));
    auto store = group->store();
    const std::uint64_t gather = group->nextGather();
    // Whoever cannot bring its bytes brings the reason: the others would wait for it.
    TRY(store.set(keyOf(gather, group->processId()),
                  tooMany.empty() ? kBytes + bytes : kReason + tooMany));
    if (auto all = group->barrier(fmt::format("allGather {}", gather), timeout); !all)
        return fail(std::move(all).error());
    std::vector<std::string> parts;
    std::string refusal = tooMany;
    for (int process = 0; process < group->processCount(); ++process) {
        auto part = TRY(group->get(keyOf(gather, process), timeout));
        if (part.starts_with(kReason) && refusal.empty())
            refusal = fmt::format("process {}: {}", process, part.substr(1));
        parts.push_back(part.substr(1));
    }
    // Whoever has come to this one has read all of the one before.
    if (gather > 1) TRY(store.erase(keyOf(gather - 1, group->processId())));
    if (!refusal.empty()) return fail(ErrorCode::BadInput, refusal);
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

// SPDX-License-Identifier: Apache-2.0
#include "core/collective/sum.h"

#include <algorithm>
#include <array>

#include "core/base/check.h"

// One function for several instruction sets, chosen at load time. Additions alone have the same
// bits on all of them. The sanitizers' run time is not up yet when the choice is made.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LS_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LS_CLONES
#endif

namespace lockstep::collective {

namespace {

constexpr std::size_t kElementsPerLine = 16;
constexpr std::size_t kBlock = 2048;  // Floats worked on at once: two such blocks stay in L1.

LS_CLONES void addPair(float* __restrict sum, const float* __restrict a, const float* __restrict b,
                       std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        sum[i] = a[i] + b[i];
}

LS_CLONES void addTo(float* __restrict sum, const float* __restrict row, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        sum[i] += row[i];
}

void sumBlock(float* sum, const std::vector<const float*>& rows, std::size_t begin,
              std::size_t count) {
    if (rows.size() == 1) {
        std::copy_n(rows.front() + begin, count, sum);
        return;
    }
    addPair(sum, rows[0] + begin, rows[1] + begin, count);
    for (std::size_t row = 2; row < rows.size(); ++row)
        addTo(sum, rows[row] + begin, count);
}

}  // namespace

void sumRows(float* sum, const HostRows& hosts, std::size_t count) {
    LS_CHECK(!hosts.empty(), "there is something to sum");
    alignas(64) std::array<float, kBlock> hostSum;
    for (std::size_t begin = 0; begin < count; begin += kBlock) {
        const std::size_t size = std::min(kBlock, count - begin);
        sumBlock(sum + begin, hosts.front(), begin, size);
        for (std::size_t host = 1; host < hosts.size(); ++host) {
            if (hosts[host].size() == 1) {
                addTo(sum + begin, hosts[host].front() + begin, size);
                continue;
            }
            sumBlock(hostSum.data(), hosts[host], begin, size);
            addTo(sum + begin, hostSum.data(), size);
        }
    }
}

Range shareOf(Range bucket, int index, int count) {
    const auto cut = [&](int at) {
        if (at == 0) return bucket.begin;
        if (at == count) return bucket.end;
        const std::size_t even = bucket.begin + bucket.size() * static_cast<std::size_t>(at) /
                                                    static_cast<std::size_t>(count);
        const std::size_t line = (even + kElementsPerLine - 1) / kElementsPerLine;
        return std::min(line * kElementsPerLine, bucket.end);
    };
    return {cut(index), cut(index + 1)};
}

StepVotes sumVotes(std::span<const StepVotes> votes) {
    StepVotes sum;
    for (const StepVotes& one : votes) {
        sum.lossSum += one.lossSum;
        sum.correct += one.correct;
        sum.samples += one.samples;
        sum.stop += one.stop;
        sum.notFinite += one.notFinite;
    }
    return sum;
}

}  // namespace lockstep::collective

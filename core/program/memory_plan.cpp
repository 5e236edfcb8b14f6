// SPDX-License-Identifier: Apache-2.0
#include "core/program/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace lockstep::program {

namespace {

/// The instructions between which a value is needed, both included; counted through forward, the
/// loss (one place of its own) and backward.
struct Lifetime {
    int first = -1;
    int last = -1;

    [[nodiscard]] bool meets(const Lifetime& other) const {
        return first <= other.last && other.first <= last;
    }
};

void use(Lifetime& lifetime, int moment) {
    if (lifetime.first < 0) lifetime.first = moment;
    lifetime.last = std::max(lifetime.last, moment);
}

void follow(const std::vector<Instruction>& instructions, int& moment,
            std::vector<Lifetime>& lifetimes) {
    for (const Instruction& instruction : instructions) {
        for (const ValueId value : instruction.reads)
            use(lifetimes[static_cast<std::size_t>(value)], moment);
        for (const ValueId value : instruction.writes)
            if (value >= 0) use(lifetimes[static_cast<std::size_t>(value)], moment);
        for (const auto* ofTensors : {&instruction.tensors, &instruction.gradients})
            for (const ValueId value : *ofTensors)
                if (value >= 0) use(lifetimes[static_cast<std::size_t>(value)], moment);
        ++moment;
    }
}

std::vector<Lifetime> lifetimesIn(const Program& program) {
    std::vector<Lifetime> lifetimes(program.values.size());
    int moment = 0;
    follow(program.forward, moment, lifetimes);
    use(lifetimes[static_cast<std::size_t>(program.output)], moment);
    if (program.outputGradient >= 0)
        use(lifetimes[static_cast<std::size_t>(program.outputGradient)], moment);
    ++moment;
    follow(program.backward, moment, lifetimes);
    return lifetimes;
}

/// For each value the one whose memory it takes over: written in place of what ends with it.
std::vector<ValueId> heirs(const Program& program, const std::vector<Lifetime>& lifetimes) {
    std::vector<ValueId> owner(program.values.size());
    std::iota(owner.begin(), owner.end(), 0);
    int moment = 0;
    const auto scan = [&](const std::vector<Instruction>& instructions) {
        for (const Instruction& instruction : instructions) {
            const int now = moment++;
            if (!instruction.overwrites || instruction.writes[0] < 0) continue;
            const auto from = static_cast<std::size_t>(instruction.reads[0]);
            const auto to = static_cast<std::size_t>(instruction.writes[0]);
            if (from != 0 && lifetimes[from].last == now &&
                program.values[from].size(program.maxBatch) ==
                    program.values[to].size(program.maxBatch))
                owner[to] = owner[from];
        }
    };
    scan(program.forward);
    ++moment;
    scan(program.backward);
    return owner;
}

std::int64_t aligned(std::int64_t floats) {
    constexpr auto kAlignment = static_cast<std::int64_t>(kTensorAlignment);
    return (floats + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

void planMemory(Program& program) {
    std::vector<Lifetime> lifetimes = lifetimesIn(program);
    const std::vector<ValueId> owner = heirs(program, lifetimes);
    for (std::size_t i = 0; i < owner.size(); ++i) {  // an owner lives as long as its last heir
        Lifetime& whole = lifetimes[static_cast<std::size_t>(owner[i])];
        whole.last = std::max(whole.last, lifetimes[i].last);
    }
    const auto sizeOf = [&program](std::size_t value) {
        return aligned(program.values[value].size(program.maxBatch));
    };
    std::vector<std::size_t> order;
    for (std::size_t i = 1; i < owner.size(); ++i)
        if (owner[i] == static_cast<ValueId>(i) && lifetimes[i].first >= 0) order.push_back(i);
    std::ranges::stable_sort(order, std::greater{}, sizeOf);

    std::vector<std::size_t> placed;
    for (const std::size_t value : order) {
        std::vector<std::pair<std::int64_t, std::int64_t>> taken;  // begin, end
        for (const std::size_t other : placed)
            if (lifetimes[other].meets(lifetimes[value]))
                taken.emplace_back(program.values[other].offset,
                                   program.values[other].offset + sizeOf(other));
        std::ranges::sort(taken);
        std::int64_t begin = 0;
        for (const auto& [takenBegin, takenEnd] : taken)
            if (takenBegin < begin + sizeOf(value)) begin = std::max(begin, takenEnd);
        program.values[value].offset = begin;
        program.arenaFloats = std::max(program.arenaFloats, begin + sizeOf(value));
        program.unsharedFloats += sizeOf(value);
        placed.push_back(value);
    }
    for (std::size_t i = 1; i < owner.size(); ++i)
        program.values[i].offset = program.values[static_cast<std::size_t>(owner[i])].offset;
}

}  // namespace lockstep::program

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/split_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/program/compile.h"

namespace lockstep::testing {

using Role = model::Tensor::Role;

JoinedMembers::JoinedMembers(std::size_t members)
    : meeting_(static_cast<std::ptrdiff_t>(members)), parts_(members) {
    for (std::size_t i = 0; i < members; ++i)
        groups_.emplace_back(*this, i);
}

void JoinedMembers::join(std::size_t member, std::span<const float> mine, std::span<float> all) {
    if (member == 0) sent_ += mine.size();
    parts_[member] = mine;
    meeting_.arrive_and_wait();  // all have said theirs
    auto to = all.begin();
    for (const std::span<const float> part : parts_) {
        LS_CHECK(part.size() == mine.size(), "all members say as much");
        to = std::ranges::copy(part, to).out;
    }
    meeting_.arrive_and_wait();  // all have read them
}

void JoinedMembers::deal(std::size_t member, std::span<const float> mine, std::span<float> pieces) {
    const std::size_t piece = mine.size() / parts_.size();
    if (member == 0) sent_ += mine.size() - piece;
    parts_[member] = mine;
    meeting_.arrive_and_wait();  // all have said theirs
    auto to = pieces.begin();
    for (const std::span<const float> part : parts_) {
        LS_CHECK(part.size() == piece * parts_.size(), "all members say as much, a piece for each");
        to = std::ranges::copy(part.subspan(member * piece, piece), to).out;
    }
    meeting_.arrive_and_wait();  // all have read them
}

SplitExecutor::SplitExecutor(tensor::Device& device, const model::Graph& whole,
                             const model::MeshLayout& layout, std::int64_t maxBatch,
                             program::Program::Mode mode)
    : SplitExecutor(
          whole, layout, maxBatch, mode,
          [&device](program::Program part, std::int64_t,
                    program::MeshGroup& group) -> Result<std::unique_ptr<program::Executor>> {
              return TRY(program::CpuExecutor::make(device, std::move(part), &group));
          }) {}

SplitExecutor::SplitExecutor(const model::Graph& whole, const model::MeshLayout& layout,
                             std::int64_t maxBatch, program::Program::Mode mode, const Maker& make)
    : whole_(compile(whole, maxBatch, mode)),
      members_(static_cast<std::size_t>(layout.members)),
      state_(static_cast<std::size_t>(layout.members)) {
    for (std::int64_t member = 0; member < layout.members; ++member)
        executors_.push_back(make(compile(splitGraph(whole, layout, member), maxBatch, mode),
                                  member, members_.of(static_cast<std::size_t>(member)))
                                 .value());
}

template <typename Work>
void SplitExecutor::together(const Work& work) {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < executors_.size(); ++i)
        threads.emplace_back([&, i] { work(*executors_[i], state_[i]); });
}

void SplitExecutor::take(Member& member, std::size_t index, std::span<const float> parameters,
                         std::span<const float> statistics) const {
    const program::Program& part = executors_[index]->program();
    member.parameters.assign(part.layout.parameters, 0.0F);
    member.statistics.assign(part.layout.statistics, 0.0F);
    member.gradients.assign(part.layout.parameters, 0.0F);
    for (std::size_t i = 0; i < whole_.graph.tensors.size(); ++i) {
        const bool isStatistic = whole_.graph.tensors[i].role == Role::Statistic;
        const auto from = (isStatistic ? statistics : parameters)
                              .subspan(whole_.layout.offsets[i],
                                       static_cast<std::size_t>(whole_.graph.tensors[i].size()));
        std::vector<float>& to = isStatistic ? member.statistics : member.parameters;
        model::takeShard(
            part.graph.shards[i], whole_.graph.tensors[i].shape, from,
            std::span(to).subspan(part.layout.offsets[i],
                                  static_cast<std::size_t>(part.graph.tensors[i].size())));
    }
}

void SplitExecutor::put(std::vector<float> Member::*buffer, Role role, std::span<float> to) {
    for (std::size_t i = 0; i < whole_.graph.tensors.size(); ++i) {
        if (whole_.graph.tensors[i].role != role) continue;
        for (std::size_t member = 0; member < state_.size(); ++member) {
            const program::Program& part = executors_[member]->program();
            const auto size = static_cast<std::size_t>(part.graph.tensors[i].size());
            const auto mine = std::span<const float>(state_[member].*buffer)
                                  .subspan(part.layout.offsets[i], size);
            const model::TensorShard& shard = part.graph.shards[i];
            const auto all = to.subspan(whole_.layout.offsets[i],
                                        static_cast<std::size_t>(whole_.graph.tensors[i].size()));
            const bool isFrozen = !whole_.graph.tensors[i].isTrainable;
            if (shard.isWhole() && member > 0 && !isFrozen &&
                std::memcmp(all.data(), mine.data(), size * sizeof(float)) != 0)
                problem_ = fmt::format("{} differs between members", whole_.graph.tensors[i].name);
            model::putShard(shard, whole_.graph.tensors[i].shape, mine, all);
        }
    }
}

Result<std::span<const float>> SplitExecutor::forward(const program::StepBatch& batch,
                                                      std::span<const float> parameters,
                                                      std::span<float> statistics,
                                                      program::ReplicaSum& /*sum*/) {
    for (std::size_t i = 0; i < state_.size(); ++i)
        take(state_[i], i, parameters, statistics);
    together([&batch](program::Executor& executor, Member& member) {
        program::NoReplicaSum alone;
        const auto output =
            executor.forward(batch, member.parameters, member.statistics, alone).value();
        member.output.assign(output.begin(), output.end());
    });
    for (const Member& member : state_)
        if (std::memcmp(member.output.data(), state_[0].output.data(),
                        state_[0].output.size() * sizeof(float)) != 0)
            problem_ = "outputs differ between members";
    put(&Member::statistics, Role::Statistic, statistics);
    outputGradient_.resize(state_[0].output.size());
    return std::span<const float>(state_[0].output);
}

Result<void> SplitExecutor::backward(std::span<const float> /*parameters*/,
                                     std::span<float> gradients, program::ReplicaSum& /*sum*/,
                                     const std::function<void(std::size_t)>& /*onComplete*/) {
    together([this](program::Executor& executor, Member& member) {
        program::NoReplicaSum alone;
        std::ranges::copy(outputGradient_, executor.outputGradient().begin());
        LS_CHECK(executor.backward(member.parameters, member.gradients, alone, {}).has_value(),
                 "nothing of the test's fails");
    });
    put(&Member::gradients, Role::Parameter, gradients);
    return {};
}

}  // namespace lockstep::testing

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <barrier>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/model/mesh/split_graph.h"
#include "core/program/cpu/cpu_executor.h"

namespace lockstep::testing {

/// The members of a mesh's group as threads of the test.
class JoinedMembers {
public:
    explicit JoinedMembers(std::size_t members);

    [[nodiscard]] program::MeshGroup& of(std::size_t member) { return groups_[member]; }
    /// Numbers that a member has sent.
    [[nodiscard]] std::size_t sent() const { return sent_; }

private:
    class Group final : public program::MeshGroup {
    public:
        Group(JoinedMembers& all, std::size_t member) : all_(all), member_(member) {}
        [[nodiscard]] Result<void> gather(std::span<const float> mine,
                                          std::span<float> all) override {
            all_.join(member_, mine, all);
            return {};
        }
        /// Both ways are played.
        [[nodiscard]] bool addsByPieces(std::size_t numbers) const override {
            return numbers % 3 != 1;
        }
        [[nodiscard]] Result<void> deal(std::span<const float> mine,
                                        std::span<float> pieces) override {
            all_.deal(member_, mine, pieces);
            return {};
        }

    private:
        JoinedMembers& all_;
        std::size_t member_;
    };

    void join(std::size_t member, std::span<const float> mine, std::span<float> all);
    void deal(std::size_t member, std::span<const float> mine, std::span<float> pieces);

    std::barrier<> meeting_;
    std::vector<std::span<const float>> parts_;
    std::vector<Group> groups_;
    std::size_t sent_ = 0;
};

/// A network that the members of a mesh compute together, seen as one executor of the whole: it
/// hands out the parts of the tensors, and joins those of the gradients.
class SplitExecutor final : public program::Executor {
public:
    /// Makes what a member computes with; a problem is the executor's.
    using Maker = std::function<Result<std::unique_ptr<program::Executor>>(
        program::Program, std::int64_t member, program::MeshGroup&)>;

    SplitExecutor(const model::Graph& whole, const model::MeshLayout& layout, std::int64_t maxBatch,
                  program::Program::Mode mode, const Maker& make);
    /// On the processor.
    SplitExecutor(tensor::Device& device, const model::Graph& whole,
                  const model::MeshLayout& layout, std::int64_t maxBatch,
                  program::Program::Mode mode);

    [[nodiscard]] const program::Program& program() const override { return whole_; }
    [[nodiscard]] const program::Program& partOf(std::size_t member) const {
        return executors_[member]->program();
    }
    [[nodiscard]] Result<std::span<const float>> forward(const program::StepBatch& batch,
                                                         std::span<const float> parameters,
                                                         std::span<float> statistics,
                                                         program::ReplicaSum& sum) override;
    [[nodiscard]] std::span<float> outputGradient() override { return outputGradient_; }
    [[nodiscard]] Result<void> backward(
        std::span<const float> parameters, std::span<float> gradients, program::ReplicaSum& sum,
        const std::function<void(std::size_t)>& onComplete) override;

    /// Of the first member.
    void timeInto(program::InstructionTimes* times) override { executors_[0]->timeInto(times); }

    /// What differed between members that hold the same; empty: nothing.
    [[nodiscard]] const std::string& problem() const { return problem_; }
    [[nodiscard]] std::size_t sent() const { return members_.sent(); }

private:
    struct Member {
        std::vector<float> parameters;
        std::vector<float> statistics;
        std::vector<float> gradients;
        std::vector<float> output;
    };

    void take(Member& member, std::size_t index, std::span<const float> parameters,
              std::span<const float> statistics) const;
    void put(std::vector<float> Member::*buffer, model::Tensor::Role role, std::span<float> to);
    template <typename Work>
    void together(const Work& work);

    program::Program whole_;
    JoinedMembers members_;
    std::vector<std::unique_ptr<program::Executor>> executors_;
    std::vector<Member> state_;
    std::vector<float> outputGradient_;
    std::string problem_;
};

}  // namespace lockstep::testing

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/base/mutex.h"
#include "core/base/try.h"
#include "core/checkpoint/shard_crew.h"

namespace lockstep::checkpoint::test {

/// A crew whose members are threads of this process: orders and answers lie in memory.
class CrewOfThreads final : public ShardCrew {
public:
    explicit CrewOfThreads(std::size_t members) : answers_(members) {}

    /// Of one of them, which the crew outlives.
    std::unique_ptr<ShardDesk> desk(std::size_t member) {
        return std::make_unique<Desk>(*this, member);
    }

    [[nodiscard]] Result<void> order(const ShardOrder& order) override {
        {
            const Lock lock(mutex_);
            orders_.push_back(order);
        }
        changed_.notify_all();
        return {};
    }
    [[nodiscard]] Result<FileRecords> collect() override {
        Lock lock(mutex_);
        const auto count = orders_.size();
        FileRecords all;
        for (const auto& answers : answers_) {
            if (!changed_.wait_for(mutex_, std::chrono::seconds(30),
                                   [&answers, count] { return answers.size() >= count; }))
                return fail(ErrorCode::Timeout, "a member has not answered");
            auto records = TRY(Result<FileRecords>(answers.back()));
            all.merge(records);
        }
        return all;
    }

private:
    class Desk final : public ShardDesk {
    public:
        Desk(CrewOfThreads& crew, std::size_t member) : crew_(crew), member_(member) {}
        [[nodiscard]] Result<std::optional<ShardOrder>> next(Nanos timeout) override {
            Lock lock(crew_.mutex_);
            if (!crew_.changed_.wait_for(crew_.mutex_, timeout,
                                         [this] { return crew_.orders_.size() > count_; }))
                return std::nullopt;
            return crew_.orders_[count_++];
        }
        [[nodiscard]] Result<void> report(const Result<FileRecords>& written) override {
            {
                const Lock lock(crew_.mutex_);
                crew_.answers_[member_].push_back(written);
            }
            crew_.changed_.notify_all();
            return {};
        }

    private:
        CrewOfThreads& crew_;
        const std::size_t member_;
        std::size_t count_ = 0;
    };

    Mutex mutex_;
    ConditionVariable changed_;
    std::vector<ShardOrder> orders_;
    std::vector<std::vector<Result<FileRecords>>> answers_;
};

}  // namespace lockstep::checkpoint::test

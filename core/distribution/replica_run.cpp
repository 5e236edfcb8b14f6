// SPDX-License-Identifier: Apache-2.0
// A training loop of the user's own over a strategy's replicas.
#include "core/distribution/replica_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "core/base/plural.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/distribution/all_gather.h"
#include "core/distribution/initialize.h"
#include "core/distribution/strategy.h"

namespace lockstep::distribution {

namespace {

/// Of a call of allGatherNumbers(), beside the head of the first one.
constexpr std::size_t kNumbersAtOnce = 30'000;

/// What a process says before its values: how many there are of how many replicas, or that they
/// differ.
std::vector<double> headOf(const std::vector<std::vector<double>>& values) {
    const bool areAlike = std::ranges::all_of(
        values, [&](const auto& one) { return one.size() == values.front().size(); });
    return {static_cast<double>(values.size()),
            areAlike && !values.empty() ? static_cast<double>(values.front().size()) : -1};
}

Result<void> checkHeads(const std::vector<std::vector<double>>& heads, int replicas) {
    for (std::size_t process = 0; process < heads.size(); ++process) {
        const auto& head = heads[process];
        if (head.size() == 2 && head[0] == replicas && head[1] == heads.front().back() &&
            head[1] >= 0)
            continue;
        return fail(ErrorCode::BadInput,
                    fmt::format("reduce(): process {} brings values of another number or length "
                                "than it should: {}, as many numbers each as process 0's",
                                process, counted(replicas, "replica")),
                    "Give what run() gave, one value a replica, all of one length.");
    }
    return {};
}

}  // namespace

SampleShare ReplicaContext::share(std::size_t samples) const {
    const auto parts = static_cast<std::size_t>(numReplicasInSync);
    const auto part = static_cast<std::size_t>(replica);
    const std::size_t least = samples / parts;
    const std::size_t more = samples % parts;
    const std::size_t begin = part * least + std::min(part, more);
    return {begin, begin + least + (part < more ? 1 : 0)};
}

void Strategy::runEach(const std::function<void(const ReplicaContext&)>& function) const {
    const auto& devices = distribution_->deviceMesh().devices();
    std::vector<std::jthread> threads;
    for (int local = 0; local < localReplicas_; ++local) {
        ReplicaContext context;
        context.localReplica = local;
        context.replica = processId() * localReplicas_ + local;
        context.numReplicasInSync = numReplicasInSync();
        context.device = devices.at(static_cast<std::size_t>(context.replica));
        threads.push_back(startThread(fmt::format("replica-{}", context.replica),
                                      [&function, context](const std::stop_token&) {
                                          flushDenormals();
                                          function(context);
                                      }));
    }
}

Result<std::vector<double>> Strategy::reduce(ReduceOp op,
                                             const std::vector<std::vector<double>>& values,
                                             double timeoutSeconds) const {
    if (evaluator_)
        return fail(ErrorCode::BadInput, "reduce() is of the processes that train",
                    "The evaluator scores what they have trained.");
    const auto heads = TRY(allGatherNumbers(headOf(values), timeoutSeconds));
    TRY(checkHeads(heads, localReplicas_));
    const std::size_t length = values.front().size();
    std::vector<double> own;
    for (const auto& one : values)
        own.insert(own.end(), one.begin(), one.end());
    std::vector<std::vector<double>> all(heads.size());
    for (std::size_t first = 0; first < own.size(); first += kNumbersAtOnce) {
        const std::size_t count = std::min(kNumbersAtOnce, own.size() - first);
        const auto parts =
            TRY(allGatherNumbers(std::span(own).subspan(first, count), timeoutSeconds));
        for (std::size_t process = 0; process < all.size(); ++process)
            all[process].insert(all[process].end(), parts.at(process).begin(),
                                parts.at(process).end());
    }
    std::vector<double> sum(length, 0.0);
    for (const auto& ofProcess : all)  // in the order of the replicas, whichever process has them
        for (std::size_t i = 0; i < ofProcess.size(); ++i)
            sum[i % length] += ofProcess[i];
    if (op == ReduceOp::Mean)
        for (double& number : sum)
            number /= numReplicasInSync();
    return sum;
}

}  // namespace lockstep::distribution

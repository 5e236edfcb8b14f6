// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "core/base/rng.h"
#include "core/collective/make_communicators.h"

// A small training that needs no model: gradients are numbers drawn from (replica, step), of mixed
// magnitudes so that every other order of summation gives other bits. It runs on communicators,
// and, as plain loops, without them.
namespace lockstep::tests {

using namespace lockstep::collective;

struct SampleJob {
    Topology topology;
    TransportChoice transport = TransportChoice::Auto;
    BufferLayout layout;
    int steps = 3;
    int mostDelayMicros = 0;  ///< Random delays of at most this long at every call.
    Nanos timeout = std::chrono::seconds(20);
};

struct ReplicaResult {
    std::vector<float> parameters;
    std::vector<float> moments;
    StepVotes votes;

    [[nodiscard]] bool operator==(const ReplicaResult& other) const {
        const auto sameBits = [](const std::vector<float>& a, const std::vector<float>& b) {
            return a.size() == b.size() &&
                   (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
        };
        return sameBits(parameters, other.parameters) && sameBits(moments, other.moments) &&
               std::memcmp(&votes, &other.votes, sizeof votes) == 0;
    }
};

inline void drawGradients(int replica, int step, std::span<float> gradients) {
    CounterRng rng(static_cast<std::uint64_t>(replica) + 1, static_cast<std::uint64_t>(step));
    for (float& gradient : gradients) {
        const std::uint32_t bits = rng.nextU32();
        const float mantissa = static_cast<float>(bits >> 8) / 16777216.0F - 0.5F;
        gradient = std::ldexp(mantissa, static_cast<int>(bits & 15U) - 8);
    }
}

inline StepVotes drawVotes(int replica, int step) {
    const double seed = 0.1 * (replica + 1) + 1e-9 * step;
    return {seed, seed * 3, 32.0, 0.0, step % 7 == replica ? 1.0 : 0.0};
}

/// The update of one element: not linear, so that a wrong moment or parameter shows.
inline void updateElement(float& parameter, float& moment, float sum) {
    moment = 0.9F * moment + sum;
    parameter -= 0.01F * moment;
}

/// What every replica must hold at the end, from plain loops in the order that is promised.
inline ReplicaResult expectedResult(const SampleJob& job) {
    const std::size_t count = job.layout.parameters;
    ReplicaResult result{std::vector<float>(count), std::vector<float>(count), {}};
    for (int step = 0; step < job.steps; ++step) {
        std::vector<std::vector<float>> gradients;
        for (int replica = 0; replica < job.topology.replicaCount(); ++replica) {
            gradients.emplace_back(count);
            drawGradients(replica, step, gradients.back());
        }
        const std::vector<int> hosts = job.topology.hosts();
        for (std::size_t i = 0; i < count; ++i) {
            float total = 0.0F;
            for (std::size_t host = 0; host < hosts.size(); ++host) {
                const std::vector<int> replicas = job.topology.replicasOfHost(hosts[host]);
                float sum = gradients[static_cast<std::size_t>(replicas.front())][i];
                for (std::size_t next = 1; next < replicas.size(); ++next)
                    sum = sum + gradients[static_cast<std::size_t>(replicas[next])][i];
                total = host == 0 ? sum : total + sum;
            }
            updateElement(result.parameters[i], result.moments[i], total);
        }
        result.votes = {};
        for (int replica = 0; replica < job.topology.replicaCount(); ++replica) {
            const StepVotes one = drawVotes(replica, step);
            result.votes.lossSum += one.lossSum;
            result.votes.correct += one.correct;
            result.votes.samples += one.samples;
            result.votes.stop += one.stop;
            result.votes.notFinite += one.notFinite;
        }
    }
    return result;
}

inline void maybeSleep(CounterRng& rng, int mostMicros) {
    if (mostMicros == 0 || rng.nextBelow(4) != 0) return;
    // a pause: replicas that are late by chance are what is tried
    std::this_thread::sleep_for(
        std::chrono::microseconds(rng.nextBelow(static_cast<std::uint32_t>(mostMicros))));
}

[[nodiscard]] inline Result<void> runStep(Communicator& communicator, const SampleJob& job,
                                          int step, CounterRng& delays) {
    const std::size_t buckets = job.layout.buckets.size();
    drawGradients(communicator.replica(), step, communicator.gradients());
    communicator.setVotes(drawVotes(communicator.replica(), step));
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        maybeSleep(delays, job.mostDelayMicros);
        communicator.post(bucket);
    }
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        const Result<Range> share = communicator.reduce(bucket);
        if (!share) return fail(share.error());
        for (std::size_t i = share->begin; i < share->end; ++i)
            updateElement(communicator.parameters()[i], communicator.moments(0)[i],
                          communicator.sums()[i]);
        maybeSleep(delays, job.mostDelayMicros);
        communicator.publish(bucket);
    }
    maybeSleep(delays, job.mostDelayMicros);
    return communicator.finishStep();
}

[[nodiscard]] inline Result<ReplicaResult> runReplica(Communicator& communicator,
                                                      const SampleJob& job) {
    CounterRng delays(99, static_cast<std::uint64_t>(communicator.replica()));
    for (int step = 0; step < job.steps; ++step) {
        const auto done = runStep(communicator, job, step, delays);
        if (!done) return fail(done.error());
    }
    // A meeting, so that nobody goes while another still reads the moments that it wrote.
    const std::uint64_t mine = static_cast<std::uint64_t>(communicator.replica());
    std::vector<std::uint64_t> all(static_cast<std::size_t>(communicator.replicaCount()));
    if (const auto met = communicator.allGather({&mine, 1}, all); !met) return fail(met.error());
    const auto copy = [](std::span<const float> array) {
        return std::vector<float>(array.begin(), array.end());
    };
    return ReplicaResult{copy(communicator.parameters()), copy(communicator.moments(0)),
                         communicator.votes()};
}

/// An empty memfd per host, as the hosts' agents make them.
class HostMemories {
public:
    explicit HostMemories(const Topology& topology) {
        for (const int host : topology.hosts())
            fds_[host] = UniqueFd(memfd_create("replicas", MFD_CLOEXEC));
    }
    [[nodiscard]] int fd(const Topology& topology, int process) const {
        return fds_.at(topology.processes[static_cast<std::size_t>(process)].host).get();
    }

private:
    std::map<int, UniqueFd> fds_;
};

inline CommunicatorOptions optionsOf(const SampleJob& job, int process,
                                     const HostMemories& memories, Store& store) {
    CommunicatorOptions options;
    options.topology = job.topology;
    options.topology.thisProcess = process;
    options.transport = job.transport;
    options.layout = job.layout;
    options.segmentFd = memories.fd(job.topology, process);
    options.store = &store;
    options.prefix = "job/generation-1";
    options.bindHost = "127.0.0.1";
    options.timeout = job.timeout;
    return options;
}

/// `perHost[h]` lists the replica counts of the processes of host h; process ids go host by host.
inline Topology topologyOf(const std::vector<std::vector<int>>& perHost) {
    Topology topology;
    for (std::size_t host = 0; host < perHost.size(); ++host)
        for (const int replicas : perHost[host])
            topology.processes.push_back({static_cast<int>(host), replicas});
    return topology;
}

/// `parameters` cut into `buckets` about equal ones, at odd places.
inline BufferLayout layoutOf(std::size_t parameters, std::size_t buckets) {
    BufferLayout layout;
    layout.parameters = parameters;
    layout.moments = 1;
    std::size_t end = parameters;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        const std::size_t begin = parameters * (buckets - 1 - bucket) / buckets;
        layout.buckets.push_back({begin, end});
        end = begin;
    }
    return layout;
}

}  // namespace lockstep::tests

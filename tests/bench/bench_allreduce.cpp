// SPDX-License-Identifier: Apache-2.0
// Time of one step's exchange between two processes of this host: post, reduce, publish and fetch
// of 1.08 MB of gradients without computing anything, beside memcpy of as many bytes.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tests/core/collective/run_job.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

constexpr std::size_t kParameters = 269'322;  // 784-256-256-10 with biases.
constexpr int kSteps = 2000;

struct Times {
    double median = 0;
    double high = 0;
};

Times timesOf(std::vector<double> micros) {
    std::sort(micros.begin(), micros.end());
    return {micros[micros.size() / 2], micros[micros.size() * 99 / 100]};
}

template <typename Body>
Times timeSteps(Body body) {
    std::vector<double> micros;
    for (int step = 0; step < kSteps; ++step) {
        const Nanos begin = SteadyClock::read();
        body();
        micros.push_back(static_cast<double>((SteadyClock::read() - begin).count()) / 1000.0);
    }
    return timesOf(std::move(micros));
}

Result<void> exchangeOnce(Communicator& communicator, std::size_t buckets) {
    communicator.setVotes({});
    for (std::size_t bucket = 0; bucket < buckets; ++bucket)
        communicator.post(bucket);
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        const auto share = communicator.reduce(bucket);
        if (!share) return fail(share.error());
        communicator.publish(bucket);
    }
    return communicator.finishStep();
}

void bench(const char* name, const std::vector<std::vector<int>>& perHost,
           TransportChoice transport, std::size_t buckets) {
    SampleJob job;
    job.topology = topologyOf(perHost);
    job.transport = transport;
    job.layout = layoutOf(kParameters, buckets);
    std::string folder = (std::filesystem::temp_directory_path() / "bench-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return;
    {
        ForkedJob forked(job, folder, [&](Communicator& communicator) -> Result<void> {
            Result<void> failed;
            const Times times = timeSteps([&] {
                if (const auto done = exchangeOnce(communicator, buckets); !done) failed = done;
            });
            if (communicator.replica() == 0)
                std::printf("%-28s %zu buckets   median %7.1f us   p99 %8.1f us\n", name, buckets,
                            times.median, times.high);
            std::fflush(stdout);  // They end by _exit.
            return failed;
        });
        for (int process = 0; process < job.topology.processCount(); ++process)
            if (forked.wait(process, std::chrono::seconds(120)) != ForkedJob::kDone)
                std::printf("%s: process %d failed\n", name, process);
    }
    std::filesystem::remove_all(folder);
}

void benchMemcpy() {
    std::vector<float> source(kParameters, 1.0F);
    std::vector<float> target(kParameters);
    const Times times = timeSteps([&] {
        std::memcpy(target.data(), source.data(), kParameters * sizeof(float));
        // The copy is observed, or the compiler would drop it.
        asm volatile("" : : "r"(target.data()) : "memory");
    });
    std::printf("%-28s             median %7.1f us   p99 %8.1f us\n", "memcpy", times.median,
                times.high);
}

}  // namespace

int main() {
    // Children must not inherit lines that were not written yet.
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    benchMemcpy();
    for (const std::size_t buckets : {std::size_t{1}, std::size_t{3}}) {
        bench("one replica", {{1}}, TransportChoice::Auto, buckets);
        bench("shm, 2 processes", {{1, 1}}, TransportChoice::Auto, buckets);
        bench("shm, 4 processes", {{1, 1, 1, 1}}, TransportChoice::Auto, buckets);
        bench("gloo, 2 processes", {{1, 1}}, TransportChoice::Gloo, buckets);
        bench("gloo, 4 processes", {{1, 1, 1, 1}}, TransportChoice::Gloo, buckets);
        bench("shm+gloo, 2 hosts of 2", {{1, 1}, {1, 1}}, TransportChoice::Auto, buckets);
    }
    return 0;
}

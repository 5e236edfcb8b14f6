// SPDX-License-Identifier: Apache-2.0
// Time of one step's exchange between two processes of this host: post, reduce, publish and fetch
// of 1.08 MB of gradients without computing anything, beside memcpy of as many bytes in the same
// rounds.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tests/bench/figures.h"
#include "tests/core/collective/run_job.h"

using namespace lockstep;
using namespace lockstep::bench;
using namespace lockstep::tests;

namespace {

constexpr std::size_t kParameters = 269'322;  // 784-256-256-10 with biases.
constexpr int kRounds = 3;
constexpr int kStepsARound = 500;
constexpr Nanos kPatience = std::chrono::seconds(120);

/// Of one round.
struct Times {
    double median = 0;
    double high = 0;
};

/// A page that forked processes write their times to.
class SharedTimes {
public:
    SharedTimes()
        : page_(mmap(nullptr, sizeof(Times), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                     0)) {
        if (page_ == MAP_FAILED)
            valueOrExit(Result<void>(fail(ErrorCode::Io, "cannot map a page of memory")));
    }
    ~SharedTimes() { munmap(page_, sizeof(Times)); }
    SharedTimes(const SharedTimes&) = delete;
    SharedTimes& operator=(const SharedTimes&) = delete;
    [[nodiscard]] Times& operator*() const { return *static_cast<Times*>(page_); }

private:
    void* page_;
};

template <typename Body>
Times timeSteps(Body body) {
    std::vector<double> micros;
    for (int step = 0; step < kStepsARound; ++step)
        micros.push_back(secondsOf(body) * 1e6);
    return {median(micros), quantile(micros, 0.99)};
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

/// One line of the table.
struct Case {
    const char* name;
    std::vector<std::vector<int>> perHost;
    TransportChoice transport = TransportChoice::Auto;
    std::vector<double> medians{};
    std::vector<double> highs{};
};

Times timeExchanges(const Case& one, const std::filesystem::path& folder) {
    SampleJob job;
    job.topology = topologyOf(one.perHost);
    job.transport = one.transport;
    job.layout = layoutOf(kParameters, 1);
    const SharedTimes times;
    ForkedJob forked(job, folder.string(), [&](Communicator& communicator) -> Result<void> {
        Result<void> failed;
        const Times measured = timeSteps([&] {
            if (const auto done = exchangeOnce(communicator, 1); !done) failed = done;
        });
        if (communicator.replica() == 0) *times = measured;
        return failed;
    });
    for (int process = 0; process < job.topology.processCount(); ++process)
        if (forked.wait(process, kPatience) != ForkedJob::kDone)
            valueOrExit(Result<void>(fail(
                ErrorCode::PeerLost, fmt::format("{}: process {} failed", one.name, process))));
    return *times;
}

Times copyAsMuch() {
    std::vector<float> source(kParameters, 1.0F);
    std::vector<float> target(kParameters);
    return timeSteps([&] {
        std::memcpy(target.data(), source.data(), kParameters * sizeof(float));
        // The copy is observed, or the compiler would drop it.
        asm volatile("" : : "r"(target.data()) : "memory");
    });
}

}  // namespace

int main() {
    std::array<Case, 6> cases{{{"one replica", {{1}}},
                               {"shm, 2 processes", {{1, 1}}},
                               {"shm, 4 processes", {{1, 1, 1, 1}}},
                               {"gloo, 2 processes", {{1, 1}}, TransportChoice::Gloo},
                               {"gloo, 4 processes", {{1, 1, 1, 1}}, TransportChoice::Gloo},
                               {"shm+gloo, 2 hosts of 2", {{1, 1}, {1, 1}}}}};
    std::vector<double> copies;
    for (int round = 0; round < kRounds; ++round) {
        copies.push_back(copyAsMuch().median);
        for (Case& one : cases) {
            std::string folder = (std::filesystem::temp_directory_path() / "bench-XXXXXX").string();
            if (mkdtemp(folder.data()) == nullptr) return 1;
            const Times times = timeExchanges(one, folder);
            std::filesystem::remove_all(folder);
            one.medians.push_back(times.median);
            one.highs.push_back(times.high);
        }
    }
    const double copy = median(copies);
    fmt::print("  exchange of {:.2f} MB, {} rounds of {} steps\n",
               double(kParameters * sizeof(float)) / 1e6, kRounds, kStepsARound);
    row("memcpy of as much, median", copy, "us");
    for (const Case& one : cases)
        row(fmt::format("{}, median", one.name), median(one.medians), "us",
            fmt::format("{:5.1f} memcpy, p99 {:.0f} us", median(one.medians) / copy,
                        median(one.highs)));
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// What telemetry costs the step thread: blocks of steps with it (ring, sender, CURVE, a coordinator
// that journals) and without it, in turn, in one process. Prints for both the median processor time
// of a step of the step thread, in microseconds, and the allocations of a block.
//   telemetry_side BLOCKS STEPS
// The step thread is called "on" and "off" meanwhile, which a tracer of system calls sees.
#include <sys/prctl.h>

#include <ctime>
#include <filesystem>

#include "core/base/ids.h"
#include "core/base/thread.h"
#include "core/coordination/client/client.h"
#include "core/coordination/server/coordinator.h"
#include "core/train/telemetry_sender.h"
#include "tests/bench/guide_job.h"
#include "tests/support/counted_allocations.h"

using namespace lockstep;
using namespace lockstep::bench;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t kBatch = 32;

/// What the calling thread has used so far.
struct Used {
    double micros = 0;
    std::int64_t allocations = 0;

    static Used now() {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return {double(time.tv_sec) * 1e6 + double(time.tv_nsec) * 1e-3, tests::allocations};
    }
};

/// Between the beginning of the training and the end of its one epoch, on the step thread.
struct BlockMeter final : UnwatchedEvents {
    explicit BlockMeter(const char* threadName) : name(threadName) {}
    void stateChanged(wire::RunState state, const std::string& /*sentence*/) override {
        if (state != wire::RUN_STATE_TRAINING) return;
        begin = Used::now();  // a system call itself
        prctl(PR_SET_NAME, name);
    }
    void epochEnded(const wire::EpochResult& /*result*/) override {
        prctl(PR_SET_NAME, "between");
        end = Used::now();
    }

    const char* name;
    Used begin, end;
};

/// A coordinator and one worker's connection to it.
class Link {
public:
    explicit Link(const std::filesystem::path& place) {
        coordination::CoordinatorOptions options;
        options.rules.runId = "telemetry";
        options.journal = place / "journal";
        options.monitorSocket = place / "private" / "monitor";
        options.keys = valueOrExit(wire::newKeyPair());
        coordinator_ = valueOrExit(coordination::Coordinator::start(context_, options));
        coordination::ClientOptions own;
        own.endpoint = coordinator_->memberEndpoint();
        own.serverPublicKey = options.keys.publicKey;
        own.keys = valueOrExit(wire::newKeyPair());
        own.runId = options.rules.runId;
        own.self.set_host("host");
        own.self.set_host_group("group");
        own.self.set_replicas(1);
        own.self.set_device("cpu");
        own.self.set_build("build");
        valueOrExit(coordinator_->allowMember(own.keys.publicKey, "worker-0"));
        client_ = valueOrExit(coordination::Client::connect(context_, own, {}));
        std::ignore = valueOrExit(client_->join(30s));
    }
    [[nodiscard]] coordination::Client& client() { return *client_; }

private:
    wire::Context context_ = valueOrExit(wire::Context::make());
    std::unique_ptr<coordination::Coordinator> coordinator_;
    std::unique_ptr<coordination::Client> client_;
};

struct Blocks {
    std::vector<double> micros;
    std::vector<double> allocations;

    void add(const BlockMeter& meter, int steps) {
        micros.push_back((meter.end.micros - meter.begin.micros) / steps);
        allocations.push_back(double(meter.end.allocations - meter.begin.allocations));
    }
};

void measure(Link& link, int blocks, int steps) {
    GuideJob job(randomSplit(kBatch * static_cast<std::uint32_t>(steps)));
    Blocks on, off;
    for (int block = 0; block < blocks; ++block) {
        BlockMeter without("off");
        std::ignore = job.train(kBatch, steps, nullptr, &without);
        off.add(without, steps);
        BlockMeter with("on");
        telemetry::StepRing ring(0);
        const train::TelemetrySender sender(link.client(), {&ring}, 0, wire::ROLE_WORKER);
        std::ignore = job.train(kBatch, steps, &ring, &with);
        on.add(with, steps);
    }
    std::vector<double> ratios;
    for (std::size_t block = 0; block < on.micros.size(); ++block)
        ratios.push_back(on.micros[block] / off.micros[block]);
    fmt::print("{} {} {} {} {}\n", median(on.micros), median(off.micros), median(ratios),
               median(on.allocations), median(off.allocations));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    flushDenormals();
    const auto place = std::filesystem::temp_directory_path() / ("bench-" + randomHex(6));
    std::filesystem::create_directories(place);
    {
        Link link(place);
        measure(link, std::atoi(argv[1]), std::atoi(argv[2]));
    }
    std::filesystem::remove_all(place);
    return 0;
}

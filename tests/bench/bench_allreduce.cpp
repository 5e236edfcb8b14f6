// SPDX-License-Identifier: Apache-2.0
// Time of one step's exchange between processes of this host: from the post of 1.08 MB of
// gradients, written just before as backward does, to the end of the step, without computing
// anything; beside a memcpy of as many bytes and beside two processes that send each other as many
// over a bare TCP connection, in the same rounds. Once more with what else a step moves between the
// processors: the sums are written into the weights and all weights are read.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>

#include "core/base/file.h"
#include "core/base/thread.h"
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
    double low = 0;  ///< The quickest tenth: what others on the machine disturb least.
    double median = 0;
    double high = 0;  ///< p99
};

/// Each process has a processor of its own, as long as there are enough.
void pinTo(int index) {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    CPU_SET(static_cast<std::size_t>(index % availableProcessors()), &mine);
    ::sched_setaffinity(0, sizeof mine, &mine);
}

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

/// Times `body`, each time after `prepare`.
template <typename Body, typename Prepare>
Times timeSteps(Body body, Prepare prepare) {
    std::vector<double> micros;
    for (int step = 0; step < kStepsARound; ++step) {
        prepare();
        micros.push_back(secondsOf(body) * 1e6);
    }
    return {quantile(micros, 0.1), median(micros), quantile(micros, 0.99)};
}

template <typename Body>
Times timeSteps(Body body) {
    return timeSteps(body, [] {});
}

enum class Weights : std::uint8_t { Untouched, WrittenAndRead };

/// One value of each cache line; the compiler must not drop it.
void readAll(std::span<const float> values) {
    constexpr std::size_t kLine = 64 / sizeof(float);
    float sum = 0;
    for (std::size_t i = 0; i < values.size(); i += kLine)
        sum += values[i];
    asm volatile("" : : "m"(sum));
}

Result<void> exchangeOnce(Communicator& communicator, std::size_t buckets, Weights weights) {
    communicator.setVotes({});
    for (std::size_t bucket = 0; bucket < buckets; ++bucket)
        communicator.post(bucket);
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        const auto share = communicator.reduce(bucket);
        if (!share) return fail(share.error());
        if (weights == Weights::WrittenAndRead)
            std::ranges::copy(communicator.sums().subspan(share->begin, share->size()),
                              communicator.parameters().subspan(share->begin).begin());
        communicator.publish(bucket);
    }
    auto finished = communicator.finishStep();
    if (weights == Weights::WrittenAndRead) readAll(communicator.parameters());
    return finished;
}

/// One line of the table.
struct Case {
    const char* name;
    std::vector<std::vector<int>> perHost;
    TransportChoice transport = TransportChoice::Auto;
    std::size_t buckets = 1;
    Weights weights = Weights::Untouched;
    std::vector<double> lows{};
    std::vector<double> medians{};
    std::vector<double> highs{};
};

Times timeExchanges(const Case& one, const std::filesystem::path& folder) {
    SampleJob job;
    job.topology = topologyOf(one.perHost);
    job.transport = one.transport;
    job.layout = layoutOf(kParameters, one.buckets);
    const SharedTimes times;
    ForkedJob forked(job, folder.string(), [&](Communicator& communicator) -> Result<void> {
        Result<void> failed;
        pinTo(communicator.replica());
        float gradient = 0;
        const Times measured = timeSteps(
            [&] {
                const auto done = exchangeOnce(communicator, one.buckets, one.weights);
                if (!done) failed = done;
            },
            [&] { std::ranges::fill(communicator.gradients(), gradient += 1); });
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

/// Both ends of a TCP connection over the loopback, without delay.
std::array<UniqueFd, 2> connectedPair() {
    const UniqueFd listener(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    UniqueFd client(::socket(AF_INET, SOCK_STREAM, 0));
    const bool connected =
        ::bind(listener.get(), any, size) == 0 && ::listen(listener.get(), 1) == 0 &&
        ::getsockname(listener.get(), any, &size) == 0 && ::connect(client.get(), any, size) == 0;
    UniqueFd server(connected ? ::accept(listener.get(), nullptr, nullptr) : -1);
    if (!server.valid())
        valueOrExit(Result<void>(fail(ErrorCode::Io, "no TCP connection over the loopback")));
    for (const UniqueFd* one : {&client, &server}) {
        const int on = 1;
        ::setsockopt(one->get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    return {std::move(client), std::move(server)};
}

/// Sends all of `out` and receives as much, both at once. False when the connection ended.
bool swapBytes(int fd, std::span<const std::byte> out, std::span<std::byte> in) {
    constexpr int kPatienceMillis = 10'000;
    std::size_t sent = 0, received = 0;
    while (sent < out.size() || received < in.size()) {
        pollfd ready{fd, short(POLLIN | (sent < out.size() ? POLLOUT : 0)), 0};
        if (::poll(&ready, 1, kPatienceMillis) <= 0) return false;
        if ((ready.revents & POLLOUT) != 0)
            sent += std::size_t(std::max<ssize_t>(
                ::send(fd, out.data() + sent, out.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL), 0));
        if ((ready.revents & (POLLIN | POLLHUP)) == 0) continue;
        const ssize_t count = ::recv(fd, in.data() + received, in.size() - received, MSG_DONTWAIT);
        if (count == 0) return false;
        received += std::size_t(std::max<ssize_t>(count, 0));
    }
    return true;
}

/// Two processes send each other the gradients over a bare connection.
Times swapOverTcp() {
    const auto ends = connectedPair();
    std::vector<std::byte> out(kParameters * sizeof(float));
    std::vector<std::byte> in(out.size());
    std::uint8_t value = 0;
    const auto writeOut = [&] { std::ranges::fill(out, std::byte{++value}); };
    const pid_t child = ::fork();
    if (child == 0) {
        pinTo(1);
        do
            writeOut();
        while (swapBytes(ends[1].get(), out, in));
        std::_Exit(0);
    }
    bool good = true;
    const Times times =
        timeSteps([&] { good = good && swapBytes(ends[0].get(), out, in); }, writeOut);
    ::shutdown(ends[0].get(), SHUT_RDWR);
    ::waitpid(child, nullptr, 0);
    if (!good) valueOrExit(Result<void>(fail(ErrorCode::Timeout, "a bare connection stalled")));
    return times;
}

/// Medians of the rounds side by side: the ratio of each round first.
double ratioOf(const std::vector<double>& ours, const std::vector<double>& others) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < ours.size(); ++round)
        ratios.push_back(ours[round] / others[round]);
    return median(ratios);
}

void runRound(Case& one) {
    std::string folder = (std::filesystem::temp_directory_path() / "bench-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr)
        valueOrExit(Result<void>(fail(ErrorCode::Io, "cannot make a folder")));
    const Times times = timeExchanges(one, folder);
    std::filesystem::remove_all(folder);
    one.lows.push_back(times.low);
    one.medians.push_back(times.median);
    one.highs.push_back(times.high);
}

}  // namespace

int main() {
    std::array<Case, 7> cases{
        {{"2 processes, shared memory", {{1, 1}}},
         {"2 processes, Gloo", {{1, 1}}, TransportChoice::Gloo},
         {"2 processes, shared memory, 4 buckets", {{1, 1}}, {}, 4},
         {"2 processes, weights written and read", {{1, 1}}, {}, 1, Weights::WrittenAndRead},
         {"4 processes, shared memory", {{1, 1, 1, 1}}},
         {"4 processes, Gloo", {{1, 1, 1, 1}}, TransportChoice::Gloo},
         {"2 hosts of 2, both", {{1, 1}, {1, 1}}}}};
    std::vector<double> copies, lowCopies, swaps;
    for (int round = 0; round < kRounds; ++round) {
        const Times copy = copyAsMuch();
        copies.push_back(copy.median);
        lowCopies.push_back(copy.low);
        swaps.push_back(swapOverTcp().median);
        for (Case& one : cases)
            runRound(one);
    }
    const Case& shared = cases[0];
    const Case& gloo = cases[1];
    print({.what = "exchange of 1.08 MB, 2 processes, over a memcpy of it",
           .value = ratioOf(shared.medians, copies),
           .goal = 1,
           .peer =
               fmt::format("{:.0f} us beside {:.0f} us", median(shared.medians), median(copies))});
    print({.what = "exchange of 1.08 MB, 2 processes over TCP, over a raw socket",
           .value = ratioOf(gloo.medians, swaps),
           .goal = 1.5,
           .peer = fmt::format("{:.0f} us beside {:.0f} us", median(gloo.medians), median(swaps))});
    print({.what = "exchange over TCP, p99",
           .value = median(gloo.highs) / 1e3,
           .unit = "ms",
           .goal = 40,
           .peer = "delayed acknowledgements would be 44 ms"});
    row("memcpy of 1.08 MB", median(copies), "us",
        fmt::format("quickest tenth {:.0f} us", median(lowCopies)));
    for (const Case& one : cases)
        row(fmt::format("exchange of 1.08 MB, {}", one.name), median(one.medians), "us",
            fmt::format("quickest tenth {:.0f} us, p99 {:.0f} us", median(one.lows),
                        median(one.highs)));
    return 0;
}

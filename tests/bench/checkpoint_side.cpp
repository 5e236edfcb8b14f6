// SPDX-License-Identifier: Apache-2.0
// Our side of the comparison of checkpoints: 3.2 MB, the guide's network with Adam's moments. Each
// line of standard input is a number of rounds, each line of output its medians:
//   the step is held (us), durable in the background (ms), a plain copy of as many bytes (us),
//   one plain file, written and synced (ms)
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <vector>

#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/rng.h"
#include "core/checkpoint/background_committer.h"
#include "tests/bench/figures.h"

using namespace lockstep;
using namespace lockstep::bench;
using namespace lockstep::checkpoint;

namespace {

constexpr int kKeep = 3;
constexpr Nanos kPatience = std::chrono::seconds(60);
constexpr std::array<std::int64_t, 4> kUnits{784, 256, 256, 10};

/// Weights and biases of every layer, and both moments of each.
class State {
public:
    State() {
        std::size_t parameters = 0;
        for (std::size_t layer = 0; layer + 1 < kUnits.size(); ++layer)
            parameters += static_cast<std::size_t>((kUnits[layer] + 1) * kUnits[layer + 1]);
        values_.resize(3 * parameters);
        CounterRng rng(1);
        for (float& value : values_)
            value = rng.nextFloat(-1, 1);
        for (std::size_t layer = 0; layer + 1 < kUnits.size(); ++layer) {
            const std::string name = fmt::format("layers.{}.", layer);
            add(name + "weight", {kUnits[layer + 1], kUnits[layer]});
            add(name + "bias", {kUnits[layer + 1]});
        }
    }

    [[nodiscard]] const Snapshot& at(std::int64_t step) {
        snapshot_.state.step = step;
        snapshot_.state.optimizer = "adam";
        snapshot_.state.globalBatchSize = 32;
        snapshot_.state.wallTime = wallSeconds();
        return snapshot_;
    }
    [[nodiscard]] const std::vector<float>& values() const { return values_; }
    [[nodiscard]] std::size_t bytes() const { return values_.size() * sizeof(float); }

private:
    std::span<const float> next(const std::vector<std::int64_t>& shape) {
        std::size_t count = 1;
        for (const std::int64_t size : shape)
            count *= static_cast<std::size_t>(size);
        return std::span<const float>(values_).subspan(std::exchange(used_, used_ + count), count);
    }
    void add(const std::string& name, const std::vector<std::int64_t>& shape) {
        snapshot_.model.push_back({name, shape, next(shape)});
        for (const char* moment : {".exp_avg", ".exp_avg_sq"})
            snapshot_.optimizer.push_back({name + moment, shape, next(shape)});
    }

    std::vector<float> values_;
    std::size_t used_ = 0;
    Snapshot snapshot_;
};

Result<void> writeAndSync(const std::filesystem::path& path, const std::vector<float>& values) {
    const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!fd.valid()) return fail(ErrorCode::Io, "cannot create " + path.string());
    if (auto written = writeAll(fd.get(), std::as_bytes(std::span(values))); !written)
        return written;
    if (::fsync(fd.get()) != 0) return fail(ErrorCode::Io, "cannot sync " + path.string());
    return {};
}

struct Times {
    std::vector<double> stall, commit, copy, plain;
};

Times measure(const std::filesystem::path& folder, int rounds) {
    State state;
    Times times;
    std::mutex mutex;  // reports come on the committer's thread
    auto committer = BackgroundCommitter::start(
        valueOrExit(CheckpointStore::open(folder / "checkpoints", CheckpointStore::Access::Write)),
        {.keep = kKeep}, [&](const CommitReport& report) {
            if (report.error) valueOrExit(Result<void>(fail(*report.error)));
            const std::lock_guard lock(mutex);
            times.commit.push_back(report.commitSeconds);
        });
    std::vector<float> copy(state.values().size());
    for (int round = 1; round <= rounds; ++round) {
        const Snapshot& snapshot = state.at(round);
        times.stall.push_back(
            secondsOf([&] { std::ignore = valueOrExit(committer->submit(snapshot, kPatience)); }));
        valueOrExit(committer->flush(kPatience));
        times.copy.push_back(secondsOf([&] {
            std::memcpy(copy.data(), state.values().data(), state.bytes());
            // The copy is observed, or the compiler would drop it.
            asm volatile("" : : "r"(copy.data()) : "memory");
        }));
        times.plain.push_back(
            secondsOf([&] { valueOrExit(writeAndSync(folder / "plain", state.values())); }));
    }
    committer.reset();
    return times;
}

}  // namespace

int main() {
    for (int rounds = 0; std::cin >> rounds && rounds > 0;) {
        const auto folder = std::filesystem::temp_directory_path() / ("bench-" + randomHex(6));
        std::filesystem::create_directories(folder);
        const Times times = measure(folder, rounds);
        std::filesystem::remove_all(folder);
        std::cout << fmt::format("{} {} {} {}", median(times.stall) * 1e6,
                                 median(times.commit) * 1e3, median(times.copy) * 1e6,
                                 median(times.plain) * 1e3)
                  << std::endl;
    }
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Data larger than their share of memory: a table of 1 GB and a text of 2 GB
// (LOCKSTEP_BENCH_SHARE=0.1 for a tenth), packed by one of two processes that start together and
// read by both for a while as training reads them. The most private memory that each ever had, and
// the seconds to the first batch.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <thread>

#include "core/config/document/job_file.h"
#include "core/data/load_dataset.h"
#include "core/data/prefetch.h"
#include "tests/bench/figures.h"

using namespace lockstep;
using namespace lockstep::bench;

namespace fs = std::filesystem;

namespace {

constexpr int kProcesses = 2;
constexpr double kMebibyte = 1 << 20;

double share() {
    const char* text = std::getenv("LOCKSTEP_BENCH_SHARE");
    return text == nullptr ? 1 : std::atof(text);
}

/// Anonymous memory that this process holds now, in bytes.
double privateMemory() {
    std::ifstream rollup("/proc/self/smaps_rollup");
    for (std::string word; rollup >> word;)
        if (word == "Anonymous:") {
            double kilobytes = 0;
            rollup >> kilobytes;
            return kilobytes * 1024;
        }
    return NAN;
}

void writeTable(const fs::path& path, double bytes) {
    std::ofstream file(path, std::ios::binary);
    file << "y";
    for (int c = 0; c < 20; ++c)
        file << ",x" << c;
    file << "\n";
    std::string row;
    for (std::uint64_t i = 0; static_cast<double>(file.tellp()) < bytes; ++i) {
        row = std::to_string(i % 7);
        for (std::uint64_t c = 0; c < 20; ++c)
            row += ',' + std::to_string((i * 31 + c * 17) % 1009) + ".25";
        file << row << "\n";
    }
}

void writeText(const fs::path& path, double bytes) {
    std::ofstream file(path, std::ios::binary);
    std::string part;
    for (int i = 0; i < 50'000; ++i)
        part += "line " + std::to_string(i) + " of a long text\n";
    while (static_cast<double>(file.tellp()) < bytes)
        file << part;
}

struct Found {
    double privateBytes = NAN;
    double seconds = NAN;
};

/// One process: loads the data, then takes batches.
Found loadAndRead(const config::DataSpec& spec, const fs::path& folder, int replica) {
    std::atomic<double> most = 0;
    const std::jthread watch([&most](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            most = std::max(most.load(), privateMemory());
            std::this_thread::sleep_for(Millis(20));  // a pace: memory is looked at
        }
    });
    Found found;
    const Nanos start = SteadyClock::read();
    const auto dataset = data::loadDataset(spec, folder, folder / "cache");
    if (!dataset) {
        std::fprintf(stderr, "%s\n", dataset.error().message.c_str());
        return found;
    }
    const auto plan = data::BatchPlan::make(dataset->train->count, 256, kProcesses, 1);
    auto batches = data::Prefetcher::start(dataset->train, *plan, replica, 0, 2000);
    for (int i = 0; i < 2000; ++i) {
        if (!(*batches)->next(std::chrono::seconds(60))) return found;
        if (i == 0) found.seconds = Seconds(SteadyClock::read() - start).count();
    }
    found.privateBytes = std::max(most.load(), privateMemory());
    return found;
}

/// Two processes at once; the worse of what they found.
Found inProcesses(const config::DataSpec& spec, const fs::path& folder) {
    int pipes[2];
    if (::pipe(pipes) != 0) return {};
    std::vector<pid_t> children;
    for (int replica = 0; replica < kProcesses; ++replica) {
        children.push_back(::fork());
        if (children.back() != 0) continue;
        const Found found = loadAndRead(spec, folder, replica);
        _exit(::write(pipes[1], &found, sizeof found) == sizeof found ? 0 : 1);
    }
    Found worst{0, 0};
    for (const pid_t child : children) {
        Found found;
        if (::read(pipes[0], &found, sizeof found) != sizeof found) return {};
        worst = {std::fmax(worst.privateBytes, found.privateBytes),
                 std::fmax(worst.seconds, found.seconds)};
        if (std::isnan(found.privateBytes)) worst = {};
        ::waitpid(child, nullptr, 0);
    }
    return worst;
}

void measure(const std::string& what, const std::string& job, double bytes,
             const fs::path& folder) {
    const auto document = config::JobDocument::lenient("[data]\n" + job, "job.toml");
    for (const char* how : {"packed by one of two processes", "mapped by two"}) {
        const Found found = inProcesses(document.spec().data, folder);
        print({.what = fmt::format("{} of {:.1f} GB, {}: private memory of each at most", what,
                                   bytes / 1e9, how),
               .value = found.privateBytes / kMebibyte,
               .unit = "MiB",
               .goal = 256,
               .peer = fmt::format("first batch after {:.1f} s", found.seconds)});
    }
}

}  // namespace

int main() {
    const fs::path folder =
        fs::temp_directory_path() / fmt::format("lockstep-bench-data-{}", ::getpid());
    fs::create_directories(folder);
    const double table = 1e9 * share();
    const double text = 2e9 * share();
    writeTable(folder / "t.csv", table);
    std::string features;
    for (int c = 0; c < 20; ++c)
        features += fmt::format("{}x{} = \"float_normalized\"", c == 0 ? "" : ", ", c);
    measure(
        "table",
        "dataset = \"table\"\nfiles = \"t.csv\"\ntarget = \"y\"\nfeatures = { " + features + " }\n",
        table, folder);
    std::error_code error;
    fs::remove_all(folder / "cache", error);
    writeText(folder / "a.txt", text);
    measure("text", "dataset = \"text\"\nfiles = \"a.txt\"\nsequence_length = 256\n", text, folder);
    fs::remove_all(folder, error);
}

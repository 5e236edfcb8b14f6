// SPDX-License-Identifier: Apache-2.0
// The desktop program from outside: how soon its window is painted and shows the data of a running
// job, what following 64 replicas costs it, and what it costs a training on the same machine.
// Offscreen, and on a virtual X server where one is installed.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>

#include "tests/bench/desktop_program.h"
#include "tests/bench/streaming_run.h"

using namespace lockstep;
using namespace lockstep::bench;
using namespace std::chrono_literals;

namespace {

constexpr int kStarts = 9;
constexpr int kTrainings = 5;
constexpr Nanos kPatience = 60s;
constexpr Nanos kSettling = 3s;
constexpr Nanos kFollowing = 10s;
constexpr double kPaintGoalMillis = 150;
constexpr double kLiveGoalMillis = 400;
constexpr double kShareGoalPercent = 10;
constexpr double kSlowdownGoalPercent = 3;

const std::filesystem::path kPrograms = LOCKSTEP_PROGRAMS;
const std::string kDesktop = kPrograms / "lockstep";
const std::string kJob = LOCKSTEP_EXAMPLES "/digits.toml";

/// A process of which nothing but its end matters; ended with this object.
class Helper {
public:
    Helper(const std::string& program, std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), program);
        std::vector<char*> words;
        for (std::string& argument : arguments)
            words.push_back(argument.data());
        words.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
        if (posix_spawnp(&pid_, program.c_str(), &actions, nullptr, words.data(), environ) != 0)
            pid_ = -1;
        posix_spawn_file_actions_destroy(&actions);
    }
    ~Helper() {
        if (pid_ <= 0) return;
        kill(pid_, SIGTERM);
        waitpid(pid_, nullptr, 0);
    }
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;

    [[nodiscard]] bool isStarted() const { return pid_ > 0; }
    [[nodiscard]] int waitForEnd() {
        int status = -1;
        waitpid(std::exchange(pid_, -1), &status, 0);
        return status;
    }

private:
    pid_t pid_ = -1;
};

void waitFor(const std::filesystem::path& path) {
    const Nanos deadline = SteadyClock::read() + kPatience;
    while (!std::filesystem::exists(path)) {
        if (SteadyClock::read() > deadline)
            valueOrExit(Result<void>(fail(ErrorCode::Timeout, path.string() + " did not appear")));
        std::this_thread::sleep_for(1ms);
    }
}

void printMillis(const std::string& what, const std::vector<double>& seconds, double goal) {
    rowWithGoal(what, median(seconds) * 1e3, "ms", goal);
    row(what + ", the longest of " + std::to_string(seconds.size()), quantile(seconds, 1) * 1e3,
        "ms");
}

void measureStart(const std::string& platform, const StreamingRun& run) {
    std::vector<double> painted, live;
    for (int i = 0; i < kStarts; ++i) {
        painted.push_back(DesktopProgram(kDesktop, {kJob}).secondsUntil("painted", kPatience));
        live.push_back(DesktopProgram(kDesktop, {"--attach", run.folder(), "--page", "live"})
                           .secondsUntil("live", kPatience));
    }
    printMillis(platform + ": first paint after exec", painted, kPaintGoalMillis);
    printMillis(platform + ": live data after exec", live, kLiveGoalMillis);
}

void measureFollowing(const std::string& platform, const StreamingRun& run) {
    DesktopProgram desktop(kDesktop, {"--attach", run.folder(), "--page", "live"});
    (void)desktop.secondsUntil("live", kPatience);
    std::this_thread::sleep_for(kSettling);
    const double before = desktop.computedSeconds();
    std::this_thread::sleep_for(kFollowing);
    const double share = (desktop.computedSeconds() - before) / Seconds(kFollowing).count();
    rowWithGoal(platform + ": 64 replicas at 10 samples a second", share * 100, "% core",
                kShareGoalPercent);
}

/// Samples a second of a training, as its summary says.
double train(const std::filesystem::path& folder, bool watched) {
    std::filesystem::remove_all(folder);
    Helper training(kPrograms / "lockstepctl", {"run", kJob, "--run-dir", folder.string()});
    waitFor(folder / "journal");
    std::unique_ptr<DesktopProgram> desktop;
    if (watched)
        desktop = std::make_unique<DesktopProgram>(
            kDesktop, std::vector<std::string>{"--attach", folder.string(), "--page", "live"});
    if (training.waitForEnd() != 0)
        valueOrExit(Result<void>(fail(ErrorCode::Unavailable, "the training failed")));
    std::ifstream file(folder / "summary.json");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string key = "\"samples_per_second\": ";
    const std::size_t at = text.find(key);
    if (at == std::string::npos)
        valueOrExit(Result<void>(fail(ErrorCode::Corrupt, "the summary names no rate")));
    return std::strtod(text.c_str() + at + key.size(), nullptr);
}

void measureTraining(const std::string& platform, const std::filesystem::path& place) {
    std::vector<double> alone, watched, slowdown;
    for (int round = 0; round < kTrainings; ++round) {
        // Each goes first in turn.
        for (const bool first : {true, false}) {
            const bool isWatched = first == (round % 2 == 0);
            (isWatched ? watched : alone).push_back(train(place / "training", isWatched));
        }
        slowdown.push_back((alone.back() / watched.back() - 1) * 100);
    }
    row(platform + ": training alone", median(alone), "/s", "samples");
    row(platform + ": training, watched by the window", median(watched), "/s", "samples");
    rowWithGoal(platform + ": training slower by, median of pairs", median(slowdown), "%",
                kSlowdownGoalPercent);
}

void measure(const std::string& platform, const std::filesystem::path& place) {
    setenv("QT_QPA_PLATFORM", platform.c_str(), 1);
    {
        const StreamingRun run(place / platform, {});
        measureStart(platform, run);
        measureFollowing(platform, run);
    }
    measureTraining(platform, place);
}

/// A virtual X server, in whose environment the rest runs; nothing where none is installed.
std::unique_ptr<Helper> startServer() {
    const std::string display = ":" + std::to_string(100 + getpid() % 800);
    auto server = std::make_unique<Helper>(
        "Xvfb", std::vector<std::string>{display, "-screen", "0", "1920x1200x24"});
    if (!server->isStarted()) return nullptr;
    waitFor("/tmp/.X11-unix/X" + display.substr(1));
    setenv("DISPLAY", display.c_str(), 1);
    return server;
}

}  // namespace

int main() {
    const auto place = std::filesystem::temp_directory_path() / ("bench-" + randomHex(6));
    // Neither the user's settings nor their recent files take part.
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"})
        setenv(name, (place / "home").c_str(), 1);
    std::filesystem::create_directories(place / "offscreen");
    std::filesystem::create_directories(place / "xcb");
    measure("offscreen", place);
    if (const auto server = startServer())
        measure("xcb", place);
    else
        fmt::print("  Xvfb is not installed: not measured on an X server\n");
    std::filesystem::remove_all(place);
    return 0;
}

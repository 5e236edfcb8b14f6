// SPDX-License-Identifier: Apache-2.0
// The desktop program from outside: how soon its window is painted and shows the data of a running
// job, what following 64 replicas costs it, and what it costs a training on the same machine: one
// that goes on while the window is there and gone in turn. Offscreen, and on a virtual X server
// where one is installed.
#include <filesystem>
#include <memory>
#include <thread>

#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "tests/bench/desktop_program.h"
#include "tests/bench/streaming_run.h"

using namespace lockstep;
using namespace lockstep::bench;
using namespace std::chrono_literals;

namespace {

constexpr int kStarts = 9;
constexpr int kVisits = 6;  // of the window to the training
constexpr Nanos kPatience = 60s;
constexpr Nanos kSettling = 3s;
constexpr Nanos kFollowing = 10s;
constexpr Nanos kWatching = 6s;
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

double wallSeconds() {
    return Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// When the first replica of a run ended which step, a few times a second.
class StepTimes {
public:
    explicit StepTimes(const std::filesystem::path& journal) {
        const auto reader = valueOrExit(telemetry::JournalReader::open(journal));
        constexpr std::size_t kAtOnce = 1 << 20;
        for (std::uint64_t offset = 0;;) {
            const std::string frames = valueOrExit(reader.read(offset, kAtOnce));
            if (frames.empty()) return;
            telemetry::FrameCursor cursor(frames, offset);
            while (const auto bytes = cursor.next()) {
                const auto record = valueOrExit(wire::decode<wire::Record>(*bytes));
                if (!record.has_steps() || record.steps().replica() != 0) continue;
                times_.push_back(record.steps().first_end_wall_time());
                steps_.push_back(static_cast<double>(record.steps().first_step()));
            }
            offset = cursor.offset();
        }
    }

    /// Steps a second between two times on the wall's clock.
    [[nodiscard]] double rate(double from, double to) const {
        return (stepAt(to) - stepAt(from)) / (to - from);
    }

private:
    [[nodiscard]] double stepAt(double time) const {
        const auto after = std::upper_bound(times_.begin(), times_.end(), time);
        if (after == times_.begin() || after == times_.end())
            valueOrExit(Result<void>(fail(ErrorCode::NotFound, "the training ended too early")));
        const auto i = static_cast<std::size_t>(after - times_.begin());
        const double share = (time - times_[i - 1]) / (times_[i] - times_[i - 1]);
        return steps_[i - 1] + share * (steps_[i] - steps_[i - 1]);
    }

    std::vector<double> times_;
    std::vector<double> steps_;
};

/// One training without end, and a window that follows it and is closed again, in turn.
void measureTraining(const std::string& platform, const std::filesystem::path& place) {
    struct Watch {
        double begin;
        double end;
    };
    const auto watch = [] {
        const double begin = wallSeconds();
        std::this_thread::sleep_for(kWatching);
        return Watch{begin, wallSeconds()};
    };
    const std::filesystem::path folder = place / "training";
    std::filesystem::remove_all(folder);
    std::vector<Watch> alone, watched;
    double computed = 0;
    {
        // The evaluator and the checkpoints would come and go on the same two cores.
        const Helper training(
            kPrograms / "lockstepctl",
            {"run", kJob, "--run-dir", folder.string(), "--set", "training.epochs=100000", "--set",
             "cluster.evaluator=false", "--set", "checkpoint.every_steps=1000000"});
        waitFor(folder / "journal");
        std::this_thread::sleep_for(kSettling);
        alone.push_back(watch());
        for (int visit = 0; visit < kVisits; ++visit) {
            {
                DesktopProgram desktop(kDesktop, {"--attach", folder.string(), "--page", "live"});
                (void)desktop.secondsUntil("live", kPatience);
                std::this_thread::sleep_for(kSettling);
                const double before = desktop.computedSeconds();
                watched.push_back(watch());
                computed += desktop.computedSeconds() - before;
            }
            std::this_thread::sleep_for(kSettling);
            alone.push_back(watch());
        }
        std::this_thread::sleep_for(kSettling / 3);
    }
    const StepTimes times(folder / "journal");
    const auto rate = [&](const Watch& each) { return times.rate(each.begin, each.end); };
    std::vector<double> rates, watchedRates, slowdown;
    for (std::size_t i = 0; i < watched.size(); ++i) {
        const double around = (rate(alone[i]) + rate(alone[i + 1])) / 2;
        rates.push_back(around);
        watchedRates.push_back(rate(watched[i]));
        slowdown.push_back((around / watchedRates.back() - 1) * 100);
    }
    row(platform + ": training alone", median(rates), "/s", "steps of two replicas");
    row(platform + ": training, watched by the window", median(watchedRates), "/s", "steps");
    row(platform + ": the window meanwhile",
        computed / (Seconds(kWatching).count() * kVisits) * 100, "% core");
    rowWithGoal(platform + ": training slower by, median of visits", median(slowdown), "%",
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

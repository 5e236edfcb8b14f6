// SPDX-License-Identifier: Apache-2.0
#include "core/job/best_validation.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <map>

#include "core/base/file.h"
#include "core/config/job/metric.h"
#include "core/telemetry/event_reader.h"

namespace lockstep::job {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPieceBytes = 64 << 10;
constexpr std::string_view kValidation = "validation/";

bool isLargerBetter(const std::string& name) {
    const auto metric = config::parseMetric(name);
    return metric && metric->largerIsBetter();
}

/// The best value of a figure, though what was trained anew takes back what came before it. Of its
/// values it keeps those that were better than all of earlier steps: no other can become the best.
class BestOfSteps {
public:
    explicit BestOfSteps(bool larger) : larger_(larger) {}

    void add(std::int64_t step, double value) {
        while (!bests_.empty() && bests_.back().step >= step)
            bests_.pop_back();
        if (!std::isfinite(value)) return;
        const bool isBest =
            bests_.empty() || (larger_ ? value > bests_.back().value : value < bests_.back().value);
        if (isBest) bests_.push_back({step, value});
    }
    [[nodiscard]] std::optional<double> value() const {
        return bests_.empty() ? std::nullopt : std::optional(bests_.back().value);
    }
    [[nodiscard]] bool isLargerBetter() const { return larger_; }

private:
    struct Best {
        std::int64_t step = 0;
        double value = 0;
    };
    bool larger_;
    std::vector<Best> bests_;  ///< By step.
};

using Figures = std::map<std::string, BestOfSteps>;  // by name, without "validation/"

/// In pieces: a run of very many epochs has files of any size. What lies before damage is as good
/// as ever.
void readFigures(const fs::path& path, Figures& figures) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (!file.valid() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
    telemetry::EventReader reader;
    const auto take = [&](const telemetry::EventScalar& scalar) {
        if (!scalar.tag.starts_with(kValidation)) return;
        const auto wanted = figures.find(scalar.tag.substr(kValidation.size()));
        if (wanted != figures.end()) wanted->second.add(scalar.step, scalar.value);
    };
    std::array<char, kPieceBytes> piece;
    for (;;) {
        const ssize_t got = ::read(file.get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0 || !reader.feed({piece.data(), static_cast<std::size_t>(got)}, take)) return;
    }
}

void readFolder(const fs::path& folder, Figures& figures) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator next(folder, error), end; !error && next != end;
         next.increment(error))
        files.push_back(next->path());
    std::ranges::sort(files);  // their names begin with when they were made
    for (const fs::path& file : files)
        readFigures(file, figures);
}

}  // namespace

std::optional<Score> bestValidationIn(const fs::path& events,
                                      const std::vector<std::string>& metrics) {
    std::vector<std::string> names{"accuracy"};
    names.insert(names.end(), metrics.begin(), metrics.end());
    names.emplace_back("loss");
    Figures figures;
    for (const std::string& name : names)
        figures.try_emplace(name, isLargerBetter(name));
    readFolder(events / "validation", figures);
    for (const std::string& name : names) {
        const BestOfSteps& figure = figures.at(name);
        if (const auto best = figure.value()) return Score{name, *best, figure.isLargerBetter()};
    }
    return std::nullopt;
}

}  // namespace lockstep::job

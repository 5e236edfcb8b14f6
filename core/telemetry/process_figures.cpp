// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/process_figures.h"

#include <unistd.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/try.h"

namespace lockstep::telemetry {

namespace {

/// Fields of /proc/PID/stat behind the program's name (proc(5), whose numbers minus 3).
enum StatField : std::size_t { UserTicks = 11, SystemTicks = 12, Threads = 17, ResidentPages = 21 };

Result<std::string> readStat(const std::string& place) {
    std::ifstream file(place);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.empty()) return fail(ErrorCode::Io, "cannot read " + place);
    return text;
}

/// The numbers behind the name, which stands in parentheses and may contain anything.
std::vector<std::int64_t> numbersOf(std::string_view stat) {
    std::vector<std::int64_t> numbers;
    std::size_t at = stat.rfind(')');
    at = at == std::string_view::npos ? stat.size() : at + 2;
    while (at < stat.size()) {
        const std::size_t end = std::min(stat.find(' ', at), stat.size());
        std::int64_t number = 0;  // stays 0 for the state, which is a letter
        std::from_chars(stat.data() + at, stat.data() + end, number);
        numbers.push_back(number);
        at = end + 1;
    }
    return numbers;
}

}  // namespace

Result<wire::ProcessFigures> ProcessProbe::sample(std::uint32_t processId, wire::Role role,
                                                  Nanos now) {
    const auto stat = TRY(readStat(place_));
    const std::vector<std::int64_t> numbers = numbersOf(stat);
    if (numbers.size() <= ResidentPages)
        return fail(ErrorCode::Io, place_ + " has an unknown form");

    const double cpuSeconds = static_cast<double>(numbers[UserTicks] + numbers[SystemTicks]) /
                              static_cast<double>(::sysconf(_SC_CLK_TCK));
    wire::ProcessFigures figures;
    figures.set_process_id(processId);
    figures.set_role(role);
    figures.set_threads(static_cast<std::uint32_t>(numbers[Threads]));
    figures.set_resident_bytes(static_cast<std::uint64_t>(numbers[ResidentPages]) *
                               static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
    const double elapsed = Seconds(now - lastTime_).count();
    if (lastCpuSeconds_ >= 0 && elapsed > 0)
        figures.set_cpu_percent(static_cast<float>(100 * (cpuSeconds - lastCpuSeconds_) / elapsed));
    lastTime_ = now;
    lastCpuSeconds_ = cpuSeconds;
    return figures;
}

}  // namespace lockstep::telemetry

// SPDX-License-Identifier: Apache-2.0
#include "core/job/logs/log_book.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "core/job/logs/log_file.h"
#include "core/launch/process/left_out.h"
#include "core/run/run_files.h"

namespace lockstep::job {

namespace {

constexpr std::size_t kMostRecentLines = 4096;
constexpr std::size_t kMostRecentBytes = std::size_t{4} << 20;
/// What a coordinator keeps in memory at most before its disk has taken it.
constexpr std::size_t kMostUnwrittenBytes = std::size_t{72} << 20;
constexpr std::size_t kMostOwnBytes = std::size_t{16} << 20;
constexpr std::size_t kMostLastLines = 40;
/// A traceback that goes on for longer is another one.
constexpr std::size_t kMostOfBlock = 5000;
/// Between its lines those of other processes may lie.
constexpr std::size_t kFarthestOfBlock = 200'000;

/// Whether a line can begin there: a file of another start, or one that somebody has emptied, has
/// others where the run's words say so.
bool beginsLine(LogFile& file, std::uint64_t offset) {
    return offset == 0 || file.at(offset - 1, 1) == "\n";
}

}  // namespace

std::string logNameOf(Role role, int processId) {
    return launch::logFileName(role == Role::Evaluator, static_cast<std::uint32_t>(processId));
}

LogBook::LogBook(std::filesystem::path runDir) : runDir_(std::move(runDir)) {}

void LogBook::add(const std::vector<LogEntry>& entries) {
    for (const LogEntry& entry : entries) {
        if (addLeftOut(entry)) continue;
        Lock lock(mutex_);
        ++revision_;
        if (entry.unfinished)
            writers_[writerOf(entry.role, entry.processId)].unfinished = entry;
        else
            addLine(entry, placeOf(entry));
    }
    forgetRecent();
}

std::size_t LogBook::writerOf(Role role, int processId) {
    const auto [found, isNew] =
        writerOf_.try_emplace({static_cast<int>(role), processId}, writers_.size());
    if (isNew) writers_.push_back({{role, processId}, {}, {}, {}, {}});
    return found->second;
}

LogBook::Place LogBook::placeOf(const LogEntry& entry) {
    if (entry.journalOffset >= 0)
        return {Home::Journal, static_cast<std::uint64_t>(entry.journalOffset)};
    if (ownBytes_ + entry.text.size() > kMostOwnBytes) return {Home::Nowhere, 0};
    ownBytes_ += entry.text.size();
    own_[lines_.size()] = entry.text;
    return {Home::Memory, lines_.size()};
}

void LogBook::addLine(const LogEntry& entry, Place place) {
    if (lines_.size() > kMostLines) return;
    if (lines_.size() == kMostLines) {
        const std::string full = "(the list is full: later lines are in the run's logs/ alone)";
        own_[lines_.size()] = full;
        return pushLine({.wallTime = entry.wallTime, .role = Role::Agent, .level = 2, .text = full},
                        {Home::Memory, lines_.size()});
    }
    pushLine(entry, place);
}

void LogBook::pushLine(const LogEntry& entry, Place place) {
    const std::size_t number = writerOf(entry.role, entry.processId);
    Writer& writer = writers_[number];
    writer.unfinished.reset();
    Line line;
    line.offset = place.offset;
    line.wallTime = entry.wallTime;
    line.process = static_cast<std::uint32_t>(number);
    line.home = static_cast<std::uint32_t>(place.home);
    const auto told = static_cast<int>(writer.levels.take(entry.text));
    line.level = static_cast<std::uint32_t>(entry.level < 0 ? told : std::min(entry.level, 3));
    const std::size_t at = lines_.size();
    const bool goesOn = writer.levels.continues() && writer.block &&
                        lines_[*writer.block].block < kMostOfBlock &&
                        at - *writer.block < kFarthestOfBlock;
    if (goesOn) {
        line.continues = 1;
        line.block = static_cast<std::uint32_t>(at - *writer.block);
        line.level = std::max<std::uint32_t>(line.level, static_cast<std::uint32_t>(told));
        Line& first = lines_[*writer.block];
        ++first.block;
        first.level = std::max(first.level, line.level);  // shown, and held back, together
    } else {
        writer.block = at;
    }
    lines_.push_back(line);
    recent_.push_back(entry.text);
    recentBytes_ += entry.text.size();
    writer.last.push_back(entry.text);
    if (writer.last.size() > kMostLastLines) writer.last.pop_front();
}

/// The lines of a flood, from the process's file. False where the folder has it not, or not whole:
/// it lies on the process's own host.
bool LogBook::addLeftOut(const LogEntry& entry) {
    const auto stretches = launch::leftOutStretches(entry.text);
    if (stretches.empty() || entry.unfinished) return false;
    LogFile file(run::RunPaths{runDir_}.logs() / logNameOf(entry.role, entry.processId));
    const std::uint64_t size = file.size();
    forgetRecent();  // what comes is in a file
    const auto isThere = [&file, size](const launch::Stretch& stretch) {
        return stretch.end <= size && beginsLine(file, stretch.begin) &&
               beginsLine(file, stretch.end);
    };
    if (!std::ranges::all_of(stretches, isThere)) return false;
    for (const auto& [begin, end] : stretches) {
        for (std::uint64_t offset = begin; offset < end;) {
            if (file.at(offset, 1).empty()) break;  // cut, or not to be read, just now
            const std::string_view text = file.lineAt(offset);
            constexpr int kAsItSays = -1;
            const LogEntry line{.wallTime = entry.wallTime,
                                .processId = entry.processId,
                                .role = entry.role,
                                .level = kAsItSays,
                                .text = std::string(text)};
            offset += text.size() + 1;
            Lock lock(mutex_);
            ++revision_;
            addLine(line, {Home::ProcessFile, offset - text.size() - 1});
            dropRecent();
        }
    }
    return true;
}

/// What the files have need not be kept, but the newest lines. Nobody waits for the disk with the
/// lock held.
void LogBook::forgetRecent() {
    {
        Lock lock(mutex_);
        dropRecent();
        if (!isSurplus()) return;
    }
    std::error_code error;
    const auto size = std::filesystem::file_size(run::RunPaths{runDir_}.journal(), error);
    Lock lock(mutex_);
    if (!error) journalBytes_ = size;
    dropRecent();
}

bool LogBook::isSurplus() const {
    return recent_.size() > kMostRecentLines || recentBytes_ > kMostRecentBytes;
}

void LogBook::dropRecent() {
    while (isSurplus()) {
        const Line& line = lines_[lines_.size() - recent_.size()];
        const bool isWritten = static_cast<Home>(line.home) != Home::Journal ||
                               line.offset + recent_.front().size() < journalBytes_;
        if (!isWritten && recentBytes_ < kMostUnwrittenBytes) return;
        recentBytes_ -= recent_.front().size();
        recent_.pop_front();
    }
}

std::size_t LogBook::size() const {
    Lock lock(mutex_);
    return lines_.size();
}

std::uint64_t LogBook::revision() const {
    Lock lock(mutex_);
    return revision_;
}

std::vector<LogEntry> LogBook::unfinished() const {
    std::vector<LogEntry> entries;
    Lock lock(mutex_);
    for (const Writer& writer : writers_)
        if (writer.unfinished) entries.push_back(*writer.unfinished);
    std::ranges::stable_sort(entries, {}, &LogEntry::wallTime);
    return entries;
}

std::vector<LogBook::Process> LogBook::processes() const {
    std::vector<Process> processes;
    Lock lock(mutex_);
    for (const Writer& writer : writers_)
        processes.push_back(writer.process);
    return processes;
}

LineFacts LogBook::factsOf(std::size_t number) const {
    const Line& line = lines_[number];
    const Process& process = writers_[line.process].process;
    return {line.wallTime,       process.processId, process.role, static_cast<int>(line.level),
            line.continues != 0, line.block};
}

LineFacts LogBook::facts(std::size_t line) const {
    Lock lock(mutex_);
    return factsOf(line);
}

std::vector<LineFacts> LogBook::facts(std::size_t first, std::size_t count) const {
    std::vector<LineFacts> facts;
    Lock lock(mutex_);
    const std::size_t end = std::min(lines_.size(), first + count);
    facts.reserve(end - std::min(first, end));
    for (std::size_t line = first; line < end; ++line)
        facts.push_back(factsOf(line));
    return facts;
}

LogBook::Extract LogBook::extract(std::size_t first, std::size_t count) const {
    Extract extract;
    Lock lock(mutex_);
    const std::size_t end = std::min(lines_.size(), first + count);
    const std::size_t firstRecent = lines_.size() - recent_.size();
    for (std::size_t line = first; line < end; ++line) {
        const Place place{static_cast<Home>(lines_[line].home), lines_[line].offset};
        if (line >= firstRecent)
            extract.texts[line - first] = recent_[line - firstRecent];
        else if (place.home == Home::Memory)
            extract.texts[line - first] = own_.at(place.offset);
        extract.facts.push_back(factsOf(line));
        extract.places.push_back(place);
    }
    return extract;
}

std::optional<std::string> LogBook::textInMemory(std::size_t line) const {
    Lock lock(mutex_);
    if (line >= lines_.size()) return std::nullopt;
    const std::size_t firstRecent = lines_.size() - recent_.size();
    if (line >= firstRecent) return recent_[line - firstRecent];
    if (static_cast<Home>(lines_[line].home) == Home::Memory) return own_.at(lines_[line].offset);
    return std::nullopt;
}

std::vector<std::size_t> LogBook::continuation(std::size_t first) const {
    std::vector<std::size_t> lines;
    Lock lock(mutex_);
    if (first >= lines_.size() || lines_[first].continues) return lines;
    const std::size_t end = std::min(lines_.size(), first + kFarthestOfBlock);
    for (std::size_t at = first + 1; at < end && lines.size() < lines_[first].block; ++at)
        if (lines_[at].continues && lines_[at].process == lines_[first].process &&
            at - lines_[at].block == first)
            lines.push_back(at);
    return lines;
}

std::vector<std::string> LogBook::lastLines(Role role, int processId) const {
    Lock lock(mutex_);
    const auto found = writerOf_.find({static_cast<int>(role), processId});
    if (found == writerOf_.end()) return {};
    const auto& last = writers_[found->second].last;
    return {last.begin(), last.end()};
}

std::size_t LogBook::firstAt(double wallTime) const {
    Lock lock(mutex_);
    const auto found = std::ranges::lower_bound(lines_, wallTime, {}, &Line::wallTime);
    return static_cast<std::size_t>(found - lines_.begin());
}

}  // namespace lockstep::job

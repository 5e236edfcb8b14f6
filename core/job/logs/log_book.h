// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/mutex.h"
#include "core/job/fold/session.h"
#include "core/launch/process/line_levels.h"

namespace lockstep::job {

/// What the index says of a log line.
struct LineFacts {
    double wallTime = 0;
    int processId = 0;
    Role role = Role::Worker;
    int level = 1;           ///< As LogEntry::level.
    bool continues = false;  ///< Goes on with the traceback that a line of its process has begun.
    /// Of a line that continues: so many lines above it is the first one of the traceback. Of
    /// another: so many lines of its process continue it.
    std::uint32_t block = 0;
};

/// The file of a process in the run's logs/.
[[nodiscard]] std::string logNameOf(Role role, int processId);

/// All log lines of a run in the order in which they came, as an index of 24 bytes a line: their
/// texts stay in the run's journal, and of lines that a flood has left out there in the process's
/// file, which is read where the folder has it. In memory are the newest lines' texts (at most 4
/// MiB, more only while the journal's file does not have them yet) and those of lines that are in
/// no file, at most 16 MiB. Beyond kMostLines the last one says that there are more. One thread
/// adds; all others may ask at any time.
class LogBook {
public:
    static constexpr std::size_t kMostLines = 20'000'000;

    /// Where a line's text is.
    enum class Home : std::uint8_t { Journal, ProcessFile, Memory, Nowhere };
    struct Place {
        Home home = Home::Nowhere;
        std::uint64_t offset = 0;  ///< In that file; of Memory, a number.
    };
    /// Lines to be read: what is in memory of them comes with them.
    struct Extract {
        std::vector<LineFacts> facts;
        std::vector<Place> places;
        std::map<std::size_t, std::string> texts;  ///< By their place in the extract.
    };
    struct Process {
        Role role = Role::Worker;
        int processId = 0;
    };

    explicit LogBook(std::filesystem::path runDir);
    LogBook(const LogBook&) = delete;
    LogBook& operator=(const LogBook&) = delete;

    void add(const std::vector<LogEntry>& entries);

    [[nodiscard]] const std::filesystem::path& runDir() const { return runDir_; }
    /// Lines that are finished.
    [[nodiscard]] std::size_t size() const;
    /// Grows with everything that is added, unfinished lines too.
    [[nodiscard]] std::uint64_t revision() const;
    /// The newest line of each process that has not finished it, in order of arrival.
    [[nodiscard]] std::vector<LogEntry> unfinished() const;
    /// In the order in which they wrote first.
    [[nodiscard]] std::vector<Process> processes() const;
    /// `line` is below size().
    [[nodiscard]] LineFacts facts(std::size_t line) const;
    /// Of `count` lines from `first` on, or as many as there are.
    [[nodiscard]] std::vector<LineFacts> facts(std::size_t first, std::size_t count) const;
    /// Likewise, to be read.
    [[nodiscard]] Extract extract(std::size_t first, std::size_t count) const;
    /// The text of a line, where it is in memory. Reads no disk.
    [[nodiscard]] std::optional<std::string> textInMemory(std::size_t line) const;
    /// The lines of a traceback behind its first one; empty where `line` begins none.
    [[nodiscard]] std::vector<std::size_t> continuation(std::size_t line) const;
    /// The last lines of one process, at most 40, oldest first.
    [[nodiscard]] std::vector<std::string> lastLines(Role role, int processId) const;
    /// The first line that came at `wallTime` or later; size() where there is none. Times of
    /// several hosts may be some seconds out of order.
    [[nodiscard]] std::size_t firstAt(double wallTime) const;

private:
    struct Line {
        std::uint64_t offset = 0;
        double wallTime = 0;
        std::uint32_t block = 0;
        std::uint32_t process : 24 = 0;  ///< Among processes_.
        std::uint32_t level : 2 = 0;
        std::uint32_t home : 2 = 0;
        std::uint32_t continues : 1 = 0;
    };
    struct Writer {
        Process process;
        launch::LineLevels levels;
        std::optional<std::size_t> block;  ///< The first line of its newest traceback.
        std::deque<std::string> last;
        std::optional<LogEntry> unfinished;
    };

    [[nodiscard]] std::size_t writerOf(Role role, int processId) LS_REQUIRES(mutex_);
    void addLine(const LogEntry& entry, Place place) LS_REQUIRES(mutex_);
    void pushLine(const LogEntry& entry, Place place) LS_REQUIRES(mutex_);
    [[nodiscard]] bool addLeftOut(const LogEntry& entry);
    [[nodiscard]] Place placeOf(const LogEntry& entry) LS_REQUIRES(mutex_);
    void forgetRecent();
    [[nodiscard]] bool isSurplus() const LS_REQUIRES(mutex_);
    void dropRecent() LS_REQUIRES(mutex_);
    [[nodiscard]] LineFacts factsOf(std::size_t line) const LS_REQUIRES(mutex_);

    const std::filesystem::path runDir_;
    mutable Mutex mutex_;
    std::deque<Line> lines_ LS_GUARDED_BY(mutex_);
    std::deque<Writer> writers_ LS_GUARDED_BY(mutex_);
    std::map<std::pair<int, int>, std::size_t> writerOf_ LS_GUARDED_BY(mutex_);
    std::deque<std::string> recent_ LS_GUARDED_BY(mutex_);  ///< Of the newest lines.
    std::size_t recentBytes_ LS_GUARDED_BY(mutex_) = 0;
    std::map<std::uint64_t, std::string> own_ LS_GUARDED_BY(mutex_);  ///< Of lines in no file.
    std::size_t ownBytes_ LS_GUARDED_BY(mutex_) = 0;
    std::uint64_t revision_ LS_GUARDED_BY(mutex_) = 0;
    std::uint64_t journalBytes_ LS_GUARDED_BY(mutex_) =
        0;  ///< In the journal's file, as far as was looked.
};

}  // namespace lockstep::job

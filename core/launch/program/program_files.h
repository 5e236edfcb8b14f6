// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "core/base/clock.h"
#include "core/launch/program/figure_file.h"
#include "core/launch/program/folder_watch.h"

namespace lockstep::launch {

/// Follows the files of figures (TensorBoard event files, CSV logs) that a user's own program
/// writes below its folder while it runs, and hands on what they tell; the program needs no change.
/// Where several programs of a job share a folder, each one's supervisor takes what its own program
/// writes; a file that cannot be told to be anybody's is taken by the first one of its host. What
/// is left out is said in the process's log. A thread of its own ("files"): disks may be slow.
class ProgramFiles {
public:
    struct Options {
        std::filesystem::path folder;  ///< The program's.
        std::filesystem::path runDir;  ///< What the program writes there counts, too.
        pid_t supervisor = 0;          ///< Whose descendants the program's processes are.
        std::uint32_t processId = 0;
        bool firstOnHost = true;
        Nanos ownerPatience = std::chrono::seconds(2);  ///< Until a writer is as good as unknown.
    };
    /// False: no more can be taken now, the figure is offered again.
    using Sink = std::function<bool(const FileFigure&)>;

    /// Begins at once: what is there already is history, what comes now is the program's.
    ProgramFiles(Options options, Sink sink);
    ~ProgramFiles();
    ProgramFiles(const ProgramFiles&) = delete;
    ProgramFiles& operator=(const ProgramFiles&) = delete;

    /// The program has ended: what it has written is read, and nothing more. Returns at once.
    void finish() { thread_.request_stop(); }
    /// That is done, and all is handed on that was taken in time.
    [[nodiscard]] bool isFinished() const { return finished_.load(); }

private:
    struct Followed {
        FigureFile file;
        std::string prefix;  ///< Of its figures' names.
        bool more = false;   ///< Unread bytes are known to be there.
        bool saidSkipped = false;
    };

    /// A file that was there before the program.
    struct Former {
        std::uint64_t size = 0;
        ino_t inode = 0;
    };
    /// A file whose writer is not known yet.
    struct Undecided {
        Nanos since{};
        Nanos asked{};  ///< The last time.
    };

    void loop(const std::stop_token& stop);
    [[nodiscard]] bool givesUp(const std::stop_token& stop);
    void takeStock(const std::filesystem::path& folder);
    void ignore(const std::filesystem::path& file);
    void forgetFormer(const std::filesystem::path& file);
    void takeNews(const std::filesystem::path& file, Nanos now);
    [[nodiscard]] bool decide(const std::filesystem::path& file, Nanos now);
    void follow(const std::filesystem::path& file);
    void read(const std::filesystem::path& path, Followed& followed);
    [[nodiscard]] std::string nameOf(const std::string& figure, const std::filesystem::path& file);
    bool lookAround(Nanos timeout);
    static void saySkipped(const std::filesystem::path& path, Followed& followed);
    void handOn();
    void readTheRest();
    void sayLeftOut() const;
    [[nodiscard]] bool entersFolder(const std::filesystem::path& folder) const;
    void sayUnwatched();

    const Options options_;
    const Sink sink_;
    const double began_ = wallSeconds();
    std::optional<FolderWatch> watch_;
    std::function<bool()> givesUp_ = [] { return false; };  ///< The thread's own.
    std::optional<Nanos> deadline_;  ///< Of reading the rest, once the program has ended.
    std::map<std::filesystem::path, Former> former_;
    std::map<std::filesystem::path, Followed> followed_;
    std::set<std::filesystem::path> ignored_;  ///< Others', and what is no log.
    std::map<std::filesystem::path, Undecided> undecided_;
    std::map<std::string, std::filesystem::path> namedBy_;  ///< The folder that owns a name.
    std::deque<FileFigure> waiting_;
    std::uint64_t filesLeftOut_ = 0;
    std::uint64_t filesUnread_ = 0;  ///< The program has ended before it was their turn.
    bool saidUnwatched_ = false;
    std::atomic<bool> finished_{false};
    std::jthread thread_;  // last: ends before what it uses
};

}  // namespace lockstep::launch

// SPDX-License-Identifier: Apache-2.0
#include "core/launch/doctor/doctor.h"

#include <atomic>
#include <memory>
#include <vector>

#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/thread.h"
#include "core/launch/doctor/host_examiner.h"

namespace lockstep::launch {

namespace {

constexpr Millis kPublishInterval{50};

/// A file beside the run folder with a name that nobody else knows: a host that sees it, sees this
/// machine's folder and not just one of the same name. Gone with the object.
class SharedFolderToken {
public:
    explicit SharedFolderToken(std::filesystem::path folder) {
        std::error_code error;
        while (!std::filesystem::is_directory(folder, error) && folder.has_relative_path())
            folder = folder.parent_path();
        const std::filesystem::path file = folder / (".lockstep-doctor-" + randomHex(16));
        if (writeNewFileDurably(file, {})) file_ = file.string();
    }
    ~SharedFolderToken() {
        std::error_code error;
        if (!file_.empty()) std::filesystem::remove(file_, error);
    }
    SharedFolderToken(const SharedFolderToken&) = delete;
    SharedFolderToken& operator=(const SharedFolderToken&) = delete;

    [[nodiscard]] const std::string& file() const { return file_; }

private:
    std::string file_;  ///< Empty where this machine cannot write.
};

}  // namespace

Examination beginningOf(const DoctorTask& task) {
    Examination beginning;
    beginning.job = task.job;
    beginning.runFolder = task.runFolder;
    beginning.dataDirectory = task.dataDirectory;
    beginning.dataPlaces = task.dataPlaces;
    beginning.build = task.build;
    beginning.remote = task.job.launch.method == config::LaunchMethod::Ssh;
    beginning.hosts = plannedHosts(task.job);
    return beginning;
}

Examination examineHosts(const DoctorTask& task, const OpenLink& open,
                         const OnExamination& onChange, const std::stop_token& stop) {
    const Nanos began = SteadyClock::read();
    const SharedFolderToken token(task.runFolder);
    Examination beginning = beginningOf(task);
    beginning.tokenFile = token.file();
    ExaminationBoard board(std::move(beginning));
    const std::size_t count = board.read().hosts.size();
    std::atomic<std::size_t> running{count};
    std::vector<std::jthread> threads;
    threads.reserve(count);
    for (std::size_t host = 0; host < count; ++host)
        threads.push_back(startThread("doctor-host", [&, host](const std::stop_token&) {
            HostExaminer(task, open, board, host).run(stop);
            --running;
            board.update([](Examination&) {});
        }));
    const auto publish = [&](Examination now) {
        now.seconds = Seconds(SteadyClock::read() - began).count();
        if (onChange) onChange(now);
        return now;
    };
    Nanos published{};
    while (running > 0) {
        auto now = board.awaitChange(kPublishInterval);
        if (!now || SteadyClock::read() - published < kPublishInterval) continue;
        published = SteadyClock::read();
        publish(std::move(*now));
    }
    threads.clear();
    Examination all = board.read();
    all.finished = !stop.stop_requested();
    return publish(std::move(all));
}

}  // namespace lockstep::launch

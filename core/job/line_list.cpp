// SPDX-License-Identifier: Apache-2.0
#include "core/job/line_list.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <sstream>
#include <thread>
#include <utility>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/try.h"

namespace lockstep::job {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kFileLimitBytes = 64 << 20;
constexpr std::chrono::seconds kLockTime{2};

/// Held while the file is read and written again.
Result<UniqueFd> lockBeside(const fs::path& file) {
    UniqueFd fd(::open((file.string() + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
    const Nanos deadline = SteadyClock::read() + kLockTime;
    while (fd.valid() && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (SteadyClock::read() > deadline)
            return fail(ErrorCode::Timeout, file.string() + " is in use by another program");
        std::this_thread::sleep_for(Millis(10));
    }
    if (!fd.valid())
        return fail(ErrorCode::Io, "cannot lock " + file.string() + ": " + errnoText());
    return fd;
}

}  // namespace

LineList::LineList(fs::path file, std::size_t most) : file_(std::move(file)), most_(most) {}

std::vector<std::string> LineList::lines() const {
    std::vector<std::string> lines;
    if (file_.empty()) return lines;
    const auto text = readFile(file_, kFileLimitBytes);
    std::istringstream stream(text ? *text : std::string());
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

Result<void> LineList::add(const std::string& line,
                           const std::function<bool(const std::string&)>& isGone) const {
    if (file_.empty()) return {};
    if (line.find('\n') != std::string::npos)
        return fail(ErrorCode::BadInput, "a line break cannot be kept in " + file_.string());
    std::error_code error;
    fs::create_directories(file_.parent_path(), error);
    const auto lock = TRY(lockBeside(file_));
    auto lines = this->lines();
    std::erase(lines, line);
    if (lines.size() >= most_ && isGone) std::erase_if(lines, isGone);
    lines.push_back(line);
    const std::size_t first = lines.size() - std::min(lines.size(), most_);
    std::string text;
    for (std::size_t i = first; i < lines.size(); ++i)
        text += lines[i] + "\n";
    return replaceFileDurably(file_, text, 0600);
}

}  // namespace lockstep::job

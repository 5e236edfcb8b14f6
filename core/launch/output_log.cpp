// SPDX-License-Identifier: Apache-2.0
#include "core/launch/output_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <tuple>

#include "core/base/text.h"

namespace lockstep::launch {

namespace {

constexpr std::size_t kLongestLine = 4096;
constexpr std::string_view kErrorWord = "error: ";

int levelOf(std::string_view line) {
    if (line.starts_with(kErrorWord)) return 3;
    if (line.starts_with("warning: ")) return 2;
    return line.starts_with("debug: ") ? 0 : 1;
}

}  // namespace

Result<OutputLog> OutputLog::open(const std::filesystem::path& file, Limits limits,
                                  std::function<void(const Line&)> onLine) {
    // Appending: a resumed or restarted process goes on in the same file.
    UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!fd.valid())
        return fail(ErrorCode::Io, fmt::format("cannot write {}: {}", file.string(), errnoText()));
    struct stat status {};
    const bool known = ::fstat(fd.get(), &status) == 0;
    OutputLog log(std::move(fd), limits, std::move(onLine));
    log.fileBytes_ = known ? static_cast<std::uint64_t>(status.st_size) : 0;
    return log;
}

void OutputLog::feed(std::string_view bytes, Nanos now) {
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const std::string_view piece = bytes.substr(0, end);
        if (partial_.size() <= kLongestLine)
            partial_.append(piece.substr(0, kLongestLine + 1 - partial_.size()));
        if (end == std::string_view::npos) return;
        takeLine(partial_, now);
        partial_.clear();
        bytes.remove_prefix(end + 1);
    }
}

void OutputLog::finish(Nanos now) {
    if (!partial_.empty()) takeLine(partial_, now);
    partial_.clear();
    if (omitted_ > 0) reportOmitted();
}

void OutputLog::takeLine(std::string_view line, Nanos now) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string text = sanitizeLine(line, kLongestLine);
    writeToFile(text);
    if (text.starts_with(kErrorWord)) lastError_ = text.substr(kErrorWord.size());
    finder_.take(text);

    const double elapsed = std::chrono::duration<double>(now - lastRefill_).count();
    tokens_ = std::min(limits_.burstLines, tokens_ + elapsed * limits_.linesPerSecond);
    lastRefill_ = now;
    if (tokens_ < 1) {
        ++omitted_;
        return;
    }
    tokens_ -= 1;
    if (omitted_ > 0) reportOmitted();
    if (onLine_) onLine_({levelOf(text), text});
}

void OutputLog::writeToFile(std::string_view line) {
    if (fileBytes_ > limits_.fileLimitBytes) return;
    std::string text(line);
    text += '\n';
    fileBytes_ += text.size();
    if (fileBytes_ > limits_.fileLimitBytes) text = "(the log is full; later lines are left out)\n";
    std::ignore = writeAll(file_.get(), text);  // a full disk must not end the training
}

void OutputLog::reportOmitted() {
    if (onLine_) onLine_({2, fmt::format("({} lines left out: too many at once)", omitted_)});
    omitted_ = 0;
}

}  // namespace lockstep::launch

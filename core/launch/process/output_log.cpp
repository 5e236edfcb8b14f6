// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/output_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace lockstep::launch {

namespace {

constexpr std::size_t kLongestLine = 4096;
constexpr std::string_view kErrorWord = "error: ";
constexpr std::chrono::seconds kUnfinishedInterval{1};
constexpr std::chrono::seconds kOmittedInterval{1};
constexpr double kGravePerSecond = 20;
constexpr double kGraveBurst = 500;
constexpr std::size_t kMostStretches = 50;

}  // namespace

OutputLog::OutputLog(UniqueFd file, std::string name, Limits limits,
                     std::function<void(const Line&)> onLine)
    : file_(std::move(file)),
      name_(std::move(name)),
      fileLimitBytes_(limits.fileLimitBytes),
      onLine_(std::move(onLine)),
      text_(kLongestLine),
      allowance_(limits.linesPerSecond, limits.burstLines),
      graveAllowance_(std::min(limits.linesPerSecond, kGravePerSecond),
                      std::min(limits.burstLines, kGraveBurst)) {}

Result<OutputLog> OutputLog::open(const std::filesystem::path& file, Limits limits,
                                  std::function<void(const Line&)> onLine) {
    // Appending: a resumed or restarted process goes on in the same file.
    UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!fd.valid())
        return fail(ErrorCode::Io, fmt::format("cannot write {}: {}", file.string(), errnoText()));
    struct stat status {};
    const bool known = ::fstat(fd.get(), &status) == 0;
    const std::filesystem::path name = file.parent_path().filename() / file.filename();
    OutputLog log(std::move(fd), name.string(), limits, std::move(onLine));
    log.fileBytes_ = known ? static_cast<std::uint64_t>(status.st_size) : 0;
    return log;
}

void OutputLog::feed(std::string_view bytes, Nanos now) {
    text_.feed(bytes, [&](const std::string& line) { takeLine(line, now); });
    if (!text_.hasUnfinished())
        unfinishedSince_.reset();
    else if (!unfinishedSince_)
        unfinishedSince_ = now;
}

void OutputLog::tick(Nanos now) {
    if (omitted_ > 0 && now - omittedReported_ >= kOmittedInterval) reportOmitted(now);
    if (!unfinishedSince_ || now - *unfinishedSince_ < kUnfinishedInterval) return;
    unfinishedSince_ = now;
    std::string text = text_.unfinished();
    if (text.empty() || text == unfinishedShown_) return;
    unfinishedShown_ = std::move(text);
    if (onLine_) onLine_({.text = unfinishedShown_, .unfinished = true});
}

void OutputLog::finish(Nanos now) {
    text_.finish([&](const std::string& line) { takeLine(line, now); });
    unfinishedSince_.reset();
    if (omitted_ > 0) reportOmitted(now);
}

void OutputLog::takeLine(const std::string& text, Nanos now) {
    const std::uint64_t begin = fileBytes_;
    writeToFile(text);
    if (text.starts_with(kErrorWord)) lastError_ = text.substr(kErrorWord.size());
    finder_.take(text);
    unfinishedShown_.clear();

    const LineLevel level = levels_.take(text);
    const bool isGrave = level >= LineLevel::Warning;
    if (!(isGrave ? graveAllowance_ : allowance_).take(now)) {
        if (omitted_ == 0) omittedReported_ = now;
        ++omitted_;
        omittedGrave_ = omittedGrave_ || isGrave;
        leaveOut(begin);
        return;
    }
    // Among warnings that pass one by one, a gap a second is enough.
    if (omitted_ > 0 && (!isGrave || now - omittedReported_ >= kOmittedInterval))
        reportOmitted(now);
    if (onLine_) onLine_({.level = static_cast<int>(level), .text = text});
}

/// The line that was written last is found in the file alone. Beyond so many stretches, what was
/// passed on between the last ones counts as left out, too.
void OutputLog::leaveOut(std::uint64_t begin) {
    if (fileBytes_ > fileLimitBytes_) return;
    if (!omittedAt_.empty() &&
        (omittedAt_.back().end == begin || omittedAt_.size() >= kMostStretches))
        omittedAt_.back().end = fileBytes_;
    else
        omittedAt_.push_back({begin, fileBytes_});
}

void OutputLog::writeToFile(std::string_view line) {
    if (fileBytes_ > fileLimitBytes_) return;
    std::string text(line);
    text += '\n';
    fileBytes_ += text.size();
    if (fileBytes_ > fileLimitBytes_) text = "(the log is full; later lines are left out)\n";
    // A full disk must not end the training.
    if (!writeAll(file_.get(), text)) isIncomplete_ = true;
}

void OutputLog::reportOmitted(Nanos now) {
    omittedReported_ = now;
    const std::string where = fileBytes_ > fileLimitBytes_ ? name_ + " is full, too"
                              : isIncomplete_              ? name_ + " could not be written, too"
                                                           : "all of them are in " + name_;
    auto stretches = std::exchange(omittedAt_, {});
    if (fileBytes_ > fileLimitBytes_ || isIncomplete_) stretches.clear();
    std::string sentence = leftOutSentence(omitted_, where, stretches);
    const int level = static_cast<int>(omittedGrave_ ? LineLevel::Warning : LineLevel::Info);
    omitted_ = 0;
    omittedGrave_ = false;
    if (onLine_) onLine_({.level = level, .text = std::move(sentence)});
}

}  // namespace lockstep::launch

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/job/logs/log_book.h"
#include "core/job/logs/log_file.h"

namespace lockstep::job {

/// Reads the texts of a book's lines from the run's files. Reads the disk: not for the UI thread.
/// One thread.
class LogReader {
public:
    /// Of one line; the text until the call returns. False: read no further.
    using Take =
        std::function<bool(std::size_t line, const LineFacts& facts, std::string_view text)>;
    /// Whether the text of a line is wanted.
    using Wanted = std::function<bool(const LineFacts& facts)>;

    explicit LogReader(std::shared_ptr<const LogBook> book);

    /// In order, `count` lines from `first` on or as many as there are; `wanted` null: all of them.
    /// Of a line whose file has it no more, a sentence that says so.
    void read(std::size_t first, std::size_t count, const Wanted& wanted, const Take& take);
    [[nodiscard]] std::string text(std::size_t line);

private:
    [[nodiscard]] std::string_view fromFile(const LogBook::Place& place, const LineFacts& facts);
    [[nodiscard]] std::string_view fromJournal(std::uint64_t offset, const LineFacts& facts);
    [[nodiscard]] LogFile& fileOf(const LineFacts& facts);

    std::shared_ptr<const LogBook> book_;
    LogFile journal_;
    std::map<std::pair<int, int>, LogFile> files_;  ///< Of processes.
    std::string text_;
};

}  // namespace lockstep::job

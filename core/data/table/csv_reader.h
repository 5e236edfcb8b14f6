// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep::data {

/// One record. Cells are valid until the next one is read.
struct CsvRow {
    std::uint64_t line = 0;  ///< Of the text, from 1, on which it begins.
    std::vector<std::string_view> cells;
    std::string problem;  ///< Why its cells cannot be told apart; empty: they can.
};

/// Records of a text as RFC 4180 has them: cells between commas; in quotes they may hold commas,
/// line ends, and quotes written twice. Lines end with LF, CRLF or CR; empty ones are passed over
/// and counted. A quote within a cell that does not begin with one is a character like any other.
class CsvReader {
public:
    /// `text` outlives the reader.
    explicit CsvReader(std::string_view text) : text_(text) {}

    /// False after the last record. BadInput ("line 7: …") for a quote that is never closed.
    [[nodiscard]] Result<bool> next(CsvRow& row);
    [[nodiscard]] std::uint64_t emptyLines() const { return emptyLines_; }
    [[nodiscard]] std::size_t bytesRead() const { return at_; }

private:
    [[nodiscard]] bool atLineEnd() const {
        return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r';
    }
    void passLineEnd();
    [[nodiscard]] std::string_view plainCell();
    [[nodiscard]] Result<std::string_view> quotedCell(CsvRow& row);
    [[nodiscard]] Result<std::size_t> closingQuote(std::size_t from, bool& hasDoubled);

    std::string_view text_;
    std::size_t at_ = 0;
    std::uint64_t line_ = 1;
    std::uint64_t emptyLines_ = 0;
    std::deque<std::string> unescaped_;  ///< Cells of the row whose quotes were written twice.
};

}  // namespace lockstep::data

// SPDX-License-Identifier: Apache-2.0
#include "core/data/table/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/try.h"

namespace lockstep::data {

Result<bool> CsvReader::next(CsvRow& row) {
    row.cells.clear();
    row.problem.clear();
    unescaped_.clear();
    while (at_ < text_.size() && atLineEnd()) {
        passLineEnd();
        ++emptyLines_;
    }
    if (at_ == text_.size()) return false;
    row.line = line_;
    for (;;) {
        const bool isQuoted = at_ < text_.size() && text_[at_] == '"';
        row.cells.push_back(isQuoted ? TRY(quotedCell(row)) : plainCell());
        if (atLineEnd()) break;
        ++at_;  // the comma
    }
    passLineEnd();
    return true;
}

void CsvReader::passLineEnd() {
    if (at_ == text_.size()) return;
    const bool isPair = text_.substr(at_, 2) == "\r\n";
    at_ += isPair ? 2 : 1;
    ++line_;
}

std::string_view CsvReader::plainCell() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    const std::string_view cell = text_.substr(at_, end - at_);
    at_ = end;
    return cell;
}

/// The place of the quote that ends what begins at `from`.
Result<std::size_t> CsvReader::closingQuote(std::size_t from, bool& hasDoubled) {
    for (std::size_t at = from;; at += 2) {
        at = text_.find('"', at);
        if (at == std::string_view::npos)
            return fail(
                ErrorCode::BadInput,
                fmt::format("line {}: a cell begins with a quote that is never closed", line_),
                "A quote within quotes is written twice.");
        if (at + 1 == text_.size() || text_[at + 1] != '"') return at;
        hasDoubled = true;
    }
}

Result<std::string_view> CsvReader::quotedCell(CsvRow& row) {
    bool hasDoubled = false;
    const std::size_t begin = at_ + 1;
    const std::size_t end = TRY(closingQuote(begin, hasDoubled));
    std::string_view cell = text_.substr(begin, end - begin);
    if (hasDoubled) {
        std::string& single = unescaped_.emplace_back();
        for (std::size_t i = 0; i < cell.size(); ++i) {
            single += cell[i];
            if (cell[i] == '"') ++i;
        }
        cell = single;
    }
    for (std::size_t i = begin; i < end; ++i)
        if (text_[i] == '\n' || (text_[i] == '\r' && text_[i + 1] != '\n')) ++line_;
    at_ = end + 1;
    if (atLineEnd() || text_[at_] == ',') return cell;
    row.problem = fmt::format("has text behind the quoted cell {}", row.cells.size() + 1);
    std::ignore = plainCell();
    return cell;
}

}  // namespace lockstep::data

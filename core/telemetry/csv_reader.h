// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep::telemetry {

/// A number of a row of a CSV log.
struct CsvFigure {
    std::uint64_t step = 0;
    std::string_view name;  ///< Of its column; valid during the call.
    double value = 0;
};

/// Rows of a log that no figure could be taken from.
struct SkippedRows {
    std::uint64_t count = 0;
    std::uint64_t firstLine = 0;  ///< Of the file, counted from 1.
    std::string firstWhy;         ///< "it has 5 cells, the header 3".
};

/// Takes the figures out of a CSV log that grows, as Keras' CSVLogger, Lightning's CSVLogger and
/// many programs of users' own write it: a header with a column of steps or epochs, and rows of
/// numbers, some of which may be missing. Another header further on counts from there. Pure; used
/// by one thread.
class CsvReader {
public:
    using OnFigure = std::function<void(const CsvFigure&)>;

    /// The next bytes of the file, in pieces of any size. BadInput: this is no log, and nothing of
    /// it was told.
    [[nodiscard]] Result<void> feed(std::string_view bytes, const OnFigure& onFigure);
    /// The file begins anew, as Lightning writes it when there is a new column: rows that were told
    /// are not told again.
    void beginAnew();
    /// The header is there, and it is that of a log.
    [[nodiscard]] bool hasHeader() const { return !header_.names.empty(); }
    /// In all the file's lives.
    [[nodiscard]] const SkippedRows& skipped() const { return skipped_; }
    void forgetSkipped() { skipped_ = {}; }

private:
    struct Header {
        char separator = ',';
        std::vector<std::string> names;
        std::size_t stepColumn = 0;
        std::vector<bool> isFigure;
    };
    [[nodiscard]] static std::optional<Header> headerOf(std::string_view line);
    [[nodiscard]] Result<void> takeLine(std::string_view line, const OnFigure& onFigure);
    void takeRow(std::string_view line, const OnFigure& onFigure);
    [[nodiscard]] bool isNewRow();
    void skip(std::string why);

    Header header_;
    std::string partial_;
    bool isTooLong_ = false;  ///< The line whose end has not come.
    SkippedRows skipped_;
    std::uint64_t line_ = 0;  ///< Lines read since the file's beginning.
    std::uint64_t row_ = 0;   ///< Rows read since the file's beginning.
    std::uint64_t told_ = 0;  ///< Rows told in all its lives.
};

}  // namespace lockstep::telemetry

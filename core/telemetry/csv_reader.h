// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
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

/// Takes the figures out of a CSV log that grows, as Keras' CSVLogger, Lightning's CSVLogger and
/// many programs of users' own write it: a header with a column of steps or epochs, and rows of
/// numbers, some of which may be missing. Pure; used by one thread.
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
    [[nodiscard]] bool hasHeader() const { return !names_.empty(); }

private:
    [[nodiscard]] Result<void> takeHeader(std::string_view line);
    void takeRow(std::string_view line, const OnFigure& onFigure);
    [[nodiscard]] std::vector<std::string> cellsOf(std::string_view line) const;

    char separator_ = ',';
    std::vector<std::string> names_;
    std::size_t stepColumn_ = 0;
    std::vector<bool> isFigure_;
    std::string partial_;
    std::uint64_t row_ = 0;   ///< Rows read since the file's beginning.
    std::uint64_t told_ = 0;  ///< Rows told in all its lives.
};

}  // namespace lockstep::telemetry

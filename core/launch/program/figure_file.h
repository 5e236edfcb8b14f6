// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <variant>

#include "core/base/result.h"
#include "core/telemetry/csv_reader.h"
#include "core/telemetry/event_reader.h"

namespace lockstep::launch {

/// A figure that a program wrote into a file of its own.
struct FileFigure {
    std::string name;
    std::uint64_t step = 0;
    double wallTime = 0;
    double value = 0;
};

/// Follows one growing file of figures: a TensorBoard event file or a CSV log. Used by one thread.
class FigureFile {
public:
    using OnFigure = std::function<void(FileFigure)>;

    /// Whether a file of this name may be one.
    [[nodiscard]] static bool mayBeOne(const std::filesystem::path& file);
    enum class Looks { LikeOne, LikeNothingYet, LikeAnother };
    /// Whether it is one by its beginning.
    [[nodiscard]] static Looks look(const std::filesystem::path& file);

    explicit FigureFile(std::filesystem::path path);

    /// What was written since, at most some of it a call. `wall`: now, for figures that tell no
    /// time. True: there is more. Corrupt, BadInput: it is not such a file, or no longer one.
    [[nodiscard]] Result<bool> read(double wall, const OnFigure& onFigure) {
        return readUpTo(std::numeric_limits<std::uint64_t>::max(), wall, onFigure);
    }
    /// Passes over the first so many bytes, which were there before the program: of a CSV log its
    /// header is read. Cancelled, once `givesUp` says so: there may be many gigabytes of them.
    [[nodiscard]] Result<void> passOver(
        std::uint64_t bytes, const std::function<bool()>& givesUp = [] { return false; });
    /// Rows of a CSV log that no figure could be taken from; not those that were passed over.
    [[nodiscard]] telemetry::SkippedRows skipped() const;

private:
    [[nodiscard]] Result<bool> readUpTo(std::uint64_t end, double wall, const OnFigure& onFigure);
    [[nodiscard]] Result<void> take(std::string_view bytes, double wall, const OnFigure& onFigure);
    [[nodiscard]] bool beginsAsBefore(int file) const;

    std::filesystem::path path_;
    std::variant<telemetry::EventReader, telemetry::CsvReader> reader_;
    std::uint64_t offset_ = 0;
    std::string head_;  ///< The first bytes of the file.
    ino_t inode_ = 0;
};

}  // namespace lockstep::launch

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/data/load_watch.h"
#include "core/data/packed/scratch_bytes.h"
#include "core/data/shared_bytes.h"

namespace lockstep::data {

/// Data as training reads them: numbers in sections, and a text that says what they mean.
struct PackedData {
    std::string meaning;
    std::vector<SharedBytes> sections;
};

/// Takes data section by section, more than fit in memory where they go to a file.
class PackedWriter {
public:
    virtual ~PackedWriter() = default;
    /// To the section that is open. Io, NoRoom or Unavailable where there is no room.
    [[nodiscard]] virtual Result<void> append(std::span<const std::uint8_t> bytes) = 0;
    [[nodiscard]] virtual Result<void> endSection() = 0;
    /// For what is needed on the way; in memory where the data are.
    [[nodiscard]] virtual ScratchBytes scratch() const = 0;

    template <typename T>
    [[nodiscard]] Result<void> appendNumbers(std::span<const T> numbers) {
        return append(
            {reinterpret_cast<const std::uint8_t*>(numbers.data()), numbers.size_bytes()});
    }
};

/// Writes the data of a source, and gives their meaning. What it fails with besides Io, NoRoom and
/// Unavailable is about the source.
using PackData = std::function<Result<std::string>(PackedWriter&)>;

/// How such a file begins, of this version or another.
inline constexpr std::string_view kPackedMagic = "lockstep-data ";

/// The data as one local file, mapped: written there by `pack` when the file is not there, is
/// damaged, or holds another source than `source`, a text that changes when the source does. Of
/// processes that start together one packs, the others wait for it, for half an hour. A crash
/// leaves the old file or the new one. What was wrong with a file that is replaced comes into
/// `notes`. BadInput when the file, which `data.cache` names, cannot be written, or is none of
/// these files. Cancelled once `watch` waits no longer, as the next two.
[[nodiscard]] Result<PackedData> packedInFile(const std::filesystem::path& file,
                                              const std::string& source, const PackData& pack,
                                              std::vector<std::string>& notes,
                                              const LoadWatch& watch = {});

/// The same in `folder`, which is the user's cache: no file there is worth an error. Whatever has
/// the name of `name` is replaced, files that nobody read for a month are removed, and where none
/// can be written the data are held in memory, which a note says. Unavailable where they do not fit
/// there either. Empty folder: in memory.
[[nodiscard]] Result<PackedData> packedInCache(const std::filesystem::path& folder,
                                               const std::string& name, const std::string& source,
                                               const PackData& pack,
                                               std::vector<std::string>& notes,
                                               const LoadWatch& watch = {});

/// Without a file.
[[nodiscard]] Result<PackedData> packedInMemory(const PackData& pack, const LoadWatch& watch = {});

}  // namespace lockstep::data

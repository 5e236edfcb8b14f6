// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/data/packed/scratch_bytes.h"
#include "core/data/shared_bytes.h"

namespace lockstep::data {

/// A file in an archive, as the archive's directory at its end says.
struct ZipEntry {
    std::string name;
    std::uint16_t flags = 0;
    std::uint16_t method = 0;
    std::uint32_t checksum = 0;
    std::uint64_t packedBytes = 0;
    std::uint64_t bytes = 0;
    std::uint64_t at = 0;  ///< Of its own header.
};

/// A zip archive, also of more than 4 GiB: what numpy.savez and savez_compressed write. Errors are
/// what goes on after a name ("it is …"), BadInput.
class ZipArchive {
public:
    [[nodiscard]] static Result<ZipArchive> open(SharedBytes file);

    [[nodiscard]] const std::vector<ZipEntry>& entries() const { return entries_; }
    /// What the entry holds, checked by its CRC-32: part of the archive where it is stored,
    /// unpacked into `scratch` where it is deflated.
    [[nodiscard]] Result<SharedBytes> read(const ZipEntry& entry,
                                           ScratchBytes scratch = ScratchBytes({})) const;

private:
    explicit ZipArchive(SharedBytes file) : file_(std::move(file)) {}
    [[nodiscard]] Result<SharedBytes> packedBytes(const ZipEntry& entry) const;

    SharedBytes file_;
    std::vector<ZipEntry> entries_;
};

}  // namespace lockstep::data

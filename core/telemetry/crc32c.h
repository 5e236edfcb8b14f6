// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::telemetry {

/// CRC-32C (Castagnoli, as in iSCSI, RFC 3720): the checksum of journals and of event files.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes);

}  // namespace lockstep::telemetry

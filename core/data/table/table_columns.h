// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"

namespace lockstep::data {

/// A column of a table, as far as its first rows show it.
struct TableColumn {
    std::string name;
    bool isNumber = true;   ///< Whatever stands in it is a number.
    bool isWhole = true;    ///< A whole one.
    std::string example{};  ///< What stands in the first row that has something there.
};

/// The columns of the first of data.files, in their order, by its header and its first rows. Errors
/// are those of reading a table.
[[nodiscard]] Result<std::vector<TableColumn>> lookAtColumns(
    const config::DataSpec& data, const std::filesystem::path& jobFolder);

}  // namespace lockstep::data

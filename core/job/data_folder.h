// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/data/table/table_columns.h"
#include "core/model/data_facts.h"

namespace lockstep::job {

/// Whether the folder or the files that a job reads its data from are there, as this machine sees
/// them: BadInput, with what is missing and what to do. Of a job that reads none, and of one that
/// other hosts run, nothing is known here. Reads the disk: not for the UI thread.
[[nodiscard]] Result<void> checkDataFolder(const config::JobSpec& job,
                                           const std::filesystem::path& jobFolder);

/// What a network must know of the job's data, as far as this machine's disk tells it. Unavailable
/// where that needs no disk, takes too long to be read unasked, or the data are elsewhere: it says
/// which. Reads the disk, too.
[[nodiscard]] Result<model::DataFacts> factsOfData(const config::JobSpec& job,
                                                   const std::filesystem::path& jobFolder);

using data::TableColumn;

/// The columns of a job's table, as far as its first rows show them. Unavailable where the data are
/// elsewhere. Reads the disk, too.
[[nodiscard]] Result<std::vector<TableColumn>> columnsOfTable(
    const config::JobSpec& job, const std::filesystem::path& jobFolder);

}  // namespace lockstep::job

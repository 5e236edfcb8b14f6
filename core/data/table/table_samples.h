// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/data/packed/packed_file.h"
#include "core/data/problem_list.h"
#include "core/data/table/table_preparation.h"
#include "core/data/table/table_reader.h"

namespace lockstep::data {

/// Makes samples of a table's rows. Table and preparation outlive it.
class TableSamples {
public:
    TableSamples(const RawTable& table, const TablePreparation& preparation);

    /// Leaves out the rows with a category that no training row has, and names them.
    void refuseUnknown(std::vector<std::uint32_t>& rows, ProblemList& problems) const;
    /// Cells of these rows whose category has no place of its own.
    [[nodiscard]] std::uint64_t countUnknown(const std::vector<std::uint32_t>& rows) const;
    /// Writes a section of inputs and one of targets; what they are, without bytes. BadInput,
    /// naming row and column, for a number that is none of float32 once it is scaled.
    [[nodiscard]] Result<Split> write(const std::vector<std::uint32_t>& rows,
                                      PackedWriter& writer) const;

private:
    static constexpr std::uint32_t kNoPlace = UINT32_MAX;

    [[nodiscard]] bool isUnknown(std::size_t column, std::uint32_t row) const;
    [[nodiscard]] double featureOf(std::size_t i, std::uint32_t row) const;
    [[nodiscard]] Result<void> writeInputs(const std::vector<std::uint32_t>& rows,
                                           PackedWriter& writer) const;
    [[nodiscard]] Result<void> writeLabels(const std::vector<std::uint32_t>& rows,
                                           PackedWriter& writer) const;
    [[nodiscard]] Result<void> writeValues(const std::vector<std::uint32_t>& rows,
                                           PackedWriter& writer) const;

    const RawTable& table_;
    const TablePreparation& preparation_;
    /// Of each word of each column: its place among the known ones, or kNoPlace; none of numbers.
    std::vector<std::vector<std::uint32_t>> places_;
};

}  // namespace lockstep::data

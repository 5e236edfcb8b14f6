// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/job/data_folder.h"

namespace lockstep::ui {

class JobEditor;

/// A column of the job's table: what the table has, what the job file makes of it, or both.
struct ColumnEntry {
    QString name;
    QString example;                ///< What stands in it; empty: not known.
    QString kind;                   ///< As the file writes it; empty: it is left out.
    std::optional<QString> output;  ///< output_mode, where it is written.
    std::optional<QString> tokens;  ///< max_tokens.
    QString suggested;              ///< The kind that fits what stands in it.
    bool isTarget = false;
    bool isInTable = true;  ///< False: the table has no such column.

    [[nodiscard]] bool isCategory() const { return kind.endsWith(QLatin1String("categorical")); }
};

/// In the order of the table, what it lacks last. `table`: nullopt while it is not known.
[[nodiscard]] std::vector<ColumnEntry> columnsOf(
    const JobEditor& editor, const std::optional<std::vector<job::TableColumn>>& table);

/// The text with another kind for a column; an empty one leaves it out.
[[nodiscard]] Result<std::string> withColumnKind(const std::string& text, const ColumnEntry& column,
                                                 const QString& kind);
/// The text with an option of a category (output_mode, max_tokens); empty: its default.
[[nodiscard]] Result<std::string> withColumnOption(const std::string& text,
                                                   const ColumnEntry& column, const QString& option,
                                                   const QString& value);

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/column_list.h"

#include <QSet>

#include "core/config/document/model_edit.h"
#include "core/text/toml_text.h"
#include "ui/models/job_editor.h"

namespace lockstep::ui {

namespace {

const config::TomlPath kFeatures{"data", "features"};

config::TomlPath pathOf(const std::string& column) {
    config::TomlPath path = kFeatures;
    path.emplace_back(column);
    return path;
}

QString text(const std::string& words) {
    return QString::fromStdString(words);
}

QString writtenValue(const std::string& source, const config::TomlValue& value) {
    if (value.kind == config::TomlValue::Kind::String) return text(value.text);
    return text(source.substr(value.span.begin, value.span.end - value.span.begin));
}

void readEntry(const std::string& source, const config::TomlValue& value, ColumnEntry& column) {
    if (value.kind != config::TomlValue::Kind::Table) {
        column.kind = writtenValue(source, value);
        return;
    }
    if (const auto* type = value.find("type")) column.kind = writtenValue(source, *type);
    if (const auto* output = value.find("output_mode"))
        column.output = writtenValue(source, *output);
    if (const auto* tokens = value.find("max_tokens"))
        column.tokens = writtenValue(source, *tokens);
}

/// What the file makes of the columns, in its order.
std::vector<ColumnEntry> writtenColumns(const JobEditor& editor) {
    std::vector<ColumnEntry> columns;
    const std::string source = editor.text().toStdString();
    const auto root = config::parseToml(source);
    const config::TomlValue* features = root ? config::valueAt(*root, kFeatures) : nullptr;
    if (!features) return columns;
    for (const config::TomlEntry& entry : features->entries) {
        ColumnEntry column;
        column.name = text(entry.key);
        readEntry(source, entry.value, column);
        columns.push_back(std::move(column));
    }
    return columns;
}

ColumnEntry ofTable(const job::TableColumn& found) {
    ColumnEntry column;
    column.name = text(found.name);
    column.example = text(found.example);
    column.suggested =
        found.isNumber ? QStringLiteral("float_normalized") : QStringLiteral("string_categorical");
    return column;
}

}  // namespace

std::vector<ColumnEntry> columnsOf(const JobEditor& editor,
                                   const std::optional<std::vector<job::TableColumn>>& table) {
    std::vector<ColumnEntry> columns;
    if (table)
        for (const job::TableColumn& found : *table)
            columns.push_back(ofTable(found));
    for (ColumnEntry& written : writtenColumns(editor)) {
        const auto known = std::ranges::find(columns, written.name, &ColumnEntry::name);
        written.isInTable = !table || known != columns.end();
        if (known == columns.end()) {
            columns.push_back(std::move(written));
            continue;
        }
        written.example = known->example;
        written.suggested = known->suggested;
        *known = std::move(written);
    }
    for (const std::string& target : editor.spec().data.table.targets) {
        const auto known = std::ranges::find(columns, text(target), &ColumnEntry::name);
        if (known != columns.end()) known->isTarget = true;
    }
    return columns;
}

Result<std::string> withColumnKind(const std::string& text, const ColumnEntry& column,
                                   const QString& kind) {
    const std::string name = column.name.toStdString();
    if (kind.isEmpty()) return config::withoutOption(text, kFeatures, name);
    const bool keeps = column.isCategory() && kind.endsWith(QLatin1String("categorical")) &&
                       (column.output || column.tokens);
    if (keeps) return config::withOption(text, pathOf(name), "type", kind.toStdString(), true);
    return config::withOption(text, kFeatures, name, kind.toStdString(), true);
}

Result<std::string> withColumnOption(const std::string& text, const ColumnEntry& column,
                                     const QString& option, const QString& value) {
    const std::string name = column.name.toStdString();
    const bool isTable = column.output || column.tokens;
    if (isTable && value.isEmpty())
        return config::withoutOption(text, pathOf(name), option.toStdString());
    if (isTable)
        return config::withOption(text, pathOf(name), option.toStdString(), value.toStdString());
    if (value.isEmpty()) return text;
    const bool isNumber = option == QLatin1String("max_tokens");
    const std::string written =
        isNumber ? value.toStdString() : config::tomlString(value.toStdString());
    return config::withOption(text, kFeatures, name,
                              "{ type = " + config::tomlString(column.kind.toStdString()) + ", " +
                                  option.toStdString() + " = " + written + " }");
}

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/key_fields.h"

#include <QVBoxLayout>
#include <algorithm>

#include "core/config/keys/key_table.h"
#include "core/text/toml_tree.h"

namespace lockstep::ui {

QString shownValueOf(const config::JobSpec& spec, const std::string& key) {
    const auto& keys = config::jobKeys();
    const auto known =
        std::ranges::find_if(keys, [&key](const auto& each) { return each.help.key == key; });
    if (known == keys.end()) return {};
    const std::string toml = known->write(spec);
    const auto root = config::parseToml("v = " + toml);
    if (!root || root->entries.empty()) return {};
    const config::TomlValue& value = root->entries.front().value;
    if (value.kind == config::TomlValue::Kind::String) return QString::fromStdString(value.text);
    if (value.kind == config::TomlValue::Kind::Float)
        return QString::number(value.number, 'g', 10);  // "3", where TOML has "3.0"
    if (known->help.kind == config::ValueKind::TextList) {
        QStringList words;
        for (const config::TomlValue& item : value.elements)
            words << QString::fromStdString(item.text);
        // What has a comma of its own is read again only as it stands in the file.
        const bool isPlain = words.filter(QLatin1String(",")).isEmpty();
        return isPlain ? words.join(QStringLiteral(", ")) : QString::fromStdString(toml);
    }
    const QString text = QString::fromStdString(toml);
    const bool isNumbers = known->help.kind == config::ValueKind::NumberList ||
                           known->help.kind == config::ValueKind::PixelSize;
    return isNumbers && text.startsWith(QLatin1Char('[')) ? text.mid(1).chopped(1).trimmed() : text;
}

void addKeyFields(QVBoxLayout* layout, JobEditor& editor, const std::vector<KeyField>& fields) {
    for (const KeyField& field : fields) {
        const QString nothing = QLatin1String(field.nothing);
        auto* widget = new JobField(
            editor, QLatin1String(field.key),
            [key = std::string(field.key), nothing](const config::JobSpec& spec) {
                const QString value = shownValueOf(spec, key);
                return value == nothing ? QString() : value;
            },
            QLatin1String(field.name));
        layout->addWidget(widget);
        if (field.fits) widget->showWhere(field.fits);
    }
}

}  // namespace lockstep::ui

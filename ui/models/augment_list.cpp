// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/augment_list.h"

#include <algorithm>
#include <map>

#include "core/config/document/model_edit.h"
#include "core/config/keys/augmentation_keys.h"
#include "core/config/keys/augmentation_options.h"
#include "ui/models/job_editor.h"
#include "ui/style/core_words.h"
#include "ui/style/translated.h"

namespace lockstep::ui {
namespace {

QString text(const std::string& words) {
    return QString::fromStdString(words);
}

/// As a field shows it.
QString unquoted(const QString& toml) {
    const bool isQuoted = toml.size() >= 2 && toml.startsWith(QLatin1Char('"'));
    return isQuoted ? toml.mid(1).chopped(1) : toml;
}

QString helpOf(const std::string& option) {
    const config::KeyHelp* help = config::keyHelp("data.augment[]." + option);
    return help ? fromCore(help->help) : QString();
}

OptionKind kindOf(const config::AugmentationOption& option, const config::AugmentationType& type) {
    OptionKind kind{
        .name = text(option.key.help.key), .help = helpOf(option.key.help.key), .byDefault = {}};
    if (!option.isRequired) kind.byDefault = unquoted(text(option.key.write(type.defaults)));
    // What stays open without a value is left out.
    if (!option.isRequired && kind.byDefault.isEmpty()) kind.byDefault = tr("left open");
    for (const std::string& word : option.key.help.words)
        kind.words << text(word);
    return kind;
}

QString writtenValue(const std::string& source, const config::TomlValue& value) {
    if (value.kind == config::TomlValue::Kind::String) return text(value.text);
    return text(source.substr(value.span.begin, value.span.end - value.span.begin));
}

AugmentEntry entryOf(const std::string& source, const config::TomlValue& table) {
    AugmentEntry entry;
    const config::TomlValue* name = table.find("type");
    if (name != nullptr) entry.type = text(name->text);
    const config::AugmentationType* type =
        config::findAugmentationType(name != nullptr ? name->text : std::string());
    if (type == nullptr) return entry;
    for (const config::AugmentationOption& option : type->options) {
        const config::TomlValue* value = table.find(option.key.help.key);
        entry.options.push_back(
            {kindOf(option, *type),
             value ? std::optional(writtenValue(source, *value)) : std::nullopt});
    }
    for (const config::TomlEntry& each : table.entries)
        if (each.key != "type" && type->find(each.key) == nullptr) entry.stray << text(each.key);
    return entry;
}

/// Mild values for what must be given.
std::string usual(const std::string& option) {
    return option == "factor" ? "0.1" : "0.2";
}

const std::map<QString, const char*>& helps() {
    static const std::map<QString, const char*> kHelps{
        {QStringLiteral("random_crop"),
         QT_TRANSLATE_NOOP("lockstep::ui", "a part at a random place, of zeros around it, too")},
        {QStringLiteral("random_resized_crop"),
         QT_TRANSLATE_NOOP("lockstep::ui", "a part of random size and shape, brought to one size")},
        {QStringLiteral("random_flip"), QT_TRANSLATE_NOOP("lockstep::ui", "mirrored, or not")},
        {QStringLiteral("random_rotation"),
         QT_TRANSLATE_NOOP("lockstep::ui", "turned by parts of a full turn")},
        {QStringLiteral("random_zoom"),
         QT_TRANSLATE_NOOP("lockstep::ui", "larger or smaller, by shares of the size")},
        {QStringLiteral("random_translation"),
         QT_TRANSLATE_NOOP("lockstep::ui", "moved, by shares of the size")},
        {QStringLiteral("random_brightness"),
         QT_TRANSLATE_NOOP("lockstep::ui", "lighter or darker")},
        {QStringLiteral("random_contrast"),
         QT_TRANSLATE_NOOP("lockstep::ui", "more or less contrast")},
        {QStringLiteral("random_erasing"),
         QT_TRANSLATE_NOOP("lockstep::ui", "a rectangle is painted over")},
        {QStringLiteral("mix_up"),
         QT_TRANSLATE_NOOP("lockstep::ui", "mixed with another sample, and so are their classes")},
        {QStringLiteral("cut_mix"),
         QT_TRANSLATE_NOOP("lockstep::ui",
                           "a rectangle of another sample, with its share of the class")},
    };
    return kHelps;
}

}  // namespace

AugmentList augmentListOf(const JobEditor& editor) {
    AugmentList list;
    const std::string source = editor.text().toStdString();
    const auto root = config::parseToml(source);
    if (!root) return list;
    const config::TomlPath path{"data", "augment"};
    list.isEditable = config::isListEditable(*root, path);
    if (const config::TomlValue* array = config::valueAt(*root, path))
        for (const config::TomlValue& table : array->elements)
            list.entries.push_back(entryOf(source, table));
    return list;
}

QStringList augmentTypes() {
    QStringList types;
    for (const config::AugmentationType& type : config::augmentationTypes())
        types << text(type.name);
    return types;
}

QString augmentHelp(const QString& type) {
    const auto known = helps().find(type);
    return known == helps().end() ? QString() : tr(known->second);
}

std::string newAugment(const QString& type) {
    std::string toml = "{ type = " + config::tomlString(type.toStdString());
    if (const auto* known = config::findAugmentationType(type.toStdString()))
        for (const config::AugmentationOption& option : known->options)
            if (option.isRequired)
                toml += ", " + option.key.help.key + " = " + usual(option.key.help.key);
    return toml + " }";
}

}  // namespace lockstep::ui

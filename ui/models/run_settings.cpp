// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_settings.h"

#include <QRegularExpression>
#include <algorithm>
#include <set>
#include <unordered_map>

#include "ui/models/form_words.h"
#include "ui/style/translated.h"

namespace lockstep::ui {
namespace {

constexpr std::string_view kAddresses = "cluster.job_addresses";
constexpr std::string_view kProcesses = "cluster.num_processes";
const auto kLayers = QStringLiteral("model.layers");

/// What says nothing of how a run trained.
bool isPlace(std::string_view key) {
    return key == "job.name" || key == "job.run_dir";
}

/// Ports are chosen anew by every launch: of addresses their number tells runs apart.
QString addressCount(const std::string& value) {
    return QString::number(value.size() > 2 ? std::ranges::count(value, ',') + 1 : 0);
}

/// The addresses have said it.
bool isSaidOfAddresses(const job::RunEntry& run, const job::RunSetting& setting) {
    if (setting.key != kProcesses) return false;
    const auto addresses = std::ranges::find(run.settings, kAddresses, &job::RunSetting::key);
    return addresses != run.settings.end() && settingText(*addresses) == settingText(setting);
}

/// The innermost tables of the text, each by its type and its size; empty: not all have a type.
QString layersInWords(const QString& layers) {
    static const QRegularExpression kTable(QStringLiteral("\\{[^{}]*\\}"));
    static const QRegularExpression kType(QStringLiteral("\\btype = \"([^\"]*)\""));
    static const QRegularExpression kSize(QStringLiteral("\\b(?:units|filters) = ([0-9]+)"));
    QStringList words;
    for (auto tables = kTable.globalMatch(layers); tables.hasNext();) {
        const QString table = tables.next().captured();
        const QString type = kType.match(table).captured(1);
        const QString size = kSize.match(table).captured(1);
        if (type.isEmpty()) return {};
        words << (size.isEmpty() ? type : type + QLatin1Char(' ') + size);
    }
    return words.join(QStringLiteral(" · "));
}

struct KeyValues {
    std::set<QString> values;
    std::size_t runs = 0;
};

/// In the order of the runs' files.
QStringList keysOf(const std::vector<const job::RunEntry*>& runs, bool differing) {
    std::vector<std::string> order;
    std::unordered_map<std::string, KeyValues> known;
    for (const job::RunEntry* run : runs) {
        auto next = order.begin();  // where the run's next key belongs
        for (const job::RunSetting& setting : run->settings) {
            if (isPlace(setting.key) || isSaidOfAddresses(*run, setting)) continue;
            auto [found, isNew] = known.try_emplace(setting.key);
            if (isNew)
                next = order.insert(next, setting.key);
            else
                next = std::find(order.begin(), order.end(), setting.key);
            ++next;
            ++found->second.runs;
            if (found->second.values.size() < 2) found->second.values.insert(settingText(setting));
        }
    }
    QStringList keys;
    for (const std::string& key : order) {
        const KeyValues& values = known[key];
        if (!differing || values.values.size() > 1 || values.runs < runs.size())
            keys << QString::fromStdString(key);
    }
    return keys;
}

}  // namespace

QStringList differingKeys(const std::vector<const job::RunEntry*>& runs) {
    return keysOf(runs, true);
}

QStringList allKeys(const std::vector<const job::RunEntry*>& runs) {
    return keysOf(runs, false);
}

QString settingText(const job::RunSetting& setting) {
    if (setting.key == kAddresses) return addressCount(setting.value);
    // A value of several lines is one line in a list.
    const QString text = QString::fromStdString(setting.value).simplified();
    const bool isQuoted = text.size() >= 2 && text.startsWith(QLatin1Char('"')) &&
                          text.indexOf(QLatin1Char('"'), 1) == text.size() - 1;
    return isQuoted ? text.mid(1, text.size() - 2) : text;
}

QString settingText(const job::RunEntry& run, const QString& key) {
    const auto found = std::ranges::find(run.settings, key.toStdString(), &job::RunSetting::key);
    return found == run.settings.end() ? QString() : settingText(*found);
}

QString settingWords(const job::RunEntry& run, const QString& key) {
    const QString text = settingText(run, key);
    const QString layers = key == kLayers ? layersInWords(text) : QString();
    return layers.isEmpty() ? text : layers;
}

QString settingLabel(const QString& key) {
    if (key == QString::fromLatin1(kAddresses.data())) return tr("Processes");
    if (key == QLatin1String("checkpoint.every_steps"))  // the form says of what
        return tr("Checkpoint every");
    if (key == kLayers) return tr("Layers");
    const QString label = formLabel(key);
    return label.isEmpty() ? key.section(QLatin1Char('.'), 1) : label;
}

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_filter_model.h"

#include <algorithm>

#include "ui/models/runs_model.h"

namespace lockstep::ui {
namespace {

const auto kTag = QStringLiteral("tag:");

}  // namespace

RunsFilterModel::RunsFilterModel(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(RunsModel::SortRole);
}

void RunsFilterModel::setWords(const QString& words) {
    QStringList split = words.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (split == words_) return;
    words_ = std::move(split);
    invalidateFilter();
}

bool RunsFilterModel::filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const {
    const QModelIndex run = sourceModel()->index(sourceRow, 0, sourceParent);
    return std::ranges::all_of(words_, [&run](const QString& word) {
        if (word.startsWith(kTag))
            return run.data(RunsModel::TagsRole)
                .toString()
                .contains(QLatin1Char('\n') + word.mid(kTag.size()));
        const bool isSetting = word.contains(QLatin1Char('='));
        return run.data(isSetting ? RunsModel::SettingsRole : RunsModel::WordsRole)
            .toString()
            .contains(word);
    });
}

/// Numbers by their size, and what has no value last, whichever way it is sorted.
bool RunsFilterModel::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(sortRole());
    const QVariant b = right.data(sortRole());
    const bool descends = sortOrder() == Qt::DescendingOrder;
    if (a.isNull() || b.isNull())
        return descends ? a.isNull() && !b.isNull() : b.isNull() && !a.isNull();
    if (a.typeId() == QMetaType::Double && b.typeId() == QMetaType::Double)
        return a.toDouble() < b.toDouble();
    return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
}

}  // namespace lockstep::ui

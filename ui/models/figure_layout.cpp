// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/figure_layout.h"

#include <QSettings>
#include <QUrl>
#include <algorithm>
#include <utility>

namespace lockstep::ui {
namespace {

QString keyOf(const QString& job, const char* what) {
    // A slash would be a group of the settings.
    return QStringLiteral("figures/%1/%2")
        .arg(QString::fromLatin1(QUrl::toPercentEncoding(job)), QLatin1String(what));
}

void set(QStringList& names, const QString& name, bool on) {
    if (on == names.contains(name)) return;
    if (on)
        names << name;
    else
        names.removeAll(name);
}

}  // namespace

void FigureLayout::open(const QString& job) {
    job_ = job;
    const QSettings settings;
    pinned_ = settings.value(keyOf(job, "pinned")).toStringList();
    hidden_ = settings.value(keyOf(job, "hidden")).toStringList();
    order_ = settings.value(keyOf(job, "order")).toStringList();
}

void FigureLayout::keep() const {
    QSettings settings;
    const auto write = [&](const char* what, const QStringList& names) {
        if (names.isEmpty())
            settings.remove(keyOf(job_, what));
        else
            settings.setValue(keyOf(job_, what), names);
    };
    write("pinned", pinned_);
    write("hidden", hidden_);
    write("order", order_);
}

bool FigureLayout::isEmpty() const {
    return pinned_.isEmpty() && hidden_.isEmpty() && order_.isEmpty();
}

void FigureLayout::setPinned(const QString& name, bool pinned) {
    set(pinned_, name, pinned);
    keep();
}

void FigureLayout::setHidden(const QString& name, bool hidden) {
    set(hidden_, name, hidden);
    keep();
}

bool FigureLayout::move(const QString& name, bool later, const QStringList& names) {
    QStringList kind;
    for (const QString& each : arranged(names))
        if (isPinned(each) == isPinned(name)) kind << each;
    const qsizetype from = kind.indexOf(name);
    const qsizetype to = from + (later ? 1 : -1);
    if (from < 0 || to < 0 || to >= kind.size()) return false;
    // Those that are not among `names`, such as hidden ones, keep their places before the others.
    QStringList& list = isPinned(name) ? pinned_ : order_;
    for (const QString& each : kind)
        set(list, each, true);
    list.swapItemsAt(list.indexOf(name), list.indexOf(kind[to]));
    keep();
    return true;
}

void FigureLayout::clear() {
    pinned_.clear();
    hidden_.clear();
    order_.clear();
    keep();
}

QStringList FigureLayout::arranged(const QStringList& names) const {
    const auto placeOf = [this](const QString& name) {
        if (const qsizetype place = pinned_.indexOf(name); place >= 0) return std::pair(0, place);
        if (const qsizetype place = order_.indexOf(name); place >= 0) return std::pair(1, place);
        return std::pair(2, qsizetype(0));
    };
    QStringList sorted = names;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const QString& a, const QString& b) { return placeOf(a) < placeOf(b); });
    return sorted;
}

}  // namespace lockstep::ui

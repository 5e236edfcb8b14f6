// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/recent_jobs.h"

#include <QSettings>

namespace lockstep::ui {
namespace {

const auto kKey = QStringLiteral("recentJobs");

}  // namespace

RecentJobs::RecentJobs(QObject* parent)
    : QObject(parent), paths_(QSettings().value(kKey).toStringList()) {
    paths_ = paths_.mid(0, kLimit);
}

void RecentJobs::add(const QString& path) {
    if (path.isEmpty() || (!paths_.isEmpty() && paths_.front() == path)) return;
    paths_.removeAll(path);
    paths_.prepend(path);
    paths_ = paths_.mid(0, kLimit);
    store();
}

void RecentJobs::remove(const QString& path) {
    if (paths_.removeAll(path) > 0) store();
}

void RecentJobs::store() {
    QSettings().setValue(kKey, paths_);
    Q_EMIT changed(paths_);
}

}  // namespace lockstep::ui

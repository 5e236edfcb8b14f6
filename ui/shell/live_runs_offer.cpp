// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/live_runs_offer.h"

#include <QPushButton>
#include <algorithm>

#include "ui/style/translated.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

constexpr std::size_t kMostButtons = 3;

QString nameOf(const job::RunEntry& run) {
    return QString::fromStdString(run.name.empty() ? run.runDir.filename().string() : run.name);
}

/// Of those that are alike, when each was started.
QString nameAmong(const std::vector<job::RunEntry>& runs, const job::RunEntry& run) {
    const QString name = nameOf(run);
    const auto alike = std::ranges::count_if(
        runs, [&](const job::RunEntry& each) { return nameOf(each) == name; });
    return alike < 2 ? name
                     : QStringLiteral("%1 (%2)").arg(name, units::timeOfDay(run.startedWallTime));
}

NoticeBar::Notice noticeOf(const std::vector<job::RunEntry>& runs) {
    if (runs.size() == 1) {
        return {Tone::Accent,
                LiveRunsOffer::tr("“%1” is running.").arg(nameOf(runs.front())),
                QString::fromStdString(runs.front().runDir.string()),
                {}};
    }
    QStringList names;
    for (const job::RunEntry& run : runs)
        names << nameAmong(runs, run);
    return {Tone::Accent,
            LiveRunsOffer::tr("%1 jobs are running.").arg(runs.size()),
            listed(names),
            {}};
}

}  // namespace

LiveRunsOffer::LiveRunsOffer(NoticeBar& notice, std::function<std::vector<job::RunEntry>()> find,
                             QObject* parent)
    : QObject(parent), notice_(notice), find_(std::move(find)) {}

void LiveRunsOffer::look() {
    if (!find_) return;
    const auto findLive = [find = find_] {
        std::vector<job::RunEntry> runs = find();
        std::erase_if(runs, [](const job::RunEntry& run) { return !run.running; });
        return runs;
    };
    looking_.start(findLive, [this](const std::vector<job::RunEntry>& runs) { offer(runs); });
}

void LiveRunsOffer::withdraw() {
    looking_.cancel();
    notice_.clear();
}

void LiveRunsOffer::offer(const std::vector<job::RunEntry>& runs) {
    if (runs.empty()) return;
    notice_.showNotice(noticeOf(runs));
    const std::size_t shown = std::min(runs.size(), kMostButtons);
    for (std::size_t i = 0; i < shown; ++i) {
        const QString folder = QString::fromStdString(runs[i].runDir.string());
        QPushButton* open = notice_.addAction(
            shown == 1 ? tr("Open it") : tr("Open %1").arg(nameAmong(runs, runs[i])));
        open->setObjectName(QStringLiteral("openLiveRun%1").arg(i));
        open->setToolTip(folder);
        connect(open, &QPushButton::clicked, this, [this, folder] { Q_EMIT chosen(folder); });
    }
}

}  // namespace lockstep::ui

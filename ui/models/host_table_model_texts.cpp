// SPDX-License-Identifier: GPL-3.0-or-later
// What the hosts' table says.
#include <algorithm>

#include "ui/models/form_words.h"
#include "ui/models/host_table_model.h"
#include "ui/style/core_words.h"

namespace lockstep::ui {
namespace {

using Part = HostRow::Part;

QString processWords(const HostRow& row) {
    const int last = row.first + row.processes - 1;
    return row.processes == 1 ? HostTableModel::tr("Process %1").arg(row.first)
                              : HostTableModel::tr("Processes %1 to %2").arg(row.first).arg(last);
}

/// What says most about a host comes first: that it fails, that it is not known, that it is well.
int weightOf(job::CheckState state) {
    using State = job::CheckState;
    constexpr State kOrder[] = {State::NotApplicable, State::Ok,      State::Note,
                                State::Pending,       State::Running, State::Unknown,
                                State::Warning,       State::Failure};
    return int(std::ranges::find(kOrder, state) - std::begin(kOrder));
}

}  // namespace

QString HostTableModel::partWord(Part part) {
    switch (part) {
        case Part::Trains:
            return tr("trains");
        case Part::Scores:
            return tr("evaluator");
        case Part::Spare:
            return tr("spare");
    }
    return {};
}

std::optional<HostTableModel::Check> HostTableModel::checkOf(const QString& host) const {
    if (!report_ || host.isEmpty()) return std::nullopt;
    const auto known =
        std::ranges::find(report_->hosts, host.toStdString(), &job::HostChecks::host);
    if (known == report_->hosts.end()) return std::nullopt;
    Check check{job::CheckState::NotApplicable, {}};
    for (const job::CheckView& each : known->checks)
        if (weightOf(each.state) > weightOf(check.state)) check.state = each.state;
    QStringList lines;
    for (const job::HostProblem& problem : report_->problems)
        if (problem.host == known->host) lines << fromCore(problem.sentence);
    if (lines.isEmpty()) lines << stateWord(check.state);
    if (reportIsOld_) lines << tr("The job has changed since: check again.");
    check.words = tr("Last check: %1").arg(lines.join(QLatin1Char('\n')));
    return check;
}

QString HostTableModel::display(const HostRow& row, Column column) const {
    switch (column) {
        case Column::Host:
            return row.host;
        case Column::Processes:
            return row.part == Part::Trains ? QString::number(row.processes) : QStringLiteral("–");
        case Column::Address:
            if (row.part == Part::Spare) return QStringLiteral("–");
            if (row.host.isEmpty()) return {};
            if (row.address.isEmpty())
                return row.part == Part::Scores ? tr("with the chief") : tr("chosen at launch");
            return shownAddress(row.address);
        case Column::Part:
            return partWord(row.part);
        case Column::Count:
            break;
    }
    return {};
}

QString HostTableModel::toolTip(int row, Column column) const {
    if (const config::Finding* problem = problemOf(row)) return sentenceOf(*problem);
    const HostRow& host = rows_[std::size_t(row)];
    if (column == Column::Host) {
        if (const auto check = checkOf(host.host)) return check->words;
        return tr("As ssh takes it: a name of the ssh settings, user@host, or host:port");
    }
    if (column == Column::Address && !host.takesAddress)
        return tr(
            "The job does not list an address for each process, so this host's is chosen at "
            "launch. To give one, list an address for each process as "
            "cluster.job_addresses in the job's text");
    if (column == Column::Address && host.part != Part::Spare)
        return tr("How the other hosts reach it, with a port if it is to be one of yours");
    if (column == Column::Processes && host.part == Part::Trains)
        return flags(index(row, int(column))).testFlag(Qt::ItemIsEditable)
                   ? processWords(host)
                   : tr("%1: a port of its own is for one process").arg(processWords(host));
    if (column != Column::Part) return {};
    if (host.part == Part::Spare) return tr("Takes the place of a host that is lost");
    if (host.part == Part::Scores) return tr("Scores the checkpoints");
    return row == 0 ? tr("Process 0 runs here, with the run's folder; the last host that trains "
                         "cannot be a spare")
                    : processWords(host);
}

QString HostTableModel::spoken(int row, Column column) const {
    const HostRow& host = rows_[std::size_t(row)];
    QStringList words{display(host, column)};
    if (column == Column::Host) {
        if (words.front().isEmpty()) words.front() = tr("not named");
        if (const auto check = checkOf(host.host)) words << check->words;
        if (const config::Finding* problem = problemOf(row)) words << sentenceOf(*problem);
    }
    return words.join(QStringLiteral(", "));
}

QVariant HostTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter |
                   (Column(section) == Column::Processes ? Qt::AlignRight : Qt::AlignLeft));
    if (role != Qt::DisplayRole) return {};
    switch (Column(section)) {
        case Column::Host:
            return tr("Host");
        case Column::Processes:
            return tr("Processes");
        case Column::Address:
            return tr("Address");
        case Column::Part:
            return tr("Part");
        case Column::Count:
            break;
    }
    return {};
}

}  // namespace lockstep::ui

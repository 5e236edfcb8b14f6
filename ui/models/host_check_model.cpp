// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/host_check_model.h"

#include <algorithm>

#include "ui/style/core_words.h"

namespace lockstep::ui {
namespace {

QString text(const std::string& value) {
    return QString::fromStdString(value);
}

/// "gpu" as a heading: "GPU".
QString heading(const std::string& check) {
    if (check == "gpu") return QStringLiteral("GPU");
    QString word = fromCore(check);
    if (check != "ssh" && !word.isEmpty()) word[0] = word[0].toUpper();
    return word;
}

bool sameHosts(const HostReport& a, const HostReport& b) {
    return a && b &&
           std::equal(a->hosts.begin(), a->hosts.end(), b->hosts.begin(), b->hosts.end(),
                      [](const auto& one, const auto& other) { return one.host == other.host; });
}

}  // namespace

HostCheckModel::HostCheckModel(QObject* parent) : QAbstractTableModel(parent) {}

void HostCheckModel::setReport(HostReport report) {
    if (sameHosts(report_, report)) {
        report_ = std::move(report);
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    beginResetModel();
    report_ = std::move(report);
    endResetModel();
}

int HostCheckModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !report_ ? 0 : int(report_->hosts.size());
}

int HostCheckModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || !report_ ? 0 : 1 + int(report_->checks.size());
}

QVariant HostCheckModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || !report_) return {};
    if (section == 0) return tr("Host");
    const auto check = std::size_t(section - 1);
    return check < report_->checks.size() ? heading(report_->checks[check]) : QVariant();
}

QVariant HostCheckModel::nameData(const job::HostChecks& host, int role) const {
    switch (role) {
        case Qt::DisplayRole:
            return text(host.host);
        case Qt::ToolTipRole:
        case DetailRole:
            return fromCore(host.progress.empty() ? host.processes : host.progress);
        case Qt::AccessibleTextRole:
            return tr("Host %1, %2").arg(text(host.host), fromCore(host.processes));
        default:
            return {};
    }
}

QVariant HostCheckModel::checkData(const job::HostChecks& host, int column, int role) const {
    const job::CheckView& check = host.checks[std::size_t(column - 1)];
    switch (role) {
        case Qt::DisplayRole:
            return fromCore(check.word);
        case Qt::ToolTipRole:
        case DetailRole:
            return fromCore(check.detail).trimmed();
        case StateRole:
            return int(check.state);
        case Qt::AccessibleTextRole:
            return tr("%1 of %2: %3, %4")
                .arg(fromCore(report_->checks[std::size_t(column - 1)]), text(host.host),
                     stateWord(check.state), fromCore(check.word));
        default:
            return {};
    }
}

QVariant HostCheckModel::data(const QModelIndex& index, int role) const {
    if (!report_ || !index.isValid() || index.row() >= rowCount()) return {};
    const job::HostChecks& host = report_->hosts[std::size_t(index.row())];
    if (index.column() == 0) return nameData(host, role);
    if (index.column() > int(host.checks.size())) return {};
    return checkData(host, index.column(), role);
}

std::vector<const job::HostProblem*> HostCheckModel::problemsAt(const QModelIndex& index) const {
    std::vector<const job::HostProblem*> problems;
    if (!report_ || !index.isValid() || index.row() >= rowCount()) return problems;
    const std::string& host = report_->hosts[std::size_t(index.row())].host;
    for (const job::HostProblem& problem : report_->problems)
        if (problem.host == host && (index.column() == 0 || problem.check == index.column() - 1))
            problems.push_back(&problem);
    return problems;
}

QModelIndex HostCheckModel::gravestCell() const {
    if (!report_ || report_->problems.empty()) return {};
    const job::HostProblem& gravest = report_->problems.front();
    for (int row = 0; row < rowCount(); ++row)
        if (report_->hosts[std::size_t(row)].host == gravest.host)
            return index(row, gravest.check + 1);
    return {};
}

QString stateWord(job::CheckState state) {
    switch (state) {
        case job::CheckState::Pending:
            return HostCheckModel::tr("waiting");
        case job::CheckState::Running:
            return HostCheckModel::tr("being examined");
        case job::CheckState::Unknown:
            return HostCheckModel::tr("not known");
        case job::CheckState::NotApplicable:
            return HostCheckModel::tr("not asked");
        case job::CheckState::Ok:
            return HostCheckModel::tr("ok");
        case job::CheckState::Note:
            return HostCheckModel::tr("note");
        case job::CheckState::Warning:
            return HostCheckModel::tr("warning");
        case job::CheckState::Failure:
            return HostCheckModel::tr("fails");
    }
    return {};
}

}  // namespace lockstep::ui

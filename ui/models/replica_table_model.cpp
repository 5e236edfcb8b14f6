// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/replica_table_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ui/models/words.h"
#include "ui/style/core_words.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

using Column = ReplicaTableModel::Column;

bool isSameProcess(const job::ReplicaView& a, const job::ReplicaView& b) {
    return a.role == b.role && a.processId == b.processId && a.replica == b.replica;
}

/// NaN equals NaN here: a loss that is still unknown is no change.
bool isSameNumber(float a, float b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

bool differs(Column column, const job::ReplicaView& a, const job::ReplicaView& b) {
    switch (column) {
        case Column::Process:
        case Column::Role:
        case Column::Count:
            return false;
        case Column::Host:
            return a.host != b.host || a.address != b.address;
        case Column::Device:
            return a.device != b.device || a.deviceName != b.deviceName;
        case Column::State:
            return a.state != b.state || a.liveness != b.liveness;
        case Column::Heartbeat:
            return a.heartbeatAgeSeconds != b.heartbeatAgeSeconds;
        case Column::Step:
            return a.step != b.step;
        case Column::Loss:
            return !isSameNumber(a.loss, b.loss);
        case Column::StepTime:
            return !isSameNumber(a.stepMilliseconds, b.stepMilliseconds);
        case Column::Phases:
            return a.phaseMicroseconds != b.phaseMicroseconds;
    }
    return false;
}

/// No heartbeat is waited for where a process has ended.
QString heartbeatText(const job::ReplicaView& replica) {
    const bool ended = replica.liveness == job::Liveness::Left ||
                       (replica.liveness == job::Liveness::Lost && replica.heartbeatAgeSeconds < 0);
    return ended ? QStringLiteral("–") : ageText(replica.heartbeatAgeSeconds);
}

/// A user's own program has its devices to itself.
QString deviceText(const job::ReplicaView& replica) {
    return replica.device.empty() ? QStringLiteral("–") : QString::fromStdString(replica.device);
}

/// What kind it is, and which one of that kind.
QString deviceTip(const job::ReplicaView& replica) {
    QStringList lines;
    if (!replica.deviceName.empty()) lines << QString::fromStdString(replica.deviceName);
    if (!replica.deviceUuid.empty()) lines << QString::fromStdString(replica.deviceUuid);
    if (replica.deviceBytes > 0) lines << units::bytes(double(replica.deviceBytes));
    return lines.join(QLatin1Char('\n'));
}

QVariant displayOf(Column column, const job::ReplicaView& replica) {
    switch (column) {
        case Column::Process:
            return processName(replica.role, replica.processId, replica.replica);
        case Column::Role:
            return roleName(replica.role, replica.processId);
        case Column::Host:
            return addressText(replica);
        case Column::Device:
            return deviceText(replica);
        case Column::State:
            return fromCore(replica.state);
        case Column::Heartbeat:
            return heartbeatText(replica);
        case Column::Step:
            return units::count(replica.step);
        case Column::Loss:
            return lossText(replica.loss);
        case Column::StepTime:
            return stepTimeText(replica.stepMilliseconds);
        case Column::Phases:
        case Column::Count:
            return {};
    }
    return {};
}

QVariant sortKeyOf(Column column, const job::ReplicaView& replica) {
    switch (column) {
        case Column::Process:
            return replica.replica < 0 ? 1 << 30 : replica.replica;
        case Column::Role:
            return int(replica.role);
        case Column::Host:
            return addressText(replica);
        case Column::Device:
            return deviceText(replica);
        case Column::State:
            return int(replica.liveness);
        case Column::Heartbeat:
            return replica.heartbeatAgeSeconds;
        case Column::Step:
            return qlonglong(replica.step);
        case Column::Loss:
            return std::isnan(replica.loss) ? -1.0F : replica.loss;
        case Column::StepTime:
        case Column::Phases:
            return replica.stepMilliseconds;
        case Column::Count:
            break;
    }
    return {};
}

QVariant phasesOf(const job::ReplicaView& replica) {
    return QVariant::fromValue(
        QList<float>(replica.phaseMicroseconds.begin(), replica.phaseMicroseconds.end()));
}

bool isNumeric(Column column) {
    return column == Column::Heartbeat || column == Column::Step || column == Column::Loss ||
           column == Column::StepTime;
}

}  // namespace

ReplicaTableModel::ReplicaTableModel(QObject* parent) : QAbstractTableModel(parent) {}

void ReplicaTableModel::update(const std::vector<job::ReplicaView>& replicas) {
    matchRows(replicas);
    for (std::size_t i = 0; i < replicas.size(); ++i) {
        const job::ReplicaView before = std::exchange(replicas_[i], replicas[i]);
        announceChanges(int(i), before);
    }
}

/// Makes the rows the ones of `replicas`: rows from the first that differs on are replaced.
void ReplicaTableModel::matchRows(const std::vector<job::ReplicaView>& replicas) {
    const auto firstOther = std::mismatch(replicas_.begin(), replicas_.end(), replicas.begin(),
                                          replicas.end(), isSameProcess);
    const int kept = int(firstOther.first - replicas_.begin());
    if (kept < int(replicas_.size())) {
        beginRemoveRows({}, kept, int(replicas_.size()) - 1);
        replicas_.resize(std::size_t(kept));
        endRemoveRows();
    }
    if (kept < int(replicas.size())) {
        beginInsertRows({}, kept, int(replicas.size()) - 1);
        replicas_.insert(replicas_.end(), firstOther.second, replicas.end());
        endInsertRows();
    }
}

void ReplicaTableModel::announceChanges(int row, const job::ReplicaView& before) {
    const job::ReplicaView& now = replicas_[std::size_t(row)];
    for (int column = 0; column < int(Column::Count); ++column) {
        if (!differs(Column(column), before, now)) continue;
        int last = column;
        while (last + 1 < int(Column::Count) && differs(Column(last + 1), before, now))
            ++last;
        Q_EMIT dataChanged(index(row, column), index(row, last));
        column = last;
    }
}

const job::ReplicaView* ReplicaTableModel::replicaAt(int row) const {
    return row < 0 || row >= int(replicas_.size()) ? nullptr : &replicas_[std::size_t(row)];
}

int ReplicaTableModel::workerCount() const {
    return int(std::ranges::count(replicas_, job::Role::Worker, &job::ReplicaView::role));
}

int ReplicaTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(replicas_.size());
}

int ReplicaTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(Column::Count);
}

QVariant ReplicaTableModel::data(const QModelIndex& index, int role) const {
    const job::ReplicaView* replica = index.isValid() ? replicaAt(index.row()) : nullptr;
    if (replica == nullptr) return {};
    const auto column = Column(index.column());
    switch (role) {
        case Qt::DisplayRole:
            return displayOf(column, *replica);
        case Qt::AccessibleTextRole:
            return column == Column::Phases ? phasesSentence(*replica)
                                            : displayOf(column, *replica);
        case Qt::ToolTipRole:
            if (column == Column::Phases) return phasesSentence(*replica);
            if (column == Column::Device) return deviceTip(*replica);
            return column == Column::State ? displayOf(column, *replica) : QVariant();
        case Qt::TextAlignmentRole:
            return int(Qt::AlignVCenter | (isNumeric(column) ? Qt::AlignRight : Qt::AlignLeft));
        case SortRole:
            return sortKeyOf(column, *replica);
        case LivenessRole:
            return int(replica->liveness);
        case AccusedRole:
            return replica->isAccused;
        case PhasesRole:
            return phasesOf(*replica);
        case ReplicaRole:
            return replica->replica;
        default:
            return {};
    }
}

QVariant ReplicaTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        return int(Qt::AlignVCenter |
                   (isNumeric(Column(section)) ? Qt::AlignRight : Qt::AlignLeft));
    }
    if (role != Qt::DisplayRole) return {};
    switch (Column(section)) {
        case Column::Process:
            return tr("Process");
        case Column::Role:
            return tr("Role");
        case Column::Host:
            return tr("Address");
        case Column::Device:
            return tr("Device");
        case Column::State:
            return tr("State");
        case Column::Heartbeat:
            return tr("Heartbeat");
        case Column::Step:
            return tr("Step");
        case Column::Loss:
            return tr("Loss");
        case Column::StepTime:
            return tr("Step time");
        case Column::Phases:
            return tr("Phases");
        case Column::Count:
            break;
    }
    return {};
}

}  // namespace lockstep::ui

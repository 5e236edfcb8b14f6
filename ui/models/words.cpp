// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/words.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QStringList>
#include <cmath>
#include <numeric>

#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("words", text);
}

}  // namespace

QString processName(job::Role role, int processId, int replica) {
    if (role == job::Role::Evaluator) return tr("evaluator");
    if (role == job::Role::Agent) return tr("agent %1").arg(processId);
    if (replica < 0 || replica == processId) return QString::number(processId);
    return tr("%1 · replica %2").arg(processId).arg(replica);
}

QString processSentenceName(job::Role role, int processId) {
    switch (role) {
        case job::Role::Evaluator:
            return tr("evaluator");
        case job::Role::Agent:
            return tr("agent");
        case job::Role::Worker:
            break;
    }
    return tr("process %1").arg(processId);
}

QString roleName(job::Role role, int processId) {
    switch (role) {
        case job::Role::Evaluator:
            return tr("evaluator");
        case job::Role::Agent:
            return tr("agent");
        case job::Role::Worker:
            break;
    }
    return processId == 0 ? tr("chief") : tr("worker");
}

QString phaseName(job::Phase phase) {
    switch (phase) {
        case job::Phase::Data:
            return tr("data");
        case job::Phase::Forward:
            return tr("forward");
        case job::Phase::Backward:
            return tr("backward");
        case job::Phase::AllReduce:
            return tr("all-reduce");
        case job::Phase::Update:
            return tr("update");
        case job::Phase::Starting:
            return tr("starting");
        case job::Phase::Checkpoint:
            return tr("checkpoint");
        case job::Phase::Evaluate:
            return tr("evaluate");
        case job::Phase::Waiting:
            return tr("waiting");
        case job::Phase::Done:
            return tr("done");
    }
    return {};
}

QString runStateName(job::RunState state) {
    switch (state) {
        case job::RunState::Launching:
            return tr("Launching");
        case job::RunState::Training:
            return tr("Training");
        case job::RunState::Validating:
            return tr("Validating");
        case job::RunState::Testing:
            return tr("Testing");
        case job::RunState::Stopping:
            return tr("Stopping");
        case job::RunState::Restarting:
            return tr("Restarting");
        case job::RunState::Completed:
            return tr("Finished");
        case job::RunState::Failed:
            return tr("Failed");
        case job::RunState::Stopped:
            return tr("Stopped");
    }
    return {};
}

bool isEnded(job::RunState state) {
    return state == job::RunState::Completed || state == job::RunState::Failed ||
           state == job::RunState::Stopped;
}

QString ageText(double seconds) {
    return seconds < 0 ? tr("none yet") : tr("%1 ago").arg(units::duration(seconds));
}

QString lossText(double loss) {
    return std::isnan(loss) ? QStringLiteral("–") : units::number(loss);
}

QString stepTimeText(double milliseconds) {
    return milliseconds > 0 ? units::milliseconds(milliseconds) : QStringLiteral("–");
}

QString timeOfDay(double wallTime) {
    if (wallTime <= 0) return {};
    return QDateTime::fromMSecsSinceEpoch(qint64(wallTime * 1000))
        .toString(QStringLiteral("HH:mm:ss"));
}

QString phasesSentence(const job::ReplicaView& replica) {
    const auto& phases = replica.phaseMicroseconds;
    const float total = std::accumulate(phases.begin(), phases.end(), 0.0F);
    if (!(total > 0)) return tr("no step yet");
    QStringList parts;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        parts << tr("%1 %2 %")
                     .arg(phaseName(job::Phase(i)))
                     .arg(int(std::lround(100 * phases[i] / total)));
    }
    return parts.join(QStringLiteral(", "));
}

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/words.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QStringList>
#include <cmath>
#include <numeric>

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
    if (seconds < 0) return tr("none yet");
    return seconds < 60 ? tr("%1 s ago").arg(QLocale().toString(seconds, 'f', 1))
                        : tr("%1 ago").arg(durationText(seconds));
}

QString lossText(double loss) {
    if (std::isnan(loss)) return QStringLiteral("–");
    if (std::isinf(loss)) return QStringLiteral("∞");
    return QLocale().toString(loss, 'f', 4);
}

QString millisecondsText(double milliseconds) {
    if (!(milliseconds > 0)) return QStringLiteral("–");
    return tr("%1 ms").arg(QLocale().toString(milliseconds, 'f', milliseconds < 10 ? 2 : 1));
}

QString percentText(double fraction) {
    if (std::isnan(fraction)) return QStringLiteral("–");
    return tr("%1 %").arg(QLocale().toString(100 * fraction, 'f', 2));
}

QString durationText(double seconds) {
    if (!(seconds >= 0) || seconds > 1e9) return {};
    const auto whole = qint64(std::llround(seconds));
    const auto twoDigits = [](qint64 value) {
        return QStringLiteral("%1").arg(value, 2, 10, QLatin1Char('0'));
    };
    if (whole < 60) return tr("%1 s").arg(whole);
    if (whole < 3600) return tr("%1 min %2 s").arg(whole / 60).arg(twoDigits(whole % 60));
    return tr("%1 h %2 min").arg(whole / 3600).arg(twoDigits(whole % 3600 / 60));
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

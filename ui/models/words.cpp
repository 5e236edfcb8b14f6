// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/words.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/job/fold/score.h"
#include "ui/models/metric_words.h"
#include "ui/style/core_words.h"
#include "ui/style/language.h"
#include "ui/style/translated.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

/// " in 3.3 s", or nothing where the times are not known.
QString durationOf(const job::RunView& view) {
    return view.ranSeconds > 0 ? tr(" in %1").arg(units::duration(view.ranSeconds)) : QString();
}

/// "test accuracy 98.0 %, ": of the test set, be it by the replicas alone, else of the validation;
/// empty when nothing scored.
QString scoreOf(const job::RunView& view) {
    const job::EvaluationView* score = nullptr;
    for (const auto& evaluation : view.evaluations) {
        if (!evaluation->error.empty()) continue;
        const bool outranked = score && score->split == "test" && evaluation->split != "test";
        if (!outranked) score = evaluation.get();
    }
    if (!score || score->split != "test")
        if (const auto tested = job::testScoreIn(view.summaryJson))
            return tr("test %1, ").arg(scoreText(*tested));
    if (!score) return {};
    return tr("%1 %2, ").arg(splitName(score->split), scoreText(job::scoreOf(*score)));
}

/// "was killed by signal 9": goes on with the process's name.
bool saysWhatItDid(const QString& cause) {
    for (const char* verb : {"was ", "sent ", "exited ", "ended ", "has ", "did ", "could "})
        if (cause.startsWith(QLatin1String(verb))) return true;
    return false;
}

QString causeOf(const job::RunView& view) {
    if (const job::FailureView* failure = decisiveFailure(view)) return failureWords(*failure);
    return fromCore(view.error.empty() ? view.sentence : view.error);
}

}  // namespace

QString scoreText(const job::Score& score) {
    return tr("%1 %2").arg(metricShortName(score.name), metricValue(score.name, score.value));
}

QString processName(job::Role role, int processId, int replica) {
    if (role == job::Role::Evaluator) return processSentenceName(role, processId);
    if (role == job::Role::Agent) return tr("agent %1").arg(processId);
    if (replica < 0 || replica == processId) return QString::number(processId);
    return tr("%1 · replica %2").arg(processId).arg(replica);
}

QString processSentenceName(job::Role role, int processId) {
    switch (role) {
        case job::Role::Evaluator:
            return processId == 0 ? tr("evaluator") : tr("evaluator %1").arg(processId);
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
        case job::Phase::Program:
            return tr("program");
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
            return tr("Completed");
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

QString addressText(const job::ReplicaView& replica) {
    QString host = QString::fromStdString(replica.host);
    QString address = QString::fromStdString(replica.address);
    if (address.endsWith(QLatin1String(":0"))) address.chop(2);
    const bool portless = address.size() < int(replica.address.size());
    if (address.isEmpty() || host == address || (portless && !host.isEmpty())) return host;
    return host.isEmpty() || address.startsWith(host) ? address
                                                      : host + QStringLiteral("  ") + address;
}

QString asSentence(QString words) {
    if (words.isEmpty()) return words;
    words[0] = words[0].toUpper();
    static const QString ends = QStringLiteral(".!?…。！？");
    if (ends.contains(words.back())) return words;
    // What has no phrase stays English, with its own full stop.
    const bool isChinese =
        spokenLocale().language() == QLocale::Chinese &&
        std::ranges::any_of(words, [](QChar each) { return each.script() == QChar::Script_Han; });
    return words + QChar(isChinese ? u'。' : u'.');
}

const job::FailureView* decisiveFailure(const job::RunView& view) {
    if (view.failures.size() <= view.formerFailures) return nullptr;
    const auto first = view.failures.begin() + std::ptrdiff_t(view.formerFailures);
    const auto named = std::find_if(first, view.failures.end(), [&](const auto& failure) {
        return !failure.cause.empty() && view.error.find(failure.cause) != std::string::npos;
    });
    return named == view.failures.end() ? &*first : &*named;
}

QString failureWords(const job::FailureView& failure) {
    const QString cause = QString::fromStdString(failure.cause);
    return (saysWhatItDid(cause) ? tr("%1 on %2 %3") : tr("%1 on %2: %3"))
        .arg(processSentenceName(failure.role, failure.processId),
             QString::fromStdString(failure.host), fromCore(cause));
}

QString statusSentence(const job::RunView& view) {
    const QString steps = units::count(view.step);
    switch (view.state) {
        case job::RunState::Completed:
            return (view.step == 1 ? tr("Completed: %1%2 step%3") : tr("Completed: %1%2 steps%3"))
                .arg(scoreOf(view), steps, durationOf(view));
        case job::RunState::Stopped:
            if (view.totalSteps <= 0)  // a user's own program need not say how many there are
                return tr("Stopped after step %1%2").arg(steps, durationOf(view));
            return tr("Stopped after step %1 of %2%3")
                .arg(steps, units::count(view.totalSteps), durationOf(view));
        case job::RunState::Failed:
            return tr("Failed after step %1: %2").arg(steps, causeOf(view));
        default:
            break;
    }
    QString sentence = fromCore(view.sentence);
    if (!sentence.isEmpty()) sentence[0] = sentence[0].toUpper();
    return sentence;
}

QString aliveText(const job::RunView& view) {
    const bool trains = view.state == job::RunState::Training ||
                        view.state == job::RunState::Validating ||
                        view.state == job::RunState::Testing;
    const bool anyLeft =
        std::any_of(view.replicas.begin(), view.replicas.end(), [](const job::ReplicaView& each) {
            return each.role == job::Role::Worker && each.liveness == job::Liveness::Left;
        });
    if (!trains || anyLeft || view.replicaCount <= 0) return {};
    return tr("%1 of %2 replicas alive").arg(view.replicasAlive).arg(view.replicaCount);
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
    return listed(parts);
}

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/job_cards.h"

#include <QLabel>
#include <QVBoxLayout>

#include "core/config/job/monitor.h"
#include "ui/models/job_editor.h"
#include "ui/pages/job/key_fields.h"
#include "ui/widgets/card.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

using config::JobSpec;

struct FieldSpec {
    const char* key;
    const char* name;
    JobField::Getter getter;
};

QString text(const std::string& value) {
    return QString::fromStdString(value);
}
QString number(double value) {
    return QString::number(value, 'g', 10);
}

void addFields(QVBoxLayout* layout, JobEditor& editor, const std::vector<FieldSpec>& fields) {
    for (const FieldSpec& field : fields) {
        layout->addWidget(new JobField(editor, QLatin1String(field.key), field.getter,
                                       QLatin1String(field.name)));
    }
}

}  // namespace

QWidget* buildJobCard(JobEditor& editor, QWidget* parent) {
    auto* card = new Card(JobEditor::tr("Job"), parent);
    addFields(card->body(), editor,
              {{"job.name", "jobName", [](const JobSpec& s) { return text(s.name); }},
               {"job.run_dir", "runDir", [](const JobSpec& s) { return text(s.runDir); }}});
    addKeyFields(
        card->body(), editor,
        {{"log.csv", "logCsv", [](const JobSpec& spec) { return !spec.launch.runsOwnProgram(); }}});
    return card;
}

namespace {

/// Where a best checkpoint is kept, be it for early stopping alone.
bool keepsBest(const JobSpec& spec) {
    return config::bestWatch(spec).has_value();
}

bool stopsEarly(const JobSpec& spec) {
    return spec.earlyStopping.monitor != config::Monitor::Off;
}

/// Elsewhere there is no second disk.
bool hasOtherDisks(const JobSpec& spec) {
    return spec.launch.method == config::LaunchMethod::Ssh || spec.checkpoint.copies > 1;
}

/// Early stopping's own direction holds where nothing else is watched.
bool hasDirection(const JobSpec& spec) {
    return keepsBest(spec) &&
           (spec.checkpoint.monitor != config::Monitor::Auto || !stopsEarly(spec));
}

}  // namespace

QWidget* buildEvaluatorCard(JobEditor& editor, QWidget* parent) {
    auto* card = new Card(JobEditor::tr("Evaluators"), parent);
    addKeyFields(card->body(), editor,
                 {{"evaluator.processes", "evaluators"},
                  {"evaluator.policy", "evaluatorPolicy"},
                  {"evaluator.device", "evaluatorDevice"}});
    const auto refresh = [&editor, card] { card->setVisible(editor.spec().cluster.evaluator); };
    QObject::connect(&editor, &JobEditor::changed, card, refresh);
    refresh();
    return card;
}

QWidget* buildCheckpointCard(JobEditor& editor, QWidget* parent) {
    auto* card = new Card(JobEditor::tr("Checkpoints"), parent);
    addKeyFields(card->body(), editor,
                 {{"checkpoint.every_steps", "everySteps", {}, "0"},
                  {"checkpoint.every_epochs", "everyEpochs", {}, "0"},
                  {"checkpoint.keep", "keep"},
                  {"checkpoint.copies", "copies", hasOtherDisks},
                  {"checkpoint.keep_unscored", "keepUnscored"},
                  {"checkpoint.keep_best", "keepBest"},
                  {"checkpoint.monitor", "bestBy", keepsBest},
                  {"checkpoint.mode", "bestMode", hasDirection},
                  {"checkpoint.resume", "resumePolicy"},
                  {"checkpoint.sharded", "sharded"},
                  {"early_stopping.monitor", "stopEarlyBy"},
                  {"early_stopping.patience", "patience", stopsEarly},
                  {"early_stopping.min_delta", "leastGain", stopsEarly},
                  {"early_stopping.mode", "stopEarlyMode", stopsEarly},
                  {"early_stopping.restore_best", "restoreBest", stopsEarly}});
    return card;
}

namespace {

/// As the file writes it: an argument may hold commas and blanks.
QString asToml(const std::vector<std::string>& items) {
    if (items.empty()) return {};
    QStringList words;
    for (const std::string& item : items)
        words << text(config::tomlString(item));
    return QLatin1Char('[') + words.join(QStringLiteral(", ")) + QLatin1Char(']');
}

/// What only one way to launch needs is shown for that one.
QWidget* buildMethodFields(JobEditor& editor, config::LaunchMethod method, QWidget* parent) {
    auto* fields = new QWidget(parent);
    auto* layout = new QVBoxLayout(fields);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    if (method == config::LaunchMethod::Ssh) {
        addFields(layout, editor,
                  {{"launch.ssh_config", "sshConfig",
                    [](const JobSpec& s) { return text(s.launch.sshConfig); }},
                   {"launch.lease_seconds", "leaseSeconds",
                    [](const JobSpec& s) { return number(s.launch.leaseSeconds); }}});
        addKeyFields(layout, editor,
                     {{"launch.spare_after_seconds", "spareAfter",
                       [](const JobSpec& s) { return !s.launch.spares.empty(); }},
                      {"launch.least_processes", "leastProcesses", {}, "0"}});
    } else {
        addFields(layout, editor,
                  {{"slurm.partition", "slurmPartition",
                    [](const JobSpec& s) { return text(s.slurm.partition); }},
                   {"slurm.account", "slurmAccount",
                    [](const JobSpec& s) { return text(s.slurm.account); }},
                   {"slurm.time_limit", "slurmTimeLimit",
                    [](const JobSpec& s) { return text(s.slurm.timeLimit); }},
                   {"slurm.options", "slurmOptions",
                    [](const JobSpec& s) { return asToml(s.slurm.options); }}});
        addKeyFields(layout, editor,
                     {{"slurm.nodes", "slurmNodes", {}, "0"},
                      {"slurm.stop_before_limit_seconds", "stopBeforeLimit"}});
    }
    const auto refresh = [&editor, fields, method] {
        fields->setVisible(editor.spec().launch.method == method);
    };
    QObject::connect(&editor, &JobEditor::changed, fields, refresh);
    refresh();
    return fields;
}

}  // namespace

QWidget* buildProgramCard(JobEditor& editor, QWidget* parent) {
    auto* card = new Card(JobEditor::tr("Own program"), parent);
    addFields(card->body(), editor, {{"launch.command", "launchCommand", [](const JobSpec& s) {
                                          return asToml(s.launch.command);
                                      }}});
    auto* more = new QWidget(card);
    auto* layout = new QVBoxLayout(more);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    addFields(layout, editor,
              {{"launch.environment", "launchEnvironment",
                [](const JobSpec& s) { return asToml(s.launch.environment); }},
               {"launch.directory", "launchDirectory",
                [](const JobSpec& s) { return text(s.launch.directory); }}});
    auto* note = wrappedLabel(
        more,
        JobEditor::tr("Every process runs this program; data, model and training are its own."));
    note->setProperty("secondary", true);
    layout->addWidget(note);
    const auto refresh = [&editor, more] {
        more->setVisible(editor.spec().launch.runsOwnProgram());
    };
    QObject::connect(&editor, &JobEditor::changed, more, refresh);
    refresh();
    card->body()->addWidget(more);
    return card;
}

QWidget* buildLaunchCard(JobEditor& editor, QWidget* parent) {
    auto* card = new Card(JobEditor::tr("Launch"), parent);
    card->setObjectName(QStringLiteral("launchCard"));
    addFields(card->body(), editor, {{"launch.method", "launchMethod", [](const JobSpec& s) {
                                          const QStringList words{QStringLiteral("local"),
                                                                  QStringLiteral("ssh"),
                                                                  QStringLiteral("slurm")};
                                          return words.value(int(s.launch.method));
                                      }}});
    card->body()->addWidget(buildMethodFields(editor, config::LaunchMethod::Ssh, card));
    card->body()->addWidget(buildMethodFields(editor, config::LaunchMethod::Slurm, card));
    addFields(card->body(), editor,
              {{"launch.on_disconnect", "onDisconnect",
                [](const JobSpec& s) {
                    return s.launch.onDisconnect == config::OnDisconnect::Tied
                               ? QStringLiteral("tied")
                               : QStringLiteral("detached");
                }},
               {"launch.on_failure", "onFailure",
                [](const JobSpec& s) {
                    const QStringList words{QStringLiteral("restart"), QStringLiteral("stop"),
                                            QStringLiteral("regroup")};
                    return words.value(int(s.launch.onFailure));
                }},
               {"launch.max_restarts", "maxRestarts",
                [](const JobSpec& s) {
                    // Of a job that regroups 0 is not how often it begins again.
                    return QString::number(s.launch.keepsSteps() ? s.launch.restarts()
                                                                 : s.launch.maxRestarts);
                }},
               {"launch.on_stuck", "onStuck", [](const JobSpec& s) {
                    const QStringList words{QStringLiteral("wait"), QStringLiteral("restart"),
                                            QStringLiteral("stop")};
                    return words.value(int(s.launch.onStuck));
                }}});
    addKeyFields(card->body(), editor,
                 {{"launch.stuck_grace_seconds", "stuckGrace", [](const JobSpec& spec) {
                       return spec.launch.onStuck != config::OnStuck::Wait;
                   }}});
    return card;
}

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/form_words.h"

#include <QHash>
#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <string_view>

#include "ui/models/words.h"
#include "ui/style/core_words.h"
#include "ui/style/translated.h"

namespace lockstep::ui {
namespace {

struct Label {
    const char* key;
    const char* words;
};

constexpr Label kLabels[] = {
    {"job.name", QT_TRANSLATE_NOOP("lockstep::ui", "Name")},
    {"job.run_dir", QT_TRANSLATE_NOOP("lockstep::ui", "Run folder")},
    {"log.csv", QT_TRANSLATE_NOOP("lockstep::ui", "Epochs as CSV")},
    {"cluster.job_addresses", QT_TRANSLATE_NOOP("lockstep::ui", "Address")},
    {"cluster.evaluator", QT_TRANSLATE_NOOP("lockstep::ui", "Evaluator")},
    {"cluster.devices_per_process", QT_TRANSLATE_NOOP("lockstep::ui", "Replicas each")},
    {"cluster.device", QT_TRANSLATE_NOOP("lockstep::ui", "Device")},
    {"cluster.transport", QT_TRANSLATE_NOOP("lockstep::ui", "Transport")},
    {"cluster.heartbeat_timeout_seconds", QT_TRANSLATE_NOOP("lockstep::ui", "Heartbeat limit")},
    {"cluster.initialization_timeout_seconds", QT_TRANSLATE_NOOP("lockstep::ui", "Start limit")},
    {"cluster.local_device_ids", QT_TRANSLATE_NOOP("lockstep::ui", "GPUs of a host")},
    {"distribution.mesh.batch", QT_TRANSLATE_NOOP("lockstep::ui", "Mesh rows")},
    {"distribution.mesh.model", QT_TRANSLATE_NOOP("lockstep::ui", "Mesh columns")},
    {"distribution.layout", QT_TRANSLATE_NOOP("lockstep::ui", "Layout")},
    {"launch.method", QT_TRANSLATE_NOOP("lockstep::ui", "Method")},
    {"launch.hosts", QT_TRANSLATE_NOOP("lockstep::ui", "Hosts")},
    {"launch.ssh_config", QT_TRANSLATE_NOOP("lockstep::ui", "ssh settings")},
    {"launch.lease_seconds", QT_TRANSLATE_NOOP("lockstep::ui", "Lease")},
    {"launch.spares", QT_TRANSLATE_NOOP("lockstep::ui", "Spare hosts")},
    {"launch.spare_after_seconds", QT_TRANSLATE_NOOP("lockstep::ui", "Spare after")},
    {"launch.least_processes", QT_TRANSLATE_NOOP("lockstep::ui", "Least left")},
    {"launch.on_disconnect", QT_TRANSLATE_NOOP("lockstep::ui", "On closing")},
    {"launch.on_failure", QT_TRANSLATE_NOOP("lockstep::ui", "On failure")},
    {"launch.max_restarts", QT_TRANSLATE_NOOP("lockstep::ui", "Restarts")},
    {"launch.on_stuck", QT_TRANSLATE_NOOP("lockstep::ui", "When stuck")},
    {"launch.stuck_grace_seconds", QT_TRANSLATE_NOOP("lockstep::ui", "Grace")},
    {"launch.command", QT_TRANSLATE_NOOP("lockstep::ui", "Command")},
    {"launch.environment", QT_TRANSLATE_NOOP("lockstep::ui", "Environment")},
    {"launch.directory", QT_TRANSLATE_NOOP("lockstep::ui", "Works in")},
    {"slurm.partition", QT_TRANSLATE_NOOP("lockstep::ui", "Partition")},
    {"slurm.account", QT_TRANSLATE_NOOP("lockstep::ui", "Account")},
    {"slurm.time_limit", QT_TRANSLATE_NOOP("lockstep::ui", "Time limit")},
    {"slurm.nodes", QT_TRANSLATE_NOOP("lockstep::ui", "Nodes")},
    {"slurm.stop_before_limit_seconds", QT_TRANSLATE_NOOP("lockstep::ui", "Stops before it")},
    {"slurm.options", QT_TRANSLATE_NOOP("lockstep::ui", "More options")},
    {"data.dataset", QT_TRANSLATE_NOOP("lockstep::ui", "Data set")},
    {"data.directory", QT_TRANSLATE_NOOP("lockstep::ui", "Folder")},
    {"data.validation_samples", QT_TRANSLATE_NOOP("lockstep::ui", "Validation")},
    {"data.files", QT_TRANSLATE_NOOP("lockstep::ui", "Files")},
    {"data.target", QT_TRANSLATE_NOOP("lockstep::ui", "Target")},
    {"data.target_scale", QT_TRANSLATE_NOOP("lockstep::ui", "Target scale")},
    {"data.missing", QT_TRANSLATE_NOOP("lockstep::ui", "Missing cells")},
    {"data.tokenizer", QT_TRANSLATE_NOOP("lockstep::ui", "Tokens")},
    {"data.sequence_length", QT_TRANSLATE_NOOP("lockstep::ui", "Sequence")},
    {"data.inputs", QT_TRANSLATE_NOOP("lockstep::ui", "Inputs")},
    {"data.targets", QT_TRANSLATE_NOOP("lockstep::ui", "Targets")},
    {"data.validation_inputs", QT_TRANSLATE_NOOP("lockstep::ui", "Validation inputs")},
    {"data.validation_targets", QT_TRANSLATE_NOOP("lockstep::ui", "Validation targets")},
    {"data.test_inputs", QT_TRANSLATE_NOOP("lockstep::ui", "Test inputs")},
    {"data.test_targets", QT_TRANSLATE_NOOP("lockstep::ui", "Test targets")},
    {"data.validation_split", QT_TRANSLATE_NOOP("lockstep::ui", "Validation share")},
    {"data.image_size", QT_TRANSLATE_NOOP("lockstep::ui", "Image size")},
    {"data.color", QT_TRANSLATE_NOOP("lockstep::ui", "Colour")},
    {"data.validation_directory", QT_TRANSLATE_NOOP("lockstep::ui", "Validation folder")},
    {"data.test_directory", QT_TRANSLATE_NOOP("lockstep::ui", "Test folder")},
    {"data.on_error", QT_TRANSLATE_NOOP("lockstep::ui", "Broken samples")},
    {"data.augment", QT_TRANSLATE_NOOP("lockstep::ui", "Random changes")},
    {"data.normalize.mean", QT_TRANSLATE_NOOP("lockstep::ui", "Subtract mean")},
    {"data.normalize.std", QT_TRANSLATE_NOOP("lockstep::ui", "Divide by std")},
    {"data.cache", QT_TRANSLATE_NOOP("lockstep::ui", "Cache")},
    {"data.prefetch", QT_TRANSLATE_NOOP("lockstep::ui", "Prefetch")},
    {"data.auto_shard", QT_TRANSLATE_NOOP("lockstep::ui", "Sharding")},
    {"data.shuffle", QT_TRANSLATE_NOOP("lockstep::ui", "Shuffle")},
    {"data.reshuffle", QT_TRANSLATE_NOOP("lockstep::ui", "Reshuffle")},
    {"data.shuffle_seed", QT_TRANSLATE_NOOP("lockstep::ui", "Order's seed")},
    {"data.drop_remainder", QT_TRANSLATE_NOOP("lockstep::ui", "Drop remainder")},
    {"model.initial_weights", QT_TRANSLATE_NOOP("lockstep::ui", "Begin with")},
    {"training.global_batch_size", QT_TRANSLATE_NOOP("lockstep::ui", "Global batch")},
    {"training.epochs", QT_TRANSLATE_NOOP("lockstep::ui", "Epochs")},
    {"training.steps", QT_TRANSLATE_NOOP("lockstep::ui", "Or steps")},
    {"training.evaluate_every_steps", QT_TRANSLATE_NOOP("lockstep::ui", "Validate every")},
    {"training.gradient_accumulation_steps", QT_TRANSLATE_NOOP("lockstep::ui", "Batch in parts")},
    {"training.use_ema", QT_TRANSLATE_NOOP("lockstep::ui", "Average weights")},
    {"training.ema_momentum", QT_TRANSLATE_NOOP("lockstep::ui", "Average keeps")},
    {"training.optimizer", QT_TRANSLATE_NOOP("lockstep::ui", "Optimizer")},
    {"training.learning_rate", QT_TRANSLATE_NOOP("lockstep::ui", "Learning rate")},
    {"training.seed", QT_TRANSLATE_NOOP("lockstep::ui", "Seed")},
    {"training.precision", QT_TRANSLATE_NOOP("lockstep::ui", "Precision")},
    {"training.tune", QT_TRANSLATE_NOOP("lockstep::ui", "Tune")},
    {"training.terminate_on_nan", QT_TRANSLATE_NOOP("lockstep::ui", "Ends at NaN")},
    {"training.identity_every_steps", QT_TRANSLATE_NOOP("lockstep::ui", "Check weights")},
    {"training.momentum", QT_TRANSLATE_NOOP("lockstep::ui", "Momentum")},
    {"training.beta_1", QT_TRANSLATE_NOOP("lockstep::ui", "Beta 1")},
    {"training.beta_2", QT_TRANSLATE_NOOP("lockstep::ui", "Beta 2")},
    {"training.epsilon", QT_TRANSLATE_NOOP("lockstep::ui", "Epsilon")},
    {"training.rho", QT_TRANSLATE_NOOP("lockstep::ui", "Rho")},
    {"training.loss", QT_TRANSLATE_NOOP("lockstep::ui", "Loss")},
    {"training.label_smoothing", QT_TRANSLATE_NOOP("lockstep::ui", "Label smoothing")},
    {"training.ignored_class", QT_TRANSLATE_NOOP("lockstep::ui", "Ignored class")},
    {"training.class_weights", QT_TRANSLATE_NOOP("lockstep::ui", "Class weights")},
    {"training.huber_delta", QT_TRANSLATE_NOOP("lockstep::ui", "Huber's delta")},
    {"training.metrics", QT_TRANSLATE_NOOP("lockstep::ui", "Metrics")},
    {"training.nesterov", QT_TRANSLATE_NOOP("lockstep::ui", "Nesterov")},
    {"training.weight_decay", QT_TRANSLATE_NOOP("lockstep::ui", "Weight decay")},
    {"training.weight_decay_on", QT_TRANSLATE_NOOP("lockstep::ui", "Decays")},
    {"training.clipnorm", QT_TRANSLATE_NOOP("lockstep::ui", "Clip each norm")},
    {"training.clipvalue", QT_TRANSLATE_NOOP("lockstep::ui", "Clip values")},
    {"training.global_clipnorm", QT_TRANSLATE_NOOP("lockstep::ui", "Clip the norm")},
    {"training.schedule.type", QT_TRANSLATE_NOOP("lockstep::ui", "Schedule")},
    {"training.schedule.initial_learning_rate", QT_TRANSLATE_NOOP("lockstep::ui", "First rate")},
    {"training.schedule.decay_steps", QT_TRANSLATE_NOOP("lockstep::ui", "Decay")},
    {"training.schedule.decay_epochs", QT_TRANSLATE_NOOP("lockstep::ui", "Decay in epochs")},
    {"training.schedule.alpha", QT_TRANSLATE_NOOP("lockstep::ui", "Share left")},
    {"training.schedule.warmup_target", QT_TRANSLATE_NOOP("lockstep::ui", "Warm-up to")},
    {"training.schedule.warmup_steps", QT_TRANSLATE_NOOP("lockstep::ui", "Warm-up")},
    {"training.schedule.warmup_epochs", QT_TRANSLATE_NOOP("lockstep::ui", "Warm-up, epochs")},
    {"training.schedule.decay_rate", QT_TRANSLATE_NOOP("lockstep::ui", "Decay rate")},
    {"training.schedule.staircase", QT_TRANSLATE_NOOP("lockstep::ui", "In stairs")},
    {"training.schedule.boundaries", QT_TRANSLATE_NOOP("lockstep::ui", "Boundaries")},
    {"training.schedule.values", QT_TRANSLATE_NOOP("lockstep::ui", "Rates")},
    {"training.schedule.end_learning_rate", QT_TRANSLATE_NOOP("lockstep::ui", "Last rate")},
    {"training.schedule.power", QT_TRANSLATE_NOOP("lockstep::ui", "Power")},
    {"training.schedule.cycle", QT_TRANSLATE_NOOP("lockstep::ui", "Cycle")},
    {"training.schedule.factor", QT_TRANSLATE_NOOP("lockstep::ui", "Factor")},
    {"training.schedule.patience", QT_TRANSLATE_NOOP("lockstep::ui", "Plateau of")},
    {"training.schedule.min_delta", QT_TRANSLATE_NOOP("lockstep::ui", "Better by")},
    {"training.schedule.cooldown", QT_TRANSLATE_NOOP("lockstep::ui", "Then waits")},
    {"training.schedule.min_learning_rate", QT_TRANSLATE_NOOP("lockstep::ui", "Least rate")},
    {"checkpoint.every_steps", QT_TRANSLATE_NOOP("lockstep::ui", "Every … steps")},
    {"checkpoint.every_epochs", QT_TRANSLATE_NOOP("lockstep::ui", "Every … epochs")},
    {"checkpoint.keep", QT_TRANSLATE_NOOP("lockstep::ui", "Keep newest")},
    {"checkpoint.keep_unscored", QT_TRANSLATE_NOOP("lockstep::ui", "Keep unscored")},
    {"checkpoint.keep_best", QT_TRANSLATE_NOOP("lockstep::ui", "Keep the best")},
    {"checkpoint.monitor", QT_TRANSLATE_NOOP("lockstep::ui", "Best by")},
    {"checkpoint.mode", QT_TRANSLATE_NOOP("lockstep::ui", "Best is")},
    {"checkpoint.resume", QT_TRANSLATE_NOOP("lockstep::ui", "Resume")},
    {"checkpoint.copies", QT_TRANSLATE_NOOP("lockstep::ui", "Copies")},
    {"checkpoint.sharded", QT_TRANSLATE_NOOP("lockstep::ui", "In shards")},
    {"evaluator.processes", QT_TRANSLATE_NOOP("lockstep::ui", "Evaluators")},
    {"evaluator.policy", QT_TRANSLATE_NOOP("lockstep::ui", "They score")},
    {"evaluator.device", QT_TRANSLATE_NOOP("lockstep::ui", "They compute on")},
    {"early_stopping.monitor", QT_TRANSLATE_NOOP("lockstep::ui", "Stop early by")},
    {"early_stopping.patience", QT_TRANSLATE_NOOP("lockstep::ui", "Patience")},
    {"early_stopping.min_delta", QT_TRANSLATE_NOOP("lockstep::ui", "Better by")},
    {"early_stopping.mode", QT_TRANSLATE_NOOP("lockstep::ui", "Better is")},
    {"early_stopping.restore_best", QT_TRANSLATE_NOOP("lockstep::ui", "Restore the best")},
};

/// What a key, perhaps with an index and a layer's option, is called. Empty: no words for it.
QString wordsFor(const QString& key, const QString& index, const QString& option) {
    const auto kColumn = QLatin1String("data.features.");
    if (key.startsWith(kColumn)) return tr("the column %1").arg(key.mid(kColumn.size()));
    if (index.isEmpty()) {
        const QString label = formLabel(key);
        return label.isEmpty() ? QString() : tr("“%1”").arg(label);
    }
    const int number = index.toInt();
    if (key == QLatin1String("model.layers")) {
        const QString layer = tr("layer %1").arg(number + 1);
        if (option == QLatin1String("units")) return tr("the units of %1").arg(layer);
        if (option == QLatin1String("activation")) return tr("the activation of %1").arg(layer);
        return option.isEmpty() ? layer : QString();
    }
    if (key == QLatin1String("data.augment")) {
        const QString change = tr("random change %1").arg(number + 1);
        return option.isEmpty() ? change : tr("%1 of %2").arg(option, change);
    }
    if (!option.isEmpty()) return {};
    if (key == QLatin1String("cluster.job_addresses"))
        return tr("the address of process %1").arg(number);
    if (key == QLatin1String("launch.hosts")) return tr("the host of process %1").arg(number);
    if (key == QLatin1String("launch.spares")) return tr("spare host %1").arg(number + 1);
    return {};
}

}  // namespace

QString formLabel(const QString& key) {
    static const QHash<QString, const char*> labels = [] {
        QHash<QString, const char*> all;
        for (const Label& label : kLabels)
            all.insert(QLatin1String(label.key), label.words);
        return all;
    }();
    const char* words = labels.value(key);
    return words ? tr(words) : QString();
}

int widestFormLabel(const QFontMetrics& metrics) {
    int widest = 0;
    for (const Label& label : kLabels)
        widest = std::max(widest, metrics.horizontalAdvance(tr(label.words)));
    return widest;
}

QString unitWords(const std::string& unit) {
    static constexpr std::array kUnits{
        QT_TRANSLATE_NOOP("lockstep::ui", "batches"),
        QT_TRANSLATE_NOOP("lockstep::ui", "checkpoints"),
        QT_TRANSLATE_NOOP("lockstep::ui", "columns"),
        QT_TRANSLATE_NOOP("lockstep::ui", "epochs"),
        QT_TRANSLATE_NOOP("lockstep::ui", "hosts"),
        QT_TRANSLATE_NOOP("lockstep::ui", "nodes"),
        QT_TRANSLATE_NOOP("lockstep::ui", "parts"),
        QT_TRANSLATE_NOOP("lockstep::ui", "pixels"),
        QT_TRANSLATE_NOOP("lockstep::ui", "processes"),
        QT_TRANSLATE_NOOP("lockstep::ui", "replicas"),
        QT_TRANSLATE_NOOP("lockstep::ui", "restarts"),
        QT_TRANSLATE_NOOP("lockstep::ui", "rows"),
        QT_TRANSLATE_NOOP("lockstep::ui", "samples"),
        QT_TRANSLATE_NOOP("lockstep::ui", "steps"),
        QT_TRANSLATE_NOOP("lockstep::ui", "tokens"),
    };
    const auto known = std::ranges::find(kUnits, std::string_view(unit));
    return known == kUnits.end() ? QString::fromStdString(unit) : tr(*known);
}

QString inFormWords(const QString& sentence) {
    static const QRegularExpression pattern(QStringLiteral(
        R"(\b([a-z_]++(?:\.[a-z_0-9]++)++)(?:\[(\d++)\](?:\.([a-z_]++))?+)?+(?!\s*=))"));
    QString result;
    qsizetype copied = 0;
    for (auto found = pattern.globalMatch(sentence); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        const QString words = wordsFor(match.captured(1), match.captured(2), match.captured(3));
        if (words.isEmpty()) continue;
        result += sentence.mid(copied, match.capturedStart() - copied) + words;
        copied = match.capturedEnd();
    }
    return result + sentence.mid(copied);
}

QString sentenceOf(const config::Finding& finding, const std::string& place) {
    // Phrases begin with the place: it goes once they are found.
    QString message = fromCore(finding.message);
    const auto length = QString::fromStdString(place).size();
    const bool isThere = !place.empty() && message.startsWith(QString::fromStdString(place));
    if (isThere && (message.mid(length, 1) == u'.' || message.mid(length, 1) == u' '))
        message = message.mid(length + 1);
    const QString sentence = asSentence(inFormWords(message));
    const QString remedy = inFormWords(fromCore(finding.remedy));
    const QString gap = sentence.endsWith(u'。') ? QString() : QStringLiteral(" ");
    return sentence + gap + remedy;
}

}  // namespace lockstep::ui

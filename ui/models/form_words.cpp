// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/form_words.h"

#include <QCoreApplication>
#include <QHash>
#include <QRegularExpression>

#include "ui/models/words.h"

namespace lockstep::ui {
namespace {

struct Label {
    const char* key;
    const char* words;
};

#define WORDS(text) QT_TRANSLATE_NOOP("form", text)
constexpr Label kLabels[] = {
    {"job.name", WORDS("Name")},
    {"job.run_dir", WORDS("Run folder")},
    {"log.csv", WORDS("Epochs as CSV")},
    {"cluster.job_addresses", WORDS("Address")},
    {"cluster.evaluator", WORDS("Evaluator")},
    {"cluster.devices_per_process", WORDS("Replicas each")},
    {"cluster.device", WORDS("Device")},
    {"cluster.transport", WORDS("Transport")},
    {"cluster.heartbeat_timeout_seconds", WORDS("Heartbeat limit")},
    {"cluster.initialization_timeout_seconds", WORDS("Start limit")},
    {"cluster.local_device_ids", WORDS("GPUs of a host")},
    {"distribution.mesh.batch", WORDS("Mesh rows")},
    {"distribution.mesh.model", WORDS("Mesh columns")},
    {"distribution.layout", WORDS("Layout")},
    {"launch.method", WORDS("Method")},
    {"launch.hosts", WORDS("Hosts")},
    {"launch.ssh_config", WORDS("ssh settings")},
    {"launch.lease_seconds", WORDS("Lease")},
    {"launch.on_disconnect", WORDS("On closing")},
    {"launch.on_failure", WORDS("On failure")},
    {"launch.max_restarts", WORDS("Restarts")},
    {"launch.on_stuck", WORDS("When stuck")},
    {"launch.stuck_grace_seconds", WORDS("Grace")},
    {"launch.command", WORDS("Command")},
    {"launch.environment", WORDS("Environment")},
    {"launch.directory", WORDS("Works in")},
    {"slurm.partition", WORDS("Partition")},
    {"slurm.account", WORDS("Account")},
    {"slurm.time_limit", WORDS("Time limit")},
    {"slurm.nodes", WORDS("Nodes")},
    {"slurm.stop_before_limit_seconds", WORDS("Stops before it")},
    {"slurm.options", WORDS("More options")},
    {"data.dataset", WORDS("Data set")},
    {"data.directory", WORDS("Folder")},
    {"data.validation_samples", WORDS("Validation")},
    {"data.files", WORDS("Files")},
    {"data.target", WORDS("Target")},
    {"data.target_scale", WORDS("Target scale")},
    {"data.missing", WORDS("Missing cells")},
    {"data.tokenizer", WORDS("Tokens")},
    {"data.sequence_length", WORDS("Sequence")},
    {"data.inputs", WORDS("Inputs")},
    {"data.targets", WORDS("Targets")},
    {"data.validation_inputs", WORDS("Validation inputs")},
    {"data.validation_targets", WORDS("Validation targets")},
    {"data.test_inputs", WORDS("Test inputs")},
    {"data.test_targets", WORDS("Test targets")},
    {"data.validation_split", WORDS("Validation share")},
    {"data.image_size", WORDS("Image size")},
    {"data.color", WORDS("Colour")},
    {"data.validation_directory", WORDS("Validation folder")},
    {"data.test_directory", WORDS("Test folder")},
    {"data.on_error", WORDS("Broken samples")},
    {"data.augment", WORDS("Random changes")},
    {"data.normalize.mean", WORDS("Subtract mean")},
    {"data.normalize.std", WORDS("Divide by std")},
    {"data.cache", WORDS("Cache")},
    {"data.prefetch", WORDS("Prefetch")},
    {"data.auto_shard", WORDS("Sharding")},
    {"data.shuffle", WORDS("Shuffle")},
    {"data.reshuffle", WORDS("Reshuffle")},
    {"data.shuffle_seed", WORDS("Order's seed")},
    {"data.drop_remainder", WORDS("Drop remainder")},
    {"model.initial_weights", WORDS("Begin with")},
    {"training.global_batch_size", WORDS("Global batch")},
    {"training.epochs", WORDS("Epochs")},
    {"training.steps", WORDS("Or steps")},
    {"training.evaluate_every_steps", WORDS("Validate every")},
    {"training.gradient_accumulation_steps", WORDS("Batch in parts")},
    {"training.use_ema", WORDS("Average weights")},
    {"training.ema_momentum", WORDS("Average keeps")},
    {"training.optimizer", WORDS("Optimizer")},
    {"training.learning_rate", WORDS("Learning rate")},
    {"training.seed", WORDS("Seed")},
    {"training.precision", WORDS("Precision")},
    {"training.tune", WORDS("Tune")},
    {"training.terminate_on_nan", WORDS("Ends at NaN")},
    {"training.identity_every_steps", WORDS("Check weights")},
    {"training.momentum", WORDS("Momentum")},
    {"training.beta_1", WORDS("Beta 1")},
    {"training.beta_2", WORDS("Beta 2")},
    {"training.epsilon", WORDS("Epsilon")},
    {"training.rho", WORDS("Rho")},
    {"training.loss", WORDS("Loss")},
    {"training.label_smoothing", WORDS("Label smoothing")},
    {"training.ignored_class", WORDS("Ignored class")},
    {"training.class_weights", WORDS("Class weights")},
    {"training.huber_delta", WORDS("Huber's delta")},
    {"training.metrics", WORDS("Metrics")},
    {"training.nesterov", WORDS("Nesterov")},
    {"training.weight_decay", WORDS("Weight decay")},
    {"training.weight_decay_on", WORDS("Decays")},
    {"training.clipnorm", WORDS("Clip each norm")},
    {"training.clipvalue", WORDS("Clip values")},
    {"training.global_clipnorm", WORDS("Clip the norm")},
    {"training.schedule.type", WORDS("Schedule")},
    {"training.schedule.initial_learning_rate", WORDS("First rate")},
    {"training.schedule.decay_steps", WORDS("Decay")},
    {"training.schedule.decay_epochs", WORDS("Decay in epochs")},
    {"training.schedule.alpha", WORDS("Share left")},
    {"training.schedule.warmup_target", WORDS("Warm-up to")},
    {"training.schedule.warmup_steps", WORDS("Warm-up")},
    {"training.schedule.warmup_epochs", WORDS("Warm-up, epochs")},
    {"training.schedule.decay_rate", WORDS("Decay rate")},
    {"training.schedule.staircase", WORDS("In stairs")},
    {"training.schedule.boundaries", WORDS("Boundaries")},
    {"training.schedule.values", WORDS("Rates")},
    {"training.schedule.end_learning_rate", WORDS("Last rate")},
    {"training.schedule.power", WORDS("Power")},
    {"training.schedule.cycle", WORDS("Cycle")},
    {"training.schedule.factor", WORDS("Factor")},
    {"training.schedule.patience", WORDS("Plateau of")},
    {"training.schedule.min_delta", WORDS("Better by")},
    {"training.schedule.cooldown", WORDS("Then waits")},
    {"training.schedule.min_learning_rate", WORDS("Least rate")},
    {"checkpoint.every_steps", WORDS("Every … steps")},
    {"checkpoint.every_epochs", WORDS("Every … epochs")},
    {"checkpoint.keep", WORDS("Keep newest")},
    {"checkpoint.copies", WORDS("Copies")},
    {"checkpoint.keep_unscored", WORDS("Keep unscored")},
    {"checkpoint.keep_best", WORDS("Keep the best")},
    {"checkpoint.monitor", WORDS("Best by")},
    {"checkpoint.mode", WORDS("Best is")},
    {"checkpoint.resume", WORDS("Resume")},
    {"checkpoint.sharded", WORDS("In shards")},
    {"evaluator.processes", WORDS("Evaluators")},
    {"evaluator.policy", WORDS("They score")},
    {"evaluator.device", WORDS("They compute on")},
    {"early_stopping.monitor", WORDS("Stop early by")},
    {"early_stopping.patience", WORDS("Patience")},
    {"early_stopping.min_delta", WORDS("Better by")},
    {"early_stopping.mode", WORDS("Better is")},
    {"early_stopping.restore_best", WORDS("Restore the best")},
};
#undef WORDS

QString tr(const char* text) {
    return QCoreApplication::translate("form", text);
}

/// What a key, perhaps with an index and a layer's option, is called. Empty: no words for it.
QString wordsFor(const QString& key, const QString& index, const QString& option) {
    const auto kColumn = QLatin1String("data.features.");
    if (key.startsWith(kColumn)) return tr("the column %1").arg(key.mid(kColumn.size()));
    if (index.isEmpty()) {
        const QString label = formLabel(key);
        return label.isEmpty() ? QString() : QStringLiteral("“%1”").arg(label);
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

QString sentenceOf(const config::Finding& finding) {
    return asSentence(inFormWords(QString::fromStdString(finding.message))) + QLatin1Char(' ') +
           inFormWords(QString::fromStdString(finding.remedy));
}

}  // namespace lockstep::ui

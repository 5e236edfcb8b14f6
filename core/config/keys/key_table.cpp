// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/key_table.h"

#include "core/config/job/cluster_spec.h"
#include "core/config/job/mesh.h"
#include "core/config/job/metric.h"
#include "core/config/job/monitor.h"
#include "core/config/keys/augmentation_keys.h"
#include "core/config/keys/cluster_keys.h"
#include "core/config/keys/data_keys.h"
#include "core/config/keys/distribution_keys.h"
#include "core/config/keys/failure_keys.h"
#include "core/config/keys/layer_keys.h"
#include "core/config/keys/length_keys.h"
#include "core/config/keys/model_section.h"
#include "core/config/keys/optimizer_keys.h"
#include "core/config/keys/program_keys.h"
#include "core/config/keys/slurm_keys.h"
#include "core/config/keys/source_keys.h"
#include "core/config/keys/task_keys.h"
#include "core/config/keys/weights_keys.h"

namespace lockstep::config {

namespace {

using JobKey = Key<JobSpec>;

constexpr double kDay = 86400;

/// Seeds are unsigned in the program and whole numbers from 0 in TOML, which has 63 bits for them.
JobKey seedKey() {
    JobKey key;
    key.help.kind = ValueKind::Integer;
    key.help.minimum = 0;
    const KeyHelp help = key.help;
    key.read = [help](const TomlValue& value, JobSpec& spec) {
        Problems problems = checkScalar(value, help);
        if (problems.empty()) spec.training.seed = static_cast<std::uint64_t>(value.integer);
        return problems;
    };
    key.write = [](const JobSpec& spec) {
        return spec.training.seed ? std::to_string(*spec.training.seed) : std::string();
    };
    return key;
}

/// Its default is another for a mesh.
JobKey shardedKey() {
    JobKey key = flagKey<JobSpec>([](auto& spec) -> auto& { return spec.checkpoint.sharded; });
    key.write = [](const JobSpec& spec) -> std::string {
        if (!spec.checkpoint.sharded && !isModelParallel(spec)) return {};
        return writesShards(spec) ? "true" : "false";
    };
    return key;
}

std::vector<JobKey> jobAndClusterKeys() {
    using Spec = JobSpec;
    return {
        named("job.name", "", "The job's name; its run folder is called after it.",
              textKey<Spec>(at<&Spec::name>, ValueKind::Text)),
        named("job.run_dir", "",
              "This run's folder, relative to this file; by default runs/NAME-UTC_TIME beside "
              "it.",
              textKey<Spec>(at<&Spec::runDir>, ValueKind::Path)),
        named("cluster.job_addresses", "",
              "One \"host:port\" per process; the index is the process id, port 0 is chosen at "
              "launch.",
              addressesKey()),
        named(
            "cluster.num_processes", "processes",
            "How many processes there are, when only the coordinator's address is given.",
            integerKey<Spec>(at<&Spec::cluster, &ClusterSpec::numProcesses>, {1, kMostProcesses})),
        named("cluster.evaluator", "",
              "Whether processes of their own score the checkpoints (see evaluator); or their "
              "address.",
              evaluatorKey()),
        named("cluster.devices_per_process", "replicas",
              "Local replicas of each process; all: one for each GPU that comes to it of its "
              "host's, counted at the start where process 0 runs; one where the CPU computes.",
              devicesPerProcessKey()),
        named("cluster.local_device_ids", "",
              "The GPUs that the processes of a host may use, by their numbers there; by default "
              "all.",
              localDeviceIdsKey()),
        named("cluster.device", "", "What computes; auto takes GPUs where there are any.",
              wordKey<Spec>(at<&Spec::cluster, &ClusterSpec::device>, {{"auto", DeviceKind::Auto},
                                                                       {"cpu", DeviceKind::Cpu},
                                                                       {"gpu", DeviceKind::Gpu}})),
        named("cluster.transport", "",
              "How gradients travel: shared memory in a host, Gloo or NCCL between hosts.",
              wordKey<Spec>(at<&Spec::cluster, &ClusterSpec::transport>,
                            {{"auto", Transport::Auto},
                             {"shm", Transport::Shm},
                             {"gloo", Transport::Gloo},
                             {"nccl", Transport::Nccl}})),
        named("cluster.heartbeat_timeout_seconds", "s",
              "A process that is silent for this long counts as lost.",
              numberKey<Spec>(at<&Spec::cluster, &ClusterSpec::heartbeatTimeoutSeconds>,
                              {1, kDay, false, false})),
        named("cluster.initialization_timeout_seconds", "s",
              "How long the processes wait for each other at the start.",
              numberKey<Spec>(at<&Spec::cluster, &ClusterSpec::initializationTimeoutSeconds>,
                              {0, kDay, true, false})),
    };
}

std::vector<JobKey> launchKeys() {
    using Spec = JobSpec;
    return {
        named("launch.method", "", "How processes are started.",
              wordKey<Spec>(at<&Spec::launch, &LaunchSpec::method>,
                            {{"local", LaunchMethod::Local},
                             {"ssh", LaunchMethod::Ssh},
                             {"slurm", LaunchMethod::Slurm}})),
        named("launch.on_disconnect", "",
              "Whether the job ends with the program that started it (tied) or runs on (detached).",
              wordKey<Spec>(at<&Spec::launch, &LaunchSpec::onDisconnect>,
                            {{"detached", OnDisconnect::Detached}, {"tied", OnDisconnect::Tied}})),
        named("launch.hosts", "",
              "The ssh destination of each process, and behind them that of an evaluator with an "
              "address of its own; by default the addresses' hosts.",
              hostsKey()),
        named("launch.ssh_config", "", "An ssh configuration file instead of the user's own.",
              textKey<Spec>(at<&Spec::launch, &LaunchSpec::sshConfig>, ValueKind::Path)),
        named("launch.command", "",
              "Your own program and its arguments, started as every process of the job; it trains "
              "what it trains, so [model], [data] and [training] are not needed.",
              commandKey()),
        named("launch.environment", "",
              "Variables for that program, as \"NAME=value\"; nothing secret: they are kept in the "
              "run's folder.",
              environmentKey()),
        named("launch.directory", "",
              "The folder that program runs in, relative to the job file's, which is the default; "
              "where a host has no such folder, the home folder.",
              textKey<Spec>(at<&Spec::launch, &LaunchSpec::directory>, ValueKind::Path)),
    };
}

std::vector<JobKey> trainingKeys() {
    using Spec = JobSpec;
    return {
        named("model.layers", "",
              "The network's layers, from the input's side; types and options as in Keras.",
              layersKey()),
        named(
            "model.blocks", "",
            "Lists of layers by name, for { block = \"NAME\" }: [model.blocks.NAME] has layers, in "
            "which \"$width\" stands for what the block's user gives as width.",
            blocksKey()),
        named("model.defaults", "",
              "Options that hold for all layers of a type: conv2d = { use_bias = false }.",
              defaultsKey()),
        named("model.initial_weights", "",
              "A safetensors file with PyTorch's names that training begins with, or { file = "
              "\"FILE\", rename = { \"theirs.\" = \"ours.\" }, except = [\"fc.\"] }: beginnings of "
              "names that differ there, and of tensors that may be missing or of another shape.",
              initialWeightsKey()),
        named("training.global_batch_size", "samples",
              "Samples of one step, over all replicas together.",
              integerKey<Spec>(at<&Spec::training, &TrainingSpec::globalBatchSize>, {1, 1 << 24})),
    };
}

/// What is left of [training].
std::vector<JobKey> stepKeys() {
    using Spec = JobSpec;
    return {
        named("training.precision", "",
              "Of products on GPUs: tf32 and bfloat16 are faster and coarser; CPUs take float32.",
              wordKey<Spec>(at<&Spec::training, &TrainingSpec::precision>,
                            {{"float32", Precision::Float32},
                             {"tf32", Precision::Tf32},
                             {"bfloat16", Precision::BFloat16}})),
        named(
            "training.tune", "",
            "Process 0 measures how each convolution is computed fastest on its processor, before "
            "the first step, instead of going by the shipped rule. All processes take its choice, "
            "checkpoints keep it, and only runs with that choice give the same bits.",
            flagKey<Spec>(at<&Spec::training, &TrainingSpec::tune>)),
        named("training.seed", "",
              "Decides initial weights and order of samples; left out, the replicas agree on one.",
              seedKey()),
        named(
            "training.terminate_on_nan", "",
            "A loss that is not a finite number ends the job before any weight is touched; false: "
            "that step is left out on all replicas alike.",
            flagKey<Spec>(at<&Spec::training, &TrainingSpec::terminateOnNan>)),
        named("training.identity_every_steps", "steps",
              "Hosts compare their weights every so many steps, and each replica finds with "
              "every update what else has changed its own. 0: with checkpoints alone, as on GPUs.",
              integerKey<Spec>(at<&Spec::training, &TrainingSpec::identityEverySteps>, {0, 1e12})),
    };
}

/// A figure that is watched, `none` for none of its own: a known word or a metric behind
/// "validation_" or "train_". `member` gives what has both.
template <typename Member>
JobKey monitorKey(Member member, const char* none) {
    JobKey key;
    key.help.kind = ValueKind::Word;
    key.help.words = {none};
    for (const char* split : {"validation_", "train_"}) {
        key.help.words.push_back(std::string(split) + "loss");
        key.help.words.push_back(std::string(split) + "accuracy");
    }
    for (const char* split : {"validation_", "train_"})
        for (const std::string& metric : metricNames())
            if (metric != "accuracy") key.help.words.push_back(split + metric);
    const KeyHelp help = key.help;
    key.read = [member, help](const TomlValue& value, JobSpec& spec) {
        const auto named =
            value.kind == TomlValue::Kind::String ? parseMonitor(value.text) : std::nullopt;
        const bool isOther = named && named->second.empty() &&
                             std::ranges::find(help.words, value.text) == help.words.end();
        if (!named || isOther) {
            Problems problems = checkScalar(value, help);
            if (!problems.empty()) return problems;
        }
        member(spec).monitor = named->first;
        member(spec).metric = named->second;
        return Problems{};
    };
    key.write = [member](const JobSpec& spec) {
        return '"' + monitorName(member(spec).monitor, member(spec).metric) + '"';
    };
    return key;
}

std::vector<JobKey> checkpointKeys() {
    using Spec = JobSpec;
    return {
        named("checkpoint.every_steps", "steps",
              "A checkpoint after so many steps; 0: not by steps.",
              integerKey<Spec>(at<&Spec::checkpoint, &CheckpointSpec::everySteps>, {0, 1e12})),
        named(
            "checkpoint.every_epochs", "epochs",
            "A checkpoint after so many epochs; 0: not by epochs. Neither given: once an epoch.",
            integerKey<Spec>(at<&Spec::checkpoint, &CheckpointSpec::everyEpochs>, {0, 1'000'000})),
        named("checkpoint.keep", "checkpoints", "How many of the newest checkpoints stay.",
              integerKey<Spec>(at<&Spec::checkpoint, &CheckpointSpec::keep>, {1, 100'000})),
        named("checkpoint.copies", "hosts",
              "On how many hosts committed checkpoints and the journal lie, where the job's hosts "
              "do not share the run's folder: with 2 the first host behind process 0's keeps a "
              "copy, made in the background; where hosts share the folder none is needed or made.",
              integerKey<Spec>(at<&Spec::checkpoint, &CheckpointSpec::copies>, {1, 2})),
        named("checkpoint.keep_unscored", "checkpoints",
              "How many checkpoints stay until an evaluator has scored them, beyond which the "
              "oldest is named as not scored and makes way; those of keep stay anyway.",
              integerKey<Spec>(at<&Spec::checkpoint, &CheckpointSpec::keepUnscored>, {0, 100'000})),
        named("checkpoint.keep_best", "",
              "Keeps the best checkpoint besides the newest; checkpoints/BEST names it.",
              flagKey<Spec>(at<&Spec::checkpoint, &CheckpointSpec::keepBest>)),
        named("checkpoint.monitor", "",
              "The figure by which the best checkpoint is chosen, at the end of each epoch: of a "
              "loss, an accuracy or one of training.metrics (validation_auc); auto: that of early "
              "stopping, else validation_loss.",
              monitorKey(at<&Spec::checkpoint>, "auto")),
        named("checkpoint.mode", "",
              "Whether smaller (min) or larger (max) is better; auto: min of a loss, max of an "
              "accuracy.",
              wordKey<Spec>(at<&Spec::checkpoint, &CheckpointSpec::mode>,
                            {{"auto", MonitorMode::Auto},
                             {"min", MonitorMode::Min},
                             {"max", MonitorMode::Max}})),
        named("checkpoint.resume", "",
              "auto: make or restore; the run goes on from its newest good checkpoint where its "
              "folder has one, else it begins. never: only --resume goes on.",
              wordKey<Spec>(at<&Spec::checkpoint, &CheckpointSpec::resume>,
                            {{"never", ResumePolicy::Never}, {"auto", ResumePolicy::Auto}})),
        named("checkpoint.sharded", "",
              "Whoever holds a part of the network writes that part of a checkpoint, as files "
              "below model/ and optimizer/ that PyTorch's distributed checkpoints are; false: "
              "process 0 puts all together in one file each. Left out: true where "
              "distribution.mesh.model is above 1.",
              shardedKey()),
        named("log.csv", "", "Writes a line an epoch to epochs.csv in the run folder.",
              flagKey<Spec>(at<&Spec::log, &LogSpec::csv>)),
    };
}

std::vector<JobKey> evaluatorKeys() {
    using Spec = JobSpec;
    return {
        named("evaluator.processes", "processes",
              "How many evaluators share the work, where cluster.evaluator is on: each checkpoint "
              "is scored once, and by another one if its evaluator is lost.",
              integerKey<Spec>(at<&Spec::evaluator, &EvaluatorSpec::processes>, {1, 64})),
        named("evaluator.policy", "",
              "Where evaluation is slower than checkpoints come: every scores them in order, as "
              "far as checkpoint.keep_unscored keeps them; latest passes over all but the newest.",
              wordKey<Spec>(
                  at<&Spec::evaluator, &EvaluatorSpec::policy>,
                  {{"every", EvaluatorPolicy::Every}, {"latest", EvaluatorPolicy::Latest}})),
        named("evaluator.device", "",
              "What the evaluators compute on: cpu; gpu, the last GPUs of their host, in turn; or "
              "one of them, as gpu:3.",
              textKey<Spec>(at<&Spec::evaluator, &EvaluatorSpec::device>, ValueKind::Text)),
    };
}

std::vector<JobKey> earlyStoppingKeys() {
    using Spec = JobSpec;
    return {
        named("early_stopping.monitor", "",
              "The figure that must go on getting better, also one of training.metrics "
              "(validation_mean_absolute_error); off: training goes through all epochs.",
              monitorKey(at<&Spec::earlyStopping>, "off")),
        named("early_stopping.patience", "epochs",
              "Training ends after so many epochs in a row in which it got no better.",
              integerKey<Spec>(at<&Spec::earlyStopping, &EarlyStoppingSpec::patience>,
                               {0, 1'000'000})),
        named("early_stopping.min_delta", "",
              "Better means better by more than this: for patience, and for what is restored.",
              numberKey<Spec>(at<&Spec::earlyStopping, &EarlyStoppingSpec::minDelta>,
                              {0, 1e9, false, false})),
        named("early_stopping.mode", "",
              "Whether smaller (min) or larger (max) is better; auto: min of a loss, max of an "
              "accuracy.",
              wordKey<Spec>(at<&Spec::earlyStopping, &EarlyStoppingSpec::mode>,
                            {{"auto", MonitorMode::Auto},
                             {"min", MonitorMode::Min},
                             {"max", MonitorMode::Max}})),
        named("early_stopping.restore_best", "",
              "The run ends with the weights of its best epoch, on all replicas, whether it ended "
              "early or not.",
              flagKey<Spec>(at<&Spec::earlyStopping, &EarlyStoppingSpec::restoreBest>)),
    };
}

/// What a form shows for a key that the file does not write.
void fillDefaults(std::vector<JobKey>& keys) {
    const JobSpec defaults = defaultSpec();
    for (JobKey& key : keys)
        if (key.help.key != "cluster.num_processes") key.help.defaultToml = key.write(defaults);
}

std::vector<JobKey> makeJobKeys() {
    std::vector<JobKey> keys;
    for (auto* part :
         {&jobAndClusterKeys, &distributionKeys, &launchKeys, &failureKeys, &slurmKeys, &dataKeys,
          &sourceKeys, &trainingKeys, &lengthKeys, &taskKeys, &optimizerKeys, &stepKeys,
          &scheduleKeys, &plateauKeys, &earlyStoppingKeys, &evaluatorKeys, &checkpointKeys})
        for (JobKey& key : part())
            keys.push_back(std::move(key));
    fillDefaults(keys);
    return keys;
}

std::vector<KeyHelp> collectHelp() {
    std::vector<KeyHelp> all;
    for (const JobKey& key : jobKeys()) {
        all.push_back(key.help);
        if (key.help.key == "data.augment")
            all.insert(all.end(), augmentationOptionHelp().begin(), augmentationOptionHelp().end());
        if (key.help.kind != ValueKind::LayerList) continue;
        for (const auto& option : layerKeys())
            all.push_back(option.help);
    }
    return all;
}

/// "model.layers[3].units" as "model.layers[].units".
std::string withoutIndices(std::string_view key) {
    std::string text;
    bool inBrackets = false;
    for (const char c : key) {
        if (c == ']') inBrackets = false;
        if (!inBrackets) text += c;
        if (c == '[') inBrackets = true;
    }
    return text;
}

}  // namespace

JobSpec defaultSpec() {
    JobSpec spec;
    spec.cluster.jobAddresses = {Address{"127.0.0.1", 0}};
    return spec;
}

const std::vector<Key<JobSpec>>& jobKeys() {
    static const std::vector<JobKey> kKeys = makeJobKeys();
    return kKeys;
}

const std::vector<std::string>& sectionNames() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names;
        for (const JobKey& key : jobKeys()) {
            const std::string section = key.help.key.substr(0, key.help.key.find('.'));
            if (names.empty() || names.back() != section) names.push_back(section);
        }
        return names;
    }();
    return kNames;
}

const std::vector<KeyHelp>& allKeyHelp() {
    static const std::vector<KeyHelp> kHelp = collectHelp();
    return kHelp;
}

const KeyHelp* keyHelp(std::string_view key) {
    const std::string name = withoutIndices(key);
    for (const KeyHelp& help : allKeyHelp())
        if (help.key == name) return &help;
    return nullptr;
}

}  // namespace lockstep::config

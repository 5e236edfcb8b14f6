// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/job/augmentation_spec.h"
#include "core/config/job/optimizer_spec.h"
#include "core/config/job/source_spec.h"
#include "core/config/job/task_spec.h"
#include "core/model/description/description.h"
#include "core/model/mesh/mesh_layout.h"

namespace lockstep::config {

enum class DeviceKind : std::uint8_t { Auto, Cpu, Gpu };
enum class Transport : std::uint8_t { Auto, Shm, Gloo, Nccl };
enum class LaunchMethod : std::uint8_t { Local, Ssh, Slurm };
enum class OnDisconnect : std::uint8_t { Detached, Tied };
enum class OnStuck : std::uint8_t { Wait, Restart, Stop };
/// What becomes of a job when a process is lost. Regroup: it begins again from a step that is kept
/// in memory, else as Restart does, from its newest checkpoint.
enum class OnFailure : std::uint8_t { Restart, Stop, Regroup };
enum class Activation : std::uint8_t { Linear, Relu };
enum class Precision : std::uint8_t { Float32, Tf32, BFloat16 };
/// What becomes of the samples when several processes train: the policies of tf.data. Off: every
/// process sees every sample. File: each reads files of its own. Data: each reads all and keeps its
/// part of every global batch. Auto: File where there are files enough, else Data.
enum class AutoShard : std::uint8_t { Auto, Off, File, Data };
/// Whether images read from folders have one channel or three.
enum class ImageColor : std::uint8_t { Rgb, Grey };
/// What becomes of a data set with images that cannot be read.
enum class OnBrokenImage : std::uint8_t { Error, Skip };
/// A figure of an epoch, over all replicas, that is watched. Auto and Off are choices of a key.
enum class Monitor : std::uint8_t {
    Auto,
    Off,
    ValidationLoss,
    ValidationAccuracy,
    TrainLoss,
    TrainAccuracy,
    ValidationMetric,  ///< One of training.metrics, which is named beside it; as the next one.
    TrainMetric,
};
/// Which way a watched figure gets better. Auto: a loss downwards, an accuracy upwards.
enum class MonitorMode : std::uint8_t { Auto, Min, Max };
enum class ResumePolicy : std::uint8_t { Never, Auto };
/// Which checkpoints are scored where evaluation is slower than they come.
enum class EvaluatorPolicy : std::uint8_t {
    Every,   ///< All, in order, as far as they stay for it.
    Latest,  ///< The newest one whenever an evaluator is free; older ones are passed over.
};

/// Where a process listens. Port 0: chosen by the system at launch.
struct Address {
    std::string host;
    int port = 0;

    [[nodiscard]] bool operator==(const Address&) const = default;
};

/// `host:port`, with brackets around an IPv6 address.
[[nodiscard]] std::string toString(const Address& address);

struct ClusterSpec {
    std::vector<Address> jobAddresses;  ///< The index is the process id; 0 is the chief's.
    int numProcesses = 1;  ///< Equals jobAddresses.size() unless only the coordinator's is given.
    bool evaluator = true;
    std::optional<Address> evaluatorAddress;
    /// Local replicas of each process; kAllDevices until its host's GPUs have been counted, one
    /// replica each. On CPUs that is one.
    int devicesPerProcess = kAllDevices;
    /// The GPUs of a host that its processes may use, by their local numbers; empty: all of them.
    std::vector<int> localDeviceIds;
    DeviceKind device = DeviceKind::Auto;
    Transport transport = Transport::Auto;
    double heartbeatTimeoutSeconds = 10;
    double initializationTimeoutSeconds = 300;

    static constexpr int kAllDevices = 0;
    [[nodiscard]] int localReplicas() const {
        return devicesPerProcess < 1 ? 1 : devicesPerProcess;
    }
    [[nodiscard]] int replicaCount() const { return numProcesses * localReplicas(); }
};

/// The replicas as a table: each row has the network's tensors together and sees the same samples,
/// each column has the same part of the tensors. Replica row * model + column.
struct DistributionSpec {
    int batch = 0;            ///< Rows; 0: as many as the replicas give.
    int model = 1;            ///< Columns.
    bool isMegatron = false;  ///< The rules are those of model::megatronRules().
    std::vector<model::LayoutRule> layout;
};

struct LaunchSpec {
    LaunchMethod method = LaunchMethod::Local;
    OnDisconnect onDisconnect = OnDisconnect::Detached;
    std::vector<std::string> hosts;  ///< ssh destinations; empty: the addresses' hosts.
    std::string sshConfig;
    OnFailure onFailure = OnFailure::Restart;
    int maxRestarts = 0;
    OnStuck onStuck = OnStuck::Wait;
    double stuckGraceSeconds = 30;  ///< From its naming until something is done about it.
    double leaseSeconds = 10;
    /// ssh destinations that start nothing until they take the place of a host that is lost.
    std::vector<std::string> spares;
    double spareAfterSeconds = 60;  ///< For so long, from its loss on, the lost host is waited for.
    int leastProcesses = 0;  ///< So many go on without a host that stays lost; 0: nobody does.
    /// The user's own program and its arguments; empty: Lockstep trains [model] itself.
    std::vector<std::string> command;
    std::vector<std::string> environment;  ///< "NAME=value" for that program. Nothing secret.
    std::string directory;  ///< Where it runs, relative to the job file's folder, its default.

    /// Of a job that regroups and does not say how often.
    static constexpr int kRegroupRestarts = 10;

    [[nodiscard]] bool runsOwnProgram() const { return !command.empty(); }
    [[nodiscard]] bool keepsSteps() const { return onFailure == OnFailure::Regroup; }
    /// How often the job may begin again.
    [[nodiscard]] int restarts() const {
        if (onFailure == OnFailure::Stop) return 0;
        return keepsSteps() && maxRestarts == 0 ? kRegroupRestarts : maxRestarts;
    }
};

/// What is asked of Slurm where launch.method is slurm. Empty or 0: what Slurm chooses.
struct SlurmSpec {
    std::string partition;
    std::string account;
    int nodes = 0;
    std::string timeLimit;             ///< In sbatch's forms: "30", "2:00:00", "1-12".
    int stopBeforeLimitSeconds = 120;  ///< When a checkpoint is written and the run stops.
    std::vector<std::string> options;  ///< Of sbatch: "--gres=gpu:2".
};

/// Pixels of an image. 0 by 0: not given.
struct ImageSize {
    int height = 0;
    int width = 0;

    [[nodiscard]] bool operator==(const ImageSize&) const = default;
};

/// In which order the training samples come: tf.data's shuffle().
struct ShuffleSpec {
    /// From how many samples each next one is drawn; 1: they come in their order.
    int buffer = kAllSamples;
    bool eachEpoch = true;                ///< False: every epoch has the order of the first.
    std::optional<std::uint64_t> seed{};  ///< Absent: training.seed.

    static constexpr int kAllSamples = 0;
    [[nodiscard]] bool operator==(const ShuffleSpec&) const = default;
};

struct DataSpec {
    std::string dataset;    ///< digits | mnist | idx | image_folder
    std::string directory;  ///< As written; relative to the job file's folder.
    int validationSamples = 10000;
    std::string cache = "memory";  ///< memory | none | a file's path, as directory is.
    int prefetch = 0;              ///< Batches prepared ahead; 0: chosen by their size.
    AutoShard autoShard = AutoShard::Auto;
    ShuffleSpec shuffle{};
    bool dropRemainder = false;  ///< An epoch's last batch, where it is smaller than the others.
    // Of image_folder only.
    ImageSize imageSize;              ///< What every image is brought to.
    std::string validationDirectory;  ///< Empty: validationSamples of the training images.
    std::string testDirectory;        ///< Empty: the test set is the validation set.
    ImageColor color = ImageColor::Rgb;
    OnBrokenImage onError = OnBrokenImage::Error;
    std::vector<AugmentationSpec> augment{};  ///< Of training images, one after the other.
    NormalizeSpec normalize{};
    // Of table and text.
    std::vector<std::string> files{};         ///< As directory is.
    std::optional<double> validationSplit{};  ///< Share of the samples, instead of their number.
    TableSpec table{};
    TextSpec text{};
    ArraysSpec arrays{};
};

/// Weights that training begins with, from a safetensors file.
struct InitialWeightsSpec {
    std::string file{};  ///< As data.directory is; empty: as the layers' initialisers say.
    /// Names there and here: beginnings of tensor names.
    std::vector<std::pair<std::string, std::string>> rename{};
    /// Beginnings of names of tensors that may lack there, or differ in shape.
    std::vector<std::string> except{};
};

struct LayerSpec {
    std::string type = "dense";
    int units = 0;
    Activation activation = Activation::Linear;
};

/// A dense stack is in `layers`; every other model in `description`, and `layers` is empty then.
struct ModelSpec {
    std::vector<LayerSpec> layers{};
    bool isDescribed = false;  ///< Written as more than a dense stack, be it with mistakes.
    model::Description description{};
    InitialWeightsSpec initialWeights{};
};

struct TrainingSpec {
    int globalBatchSize = 32;
    int epochs = 1;
    std::int64_t steps = 0;               ///< Where it ends instead; 0: after the epochs.
    std::int64_t evaluateEverySteps = 0;  ///< Validates by steps instead of epochs; 0: by epochs.
    int gradientAccumulationSteps = 1;    ///< Parts of a global batch that are computed in turn.
    LossSpec loss{};
    std::vector<std::string> metrics{};  ///< Besides the loss; empty: what fits the loss.
    AverageSpec average{};
    OptimizerKind optimizer = OptimizerKind::Adam;
    double learningRate = 0.001;
    double momentum = 0;    ///< SGD and RMSprop.
    bool nesterov = false;  ///< SGD with momentum.
    double beta1 = 0.9;     ///< Adam, AdamW and Lion, as the next one.
    double beta2 = 0.999;
    double epsilon = 1e-7;   ///< Adam, AdamW and RMSprop.
    double rho = 0.9;        ///< RMSprop.
    double weightDecay = 0;  ///< Share of a weight that goes each step, times the rate.
    DecayOn weightDecayOn = DecayOn::All;
    double clipNorm = 0;        ///< Of each tensor's gradient; 0: none, as the next two.
    double clipValue = 0;       ///< Of each number of the gradient.
    double globalClipNorm = 0;  ///< Of all gradients together.
    ScheduleSpec schedule{};
    Precision precision = Precision::Float32;  ///< Of products on GPUs; CPUs take float32.
    bool tune = false;  ///< Measures how each convolution is best computed on the CPU.
    /// Absent: the replicas agree on a random one. Below 2^63, which is what TOML can write.
    std::optional<std::uint64_t> seed;
    /// False: a step whose loss is not finite is left out by all replicas, and training goes on.
    bool terminateOnNan = true;
    /// Every so many steps hosts compare their copies of the weights, and weights are guarded
    /// between updates; 0: neither.
    std::int64_t identityEverySteps = 100;
};

/// Training ends when the figure has not got better for `patience` epochs.
struct EarlyStoppingSpec {
    Monitor monitor = Monitor::Off;
    std::string metric{};  ///< Of a monitor that is a metric: "top_5_accuracy".
    int patience = 3;
    double minDelta = 0;  ///< What counts as better is better by more than this.
    MonitorMode mode = MonitorMode::Auto;
    bool restoreBest = true;  ///< The run ends with the weights of its best epoch.
};

struct CheckpointSpec {
    std::int64_t everySteps = 0;  ///< 0: not by steps.
    int everyEpochs = 0;          ///< 0: not by epochs. Both 0: once an epoch.
    int keep = 3;
    int copies = 1;         ///< 2: on another host, too, where hosts do not share the run's folder.
    int keepUnscored = 10;  ///< As many more stay until an evaluator has scored them.
    bool keepBest = false;  ///< The best one stays besides the newest; BEST names it.
    Monitor monitor = Monitor::Auto;
    std::string metric{};  ///< As EarlyStoppingSpec's.
    MonitorMode mode = MonitorMode::Auto;
    ResumePolicy resume = ResumePolicy::Never;
    std::optional<bool> sharded{};  ///< Absent: as writesShards() has it.
};

/// The processes that score checkpoints, where ClusterSpec::evaluator wants any.
struct EvaluatorSpec {
    int processes = 1;  ///< They share the work.
    EvaluatorPolicy policy = EvaluatorPolicy::Every;
    std::string device = "cpu";  ///< cpu | gpu (the last ones of the host) | gpu:N
};

struct LogSpec {
    bool csv = false;  ///< One line an epoch in the run folder's epochs.csv.
};

/// A job, complete: every value is set, written by the user or by its default.
struct JobSpec {
    std::string name = "job";
    std::string runDir;  ///< Empty: runs/<name>-<utc time>.
    ClusterSpec cluster;
    DistributionSpec distribution;
    LaunchSpec launch;
    SlurmSpec slurm;
    DataSpec data;
    ModelSpec model;
    TrainingSpec training;
    EarlyStoppingSpec earlyStopping;
    CheckpointSpec checkpoint;
    EvaluatorSpec evaluator;
    LogSpec log;

    /// How many processes score checkpoints.
    [[nodiscard]] int evaluators() const { return cluster.evaluator ? evaluator.processes : 0; }
};

}  // namespace lockstep::config

// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/base/rng.h"
#include "core/config/lint/address_rules.h"
#include "tests/core/config/job_texts.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

/// One bad text, and the one finding it must give.
struct Bad {
    const char* name;
    std::string text;
    const char* place;
    Severity severity;
    const char* key;
    const char* message;  ///< The whole sentence.
    const char* remedy;   ///< How it begins.
};

constexpr Severity kError = Severity::Error;
constexpr Severity kWarning = Severity::Warning;

/// The minimal job takes four lines: what is appended starts at line 5.
std::string with(const std::string& more) {
    return kMinimalJob + more;
}

std::string data(const std::string& lines) {
    return "[data]\n" + lines + "[model]\nlayers = [{ units = 10 }]\n";
}

std::string layers(const std::string& value) {
    return "[data]\ndataset = \"digits\"\n[model]\nlayers = " + value + "\n";
}

std::vector<Bad> unknownAndMistyped() {
    return {
        {"unknown section", with("[trainig]\nepochs = 1\n"), "job.toml:5:2", kError, "trainig",
         "there is no key \"trainig\", did you mean training?",
         "Correct or remove it; the sections are job, "},
        {"unknown key", with("[training]\n  epoch = 1\n"), "job.toml:6:3", kError, "training.epoch",
         "there is no key \"training.epoch\", did you mean training.epochs?",
         "Correct or remove it; the keys of [training] are global_batch_size, "},
        {"key of another section", with("[job]\nseed = 1\n"), "job.toml:6:1", kError, "job.seed",
         "there is no key \"job.seed\", did you mean training.seed?", "Correct or remove it"},
        {"key without section", "epochs = 1\n" + kMinimalJob, "job.toml:1:1", kError, "epochs",
         "there is no key \"epochs\", did you mean training.epochs?", "Correct or remove it"},
        {"Keras' name", with("[training]\nbatch_size = 1\n"), "job.toml:6:1", kError,
         "training.batch_size",
         "there is no key \"training.batch_size\", did you mean training.global_batch_size?",
         "Correct"},
        {"nothing near", with("[job]\nxyzzy = 1\n"), "job.toml:6:1", kError, "job.xyzzy",
         "there is no key \"job.xyzzy\"",
         "Correct or remove it; the keys of [job] are name and run_dir."},
        {"section as value", "training = 3\n" + kMinimalJob, "job.toml:1:12", kError, "training",
         "training is 3, but must be a table", "Write [training] on a line of its own"},
        {"text as number", with("[training]\nepochs = \"2\"\n"), "job.toml:6:10", kError,
         "training.epochs",
         "training.epochs is \"2\", but must be a whole number from 1 to 1000000",
         "Set training.epochs to a whole number from 1 to 1000000, or leave it out for 1."},
        {"fraction as integer", with("[training]\nepochs = 2.5\n"), "job.toml:6:10", kError,
         "training.epochs", "training.epochs is 2.5, but must be a whole number from 1 to 1000000",
         "Set training.epochs"},
        {"zero", with("[training]\nglobal_batch_size = 0\n"), "job.toml:6:21", kError,
         "training.global_batch_size",
         "training.global_batch_size is 0, but must be a whole number from 1 to 16777216",
         "Set training."},
        {"negative", with("[checkpoint]\nevery_steps = -5\n"), "job.toml:6:15", kError,
         "checkpoint.every_steps",
         "checkpoint.every_steps is -5, but must be a whole number from 0 to 1000000000000",
         "Set checkpoint."},
        {"keep none", with("[checkpoint]\nkeep = 0\n"), "job.toml:6:8", kError, "checkpoint.keep",
         "checkpoint.keep is 0, but must be a whole number from 1 to 100000",
         "Set checkpoint.keep to"},
        {"rate of zero", with("[training]\nlearning_rate = 0\n"), "job.toml:6:17", kError,
         "training.learning_rate",
         "training.learning_rate is 0, but must be a number above 0 and at most 1000000",
         "Set training.learning_rate to a number above 0"},
        {"rate that is none", with("[training]\nlearning_rate = nan\n"), "job.toml:6:17", kError,
         "training.learning_rate",
         "training.learning_rate is nan, but must be a number above 0 and at most 1000000",
         "Set training.learning_rate"},
        {"decay of one", with("[training]\nbeta_1 = 1\n"), "job.toml:6:10", kError,
         "training.beta_1", "training.beta_1 is 1, but must be a number from 0 and below 1",
         "Set training.beta_1"},
        {"negative seed", with("[training]\nseed = -1\n"), "job.toml:6:8", kError, "training.seed",
         "training.seed is -1, but must be a whole number from 0",
         "Set training.seed to a whole number from 0."},
        {"unknown word", with("[training]\noptimizer = \"adamw\"\n"), "job.toml:6:13", kError,
         "training.optimizer",
         "training.optimizer is \"adamw\", but must be \"sgd\" or \"adam\", did you mean adam?",
         "Set training.optimizer to \"sgd\" or \"adam\", or leave it out for \"adam\"."},
        {"word in capitals", with("[training]\noptimizer = \"SGD\"\n"), "job.toml:6:13", kError,
         "training.optimizer",
         "training.optimizer is \"SGD\", but must be \"sgd\" or \"adam\", did you mean sgd?",
         "Set training."},
        {"unknown transport", with("[cluster]\ntransport = \"tcp\"\n"), "job.toml:6:13", kError,
         "cluster.transport",
         "cluster.transport is \"tcp\", but must be \"auto\", \"shm\", \"gloo\" or \"nccl\"",
         "Set cluster."},
        {"date", with("[job]\nname = 1979-05-27\n"), "job.toml:6:8", kError, "job.name",
         "job.name is a date or time, but must be a text in quotes",
         "Set job.name to a text in quotes"},
        {"unknown data set", data("dataset = \"mnsit\"\n"), "job.toml:2:11", kError, "data.dataset",
         "data.dataset is \"mnsit\", but must be \"digits\", \"mnist\" or \"idx\", did you mean "
         "mnist?",
         "Set data.dataset to"},
        {"unknown layer", layers("[{ type = \"Dens\", units = 10 }]"), "job.toml:4:20", kError,
         "model.layers[0].type",
         "model.layers[0].type is \"Dens\", but must be \"dense\", did you mean dense?",
         "Set type of layer 0 to \"dense\"."},
        {"unknown option", layers("[{ unit = 3, units = 10 }]"), "job.toml:4:13", kError,
         "model.layers[0].unit",
         "model.layers[0].unit is not an option of a layer, did you mean units?",
         "Remove it; the options of a layer are type, units and activation."},
        {"unknown activation", layers("[{ units = 10, activation = \"ReLu\" }]"), "job.toml:4:38",
         kError, "model.layers[0].activation",
         "model.layers[0].activation is \"ReLu\", but must be \"linear\" or \"relu\", did you mean "
         "relu?",
         "Set activation of layer 0"},
        {"layer without size", layers("[{ units = 0 }]"), "job.toml:4:21", kError,
         "model.layers[0].units",
         "model.layers[0].units is 0, but must be a whole number from 1 to 1048576",
         "Set units of layer 0"},
        {"number as layer", layers("[10]"), "job.toml:4:11", kError, "model.layers[0]",
         "model.layers[0] is 10, but must be a layer",
         "Write a layer as { type = \"dense\", units = 10 }."},
        {"text as layers", layers("\"dense\""), "job.toml:4:10", kError, "model.layers",
         "model.layers is \"dense\", but must be an array of layers",
         "Set model.layers to an array of layers."},
    };
}

std::vector<Bad> clusters() {
    const auto cluster = [](const std::string& lines) { return with("[cluster]\n" + lines); };
    return {
        {"missing port", cluster("job_addresses = [\n  \"a:1025\",\n  \"b\"]\n"), "job.toml:8:3",
         kError, "cluster.job_addresses[1]",
         "cluster.job_addresses[1] is wrong: \"b\" is not an address: the port is missing",
         "Write host:port, "},
        {"missing port in a list", cluster("job_addresses = \"a:1025,b\"\n"), "job.toml:6:17",
         kError, "cluster.job_addresses[1]",
         "cluster.job_addresses[1] is wrong: \"b\" is not an address: the port is missing",
         "Write host:port, "},
        {"number as address", cluster("job_addresses = [1]\n"), "job.toml:6:18", kError,
         "cluster.job_addresses[0]", "cluster.job_addresses[0] is 1, but must be a text in quotes",
         "Set cluster.job_addresses to"},
        {"no address", cluster("job_addresses = []\n"), "job.toml:6:17", kError,
         "cluster.job_addresses",
         "cluster.job_addresses is an empty array, but a job has at least one process",
         "Leave it out for"},
        {"same address twice",
         cluster("job_addresses = [\"127.0.0.1:5000\", \"127.0.0.1:5000\"]\n"), "job.toml:6:36",
         kError, "cluster.job_addresses[1]",
         "cluster.job_addresses[1] is 127.0.0.1:5000, which process 0 has already",
         "Give every process an"},
        {"privileged port", cluster("job_addresses = [\"127.0.0.1:80\"]\n"), "job.toml:6:18",
         kWarning, "cluster.job_addresses[0]",
         "cluster.job_addresses[0] is 127.0.0.1:80, a port below 1024 that only root may open",
         "Use a port from"},
        {"few samples a step",
         cluster("devices_per_process = 4\n[training]\nglobal_batch_size = 8\n"), "job.toml:8:21",
         Severity::Note, "training.global_batch_size",
         "training.global_batch_size is 8: each of the 4 replicas takes 2 samples a step, so that "
         "they mostly wait for each other",
         "With a batch of 128 a learning rate of about 0.004 trains alike"},
        {"hosts with unequal numbers",
         cluster("job_addresses = \"a:5000,b:5000,b:5001\"\n[launch]\nmethod = \"ssh\"\n"
                 "[training]\nglobal_batch_size = 33\n"),
         "job.toml:6:17", Severity::Note, "cluster.job_addresses",
         "the hosts have unequal numbers of replicas: a has 1 process, b has 2 processes; the "
         "fullest host sets the pace of every step",
         "Training is right all the same"},
        {"count mismatch",
         cluster("job_addresses = \"127.0.0.1:5000,127.0.0.1:5001\"\nnum_processes = 4\n"),
         "job.toml:7:17", kError, "cluster.num_processes",
         "The provided job_addresses ['127.0.0.1:5000', '127.0.0.1:5001'] has 2 jobs, but "
         "num_processes is 4",
         "Leave num_processes out, or"},
        {"localhost among hosts",
         cluster(
             "job_addresses = [\"localhost:5000\", \"gpu02:5000\"]\n[launch]\nmethod = \"ssh\"\n"),
         "job.toml:6:18", kError, "cluster.job_addresses[0]",
         "cluster.job_addresses[0] is localhost:5000, which other hosts of this job cannot reach",
         "Write the name or the address"},
        {"bad evaluator", cluster("evaluator = \"here\"\n"), "job.toml:6:13", kError,
         "cluster.evaluator",
         "cluster.evaluator is wrong: \"here\" is not an address: the port is missing",
         "Write host:port"},
        {"number as evaluator", cluster("evaluator = 1\n"), "job.toml:6:13", kError,
         "cluster.evaluator", "cluster.evaluator is 1, but must be true, false or \"host:port\"",
         "Set cluster.evaluator to"},
        {"evaluator at a worker",
         cluster("job_addresses = [\"127.0.0.1:5000\"]\nevaluator = \"127.0.0.1:5000\"\n"),
         "job.toml:7:13", kError, "cluster.evaluator",
         "cluster.evaluator is 127.0.0.1:5000, which is the address of process 0",
         "The evaluator is a process of its own"},
        {"nccl without GPU", cluster("device = \"cpu\"\ntransport = \"nccl\"\n"), "job.toml:7:13",
         kError, "cluster.transport",
         "cluster.transport is \"nccl\", which moves data between GPUs, but cluster.device is "
         "\"cpu\"",
         "Set cluster.transport to \"auto\""},
        {"shm between hosts",
         cluster("job_addresses = \"a:5000,b:5000\"\ntransport = \"shm\"\n[launch]\nmethod = "
                 "\"ssh\"\n"),
         "job.toml:7:13", kError, "cluster.transport",
         "cluster.transport is \"shm\", but the processes are on several hosts, which share no "
         "memory",
         "Set cluster.transport to \"auto\"."},
        {"hasty heartbeat", cluster("heartbeat_timeout_seconds = 1\n"), "job.toml:6:29", kWarning,
         "cluster.heartbeat_timeout_seconds",
         "cluster.heartbeat_timeout_seconds is 1: a process that pauses for so long, as on a busy "
         "machine, counts as lost",
         "Use 5 seconds or more"},
        {"no time for heartbeats", cluster("heartbeat_timeout_seconds = 0.9\n"), "job.toml:6:29",
         kError, "cluster.heartbeat_timeout_seconds",
         "cluster.heartbeat_timeout_seconds is 0.9, but must be a number from 1 to 86400",
         "Set cluster.heartbeat_timeout_seconds to a number from 1"},
        {"local start of other hosts", cluster("job_addresses = \"a:5000,b:5000\"\n"), "job.toml",
         kWarning, "launch.method",
         "launch.method is \"local\": all processes start on this machine, but their addresses "
         "name other hosts",
         "Set launch.method to \"ssh\""},
        {"hosts and processes",
         cluster(
             "job_addresses = \"a:5000,b:5000\"\n[launch]\nmethod = \"ssh\"\nhosts = [\"a\"]\n"),
         "job.toml:9:9", kError, "launch.hosts",
         "launch.hosts has 1 host, but there are 2 processes", "Name one host per process"},
        {"hosts not known",
         cluster("job_addresses = \"a:5000\"\nnum_processes = 4\n[launch]\nmethod = \"ssh\"\n"),
         "job.toml", kError, "launch.hosts",
         "launch.hosts is empty, and the addresses name 1 of 4 processes' hosts",
         "Name one ssh destination per process"},
    };
}

std::vector<Bad> plans() {
    return {
        {"no data set", data("validation_samples = 10\n"), "job.toml", kError, "data.dataset",
         "data.dataset is missing", "Set data.dataset to \"digits\" (built in)"},
        {"no folder", data("dataset = \"mnist\"\n"), "job.toml", kError, "data.directory",
         "data.directory is missing, but the data set \"mnist\" is read from files",
         "Set data.directory to"},
        {"all for validation", data("dataset = \"digits\"\nvalidation_samples = 60000\n"),
         "job.toml:3:22", kError, "data.validation_samples",
         "data.validation_samples is 60000, which leaves none of the 60000 training samples of "
         "digits",
         "Keep fewer for validation"},
        {"no model", "[data]\ndataset = \"digits\"\n", "job.toml", kError, "model.layers",
         "model.layers is missing", "Give at least one layer"},
        {"empty model", layers("[]"), "job.toml:4:10", kError, "model.layers",
         "model.layers is empty", "Give at least one layer"},
        {"layer without units", layers("[{ type = \"dense\" }, { units = 10 }]"), "job.toml:4:11",
         kError, "model.layers[0].units",
         "model.layers[0].units is missing: a dense layer needs its output size", "Add units"},
        {"classes", layers("[{ units = 9 }]"), "job.toml:4:21", kError, "model.layers[0].units",
         "model.layers[0].units is 9, but digits has 10 classes",
         "Set units of the last layer to 10."},
        {"relu at the end", layers("[{ units = 10, activation = \"relu\" }]"), "job.toml:4:38",
         kWarning, "model.layers[0].activation",
         "model.layers[0].activation is \"relu\": the last layer gives the logits, and relu cuts "
         "off the "
         "negative ones",
         "Leave activation out of the last layer."},
        {"batch below replicas",
         with("[cluster]\ndevices_per_process = 4\n[training]\nglobal_batch_size = 3\n"),
         "job.toml:8:21", kError, "training.global_batch_size",
         "training.global_batch_size is 3, but there are 4 replicas, and each needs at least one "
         "sample a step",
         "Use 4 or more, or fewer processes."},
        {"batch not divisible",
         with("[cluster]\ndevices_per_process = 4\n[training]\nglobal_batch_size = 30\n"),
         "job.toml:8:21", kWarning, "training.global_batch_size",
         "training.global_batch_size is 30, which 4 replicas cannot share evenly: 2 of them take 8 "
         "samples a "
         "step, the others 7",
         "Nothing is lost, every sample weighs the same; 32 would be even."},
        {"one more sample for one replica",
         with("[cluster]\ndevices_per_process = 2\n[training]\nglobal_batch_size = 33\n"),
         "job.toml:8:21", kWarning, "training.global_batch_size",
         "training.global_batch_size is 33, which 2 replicas cannot share evenly: 1 of them takes "
         "17 samples a step, the other 16",
         "Nothing is lost, every sample weighs the same; 34 would be even."},
        {"batch above the data", with("[training]\nglobal_batch_size = 60000\n"), "job.toml:6:21",
         kWarning, "training.global_batch_size",
         "training.global_batch_size is 60000, and there are 50000 samples to train on: an epoch "
         "is one step",
         "Use a smaller batch."},
        {"momentum of adam", with("[training]\nmomentum = 0.9\n"), "job.toml:6:12", kWarning,
         "training.momentum",
         "training.momentum is given, but the optimizer is \"adam\", which ignores it",
         "Remove it, or set"},
        {"decay of sgd", with("[training]\noptimizer = \"sgd\"\nbeta_2 = 0.9\n"), "job.toml:7:10",
         kWarning, "training.beta_2",
         "training.beta_2 is given, but the optimizer is \"sgd\", which ignores it", "Remove it"},
        {"large rate", with("[training]\nlearning_rate = 10\n"), "job.toml:6:17", kWarning,
         "training.learning_rate",
         "training.learning_rate is 10, above 1, with which training rarely converges",
         "Adam's usual rate"},
        {"both intervals", with("[checkpoint]\nevery_steps = 5\nevery_epochs = 2\n"),
         "job.toml:7:16", kWarning, "checkpoint.every_epochs",
         "checkpoint.every_epochs is 2 and checkpoint.every_steps is 5: a checkpoint is written at "
         "each of both",
         "Keep the one you mean."},
        {"stopping on nothing", with("[early_stopping]\nmonitor = \"validation_los\"\n"),
         "job.toml:6:11", kError, "early_stopping.monitor",
         "early_stopping.monitor is \"validation_los\", but must be \"off\", \"validation_loss\", "
         "\"validation_accuracy\", \"train_loss\" or \"train_accuracy\", did you mean "
         "validation_loss?",
         "Set early_stopping.monitor to"},
        {"callbacks as a table of the training", with("[training]\nearly_stopping = {}\n"),
         "job.toml:6:1", kError, "training.early_stopping",
         "there is no key \"training.early_stopping\", did you mean [early_stopping]?",
         "Correct or remove it"},
        {"watching what is not there",
         data("dataset = \"digits\"\nvalidation_samples = 0\n") +
             "[training]\nepochs = 9\n[early_stopping]\nmonitor = \"validation_loss\"\n",
         "job.toml:9:11", kError, "early_stopping.monitor",
         "early_stopping.monitor is \"validation_loss\", but data.validation_samples is 0: there "
         "is "
         "nothing to validate on",
         "Keep some samples"},
        {"the worst as the best",
         with("[checkpoint]\nkeep_best = true\nmonitor = \"train_loss\"\nmode = \"max\"\n"),
         "job.toml:8:8", kWarning, "checkpoint.mode",
         "checkpoint.mode is \"max\", which takes the worst train_loss for the best",
         "Leave checkpoint.mode out."},
        {"more patience than epochs",
         with("[training]\nepochs = 2\n[early_stopping]\nmonitor = \"train_loss\"\n"
              "patience = 2\n"),
         "job.toml:9:12", kWarning, "early_stopping.patience",
         "early_stopping.patience is 2, but there are 2 epochs: training never stops early",
         "Use fewer epochs of patience"},
        {"restoring another best",
         with("[training]\nepochs = 9\n[early_stopping]\nmonitor = \"train_loss\"\n[checkpoint]\n"
              "monitor = \"train_accuracy\"\n"),
         "job.toml:10:11", kError, "checkpoint.monitor",
         "the best checkpoint is chosen by train_accuracy, larger is better, but early_stopping, "
         "which restores it, watches train_loss, smaller is better",
         "Leave checkpoint.monitor"},
        {"a file for each of two",
         data("dataset = \"mnist\"\ndirectory = \"d\"\nauto_shard = \"file\"\n") +
             "[cluster]\njob_addresses = \"127.0.0.1:0,127.0.0.1:0\"\n",
         "job.toml:4:14", kError, "data.auto_shard",
         "data.auto_shard is \"file\", but the data set has 1 training file for 2 processes: each "
         "needs a file of its own, and data sets of several files cannot be read yet",
         "Set data.auto_shard to \"data\""},
        {"the same samples everywhere",
         data("dataset = \"digits\"\nauto_shard = \"off\"\n") +
             "[cluster]\njob_addresses = \"127.0.0.1:0,127.0.0.1:0\"\n",
         "job.toml:3:14", kWarning, "data.auto_shard",
         "data.auto_shard is \"off\": every process sees every sample, so a batch of 32 holds 16 "
         "samples, each 2 times, and an epoch has 2 times more steps",
         "Set data.auto_shard to"},
        {"no equal parts",
         data("dataset = \"digits\"\nauto_shard = \"off\"\n") +
             "[training]\nglobal_batch_size = 33\n[cluster]\njob_addresses = "
             "\"127.0.0.1:0\"\nnum_processes = 2\ndevices_per_process = 3\n",
         "job.toml:3:14", kError, "data.auto_shard",
         "data.auto_shard is \"off\", so each of 2 processes takes its part of a batch from the "
         "whole "
         "set, and training.global_batch_size 33 has no equal parts",
         "Use a multiple of 2"},
        {"a cache of what is generated", data("dataset = \"digits\"\ncache = \"/tmp/x\"\n"),
         "job.toml:3:9", kWarning, "data.cache",
         "data.cache is \"/tmp/x\", but digits are generated and always kept in memory",
         "Leave data.cache out."},
        {"a mistyped cache", data("dataset = \"mnist\"\ndirectory = \"d\"\ncache = \"memroy\"\n"),
         "job.toml:4:9", kError, "data.cache", "data.cache is \"memroy\", did you mean memory?",
         "Use \"memory\", \"none\""},
        {"name as path", with("[job]\nname = \"../x\"\n"), "job.toml:6:8", kError, "job.name",
         "job.name is \"../x\", which cannot name a run's folder", "Use up to 64 letters"},
        {"line break in a folder", with("[job]\nrun_dir = \"a\\nb\"\n"), "job.toml:6:11", kError,
         "job.run_dir", "job.run_dir is \"a?b\", which has control characters", "Remove them"},
        {"home folder", with("[job]\nrun_dir = \"~/runs\"\n"), "job.toml:6:11", kWarning,
         "job.run_dir", "job.run_dir is \"~/runs\", but ~ and $ are taken as they are written",
         "Write the whole path."},
    };
}

const std::vector<Bad>& allBad() {
    static const std::vector<Bad> kAll = [] {
        std::vector<Bad> all;
        for (auto* part : {&unknownAndMistyped, &clusters, &plans})
            for (Bad& bad : part())
                all.push_back(std::move(bad));
        return all;
    }();
    return kAll;
}

}  // namespace

class LintTest : public QObject {
    Q_OBJECT
private slots:
    void everyMistakeIsNamedOnceWithPlaceAndRemedy_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < allBad().size(); ++i)
            QTest::newRow(allBad()[i].name) << static_cast<int>(i);
    }
    void everyMistakeIsNamedOnceWithPlaceAndRemedy() {
        QFETCH(int, index);
        const Bad& bad = allBad()[static_cast<std::size_t>(index)];
        const auto document = parsed(bad.text);
        QVERIFY(document.wellFormed());
        QString all;
        for (const Finding& finding : document.findings())
            all += QString::fromStdString(finding.place + ": " + finding.message + "\n");
        QVERIFY2(document.findings().size() == 1, qPrintable(all));
        const Finding& finding = document.findings()[0];
        QCOMPARE(QString::fromStdString(finding.message), QString::fromUtf8(bad.message));
        QCOMPARE(QString::fromStdString(finding.place), QString::fromUtf8(bad.place));
        QCOMPARE(QString::fromStdString(finding.key), QString::fromUtf8(bad.key));
        QVERIFY(finding.severity == bad.severity);
        QVERIFY2(finding.remedy.starts_with(bad.remedy), finding.remedy.c_str());
        QCOMPARE(document.checked().has_value(), bad.severity != Severity::Error);
    }

    void whatIsAllowedIsNotBlamed_data() {
        QTest::addColumn<QString>("more");
        QTest::newRow("port 0 twice")
            << "[cluster]\njob_addresses = [\"127.0.0.1:0\", \"127.0.0.1:0\"]\n";
        QTest::newRow("the same port on two hosts")
            << "[cluster]\njob_addresses = \"a:5000,b:5000\"\n[launch]\nmethod = \"ssh\"\n";
        QTest::newRow("the coordinator's address alone")
            << "[cluster]\njob_addresses = \"127.0.0.1:5000\"\nnum_processes = 4\n";
        QTest::newRow("ssh to named hosts")
            << "[cluster]\njob_addresses = \"a:5000\"\nnum_processes = 2\n[launch]\nmethod = "
               "\"ssh\"\n"
               "hosts = [\"a\", \"b\"]\n";
        QTest::newRow("no evaluator") << "[cluster]\nevaluator = false\n";
        QTest::newRow("defaults of another optimizer") << "[training]\nmomentum = 0\n";
        QTest::newRow("both intervals, one off")
            << "[checkpoint]\nevery_steps = 5\nevery_epochs = 0\n";
        QTest::newRow("early stopping as it is")
            << "[training]\nepochs = 9\n[early_stopping]\nmonitor = \"validation_loss\"\n";
        QTest::newRow("another best that is not restored")
            << "[training]\nepochs = 9\n[early_stopping]\nmonitor = \"train_loss\"\nrestore_best = "
               "false\n[checkpoint]\nmonitor = \"train_accuracy\"\nkeep_best = true\n";
        QTest::newRow("an odd but plain folder")
            << "[job]\nrun_dir = \"my runs/\xC3\xBC 'x' # 1\"\n";
    }
    void whatIsAllowedIsNotBlamed() {
        QFETCH(QString, more);
        const auto document = parsed(with(more.toStdString()));
        QVERIFY2(document.findings().empty(),
                 document.findings().empty() ? "" : document.findings()[0].message.c_str());
    }

    void aPortThatTheSystemHandsOutIsWarnedOf() {
        const std::string port = std::to_string(ephemeralPorts().first);
        const auto document =
            parsed(with("[cluster]\njob_addresses = \"127.0.0.1:" + port + "\"\n"));
        QCOMPARE(document.findings().size(), std::size_t{1});
        QVERIFY(document.findings()[0].severity == kWarning);
        QVERIFY(document.findings()[0].message.starts_with(
            "cluster.job_addresses[0] is 127.0.0.1:" + port + ", a port from "));
    }

    void aWrongValueIsBlamedOnceNotByEveryRule() {
        const auto document = parsed(
            "[cluster]\njob_addresses = 7\nnum_processes = 0\n[data]\ndataset = 1\n[model]\nlayers "
            "= 2\n"
            "[training]\nglobal_batch_size = -1\n");
        QCOMPARE(document.findings().size(), std::size_t{5});
        for (const Finding& finding : document.findings()) {
            QVERIFY(finding.severity == Severity::Error);
            QVERIFY(finding.line > 0);
        }
    }

    void severalMistakesComeInOrderOfLine() {
        const auto document =
            parsed("[training]\nepochs = 0\nbeta_1 = 2\n[checkpoint]\nkeep = 0\n");
        std::vector<int> lines;
        for (const Finding& finding : document.findings())
            lines.push_back(finding.line);
        QCOMPARE(lines, (std::vector<int>{0, 0, 2, 3, 5}));
    }

    void noTextBreaksTheReader() {
        const std::string alphabet = "[]{}=.,#\"'\n\r\t \\a1-:_+eE\xC3\xBC";
        int wellFormed = 0;
        for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
            CounterRng rng(seed, 7);
            std::string text = kCommentedJob;
            for (std::uint32_t i = 0, count = 1 + rng.nextBelow(4); i < count; ++i) {
                const std::size_t at = rng.nextBelow(static_cast<std::uint32_t>(text.size()));
                const char c = alphabet[rng.nextBelow(static_cast<std::uint32_t>(alphabet.size()))];
                if (rng.nextBelow(3) == 0) text.resize(at + 1);
                if (rng.nextBelow(2) == 0)
                    text[at] = c;
                else
                    text.insert(at, 1, c);
            }
            const auto document = JobDocument::lenient(text, "job.toml");
            wellFormed += document.wellFormed() ? 1 : 0;
            const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
            for (const Finding& finding : document.findings()) {
                QVERIFY2(!finding.message.empty() && !finding.remedy.empty(), text.c_str());
                QVERIFY2(finding.place.starts_with("job.toml"), text.c_str());
                QVERIFY2(finding.line >= 0 && finding.line <= lines, text.c_str());
            }
            QVERIFY(parsed(resolvedToml(document.spec())).wellFormed());
        }
        QVERIFY(wellFormed > 400 && wellFormed < 3600);  // both sides are exercised
    }
};

QTEST_GUILESS_MAIN(LintTest)
#include "tst_lint.moc"

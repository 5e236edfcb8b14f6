// SPDX-License-Identifier: Apache-2.0
// What is wrong with values that are each allowed: of a cluster, of data and model, and of how they
// are trained.
#include "tests/core/config/bad_jobs.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

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
                 "[training]\nglobal_batch_size = 33\n[checkpoint]\ncopies = 2\n"),
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
             "job_addresses = [\"localhost:5000\", \"gpu02:5000\"]\n[launch]\nmethod = \"ssh\"\n"
             "[checkpoint]\ncopies = 2\n"),
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
        {"evaluator on a third thing",
         cluster("evaluator = true\n[evaluator]\ndevice = \"gpu:one\"\n"), "job.toml:8:10", kError,
         "evaluator.device",
         "evaluator.device is \"gpu:one\", but must be \"cpu\", \"gpu\" or a GPU of the "
         "evaluators' "
         "host as \"gpu:0\"",
         "Set evaluator.device to one of these."},
        {"nccl without GPU", cluster("device = \"cpu\"\ntransport = \"nccl\"\n"), "job.toml:7:13",
         kError, "cluster.transport",
         "cluster.transport is \"nccl\", which moves data between GPUs, but cluster.device is "
         "\"cpu\"",
         "Set cluster.transport to \"auto\""},
        {"shm between hosts",
         cluster("job_addresses = \"a:5000,b:5000\"\ntransport = \"shm\"\n[launch]\nmethod = "
                 "\"ssh\"\n[checkpoint]\ncopies = 2\n"),
         "job.toml:7:13", kError, "cluster.transport",
         "cluster.transport is \"shm\", but the processes are on several hosts, which share no "
         "memory",
         "Set cluster.transport to \"auto\"."},
        {"restarts that are none", cluster("device = \"cpu\"\n[launch]\non_stuck = \"restart\"\n"),
         "job.toml:8:12", kWarning, "launch.on_stuck",
         "launch.on_stuck is \"restart\", but launch.max_restarts is 0: a job that is stuck ends",
         "Set launch.max_restarts to how often it may begin again."},
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

std::vector<Bad> dataAndModels() {
    return {
        {"no data set", data("validation_samples = 10\n"), "job.toml", kError, "data.dataset",
         "data.dataset is missing", "Set data.dataset to \"digits\" (built in)"},
        {"no folder", data("dataset = \"mnist\"\n"), "job.toml", kError, "data.directory",
         "data.directory is missing, but the data set \"mnist\" is read from files",
         "Set data.directory to"},
        {"images of no size",
         data("dataset = \"image_folder\"\ndirectory = \"d\"\ntest_directory = \"t\"\n"),
         "job.toml", kError, "data.image_size",
         "data.image_size is missing, but the data set \"image_folder\" needs it: its images may "
         "be of any size",
         "Set it to the [height, width]"},
        {"a size of one number",
         data("dataset = \"image_folder\"\ndirectory = \"d\"\ntest_directory = \"t\"\nimage_size = "
              "32\n"),
         "job.toml:5:14", kError, "data.image_size",
         "data.image_size is 32, but must be [height, width], two whole numbers from 1 to 4096",
         "Write for example [32, 32]"},
        {"images with nothing to test on",
         data("dataset = \"image_folder\"\ndirectory = \"d\"\nimage_size = [4, 4]\n"
              "validation_samples = 0\n"),
         "job.toml:5:22", kError, "data.validation_samples",
         "data.validation_samples is 0, and neither data.validation_directory nor "
         "data.test_directory is given: there is nothing to test on",
         "Give one of the three"},
        {"images validated on twice",
         data("dataset = \"image_folder\"\ndirectory = \"d\"\nimage_size = [4, 4]\n"
              "validation_samples = 5\nvalidation_directory = \"v\"\ntest_directory = \"t\"\n"),
         "job.toml:5:22", kWarning, "data.validation_samples",
         "data.validation_samples is 5, but data.validation_directory is given: its images are the "
         "validation set, and all others are trained on",
         "Remove one of the two"},
        {"a share of images beside a validation folder",
         data("dataset = \"image_folder\"\ndirectory = \"d\"\nimage_size = [4, 4]\n"
              "validation_split = 0.5\nvalidation_directory = \"v\"\ntest_directory = \"t\"\n"),
         "job.toml:5:20", kWarning, "data.validation_split",
         "data.validation_split is 0.5, but data.validation_directory is given: its images are the "
         "validation set, and all others are trained on",
         "Remove one of the two"},
        {"images decoded again and again",
         data("dataset = \"image_folder\"\ndirectory = \"d\"\nimage_size = [4, 4]\n"
              "test_directory = \"t\"\ncache = \"none\"\n"),
         "job.toml:6:9", kWarning, "data.cache",
         "data.cache is \"none\": every process decodes all images at every start", "Leave it out"},
        {"images tested on as they were validated on",
         data("dataset = \"image_folder\"\ndirectory = \"d\"\nimage_size = [4, 4]\n"), "job.toml",
         Severity::Note, "data.test_directory",
         "data.test_directory is not given: the validation images are the test images, too",
         "Set it to a folder"},
        {"a colour of digits", data("dataset = \"digits\"\ncolor = \"grey\"\n"), "job.toml:3:9",
         kWarning, "data.color",
         "data.color is given, but the data set is \"digits\", which ignores it", "Remove it, or"},
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
         kError, "model.layers[0].activation",
         "model.layers[0].activation is \"relu\": the last layer gives the logits, and relu cuts "
         "off the "
         "negative ones",
         "Leave activation out of the last layer."},
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

std::vector<Bad> sharedData() {
    return {
        {"a file for each of two",
         data("dataset = \"mnist\"\ndirectory = \"d\"\nauto_shard = \"file\"\n") +
             "[cluster]\njob_addresses = \"127.0.0.1:0,127.0.0.1:0\"\n",
         "job.toml:4:14", kError, "data.auto_shard",
         "data.auto_shard is \"file\", but files are not dealt out to processes: each of 2 "
         "processes reads all of them and keeps its part of every batch",
         "Set data.auto_shard to \"data\""},
        {"fewer files than processes",
         data("dataset = \"table\"\nfiles = \"t.csv\"\ntarget = \"y\"\nfeatures.x = "
              "\"float\"\nauto_shard = \"file\"\n") +
             "[cluster]\njob_addresses = \"127.0.0.1:0,127.0.0.1:0\"\n",
         "job.toml:6:14", kError, "data.auto_shard",
         "data.auto_shard is \"file\", but data.files names 1 file for 2 processes",
         "Name a file or more for each process"},
        {"no equal parts of files",
         data("dataset = \"table\"\nfiles = [\"t.csv\", \"u.csv\"]\ntarget = \"y\"\n"
              "features.x = \"float\"\nauto_shard = \"file\"\n") +
             "[training]\nglobal_batch_size = 33\n[cluster]\njob_addresses = "
             "\"127.0.0.1:0,127.0.0.1:0\"\n",
         "job.toml:6:14", kError, "data.auto_shard",
         "data.auto_shard is \"file\", so each of 2 processes takes its part of a batch from its "
         "own files, and training.global_batch_size 33 has no equal parts",
         "Use a multiple of 2"},
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
    };
}

std::vector<Bad> trainings() {
    return {
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
         "\"validation_accuracy\", "
         "\"train_loss\", "
         "\"train_accuracy\", "
         "\"validation_top_5_accuracy\", "
         "\"validation_binary_accuracy\", "
         "\"validation_auc\", "
         "\"validation_precision\", "
         "\"validation_recall\", "
         "\"validation_mean_absolute_error\", "
         "\"validation_root_mean_squared_error\", "
         "\"validation_perplexity\", "
         "\"train_top_5_accuracy\", "
         "\"train_binary_accuracy\", "
         "\"train_auc\", "
         "\"train_precision\", "
         "\"train_recall\", "
         "\"train_mean_absolute_error\", "
         "\"train_root_mean_squared_error\" or \"train_perplexity\", did you mean "
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
    };
}

}  // namespace

class LintRulesTest : public QObject {
    Q_OBJECT
private slots:
    void everyMistakeInAClusterIsNamedOnceWithPlaceAndRemedy_data() { addRows(clusters()); }
    void everyMistakeInAClusterIsNamedOnceWithPlaceAndRemedy() {
        QFETCH(int, index);
        checkNamedOnce(clusters()[static_cast<std::size_t>(index)]);
    }

    void patienceOfEvaluationsIsNotHeldAgainstEpochs() {
        const std::string early = "[early_stopping]\nmonitor = \"train_loss\"\npatience = 2\n";
        QCOMPARE(parsed(with("[training]\nepochs = 2\n" + early)).findings().size(),
                 std::size_t{1});
        QVERIFY(parsed(with("[training]\nepochs = 2\nevaluate_every_steps = 10\n" + early))
                    .findings()
                    .empty());
    }

    void everyMistakeInDataAndModelIsNamedOnceWithPlaceAndRemedy_data() {
        addRows(dataAndModels());
    }
    void everyMistakeInDataAndModelIsNamedOnceWithPlaceAndRemedy() {
        QFETCH(int, index);
        checkNamedOnce(dataAndModels()[static_cast<std::size_t>(index)]);
    }

    void everyMistakeInSharingIsNamedOnceWithPlaceAndRemedy_data() { addRows(sharedData()); }
    void everyMistakeInSharingIsNamedOnceWithPlaceAndRemedy() {
        QFETCH(int, index);
        checkNamedOnce(sharedData()[static_cast<std::size_t>(index)]);
    }

    void everyMistakeInATrainingIsNamedOnceWithPlaceAndRemedy_data() { addRows(trainings()); }
    void everyMistakeInATrainingIsNamedOnceWithPlaceAndRemedy() {
        QFETCH(int, index);
        checkNamedOnce(trainings()[static_cast<std::size_t>(index)]);
    }
};

QTEST_GUILESS_MAIN(LintRulesTest)
#include "tst_lint_rules.moc"

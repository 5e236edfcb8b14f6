// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>

#include "core/base/file.h"
#include "tests/core/config/job_texts.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

std::string example(const char* name) {
    const auto text =
        readFile(std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "resources/examples" / name,
                 kJobFileLimitBytes);
    return text ? *text : text.error().message;
}

std::string repeated(const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i)
        text += part;
    return text;
}

}  // namespace

class JobFileTest : public QObject {
    Q_OBJECT
private slots:
    void theExamplesAreRight() {
        for (const char* name : {"digits.toml", "mnist.toml"}) {
            const auto document = JobDocument::parse(example(name), name);
            QVERIFY2(document.has_value(), document ? "" : document.error().message.c_str());
            for (const Finding& finding : document->findings())
                qWarning("%s", finding.message.c_str());
            QVERIFY(document->findings().empty());
        }
    }

    void everyValueIsRead() {
        const auto document = parsed(
            "[job]\nname='x'\nrun_dir='out'\n[cluster]\njob_addresses='a:5001, "
            "b:5002'\nevaluator='c:3'\n"
            "devices_per_process=2\ndevice='cpu'\ntransport='gloo'\nheartbeat_timeout_seconds=5\n"
            "initialization_timeout_seconds=2.5\n[launch]\nmethod='ssh'\non_disconnect='tied'\n"
            "hosts=['u@a','b']\nssh_config='s'\nmax_restarts=3\non_stuck='restart'\n"
            "stuck_grace_seconds=8\nlease_seconds=7\n[data]\ndataset='mnist'\n"
            "directory='d'\nvalidation_samples=5\n[model]\nlayers=[{units=7,activation='relu'},"
            "{type='dense',units=10,activation='linear'}]\n[training]\nglobal_batch_size="
            "64\nepochs=3\n"
            "optimizer='sgd'\nlearning_rate=1\nmomentum=0.5\nbeta_1=0.9\nbeta_2=0.999\nepsilon=1e-"
            "7\n"
            "seed=9223372036854775807\n[checkpoint]\nevery_steps=10\nkeep=1\ncopies=2\n");
        for (const Finding& finding : document.findings())
            qWarning("%s", finding.message.c_str());
        QVERIFY(document.findings().empty());
        const JobSpec& spec = document.spec();
        QCOMPARE(spec.name, std::string("x"));
        QCOMPARE(spec.runDir, std::string("out"));
        QCOMPARE(spec.cluster.jobAddresses, (std::vector<Address>{{"a", 5001}, {"b", 5002}}));
        QCOMPARE(spec.cluster.numProcesses, 2);
        QCOMPARE(spec.cluster.replicaCount(), 4);
        QCOMPARE(spec.cluster.evaluatorAddress, (std::optional<Address>{{"c", 3}}));
        QCOMPARE(spec.cluster.device, DeviceKind::Cpu);
        QCOMPARE(spec.cluster.transport, Transport::Gloo);
        QCOMPARE(spec.cluster.heartbeatTimeoutSeconds, 5.0);
        QCOMPARE(spec.cluster.initializationTimeoutSeconds, 2.5);
        QCOMPARE(spec.launch.method, LaunchMethod::Ssh);
        QCOMPARE(spec.launch.onDisconnect, OnDisconnect::Tied);
        QCOMPARE(spec.launch.hosts, (std::vector<std::string>{"u@a", "b"}));
        QCOMPARE(spec.launch.sshConfig, std::string("s"));
        QCOMPARE(spec.launch.maxRestarts, 3);
        QVERIFY(spec.launch.onStuck == OnStuck::Restart && spec.launch.stuckGraceSeconds == 8.0);
        QCOMPARE(spec.launch.leaseSeconds, 7.0);
        QCOMPARE(spec.data.dataset, std::string("mnist"));
        QCOMPARE(spec.data.directory, std::string("d"));
        QCOMPARE(spec.data.validationSamples, 5);
        QCOMPARE(spec.model.layers.size(), std::size_t{2});
        QCOMPARE(spec.model.layers[0].units, 7);
        QCOMPARE(spec.model.layers[0].activation, Activation::Relu);
        QCOMPARE(spec.model.layers[1].activation, Activation::Linear);
        QCOMPARE(spec.training.globalBatchSize, 64);
        QCOMPARE(spec.training.epochs, 3);
        QCOMPARE(spec.training.optimizer, OptimizerKind::Sgd);
        QCOMPARE(spec.training.learningRate, 1.0);
        QCOMPARE(spec.training.momentum, 0.5);
        QCOMPARE(spec.training.seed, std::optional<std::uint64_t>(9223372036854775807U));
        QCOMPARE(spec.checkpoint.everySteps, std::int64_t{10});
        QCOMPARE(spec.checkpoint.keep, 1);
    }

    void anAbsentClusterIsOneLocalProcess() {
        const auto document = parsed(kMinimalJob);
        QVERIFY(document.findings().empty());
        QCOMPARE(document.spec().cluster.jobAddresses, (std::vector<Address>{{"127.0.0.1", 0}}));
        QCOMPARE(document.spec().cluster.numProcesses, 1);
        QVERIFY(document.spec().cluster.evaluator);
        QVERIFY(!document.spec().training.seed.has_value());
    }

    void whatIsNotTomlIsRefusedWithItsPlace_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("place");
        QTest::newRow("no value") << "[job]\nname = \n"
                                  << "job.toml:2:8: ";
        QTest::newRow("bare word") << "[job]\nname = mnist\n"
                                   << "job.toml:2:8: ";
        QTest::newRow("open array") << "a = [1,\n"
                                    << "job.toml:";
        QTest::newRow("open string") << "a = \"x\nb = 1"
                                     << "job.toml:1:";
        QTest::newRow("twice") << "[job]\nname = 'a'\nname = 'b'\n"
                               << "job.toml:3:";
        QTest::newRow("table twice") << "[job]\n[job]\n"
                                     << "job.toml:2:";
        QTest::newRow("control character") << "a = \"\x01\"\n"
                                           << "job.toml:1:";
        QTest::newRow("header being typed") << "[job]\n[\n"
                                            << "job.toml:2:2: ";
        QTest::newRow("odd header") << "[{ units = 1 }]\n"
                                    << "job.toml:1:2: ";
        QTest::newRow("open header") << "[job\nname = 'a'\n"
                                     << "job.toml:1:";
        QTest::newRow("letter beyond ASCII") << "[job]\nname = 'x' \u00FC\n"
                                             << "job.toml:2:12: ";
        QTest::newRow("behind letters") << "a = '\u00FC\u20AC' \u00FB\n"
                                        << "job.toml:1:10: ";
        QTest::newRow("behind six quotes") << "a = \"\"\"b\"\"\"\"\" \u00FB\n"
                                           << "job.toml:1:15: ";
        QTest::newRow("typographic quotes") << "a = \u201Cx\u201D\n"
                                            << "job.toml:1:5: ";
        QTest::newRow("YAML") << "job:\n  name: x\n"
                              << "job.toml:1:4: ";
        QTest::newRow("JSON") << "{\"job\": {}}"
                              << "job.toml:1:1: ";
    }
    void whatIsNotTomlIsRefusedWithItsPlace() {
        QFETCH(QString, text);
        QFETCH(QString, place);
        const auto document = JobDocument::parse(text.toStdString(), "job.toml");
        QVERIFY(!document.has_value());
        QCOMPARE(document.error().code, ErrorCode::BadInput);
        const QString message = QString::fromStdString(document.error().message);
        QVERIFY2(message.startsWith(place) && message.contains("this is not TOML: "),
                 qPrintable(message));
        QVERIFY(!message.contains('\n'));
        QVERIFY(!document.error().remedy.empty());
    }

    void bytesThatAreNoTextAreRefused() {
        QVERIFY(!JobDocument::parse(std::string("a = \"\xff\xfe\"\n"), "job.toml"));
        QVERIFY(!JobDocument::parse(std::string("a = 1\n\0b = 2", 12), "job.toml"));
    }

    void bombsAreRefusedAndTakeNoStack_data() {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char* name, const std::string& text) {
            QTest::newRow(name) << QByteArray::fromStdString(text);
        };
        row("too large", std::string(kJobFileLimitBytes + 1, '#'));
        row("arrays", "a = " + repeated("[", 500000));
        row("closed arrays", "a = " + repeated("[", 400000) + repeated("]", 400000));
        row("inline tables", "a = " + repeated("{a=", 300000));
        row("dotted key", repeated("a.", 500000) + "a = 1");
        row("spaced dotted key", repeated("a . ", 250000) + "a = 1");
        row("quoted dotted key", repeated("'a'.", 250000) + "a = 1");
        row("dotted header", "[" + repeated("a.", 500000) + "a]");
    }
    void bombsAreRefusedAndTakeNoStack() {
        QFETCH(QByteArray, text);
        const auto document = JobDocument::parse(text.toStdString(), "job.toml");
        QVERIFY(!document.has_value());
        QCOMPARE(document.error().code, ErrorCode::BadInput);
        QVERIFY(document.error().message.size() < 1000);
    }

    void manyDotsOutsideKeysAreFine() {
        const auto document = parsed("# " + repeated("a.", 50) + "\n[job]\nrun_dir = \"" +
                                     repeated("../", 40) + "'\\\"\"\n" + kMinimalJob +
                                     "[launch]\nhosts = [" + repeated("'a.b.c', ", 30) + "]\n");
        QVERIFY2(document.wellFormed(),
                 document.findings().empty() ? "" : document.findings()[0].message.c_str());
        QCOMPARE(document.spec().launch.hosts.size(), std::size_t{30});
    }

    void anEmptyFileIsRefused() {
        for (const char* text : {"", "\n\n", "# only a comment\n", "\xEF\xBB\xBF"}) {
            const auto document = parsed(text);
            QCOMPARE(document.findings().size(), std::size_t{1});
            QCOMPARE(toError(document.findings()[0]).message,
                     std::string("job.toml: the job file is empty"));
            QVERIFY(!document.checked().has_value());
        }
    }

    void aByteOrderMarkMovesNothing() {
        const auto document = parsed("\xEF\xBB\xBF[job]\nname = 3\n" + kMinimalJob);
        QCOMPARE(document.findings().size(), std::size_t{1});
        QCOMPARE(document.findings()[0].place, std::string("job.toml:2:8"));
        auto changed = document;
        QVERIFY(changed.set("job.name", "y").has_value());
        QVERIFY(changed.text().starts_with("\xEF\xBB\xBF[job]\nname = \"y\"\n"));
    }

    void originsNameLineSettingOrDefault() {
        auto document = parsed(kMinimalJob);
        QCOMPARE(document.origin("data.dataset"), std::string("job.toml:2"));
        QCOMPARE(document.origin("model.layers[0].units"), std::string("job.toml:4"));
        QCOMPARE(document.origin("training.epochs"), std::string("default"));
        QVERIFY(document.applySetting("data.validation_samples=99").has_value());
        QCOMPARE(document.origin("data.validation_samples"), std::string("--set"));
        QCOMPARE(document.spec().data.validationSamples, 99);
        // The line that --set put in the text is not in the file: what is below keeps its line.
        QCOMPARE(document.origin("model.layers"), std::string("job.toml:4"));
    }

    void aBadSettingIsReportedAsSetting() {
        auto document = parsed(kMinimalJob + "[training]\nepochs = 0\n");
        QCOMPARE(document.findings()[0].place, std::string("job.toml:6:10"));
        QVERIFY(document.applySetting("data.validation_samples=-1").has_value());
        QCOMPARE(document.findings().size(), std::size_t{2});
        QCOMPARE(toError(document.findings()[0]).message,
                 std::string("--set: data.validation_samples is -1, but must be a whole number "
                             "from 0 to 1000000000"));
        QCOMPARE(document.findings()[1].place, std::string("job.toml:6:10"));
        QVERIFY(document.applySetting("training.epochs=1").has_value());
        QCOMPARE(document.findings().size(), std::size_t{1});
    }

    void settingsTakeTomlElseAString_data() {
        QTest::addColumn<QString>("assignment");
        QTest::addColumn<QString>("line");
        QTest::newRow("number") << "training.epochs=1"
                                << "epochs = 1";
        QTest::newRow("word") << "training.optimizer=sgd"
                              << "optimizer = \"sgd\"";
        QTest::newRow("quoted word") << "training.optimizer=\"sgd\""
                                     << "optimizer = \"sgd\"";
        QTest::newRow("addresses") << "cluster.job_addresses=127.0.0.1:0,127.0.0.1:0"
                                   << "job_addresses = \"127.0.0.1:0,127.0.0.1:0\"";
        QTest::newRow("array") << "cluster.job_addresses=['127.0.0.1:0']"
                               << "job_addresses = ['127.0.0.1:0']";
        QTest::newRow("flag") << "cluster.evaluator=false"
                              << "evaluator = false";
        QTest::newRow("a number as name") << "job.name=2024"
                                          << "name = \"2024\"";
        QTest::newRow("equals") << "job.run_dir=a=b"
                                << "run_dir = \"a=b\"";
        QTest::newRow("comment") << "job.run_dir=a # b"
                                 << "run_dir = \"a # b\"";
        QTest::newRow("two lines") << "job.run_dir='a'\nx = 1"
                                   << "run_dir = \"'a'\\nx = 1\"";
        QTest::newRow("backslash") << "job.run_dir=C:\\x\""
                                   << "run_dir = \"C:\\\\x\\\"\"";
        QTest::newRow("empty") << "job.run_dir="
                               << "run_dir = \"\"";
        QTest::newRow("option of a layer") << "model.layers[0].activation=linear"
                                           << "activation = \"linear\" }";
    }
    void settingsTakeTomlElseAString() {
        QFETCH(QString, assignment);
        QFETCH(QString, line);
        auto document = parsed(kMinimalJob);
        const auto applied = document.applySetting(assignment.toStdString());
        QVERIFY2(applied.has_value(), applied ? "" : applied.error().message.c_str());
        QVERIFY2(QString::fromStdString(document.text()).contains(line), document.text().c_str());
    }

    void anUnusableSettingChangesNothing_data() {
        QTest::addColumn<QString>("assignment");
        QTest::addColumn<QString>("message");
        QTest::newRow("unknown")
            << "training.epoch=1"
            << "--set: there is no key \"training.epoch\", did you mean training.epochs?";
        QTest::newRow("section")
            << "trainig.epochs=1"
            << "--set: there is no key \"trainig.epochs\", did you mean training.epochs?";
        QTest::newRow("no section")
            << "epochs=1"
            << "--set: there is no key \"epochs\", did you mean training.epochs?";
        QTest::newRow("table") << "training=1"
                               << "--set: there is no key \"training\"";
        QTest::newRow("no equals") << "training.epochs"
                                   << "--set training.epochs is not KEY=VALUE";
        QTest::newRow("no key") << "=1"
                                << "--set =1 is not KEY=VALUE";
        QTest::newRow("absent layer")
            << "model.layers[7].units=1"
            << "--set: model.layers[7].units is not there: model.layers has 1 element";
        QTest::newRow("no index") << "model.layers[].units=1"
                                  << "--set: there is no key \"model.layers[].units\"";
        QTest::newRow("word index") << "model.layers[x].units=1"
                                    << "--set: there is no key \"model.layers[x].units\"";
        QTest::newRow("open index") << "model.layers[0=1"
                                    << "--set: there is no key \"model.layers[0\"";
    }
    void anUnusableSettingChangesNothing() {
        QFETCH(QString, assignment);
        auto document = parsed(kMinimalJob);
        const auto applied = document.applySetting(assignment.toStdString());
        QVERIFY(!applied.has_value());
        QCOMPARE(applied.error().code, ErrorCode::BadInput);
        QTEST(QString::fromStdString(applied.error().message).section(", did you mean model", 0, 0),
              "message");
        QVERIFY(!applied.error().remedy.empty());
        QCOMPARE(document.text(), kMinimalJob);
    }

    void aHalfTypedFileKeepsTheLastGoodSpec() {
        auto document = parsed(kMinimalJob);
        QVERIFY(document.set("training.epochs", "7").has_value());
        const std::string good = document.text();
        document.edit(good + "[checkpoint]\nkeep = ");
        QVERIFY(!document.wellFormed());
        QCOMPARE(document.findings().size(), std::size_t{1});
        QCOMPARE(document.findings()[0].line, 9);
        QCOMPARE(document.findings()[0].column, 8);
        QCOMPARE(document.spec().training.epochs, 7);
        QVERIFY(!document.checked().has_value());
        QVERIFY(!document.set("training.epochs", "8").has_value());
        QVERIFY(!document.unset("training.epochs").has_value());
        QVERIFY(document.text().ends_with("keep = "));
        document.edit(good + "[checkpoint]\nkeep = 9");
        QVERIFY(document.findings().empty());
        QCOMPARE(document.spec().checkpoint.keep, 9);
    }

    void aFileThatNeverWasGoodHasTheDefaultSpec() {
        const auto document = JobDocument::lenient("[job", "new.toml");
        QVERIFY(!document.wellFormed());
        QVERIFY(document.findings()[0].place.starts_with("new.toml:1:"));
        QCOMPARE(document.spec().cluster.jobAddresses.size(), std::size_t{1});
        QCOMPARE(document.origin("job.name"), std::string("default"));
    }

    void theResolvedFileIsCompleteAndAFixedPoint() {
        auto document = parsed(kCommentedJob);
        QVERIFY(document.set("cluster.evaluator", "[::1]:9").has_value());
        QVERIFY(document.set("job.run_dir", "a \"b\"\\c\xC3\xBC").has_value());
        QVERIFY(document.set("training.seed", "5").has_value());
        const std::string schedule = "training.schedule.";
        QVERIFY(document.set("checkpoint.sharded", "true").has_value());
        QVERIFY(document.set(schedule + "initial_learning_rate", "0.5").has_value());
        QVERIFY(document.set(schedule + "warmup_target", "0.75").has_value());
        QVERIFY(document.set(schedule + "boundaries", "[5, 9]").has_value());
        QVERIFY(document.set(schedule + "values", "[1.0, 0.1, 0.01]").has_value());
        QVERIFY(document.set("data.augment", "[{ type = \"random_flip\" }]").has_value());
        QVERIFY(document.set("data.normalize.mean", "0.5").has_value());
        QVERIFY(document.set("data.normalize.std", "0.25").has_value());
        QVERIFY(document.set("model.initial_weights", "\"theirs.safetensors\"").has_value());
        QVERIFY(document.set("training.class_weights", "[1.0, 2.5]").has_value());
        QVERIFY(document.set("slurm.partition", "main").has_value());
        QVERIFY(document.set("slurm.account", "lab").has_value());
        QVERIFY(document.set("slurm.time_limit", "1-12").has_value());
        QVERIFY(document.set("slurm.options", "[\"--gres=gpu:2\"]").has_value());
        const std::string resolved = resolvedToml(document.spec());
        const auto again = parsed(resolved);
        QVERIFY(again.wellFormed() && resolvedToml(again.spec()) == resolved);
        QCOMPARE(again.spec().runDir, std::string("a \"b\"\\c\xC3\xBC"));
        const auto isGiven = [](const std::string& key) {
            const bool isOpen = key.starts_with("data.") && keyHelp(key)->defaultToml.empty();
            return key == "data.dataset" || (!isOpen && !key.ends_with("directory"));
        };
        for (const KeyHelp& help : allKeyHelp())
            if (isGiven(help.key) && help.key.find('[') == std::string::npos &&
                help.key != "launch.ssh_config" && help.key != "distribution.layout" &&
                help.key != "model.blocks" && help.key != "model.defaults")
                QVERIFY2(again.origin(help.key) != "default", help.key.c_str());
    }
    void theResolvedExampleIsGolden() {
        QCOMPARE(
            QString::fromStdString(resolvedToml(parsed(example("digits.toml")).spec())),
            QStringLiteral(
                "[job]\nname = \"digits-mlp\"\n\n"
                "[cluster]\njob_addresses = [\"127.0.0.1:0\", \"127.0.0.1:0\"]\nnum_processes = 2\n"
                "evaluator = true\ndevices_per_process = \"all\"\nlocal_device_ids = []\ndevice = "
                "\"auto\"\ntransport = \"auto\"\nheartbeat_timeout_seconds = 10.0\n"
                "initialization_timeout_seconds = 300.0\n\n"
                "[distribution]\nmesh.batch = 0\nmesh.model = 1\n\n"
                "[launch]\nmethod = \"local\"\non_disconnect = \"detached\"\nhosts = []\n"
                "command = []\nenvironment = []\non_failure = \"restart\"\nmax_restarts = 0\n"
                "on_stuck = \"wait\"\nstuck_grace_seconds = 30.0\nspares = []\n"
                "spare_after_seconds = 60.0\nleast_processes = 0\nlease_seconds = 10.0\n\n"
                "[slurm]\nnodes = 0\nstop_before_limit_seconds = 120\noptions = []\n\n"
                "[data]\ndataset = \"digits\"\nvalidation_samples = 10000\ncache = \"memory\"\n"
                "prefetch = 0\nauto_shard = \"auto\"\nshuffle = \"all\"\nreshuffle = true\n"
                "drop_remainder = false\ncolor = \"rgb\"\non_error = \"error\"\n"
                "tokenizer = \"bytes\"\ntarget_scale = 1.0\nmissing = \"error\"\n\n[model]\nlayers "
                "= [\n"
                "  { type = \"dense\", units = 256, activation = \"relu\" },\n"
                "  { type = \"dense\", units = 256, activation = \"relu\" },\n"
                "  { type = \"dense\", units = 10, activation = \"linear\" },\n]\n\n"
                "[training]\nglobal_batch_size = 32\nepochs = 4\nsteps = 0\n"
                "evaluate_every_steps = 0\ngradient_accumulation_steps = 1\n"
                "use_ema = false\nema_momentum = 0.99\nloss = \"auto\"\n"
                "label_smoothing = 0.0\nignored_class = -1\nhuber_delta = 1.0\nmetrics = []\n"
                "optimizer = \"adam\"\nlearning_rate = 0.001\nmomentum = 0.0\nnesterov = false\n"
                "beta_1 = 0.9\nbeta_2 = 0.999\nepsilon = 1e-07\nrho = 0.9\nweight_decay = 0.0\n"
                "weight_decay_on = \"all\"\nclipnorm = 0.0\nclipvalue = 0.0\nglobal_clipnorm = "
                "0.0\nprecision = \"float32\"\ntune = false\nseed = 1\n"
                "terminate_on_nan = true\nidentity_every_steps = 100\n"
                "schedule.type = \"constant\"\nschedule.decay_steps = 0\n"
                "schedule.decay_epochs = 0.0\nschedule.alpha = 0.0\nschedule.warmup_steps = 0\n"
                "schedule.warmup_epochs = 0.0\nschedule.decay_rate = 0.96\n"
                "schedule.staircase = false\nschedule.end_learning_rate = 0.0001\n"
                "schedule.power = 1.0\nschedule.cycle = false\nschedule.factor = "
                "0.1\nschedule.patience = 10\n"
                "schedule.min_delta = 0.0001\nschedule.cooldown = 0\nschedule.min_learning_rate = "
                "0.0\n\n"
                "[early_stopping]\nmonitor = \"off\"\npatience = 3\nmin_delta = 0.0\n"
                "mode = \"auto\"\nrestore_best = true\n\n"
                "[evaluator]\nprocesses = 1\npolicy = \"every\"\ndevice = \"cpu\"\n\n"
                "[checkpoint]\nevery_steps = 500\nevery_epochs = 0\nkeep = 3\ncopies = 1\n"
                "keep_unscored = 10\nkeep_best = false\nmonitor = \"auto\"\nmode = \"auto\"\n"
                "resume = \"never\"\n\n[log]\ncsv = false\n"));
    }

    void aFileIsLoadedFromDisk() {
        QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("my.toml").toStdString();
        const auto missing = loadJobFile(path);
        QVERIFY(!missing.has_value());
        QVERIFY(missing.error().message.find("my.toml") != std::string::npos);
        std::ofstream(path) << kMinimalJob;
        const auto document = loadJobFile(path);
        QVERIFY(document.has_value());
        QCOMPARE(document->displayName(), std::string("my.toml"));
        QCOMPARE(document->text(), kMinimalJob);
        std::filesystem::resize_file(path, kJobFileLimitBytes + 1);
        QVERIFY(!loadJobFile(path).has_value());
        QVERIFY(!loadJobFile(folder.path().toStdString()).has_value());
    }
};

QTEST_GUILESS_MAIN(JobFileTest)
#include "tst_job_file.moc"

// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/base/rng.h"
#include "core/config/dialects/dialect_readers.h"
#include "core/config/document/effective_cluster.h"
#include "tests/core/config/job_texts.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

QString lines(const std::vector<std::string>& texts) {
    QStringList list;
    for (const std::string& text : texts)
        list << QString::fromStdString(text);
    return list.join("\n");
}

/// What was pasted, the first note, and every value that was understood, without its origin.
struct Sample {
    const char* name;
    std::string text;
    const char* note;
    const char* values;
};

QString valuesOf(const ClusterFacts& facts) {
    QString text = lines(explain(facts));
    static const QRegularExpression kOrigin(" from [^\n]*");
    return text.remove(kOrigin);
}

const std::vector<Sample>& samples() {
    static const std::vector<Sample> kSamples = {
        {"Keras' variables",
         "export KERAS_DISTRIBUTION_JOB_ADDRESSES=\"10.0.0.1:1234,10.0.0.2:2345\"\n"
         "export KERAS_DISTRIBUTION_NUM_PROCESSES=2; export KERAS_DISTRIBUTION_PROCESS_ID=1\n",
         "understood as Keras' variables: 2 processes; this is process 1",
         "job_addresses 10.0.0.1:1234,10.0.0.2:2345\nnum_processes 2\nprocess_id 1"},
        {"Keras' variables as its documents set them",
         "os.environ[\n\"KERAS_DISTRIBUTION_JOB_ADDRESSES\"] = \"10.0.0.1:1234,10.0.0.2:2345\"\n"
         "os.environ[\"KERAS_DISTRIBUTION_NUM_PROCESSES\"] = \"2\"\n"
         "os.environ[\"KERAS_DISTRIBUTION_PROCESS_ID\"] = \"0\"\nkeras.distribute.initialize()\n",
         "understood as Keras' variables: 2 processes; this is process 0",
         "job_addresses 10.0.0.1:1234,10.0.0.2:2345\nnum_processes 2\nprocess_id 0"},
        {"the call in Keras' documents",
         "keras.distribute.initialize(\njob_addresses=\"10.0.0.1:1234,10.0.0.2:2345\",\n"
         "num_processes=2,\nprocess_id=0)",
         "understood as the arguments of keras.distribution.initialize: 2 processes; this is "
         "process 0",
         "job_addresses 10.0.0.1:1234,10.0.0.2:2345\nnum_processes 2\nprocess_id 0"},
        {"the call in JAX's documents",
         ">>> jax.distributed.initialize(coordinator_address='10.0.0.1:1234', num_processes=2, "
         "process_id=0)",
         "understood as the arguments of jax.distributed.initialize: 2 processes; this is process "
         "0",
         "coordinator_address 10.0.0.1:1234\nnum_processes 2\nprocess_id 0"},
        {"a call by position",
         "initialize(\"[fe80::1]:1234\", 2, None, [0, 1],  # two devices\n"
         "           coordinator_bind_address='[::]:1234', slice_index=3)",
         "understood as the arguments of jax.distributed.initialize: 2 processes",
         "coordinator_address [fe80::1]:1234\ncoordinator_bind_address [::]:1234\n"
         "num_processes 2\nlocal_device_ids 0,1\npartition_index 3"},
        {"TF_CONFIG",
         R"({"cluster":{"worker":["a:5000","b:5000","c:5000"],)"
         R"("evaluator":["d:5000"]},"task":{"type":"worker","index":"1"}})",
         "understood as TF_CONFIG: 3 workers and an evaluator; this is worker 1",
         "job_addresses a:5000,b:5000,c:5000\nnum_processes 3\nrole worker\nprocess_id 1\n"
         "evaluator true\nevaluator_address d:5000"},
        {"TF_CONFIG with a chief, before a command",
         R"(TF_CONFIG='{"cluster":{"worker":["b:5000","c:5000"],"chief":["a:5000"]},)"
         R"("task":{"type":"worker","index":1}}' python3 train.py)",
         "understood as TF_CONFIG: a chief and 2 workers; this is worker 1",
         "job_addresses a:5000,b:5000,c:5000\nnum_processes 3\nrole worker\nprocess_id 2"},
        {"TF_CONFIG without a shell's quotes",
         R"(TF_CONFIG={"cluster": {"worker": ["a:5000", "b:5000"]}, "task": {"type": "worker",)"
         R"( "index": 0}})",
         "understood as TF_CONFIG: 2 workers; this is worker 0",
         "job_addresses a:5000,b:5000\nnum_processes 2\nrole worker\nprocess_id 0"},
        {"TF_CONFIG as the guide sets it",
         "os.environ['TF_CONFIG'] = json.dumps({\n'cluster': {\n'worker': [\"localhost:12345\", "
         "\"localhost:23456\"]\n},\n'task': {'type': 'worker', 'index': 0}\n})\n# Set TF_CONFIG\n",
         "understood as TF_CONFIG: 2 workers; this is worker 0",
         "job_addresses localhost:12345,localhost:23456\nnum_processes 2\nrole worker\n"
         "process_id 0"},
        {"TF_CONFIG of an evaluator that is not in the cluster",
         R"({"cluster":{"chief":["a:5000"],"worker":["b:5000"]},)"
         R"("task":{"type":"evaluator","index":0},"environment":"cloud"})",
         "understood as TF_CONFIG: a chief and a worker; this is the evaluator",
         "job_addresses a:5000,b:5000\nnum_processes 2\nrole evaluator\nprocess_id 0\n"
         "evaluator true"},
        {"TF_CONFIG by index",
         R"({"cluster":{"worker":{"1":"b:5000","0":"a:5000"}},)"
         R"("task":{"type":"worker","index":0}})",
         "understood as TF_CONFIG: 2 workers; this is worker 0",
         "job_addresses a:5000,b:5000\nnum_processes 2\nrole worker\nprocess_id 0"},
        {"torchrun's variables",
         "MASTER_ADDR=gpu01\nMASTER_PORT=29500\nWORLD_SIZE=4\nRANK=3\nLOCAL_RANK=1\n",
         "understood as torchrun's variables: 4 processes; this is process 3",
         "coordinator_address gpu01:29500\nnum_processes 4\nprocess_id 3\nlocal_process_id 1\n"
         "local_device_ids 1"},
        {"a torchrun command",
         "$ OMP_NUM_THREADS=1 torchrun --nnodes=2 --nproc_per_node 4 --node-rank=1 \\\n"
         "    --master-addr=gpu01 --master-port 29501 train.py --epochs 3\n",
         "understood as a torchrun command: 8 processes",
         "coordinator_address gpu01:29501\nnum_processes 8"},
        {"a torchrun command on this host",
         "python -m torch.distributed.run --standalone --nproc-per-node=2 train.py",
         "understood as a torchrun command: 2 processes",
         "coordinator_address 127.0.0.1:29500\nnum_processes 2\nhosts 127.0.0.1,127.0.0.1"},
        {"a torchrun rendezvous",
         "torchrun --nnodes=2 --rdzv-backend=c10d --rdzv-id=7 --rdzv-endpoint=gpu01 train.py",
         "understood as a torchrun command: 2 processes",
         "coordinator_address gpu01:29400\nnum_processes 2"},
        {"Open MPI's hostfile", "# ours\ngpu01 slots=2 max_slots=4\ngpu02\n",
         "understood as a hostfile: 3 processes on 2 hosts",
         "num_processes 3\nhosts gpu01,gpu01,gpu02"},
        {"DeepSpeed's hostfile", "gpu01\tslots=1\r\ngpu02\tslots=1\r\n",
         "understood as a hostfile: 2 processes on 2 hosts", "num_processes 2\nhosts gpu01,gpu02"},
        {"a Slurm node list", "rack[1-2]-node[3-4]",
         "understood as a Slurm node list: 4 processes on 4 hosts",
         "num_processes 4\nhosts rack1-node3,rack1-node4,rack2-node3,rack2-node4"},
        {"a list of addresses", "10.0.0.1:1234, [fe80::1]:1234,",
         "understood as a list of addresses: 2 processes",
         "job_addresses 10.0.0.1:1234,[fe80::1]:1234"},
        {"addresses line by line", "gpu01:5000\ngpu02:5000\n",
         "understood as a list of addresses: 2 processes", "job_addresses gpu01:5000,gpu02:5000"},
        {"Slurm's variables",
         "SLURM_JOB_ID=4096\nSLURM_STEP_NODELIST='n[1-2]-ib'\nSLURM_NTASKS=2\nSLURM_PROCID=1\n"
         "SLURM_LOCALID=0\nSLURM_STEP_TASKS_PER_NODE='1(x2)'\n",
         "understood as Slurm's variables: 2 processes; this is process 1",
         "coordinator_address n1-ib:61440\nnum_processes 2\nprocess_id 1\nlocal_process_id 0\n"
         "local_device_ids 0\nhosts n1-ib,n2-ib\nstart_id slurm-4096.0-0"},
        {"an indexed Kubernetes job",
         "apiVersion: v1\nkind: Service\nmetadata:\n  name: train\n---\napiVersion: batch/v1\n"
         "kind: Job\nmetadata:\n  name: digits   # the job\nspec:\n  completionMode: \"Indexed\"\n"
         "  parallelism: 2\n  completions: 2\n  template:\n    spec:\n      subdomain: train\n"
         "      containers:\n      - name: worker\n        image: lockstep\n",
         "understood as the indexed Kubernetes job digits: 2 processes",
         "coordinator_address digits-0.train:55527\nnum_processes 2\n"
         "hosts digits-0.train,digits-1.train"},
    };
    return kSamples;
}

JobDocument jobOf(const ClusterFacts& facts) {
    JobDocument document = parsed(kMinimalJob);
    const auto applied = applyFacts(document, facts);
    if (!applied) qFatal("%s", applied.error().message.c_str());
    return document;
}

std::string printed(const JobDocument& document, Dialect dialect, const DialectTask& task) {
    const auto text = printDialect(document.spec(), dialect, task);
    return text ? text->text : "error: " + text.error().message;
}

DialectTask taskOf(const ClusterFacts& facts) {
    DialectTask task;
    task.evaluator = facts.role && facts.role->value == ProcessRole::Evaluator;
    if (facts.processId && !task.evaluator) task.processId = facts.processId->value;
    return task;
}

std::string mutated(std::string text, CounterRng& rng) {
    const std::string alphabet = "[]{}=.,#\"'\n\r\t \\a1-:_(xZ\xC3\xBC\x01";
    for (std::uint32_t i = 0, count = 1 + rng.nextBelow(6); i < count && !text.empty(); ++i) {
        const std::size_t at = rng.nextBelow(static_cast<std::uint32_t>(text.size()));
        const char c = alphabet[rng.nextBelow(static_cast<std::uint32_t>(alphabet.size()))];
        switch (rng.nextBelow(5)) {
            case 0:
                text.resize(at);
                break;
            case 1:
                text[at] = c;
                break;
            case 2:
                text.insert(at, text.substr(at / 2, 1 + rng.nextBelow(40)));
                break;
            case 3:
                text.erase(at, 1 + rng.nextBelow(4));
                break;
            default:
                text.insert(at, 1 + rng.nextBelow(3), c);
        }
    }
    return text;
}

}  // namespace

class DialectReadersTest : public QObject {
    Q_OBJECT
private slots:
    void whateverIsPastedIsRecognised_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < samples().size(); ++i)
            QTest::newRow(samples()[i].name) << static_cast<int>(i);
    }
    void whateverIsPastedIsRecognised() {
        QFETCH(int, index);
        const Sample& sample = samples()[static_cast<std::size_t>(index)];
        const auto reading = readAny(sample.text);
        QVERIFY2(reading.has_value(), reading ? "" : reading.error().message.c_str());
        QCOMPARE(QString::fromStdString(reading->notes.front()), QString::fromUtf8(sample.note));
        QCOMPARE(valuesOf(reading->facts), QString::fromUtf8(sample.values));
        for (const Finding& finding : reading->findings)
            QVERIFY2(finding.severity != Severity::Error, finding.message.c_str());
    }

    void aJobPrintedInADialectReadsBackAsTheSame_data() {
        QTest::addColumn<QString>("cluster");
        QTest::newRow("every address") << "job_addresses = \"10.0.0.1:1234,gpu02:2345,"
                                          "[fe80::1]:1234\"\nevaluator = \"gpu03:5000\"\n"
                                          "[launch]\nmethod = \"ssh\"\n";
        QTest::newRow("several on a host") << "job_addresses = \"gpu01:1234,gpu01:1235,gpu02:1234,"
                                              "gpu02:1235\"\n[launch]\nmethod = \"ssh\"\n";
        QTest::newRow("this machine") << "job_addresses = \"127.0.0.1:1234,127.0.0.1:1235\"\n";
        QTest::newRow("one process") << "job_addresses = \"127.0.0.1:1234\"\n";
        QTest::newRow("the coordinator's address alone")
            << "job_addresses = \"gpu01:1234\"\nnum_processes = 3\n[launch]\nmethod = \"ssh\"\n"
               "hosts = [\"gpu01\", \"gpu01\", \"gpu01\"]\n";
    }
    void aJobPrintedInADialectReadsBackAsTheSame() {
        QFETCH(QString, cluster);
        const JobDocument job = parsed(kMinimalJob + "[cluster]\n" + cluster.toStdString());
        int printedTexts = 0;
        for (const Dialect dialect : {Dialect::Keras, Dialect::Jax, Dialect::TfConfig,
                                      Dialect::Torchrun, Dialect::Hostfile})
            for (int id = -1; id < job.spec().cluster.numProcesses; ++id) {
                DialectTask task;
                task.evaluator = id < 0;
                if (id >= 0) task.processId = id;
                const auto first = printDialect(job.spec(), dialect, task);
                if (!first) continue;  // the dialect cannot say it
                const auto reading = readDialect(dialect, first->text);
                QVERIFY2(reading.has_value(), reading ? "" : reading.error().message.c_str());
                // A host on which several processes are among others: torchrun names the first.
                const bool others = dialect == Dialect::Torchrun && !reading->facts.hosts &&
                                    job.spec().cluster.numProcesses > 1;
                const std::string again =
                    printed(jobOf(reading->facts), dialect,
                            dialect == Dialect::Hostfile ? DialectTask{} : taskOf(reading->facts));
                if (others)
                    QVERIFY2(first->text.starts_with(again), again.c_str());
                else
                    QCOMPARE(QString::fromStdString(again), QString::fromStdString(first->text));
                QCOMPARE(valuesOf(readAny(first->text)->facts), valuesOf(reading->facts));
                ++printedTexts;
            }
        QVERIFY(printedTexts >= 4);
    }

    void whatIsUnderstoodIsTheSameAfterItWasAJob() {
        for (const Sample& sample : samples()) {
            const auto reading = readAny(sample.text);
            const JobDocument job = jobOf(reading->facts);
            ClusterFacts facts = reading->facts;  // what is the job's, not the process'
            facts.role.reset();
            facts.processId.reset();
            facts.localProcessId.reset();
            facts.localDeviceIds.reset();
            facts.partitionIndex.reset();
            facts.startId.reset();
            facts.coordinatorBindAddress.reset();
            ClusterFacts said = factsOf(job);
            if (said.jobAddresses) facts.numProcesses.reset();  // it follows
            if (!facts.jobAddresses && !facts.coordinatorAddress) {
                facts.hosts.reset();  // written as addresses with open ports
                QVERIFY2(said.jobAddresses.has_value(), sample.name);
                said.jobAddresses.reset();
            }
            QCOMPARE(valuesOf(said), valuesOf(facts));
        }
    }

    void factsAreWrittenAsPatches() {
        JobDocument document = parsed(kCommentedJob);
        const auto reading = readAny("gpu01:5000,10.0.0.2:1234");
        QVERIFY(applyFacts(document, reading->facts).has_value());
        std::string expected = kCommentedJob;
        expected.replace(expected.find("10.0.0.1:1234"), 13, "gpu01:5000");
        QCOMPARE(QString::fromStdString(document.text()), QString::fromStdString(expected));
    }

    void aHostfileBecomesAddressesWithOpenPorts() {
        JobDocument document =
            parsed(kMinimalJob +
                   "[cluster]\njob_addresses = \"a:1\"\nnum_processes = 2 # two\n[launch]\n"
                   "hosts = [\"a\", \"b\"]\n[checkpoint]\ncopies = 2\n");
        QVERIFY(applyFacts(document, readAny("gpu01 slots=1\ngpu02 slots=1\n")->facts).has_value());
        QVERIFY2(document.findings().empty(),
                 document.findings().empty() ? "" : document.findings()[0].message.c_str());
        const JobSpec& spec = document.spec();
        const std::vector<Address> open = {{"gpu01", 0}, {"gpu02", 0}};
        QCOMPARE(spec.cluster.jobAddresses, open);
        QVERIFY(spec.launch.hosts.empty());
        QVERIFY(spec.launch.method == LaunchMethod::Ssh);
    }

    void aFileThatCannotBeWrittenStaysAsItWas() {
        JobDocument broken = JobDocument::lenient("[cluster\n", "job.toml");
        QVERIFY(!applyFacts(broken, readAny("a:5000,b:5000")->facts));
        QCOMPARE(broken.text(), std::string("[cluster\n"));
    }

    void whatIsLeftOutIsSaid() {
        const auto call = readAny(
            "initialize('a:5000', 2, 0, initialization_timeout=60, slice_index=0, "
            "cluster_detection_method='slurm')");
        QCOMPARE(lines(call->notes).section('\n', 1),
                 QString("initialization_timeout is left out: set "
                         "cluster.initialization_timeout_seconds\n"
                         "cluster_detection_method is left out: a job file needs no detection\n"
                         "slice_index is deprecated: JAX calls it partition_index now\n"
                         "slice_index is left out: a job has no such key"));
        const auto devices = readAny("initialize('a:5000', 2, 0, local_device_ids=[0,1])");
        QVERIFY(lines(devices->notes)
                    .section('\n', 1)
                    .startsWith("local_device_ids is left out: they are of one process, and "));
        const auto exported = readAny(
            "export JAX_COORDINATOR_ADDRESS=a:5000 JAX_LOCAL_DEVICE_IDS=0,1 "
            "JAX_COORDINATOR_BIND_ADDRESS=0.0.0.0:5001\n");
        QVERIFY(lines(exported->notes).contains("\nJAX_LOCAL_DEVICE_IDS is left out: "));
        QVERIFY(lines(exported->notes).contains("\nJAX_COORDINATOR_BIND_ADDRESS is left out: "));
        const auto variables = readAny(
            "OMP_NUM_THREADS=2\nTF_CONFG={}\nKERAS_DISTRIBUTION_"
            "NUM_PROCESSES=2\n");
        QCOMPARE(lines(variables->notes).section('\n', 1),
                 QString("OMP_NUM_THREADS and TF_CONFG say nothing of a cluster"));
        QCOMPARE(variables->findings.size(), std::size_t{1});
        QCOMPARE(variables->findings[0].message,
                 std::string("TF_CONFG is set, but nothing reads it, did you mean TF_CONFIG?"));
    }

    void aTextOfAnotherDialectIsRefused() {
        QVERIFY(!readDialect(Dialect::Keras, "TF_CONFIG='{}'"));
        QVERIFY(!readDialect(Dialect::TfConfig, "RANK=0"));
        QVERIFY(!readDialect(Dialect::Torchrun, "gpu01 slots=2"));
        QVERIFY(!readDialect(Dialect::Hostfile, "A=1 B=2"));
        QVERIFY(!readDialect(Dialect::Jax, "gpu01 slots=2"));
        QVERIFY(!readAny(std::string(kPasteLimitBytes + 1, 'a')));
    }

    void noTextBreaksAReader() {
        QElapsedTimer clock;
        clock.start();
        int read = 0;
        int refused = 0;
        for (std::uint64_t seed = 1; seed <= 12000 && clock.elapsed() < 5000; ++seed) {
            CounterRng rng(seed, 11);
            const auto& sample =
                samples()[rng.nextBelow(static_cast<std::uint32_t>(samples().size()))];
            const std::string text = mutated(sample.text, rng);
            const auto reading = readAny(text);
            for (const Dialect dialect : {Dialect::Keras, Dialect::Jax, Dialect::TfConfig,
                                          Dialect::Torchrun, Dialect::Hostfile})
                if (const auto one = readDialect(dialect, text); !one)
                    QVERIFY2(!one.error().remedy.empty(), text.c_str());
            read += reading ? 1 : 0;
            refused += reading ? 0 : 1;
            if (!reading) {
                QVERIFY2(reading.error().code == ErrorCode::BadInput, text.c_str());
                QVERIFY2(!reading.error().message.empty(), text.c_str());
                QVERIFY2(!reading.error().remedy.empty(), text.c_str());
                QVERIFY2(reading.error().message.find('\n') == std::string::npos, text.c_str());
                continue;
            }
            JobDocument document = parsed(kMinimalJob);
            const auto applied = applyFacts(document, reading->facts);
            QVERIFY2(applied.has_value(), text.c_str());
            QVERIFY2(document.wellFormed(), text.c_str());
        }
        // Both sides are exercised, however slow the machine is.
        const int all = read + refused;
        QVERIFY2(all > 100 && read > all / 20 && refused > all / 20,
                 qPrintable(QStringLiteral("%1 read, %2 refused").arg(read).arg(refused)));
    }
};

QTEST_GUILESS_MAIN(DialectReadersTest)
#include "tst_dialect_readers.moc"

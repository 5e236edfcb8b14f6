// SPDX-License-Identifier: Apache-2.0
// Whatever a user may get wrong: refused in one sentence with its place, nothing written.
#include <sys/mount.h>

#include <QTcpServer>
#include <QtTest>

#include "tests/integration/idx_samples.h"

using namespace lockstep::tests;

namespace {

/// The small job with one piece of text replaced.
QByteArray jobWith(const QByteArray& piece, const QByteArray& replacement) {
    QByteArray job = kSmallJob;
    if (!job.contains(piece)) qFatal("the job holds no %s", piece.constData());
    return job.replace(piece, replacement);
}

const QStringList kRun{"run", "job.toml", "--run-dir", "out"};

QStringList setting(const QString& assignment) {
    return kRun + QStringList{"--set", assignment};
}

}  // namespace

class BadInputTest : public QObject {
    Q_OBJECT

private:
    /// Exit status 2, one error with `expected` (a pattern) in it, at most four lines of remedy
    /// with `remedy` in them, and the folder as it was.
    void refuses(const Workplace& place, const QStringList& arguments, const QString& expected,
                 const QString& remedy) {
        const auto before = place.contents();
        const Ended ended = place.run(arguments);
        REQUIRE_EXIT(ended, 2);
        const QStringList errors = errorsOf(ended);
        QVERIFY2(errors.size() == 1, ended.words());
        QVERIFY2(QRegularExpression(expected).match(errors[0]).hasMatch(), ended.words());
        const QStringList lines = remedyOf(ended);
        QVERIFY2(lines.size() <= 4, ended.words());
        QVERIFY2(QRegularExpression(remedy).match(lines.join(' ')).hasMatch(), ended.words());
        QVERIFY2(ended.output.isEmpty(), ended.words());
        const auto after = place.contents();
        QVERIFY2(after.keys() == before.keys(), qPrintable(after.keys().join('\n')));
        QVERIFY(after == before);
        QVERIFY(place.nothingRunsSoon());
    }

private slots:
    void jobFilesAreRefused_data() {
        QTest::addColumn<QByteArray>("job");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<QString>("remedy");
        const auto row = [](const char* name, const QByteArray& job, const char* expected,
                            const char* remedy) {
            QTest::newRow(name) << job << QString(expected) << QString(remedy);
        };
        row("empty", "", "job\\.toml", "data\\.dataset|model\\.layers|dataset");
        row("malformed", jobWith("epochs = 1", "epochs = "), "job\\.toml:15:\\d+", ".");
        row("unknown key", jobWith("epochs = 1", "epoch = 1"), "job\\.toml:15:1.*epoch", "epochs");
        row("unknown table", jobWith("[training]", "[trainning]"), "job\\.toml:13:\\d+",
            "training");
        row("text for a number", jobWith("epochs = 1", "epochs = \"one\""),
            "job\\.toml:15:\\d+.*training\\.epochs", ".");
        row("a number for text", jobWith("\"digits\"", "3"), "job\\.toml:6:\\d+.*data\\.dataset",
            ".");
        row("no samples", jobWith("batch_size = 512", "batch_size = 0"),
            "job\\.toml:14:\\d+.*global_batch_size.*0", ".");
        row("a negative batch", jobWith("batch_size = 512", "batch_size = -4"),
            "global_batch_size.*-4", ".");
        row("no epochs", jobWith("epochs = 1", "epochs = 0"), "training\\.epochs.*0", ".");
        row("no units", jobWith("units = 10", "units = 0"), "units", ".");
        row("huge units", jobWith("units = 10", "units = 99999999999999999999"),
            "job\\.toml:11:\\d+", ".");
        row("a negative rate", jobWith("seed = 1", "seed = 1\nlearning_rate = -0.1"),
            "learning_rate.*-0\\.1", ".");
        row("an unknown layer", jobWith("\"dense\", units = 10", "\"dens\", units = 10"),
            "job\\.toml:11:\\d+.*dens", "dense");
        row("an unknown dataset", jobWith("\"digits\"", "\"digitz\""), "digitz", "digits");
        row("a batch smaller than the replicas",
            jobWith("batch_size = 512", "batch_size = 2") + "[launch]\nmax_restarts = 0\n",
            "global_batch_size.*2", ".");
        row("a last layer that does not match the classes", jobWith("units = 10", "units = 7"), "7",
            "10");
        row("more validation samples than there are",
            jobWith("validation_samples = 10000", "validation_samples = 70000"), "70000", ".");
    }
    void jobFilesAreRefused() {
        QFETCH(QByteArray, job);
        QFETCH(QString, expected);
        QFETCH(QString, remedy);
        const Workplace place;
        place.write("job.toml", job);
        refuses(place, kRun + QStringList{"--processes", "3"}, expected, remedy);
    }

    void argumentsAreRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<QString>("remedy");
        const auto row = [](const char* name, const QStringList& arguments, const char* expected,
                            const char* remedy) {
            QTest::newRow(name) << arguments << QString(expected) << QString(remedy);
        };
        row("no command", {}, "subcommand", "--help");
        row("an unknown command", {"walk"}, "walk|subcommand", "--help");
        row("an unknown option", kRun + QStringList{"--epochs", "3"}, "--epochs", "--help");
        row("no job file", {"run"}, "job", "--help");
        row("a job file that is not there", {"run", "nowhere.toml"}, "nowhere\\.toml", ".");
        row("a folder as job file", {"run", "."}, "\\.", ".");
        row("no processes", kRun + QStringList{"--processes", "0"}, "processes", "--help");
        row("text for processes", kRun + QStringList{"--processes", "two"}, "processes", "--help");
        row("a setting without a value", setting("training.epochs"), "training\\.epochs", ".");
        row("a setting of an unknown key", setting("training.epoch=1"),
            "training\\.epoch.*training\\.epochs", "training");
        row("a setting of a wrong type", setting("training.epochs=many"), "training\\.epochs", ".");
        row("nccl without a GPU", setting("cluster.transport=nccl"), "transport.*nccl", "auto");
        row("a GPU that is not there", setting("cluster.device=gpu"), "device.*gpu", "auto|cpu");
        row("a way to launch that is not there", setting("launch.method=rsh"), "launch\\.method",
            "local");
        row("a run folder below a file", {"run", "job.toml", "--run-dir", "job.toml/run"},
            "job\\.toml/run", "--run-dir");
        row("a run folder where nobody may write", {"run", "job.toml", "--run-dir", "/proc/run"},
            "/proc/run", "--run-dir");
        row("nothing to resume", kRun + QStringList{"--resume"}, "nothing to resume.*out",
            "--resume|--run-dir");
        row("nothing to resume and no folder named", {"run", "job.toml", "--resume"}, "small",
            "--run-dir");
        row("from scratch without a resume", kRun + QStringList{"--from-scratch"},
            "--from-scratch needs --resume", "Add --resume");
        row("nothing to put aside", kRun + QStringList{"--resume", "--from-scratch"},
            "nothing to resume.*out", "--resume|--run-dir");
        row("a summary file below a file", kRun + QStringList{"--json", "job.toml/out.json"},
            "job\\.toml/out\\.json", ".");
        row("an export of nothing", {"export", "nowhere", "--format", "csv"}, "nowhere", ".");
        row("an unknown format", {"export", ".", "--format", "xml"}, "xml", "--help");
        row("an evaluation of nothing", {"evaluate", "nowhere"}, "nowhere", ".");
        row("an evaluation of a folder without a run", {"evaluate", "."}, "no checkpoints", ".");
        row("an attachment to a folder without a run", {"attach", "."}, "no run", ".");
    }
    void argumentsAreRefused() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, expected);
        QFETCH(QString, remedy);
        refuses(Workplace(), arguments, expected, remedy);
    }

    void dataFilesAreRefused_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("content");  // null: the file is missing
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* file, const QByteArray& content,
                            const char* expected) {
            QTest::newRow(name) << QString(file) << content << QString(expected);
        };
        row("missing", "t10k-labels-idx1-ubyte", {}, "t10k-labels-idx1-ubyte.*missing");
        row("truncated", "train-images-idx3-ubyte", idxImages(200).left(5000),
            "train-images-idx3-ubyte.*(announces|cut off)");
        row("empty", "train-images-idx3-ubyte", "", "train-images-idx3-ubyte");
        row("wrong magic", "train-labels-idx1-ubyte", idxImages(200),
            "train-labels-idx1-ubyte.*labels.*0x00000801");
        row("a label out of range", "train-labels-idx1-ubyte",
            idxLabels(200).replace(50, 1, QByteArray(1, 10)),
            "train-labels-idx1-ubyte.*label 10 of sample 42");
        row("fewer labels than images", "train-labels-idx1-ubyte", idxLabels(199), "199");
        row("a gzip bomb", "train-images-idx3-ubyte",
            gzipped(idxImages(200) + QByteArray(64 << 20, '\0')), "train-images-idx3-ubyte");
        row("a damaged gzip file", "train-images-idx3-ubyte",
            gzipped(idxImages(200)).replace(100, 4, "abcd"), "train-images-idx3-ubyte");
    }
    void dataFilesAreRefused() {
        QFETCH(QString, file);
        QFETCH(QByteArray, content);
        QFETCH(QString, expected);
        const Workplace place;
        writeIdxData(place);
        if (content.isNull())
            QFile::remove(place.path("data/" + file));
        else if (content.startsWith("\x1f\x8b"))
            QVERIFY(QFile::remove(place.path("data/" + file)));
        // It is known that mnist has ten classes; how many idx has, its labels say.
        place.write("job.toml", jobWith("\"digits\"", "\"mnist\"\ndirectory = \"data\"")
                                    .replace("samples = 10000", "samples = 50")
                                    .replace("= 512", "= 32"));
        if (!content.isNull())
            place.write("data/" + file + (content.startsWith("\x1f\x8b") ? ".gz" : ""), content);
        refuses(place, kRun + QStringList{"--processes", "2", "--set", "cluster.evaluator=true"},
                expected, "");
    }
    void goodDataFilesAreNot() {
        const Workplace place;
        writeIdxData(place);
        QFile::remove(place.path("data/train-images-idx3-ubyte"));
        place.write("data/train-images-idx3-ubyte.gz", gzipped(idxImages(200)));
        place.write("job.toml", jobWith("\"digits\"", "\"idx\"\ndirectory = \"data\"")
                                    .replace("samples = 10000", "samples = 50")
                                    .replace("= 512", "= 32"));
        REQUIRE_EXIT(place.run(kRun), 0);
        QCOMPARE(place.summary("out")["steps"], QJsonValue(5));  // 150 samples, 32 a step
    }
    void anEmptyRunFolderStaysEmpty() {
        const Workplace place;
        writeIdxData(place);
        QFile::remove(place.path("data/t10k-labels-idx1-ubyte"));
        QVERIFY(QDir().mkdir(place.path("out")));
        place.write("job.toml", jobWith("\"digits\"", "\"idx\"\ndirectory = \"data\""));
        refuses(place, kRun, "t10k-labels-idx1-ubyte.*missing", "");
    }
    void theJobFilesOwnFolderIsNoRunFolder() {
        refuses(Workplace(), {"run", "job.toml", "--run-dir", "."}, "job\\.toml", "--run-dir");
    }
    void aDataFolderThatIsNotThereIsSaid() {
        const Workplace place;
        place.write("job.toml", jobWith("\"digits\"", "\"mnist\"\ndirectory = \"nowhere\""));
        refuses(place, kRun, "data\\.directory.*/nowhere", "train-images-idx3-ubyte");
    }

    void aPortInUseIsSaid() {
        const Workplace place;
        QTcpServer other;
        QVERIFY(other.listen(QHostAddress::LocalHost));
        const QString address = QString("127.0.0.1:%1").arg(other.serverPort());
        refuses(place, setting("cluster.job_addresses=[\"" + address + "\"]"), address + ".*in use",
                "port");
    }

    void aFolderThatHoldsARunIsRefusedAndTheRunKept() {
        const Workplace place;
        REQUIRE_EXIT(place.run(kRun), 0);
        refuses(place, kRun, "out already holds a run", "--resume");
    }
    void resumingWithAnotherBatchSizeIsRefusedAndTheRunKept() {
        const Workplace place;
        REQUIRE_EXIT(place.run(kRun), 0);
        const auto before = place.contents();
        const Ended ended =
            place.run(setting("training.global_batch_size=256") + QStringList{"--resume"});
        REQUIRE_EXIT(ended, 2);
        QCOMPARE(errorsOf(ended).size(), 1);
        QVERIFY2(errorsOf(ended)[0].contains("512") && errorsOf(ended)[0].contains("256"),
                 ended.words());
        QVERIFY(remedyOf(ended).join(' ').contains("512"));
        const auto after = place.contents();
        for (const char* kept : {"out/job.toml", "out/summary.json", "out/checkpoints/LATEST",
                                 "out/checkpoints/step-98/model.safetensors"})
            QVERIFY2(after[kept] == before[kept], kept);
        REQUIRE_EXIT(place.run(kRun + QStringList{"--resume"}), 0);
    }

    void aFullDiskLeavesTheLastGoodCheckpoint() {
        const Workplace place;
        const QString disk = place.path("disk");
        QVERIFY(QDir().mkdir(disk));
        if (::mount("lockstep-test", qPrintable(disk), "tmpfs", 0, "size=3m") != 0)
            QSKIP("a small file system needs the right to mount one");
        const auto unmount = qScopeGuard([&] { ::umount2(qPrintable(disk), MNT_DETACH); });
        const QStringList job{"run",   "job.toml",           "--run-dir", "disk/run",
                              "--set", "training.epochs=20", "--set",     "checkpoint.keep=1000"};
        const auto run = place.start(job);
        QVERIFY(waitUntil([&] { return run->errors().contains("there is no room"); }));
        QVERIFY(run->signal(SIGINT));  // nobody makes room
        const Ended ended = run->waitForEnd();
        REQUIRE_EXIT(ended, 1);
        QCOMPARE(errorsOf(ended).size(), 1);
        QVERIFY2(ended.errors.contains("No space left on device"), ended.words());
        const Ended scored = place.run({"evaluate", "disk/run", "--json", "scores.json"});
        REQUIRE_EXIT(scored, 0);
        QVERIFY(place.readJson("scores.json")[0]["step"].toInt() >= 20);
        QVERIFY(place.nothingRunsSoon());
    }
};

QTEST_GUILESS_MAIN(BadInputTest)
#include "tst_bad_input.moc"

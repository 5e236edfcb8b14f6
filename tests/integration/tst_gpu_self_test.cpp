// SPDX-License-Identifier: Apache-2.0
// The worker's own checks of the GPU, and what it says about the machine. Where there is no GPU
// every check must be skipped with the reason, and nothing may fail.
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include "tests/support/program.h"

namespace {

constexpr const char* kWorker = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";

struct Finished {
    int status = -1;
    QString output;
};

Finished run(const QString& option, const QByteArrayList& environment = {}) {
    QProcess process;
    QProcessEnvironment all = QProcessEnvironment::systemEnvironment();
    for (const QByteArray& setting : environment)
        all.insert(setting.split('=')[0], setting.split('=')[1]);
    process.setProcessEnvironment(all);
    process.start(kWorker, {option});
    if (!process.waitForFinished(120'000)) return {};
    return {process.exitCode(), process.readAllStandardOutput()};
}

QJsonObject probe(const QByteArrayList& environment = {}) {
    const Finished done = run("--probe", environment);
    return QJsonDocument::fromJson(done.output.toUtf8()).object();
}

}  // namespace

class GpuSelfTestTest : public QObject {
    Q_OBJECT
private slots:
    void theSelfTestPassesOrSaysWhyItCannotRun() {
        const QJsonObject machine = probe();
        const Finished done = run("--self-test");
        QVERIFY2(done.status == 0, qPrintable(done.output));
        const QStringList lines = done.output.split('\n', Qt::SkipEmptyParts);
        QVERIFY(lines.last().startsWith("self-test: "));
        const bool usable = machine["gpu_state"].toString() == "usable";
        int checks = 0;
        for (const QString& line : lines) {
            if (!line.startsWith("ok ") && !line.startsWith("skipped ")) continue;
            ++checks;
            const bool lacksGpus = usable && line.contains(" GPUs, and there ");
            QCOMPARE(line.startsWith("ok "), usable && !lacksGpus);
            if (!usable) QVERIFY(line.contains(machine["gpu_sentence"].toString()));
        }
        QCOMPARE(checks, 29);
    }

    void theProbeSaysWhatThereIsAndWhyNot() {
        const QJsonObject machine = probe();
        for (const char* key : {"build", "processors", "gpus", "gpu_state", "gpu_sentence",
                                "gpu_remedy", "cuda_driver_version", "cuda_module"})
            QVERIFY2(machine.contains(key), key);
        QVERIFY(!machine["gpu_sentence"].toString().isEmpty());
        // The same worker, where the environment hides every device.
        const QJsonObject hidden = probe({"CUDA_VISIBLE_DEVICES=-1"});
        QVERIFY(hidden["gpu_state"].toString() != "usable");
        QVERIFY(!hidden["gpu_remedy"].toString().isEmpty());
    }
};

QTEST_GUILESS_MAIN(GpuSelfTestTest)
#include "tst_gpu_self_test.moc"

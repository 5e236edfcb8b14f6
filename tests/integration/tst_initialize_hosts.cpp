// SPDX-License-Identifier: Apache-2.0
// The documents' example: a program on each of two hosts calls initialize() with both addresses,
// and they train a network together. On hosts of their own addresses, which share no key file.
#include <QtTest>
#include <cstdio>

#include "core/base/ids.h"
#include "core/distribution/all_gather.h"
#include "core/distribution/devices.h"
#include "core/distribution/initialize.h"
#include "core/distribution/model_parallel.h"
#include "tests/core/fit/two_moons.h"
#include "tests/integration/hosts_place.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

int failed(const Error& error) {
    std::printf("error: %s\n", error.message.c_str());
    return 9;
}

/// As the documents call it.
int runMember(int processId, const std::string& secretFile, const std::string& run) {
    distribution::InitializeOptions options;
    options.jobAddresses = "10.77.0.1:1234,10.77.0.2:2345";
    options.numProcesses = 2;
    options.processId = processId;
    options.secretFile = secretFile;
    options.initializationTimeoutSeconds = 60;
    if (auto formed = distribution::initialize(options); !formed) return failed(formed.error());
    const auto hosts = distribution::allGather(hostName());
    const auto devices = distribution::listDevices("cpu");
    if (!hosts || !devices) return 8;
    const auto mesh = distribution::DeviceMesh::make({1, 2}, {"batch", "model"});
    if (!mesh) return failed(mesh.error());
    distribution::LayoutMap map(*mesh);
    if (auto put = map.insert("layers.0/kernel", {std::nullopt, "model"}); !put)
        return failed(put.error());
    const auto parallel = distribution::ModelParallel::make({.layoutMap = map});
    if (!parallel) return failed(parallel.error());
    distribution::setDistribution(*parallel);
    auto model = moonsModel();
    const auto history =
        model.fit(Moons(120).dataset().batch(24), {.epochs = 2, .runFolder = run, .seed = 5});
    if (!history) return failed(history.error());
    std::printf("%s and %s with %zu devices end with %s\n", hosts->front().c_str(),
                hosts->back().c_str(), devices->size(), history->stateHash.c_str());
    return distribution::shutdown() ? 0 : 7;
}

}  // namespace

class InitializeHostsTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        const QString why = whyNoHosts();
        if (!why.isEmpty()) QSKIP(qPrintable(why));
    }

    void programsOnTwoHostsMeetAndTrainTogether() {
        QTemporaryDir folder;
        std::vector<std::unique_ptr<QProcess>> programs;
        for (const int id : {1, 0}) {
            QFile secret(folder.filePath(QString("secret-of-%1").arg(id)));
            QVERIFY(secret.open(QIODevice::WriteOnly));
            secret.write("b8h2kPq7mT0vXc4Zr9wLs1Nf6Yj3Gd5A");
            secret.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
            programs.push_back(std::make_unique<QProcess>());
            programs.back()->start(
                "ssh", {"-F", qEnvironmentVariable("SSH_CONFIG"), "--", kHostAddress.arg(id + 1),
                        QString("CUDA_VISIBLE_DEVICES= '%1' --member %2 '%3' '%4'")
                            .arg(QCoreApplication::applicationFilePath())
                            .arg(id)
                            .arg(secret.fileName(), folder.filePath("run"))});
        }
        QStringList ends;
        for (const auto& program : programs) {
            QVERIFY(program->waitForFinished(120'000));
            const QString output = QString::fromUtf8(program->readAllStandardOutput());
            QVERIFY2(program->exitCode() == 0,
                     qPrintable(output + QString::fromUtf8(program->readAllStandardError())));
            ends << output.split('\n', Qt::SkipEmptyParts).last();
        }
        QVERIFY2(ends[0].startsWith("host1 and host2 with 2 devices end with "),
                 qPrintable(ends[0]));
        QCOMPARE(ends[1], ends[0]);
    }
};

int main(int argc, char** argv) {
    if (argc == 5 && std::string(argv[1]) == "--member")
        return runMember(std::atoi(argv[2]), argv[3], argv[4]);
    enterHosts(2, argv);
    QCoreApplication application(argc, argv);
    InitializeHostsTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_initialize_hosts.moc"

// SPDX-License-Identifier: Apache-2.0
// The first command on a host, in the login shells that accounts have, without ssh.
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include "core/launch/ssh/bootstrap.h"
#include "core/launch/ssh/bootstrap_script.h"
#include "tests/support/bootstrap_host.h"

namespace lockstep::launch {

namespace {

using tests::BootstrapHost;
using tests::PackedBuild;

QString buildsOf(const QTemporaryDir& cache) {
    return cache.filePath("lockstep/builds");
}

QStringList entriesOf(const QTemporaryDir& cache) {
    return QDir(buildsOf(cache)).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
}

QByteArray installed(const PackedBuild& build, const QTemporaryDir& cache) {
    return tests::installedBy(build, cache.path());
}

}  // namespace

class TestSshBootstrap : public QObject {
    Q_OBJECT
private slots:
    void everyLoginShellRunsIt_data() {
        QTest::addColumn<QString>("shell");
        for (const char* shell : {"sh", "dash", "bash", "zsh", "fish", "csh", "tcsh", "ksh"})
            QTest::newRow(shell) << shell;
    }
    void everyLoginShellRunsIt() {
        QFETCH(QString, shell);
        if (QStandardPaths::findExecutable(shell).isEmpty()) QSKIP("this shell is not installed");
        const PackedBuild build("hello");
        const QTemporaryDir cache;
        BootstrapHost host(cache.path(), shell);
        QVERIFY(host.becomesReady());
        host.write(bootstrapInput({build.bundle}));
        QCOMPARE(host.line(), "lockstep-bootstrap want " + tests::machineType());
        host.write(build.bytes);
        QCOMPARE(host.line(), QByteArray("lockstep-bootstrap run"));
        QCOMPARE(host.line(), QByteArray("hello --host"));
        QCOMPARE(host.line(), QByteArray("0022"));  // the account's own umask
        host.write(QByteArray("every byte after it is the program's\n"));
        QCOMPARE(host.line(), QByteArray("every byte after it is the program's"));
        QVERIFY(host.ends(0));
        QCOMPARE(host.errors(), QByteArray());
        const QString file =
            buildsOf(cache) + "/" + QString::fromStdString(build.bundle.hash) + "/SHA256SUMS";
        QVERIFY(QFile::permissions(file) & QFile::ReadOwner);
        QVERIFY(!(QFile::permissions(buildsOf(cache)) & (QFile::ReadGroup | QFile::ReadOther)));
    }

    void theCommandHasNothingThatAShellWouldTakeForItself() {
        const QByteArray command = QByteArray::fromStdString(bootstrapCommand());
        QCOMPARE(command.count('\''), 2);
        for (const char sign : {'!', '\n', '\\'})
            QVERIFY(!command.contains(sign));
    }

    void aScriptThatArrivesInPartDoesNothing() {
        const std::string whole(kBootstrapScript);
        const QTemporaryDir cache;
        for (std::size_t size = 1; size < whole.size() - 10; size += 97) {
            BootstrapHost host(cache.path());
            QVERIFY(host.becomesReady());
            host.write(whole.substr(0, size));
            host.ends(2);  // whatever its status
            QCOMPARE(entriesOf(cache), QStringList());
        }
    }

    void aDamagedBuildIsReplacedAndAnotherBytesAreRefused() {
        const PackedBuild build("hello");
        const QTemporaryDir cache;
        QCOMPARE(installed(build, cache), QByteArray("hello --host"));
        QFile worker(buildsOf(cache) + "/" + QString::fromStdString(build.bundle.hash) +
                     "/bin/lockstep-worker");
        QVERIFY(worker.open(QIODevice::WriteOnly));
        worker.write("#!/bin/sh\necho evil\n");
        worker.close();
        QCOMPARE(installed(build, cache), QByteArray("hello --host"));

        PackedBuild forged("other");
        forged.bytes[forged.bytes.size() / 2] = char(forged.bytes[forged.bytes.size() / 2] ^ 1);
        const QByteArray refusal = installed(forged, cache);
        QVERIFY2(refusal.startsWith("lockstep-bootstrap refused damaged"), refusal);
        QCOMPARE(entriesOf(cache).size(), 2);  // the build and the lock: nothing half-done
    }

    void anotherMachineAndAnOlderLibraryAreToldApart() {
        const PackedBuild build("hello");
        const QTemporaryDir cache;
        Bundle other = build.bundle;
        other.machine = "s390x";
        BootstrapHost host(cache.path());
        QVERIFY(host.becomesReady());
        host.write(bootstrapInput({other}));
        QCOMPARE(host.line(), "lockstep-bootstrap refused machine " + tests::machineType());
        QVERIFY(host.ends(3));

        Bundle newer = build.bundle;
        newer.glibc = "9.10";
        BootstrapHost old(cache.path());
        QVERIFY(old.becomesReady());
        old.write(bootstrapInput({other, newer}));
        const QByteArray said = old.line();
        QVERIFY2(said.startsWith("lockstep-bootstrap refused glibc 2."), said);
        QCOMPARE(entriesOf(cache), QStringList());

        const Error error = bootstrapRefusal("gpu3", *bootstrapAnswer(said.toStdString()), {newer});
        QVERIFY2(error.message.find("needs 9.10 or newer") != std::string::npos,
                 error.message.c_str());
    }

    void theNewestThreeStayAndWhatRunsStays() {
        const QTemporaryDir cache;
        const PackedBuild first("first");
        BootstrapHost running(cache.path());
        QVERIFY(running.becomesReady());
        running.write(bootstrapInput({first.bundle}));
        running.line();
        running.write(first.bytes);
        QCOMPARE(running.line(), QByteArray("lockstep-bootstrap run"));
        // A script's process is its shell: what runs is made visible by a copy of a program.
        const QString place = buildsOf(cache) + "/" + QString::fromStdString(first.bundle.hash);
        QFile::copy("/bin/sleep", place + "/bin/sleep");
        QFile::setPermissions(place + "/bin/sleep", QFile::ReadOwner | QFile::ExeOwner);
        QProcess sleeper;
        sleeper.start(place + "/bin/sleep", {"60"});
        QVERIFY(sleeper.waitForStarted());

        for (const char* word : {"second", "third", "fourth", "fifth"}) {
            QCOMPARE(installed(PackedBuild(word), cache), QByteArray(word) + " --host");
            QTest::qWait(20);  // a pause: folders are told apart by the kernel's times
        }
        QVERIFY(QFile::exists(place + "/bin/lockstep-worker"));
        QCOMPARE(entriesOf(cache).size(), 5);  // four builds and the lock: the second one went

        sleeper.kill();
        sleeper.waitForFinished();
        QCOMPARE(installed(PackedBuild("sixth"), cache), QByteArray("sixth --host"));
        QVERIFY(!QFile::exists(place));
        QCOMPARE(entriesOf(cache).size(), 4);
    }

    void answersAreReadAndNothingElseIs() {
        QVERIFY(!bootstrapAnswer("Welcome to gpu3"));
        QVERIFY(!bootstrapAnswer("lockstep-bootstrap "));
        QVERIFY(!bootstrapAnswer("lockstep-bootstrap runs"));
        QVERIFY(!bootstrapAnswer(" lockstep-bootstrap run"));
        const auto refused =
            bootstrapAnswer("lockstep-bootstrap refused write \x1b[31mNo space left");
        QVERIFY(refused && refused->kind == BootstrapAnswer::Kind::Refused);
        QCOMPARE(refused->words, std::string("?[31mNo space left"));
        QVERIFY(bootstrapRefusal("gpu3", *refused, {}).message.find("no room") !=
                std::string::npos);
    }
};

}  // namespace lockstep::launch

QTEST_GUILESS_MAIN(lockstep::launch::TestSshBootstrap)
#include "tst_ssh_bootstrap.moc"

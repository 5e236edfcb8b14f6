// SPDX-License-Identifier: Apache-2.0
// The first command on a host, in the login shells that accounts have, without ssh.
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include "core/launch/ssh/bootstrap.h"
#include "core/launch/ssh/bootstrap_script.h"

namespace lockstep::launch {

namespace {

constexpr int kTimeout = 30'000;

QByteArray machine() {
    QProcess uname;
    uname.start("uname", {"-m"});
    uname.waitForFinished();
    return uname.readAllStandardOutput().trimmed();
}

/// A packed "build" whose worker says `word` and gives its input back.
class Build {
public:
    explicit Build(const QByteArray& word) {
        QDir(folder_.path()).mkpath("tree/bin");
        write("tree/bin/lockstep-worker", "#!/bin/sh\necho \"" + word + " $*\"\numask\nexec cat\n");
        shell(
            "chmod 755 tree/bin/lockstep-worker; cd tree; sha256sum bin/* > SHA256SUMS; "
            "tar -czf ../packed.tar.gz SHA256SUMS bin");
        QFile packed(folder_.filePath("packed.tar.gz"));
        if (packed.open(QIODevice::ReadOnly)) bytes = packed.readAll();
        bundle.machine = machine().toStdString();
        bundle.hash = QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
        bundle.bytes = static_cast<std::uint64_t>(bytes.size());
        bundle.glibc = "2.17";
    }

    QByteArray bytes;
    Bundle bundle;

private:
    void write(const QString& name, const QByteArray& content) const {
        QFile file(folder_.filePath(name));
        if (file.open(QIODevice::WriteOnly)) file.write(content);
    }
    void shell(const QString& command) const {
        QProcess sh;
        sh.setWorkingDirectory(folder_.path());
        sh.start("sh", {"-c", command});
        sh.waitForFinished();
    }

    QTemporaryDir folder_;
};

/// A host's side: a login shell that runs the command, with a home of its own.
class Host {
public:
    explicit Host(const QString& cache, const QString& shell = "sh") {
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("XDG_CACHE_HOME", cache);
        environment.insert("HOME", home_.path());
        process_.setProcessEnvironment(environment);
        process_.start(shell, {"-c", QString::fromStdString(bootstrapCommand())});
    }
    ~Host() {
        process_.kill();
        process_.waitForFinished();
    }

    void write(const QByteArray& bytes) { process_.write(bytes); }
    void write(const std::string& bytes) { process_.write(bytes.data(), qint64(bytes.size())); }
    QByteArray line() {
        while (!process_.canReadLine())
            if (!process_.waitForReadyRead(kTimeout)) return "(ended) " + process_.readAll();
        return process_.readLine().trimmed();
    }
    QByteArray errors() { return process_.readAllStandardError(); }
    bool ends(int status) {
        process_.closeWriteChannel();
        return process_.waitForFinished(kTimeout) && process_.exitCode() == status;
    }
    /// Up to the point where it is told what to run.
    bool becomesReady() { return line().isEmpty() && line() == "lockstep-bootstrap ready"; }

private:
    QTemporaryDir home_;
    QProcess process_;
};

QString buildsOf(const QTemporaryDir& cache) {
    return cache.filePath("lockstep/builds");
}

QStringList entriesOf(const QTemporaryDir& cache) {
    return QDir(buildsOf(cache)).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
}

/// Runs the exchange of a copy to its end; the build's word, or what was said instead.
QByteArray installed(const Build& build, const QTemporaryDir& cache) {
    Host host(cache.path());
    if (!host.becomesReady()) return "not ready";
    host.write(bootstrapInput({build.bundle}));
    QByteArray said = host.line();
    if (said.startsWith("lockstep-bootstrap want")) {
        host.write(build.bytes);
        said = host.line();
    }
    return said == "lockstep-bootstrap run" ? host.line() : said;
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
        const Build build("hello");
        const QTemporaryDir cache;
        Host host(cache.path(), shell);
        QVERIFY(host.becomesReady());
        host.write(bootstrapInput({build.bundle}));
        QCOMPARE(host.line(), "lockstep-bootstrap want " + machine());
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
            Host host(cache.path());
            QVERIFY(host.becomesReady());
            host.write(whole.substr(0, size));
            host.ends(2);  // whatever its status
            QCOMPARE(entriesOf(cache), QStringList());
        }
    }

    void aDamagedBuildIsReplacedAndAnotherBytesAreRefused() {
        const Build build("hello");
        const QTemporaryDir cache;
        QCOMPARE(installed(build, cache), QByteArray("hello --host"));
        QFile worker(buildsOf(cache) + "/" + QString::fromStdString(build.bundle.hash) +
                     "/bin/lockstep-worker");
        QVERIFY(worker.open(QIODevice::WriteOnly));
        worker.write("#!/bin/sh\necho evil\n");
        worker.close();
        QCOMPARE(installed(build, cache), QByteArray("hello --host"));

        Build forged("other");
        forged.bytes[forged.bytes.size() / 2] = char(forged.bytes[forged.bytes.size() / 2] ^ 1);
        const QByteArray refusal = installed(forged, cache);
        QVERIFY2(refusal.startsWith("lockstep-bootstrap refused damaged"), refusal);
        QCOMPARE(entriesOf(cache).size(), 2);  // the build and the lock: nothing half-done
    }

    void anotherMachineAndAnOlderLibraryAreToldApart() {
        const Build build("hello");
        const QTemporaryDir cache;
        Bundle other = build.bundle;
        other.machine = "s390x";
        Host host(cache.path());
        QVERIFY(host.becomesReady());
        host.write(bootstrapInput({other}));
        QCOMPARE(host.line(), "lockstep-bootstrap refused machine " + machine());
        QVERIFY(host.ends(3));

        Bundle newer = build.bundle;
        newer.glibc = "9.10";
        Host old(cache.path());
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
        const Build first("first");
        Host running(cache.path());
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
            QCOMPARE(installed(Build(word), cache), QByteArray(word) + " --host");
            QTest::qWait(20);  // folders are told apart by their times
        }
        QVERIFY(QFile::exists(place + "/bin/lockstep-worker"));
        QCOMPARE(entriesOf(cache).size(), 5);  // four builds and the lock: the second one went

        sleeper.kill();
        sleeper.waitForFinished();
        QCOMPARE(installed(Build("sixth"), cache), QByteArray("sixth --host"));
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

// SPDX-License-Identifier: Apache-2.0
// A run folder from elsewhere reaches no host, and its ssh configuration runs nothing, before
// somebody has agreed; a run of one's own is followed without a question.
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "core/job/fold/session.h"
#include "core/job/source/remote_record.h"
#include "core/job/trust.h"

using namespace lockstep;
using namespace lockstep::job;

namespace fs = std::filesystem;

class AttachConsentTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
        QVERIFY(QDir().mkdir(path("runtime")));
        QVERIFY(QFile::setPermissions(path("runtime"),
                                      QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        qputenv("XDG_STATE_HOME", path("state").toUtf8());
        qputenv("XDG_RUNTIME_DIR", path("runtime").toUtf8());
        // Whatever connects by this configuration leaves a trace.
        QFile config(path("config"));
        QVERIFY(config.open(QIODevice::WriteOnly));
        config.write("Host *\n  ProxyCommand touch '" + path("touched").toUtf8() + "'\n");
    }

    void whatAFolderWouldReachIsSaid() {
        const fs::path run = writeRun("run", false);
        const auto effects = attachEffects(run);
        QCOMPARE(effects.size(), 2U);
        QCOMPARE(effects[0], std::string("logs in by ssh to far"));
        QVERIFY(effects[1].find(path("config").toStdString()) != std::string::npos);
        QVERIFY(attachEffects(writeRun("ended", true)).empty());
        QVERIFY(attachEffects(fs::path(path("nothing").toStdString())).empty());
    }

    void aRunOfSomebodyElseIsNotFollowedBeforeItWasAgreedTo() {
        const fs::path run = writeRun("run", false);
        const auto refused = job::attach(run);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::BadInput);
        QVERIFY(refused.error().message.find("logs in by ssh to far") != std::string::npos);
        QVERIFY(!job::attach(run, {{}, {"logs in by ssh to near"}}));  // not what it does
        QTest::qWait(200);  // a pause: an ssh that was started would have left its trace
        QVERIFY(!QFile::exists(path("touched")));
        if (QStandardPaths::findExecutable("ssh").isEmpty()) QSKIP("there is no ssh");
        const auto session = job::attach(run, {{}, attachEffects(run)});
        QVERIFY(session);
        QVERIFY(QTest::qWaitFor([&] { return QFile::exists(path("touched")); }, 20'000));
    }

    void whatWasAgreedToHoldsForThatHostAndConfigurationAlone() {
        const fs::path run = writeRun("run", false);
        QVERIFY(trustedRuns().add(run, attachEffects(run)));
        QVERIFY(job::attach(run));
        auto record = readRemoteRecord(run);
        QVERIFY(record);
        record->place.host = "elsewhere";
        QVERIFY(writeRemoteRecord(run, *record));
        QVERIFY(!job::attach(run));
    }

    void ownLaunchesAreKnown() {
        const fs::path folder(folder_->path().toStdString());
        LaunchOptions options;
        options.runsFolder = folder / "runs";
        const auto session = job::launch(
            "[data]\ndataset = \"digits\"\n[model]\nlayers = [{ type = \"dense\", units = 10 "
            "}]\n[cluster]\njob_addresses = [\"far:4000\", "
            "\"other:4000\"]\n[launch]\nmethod = "
            "\"ssh\"\nssh_config = \"config\"\n",
            folder, options);
        if (!session) qWarning("%s", session.error().message.c_str());
        QVERIFY(session);
        RemoteRecord record;  // as it is written once the run is served
        record.place.host = "far";
        record.place.runId = "0123456789ab";
        record.sshConfig = (folder / "config").string();
        QVERIFY(trustedRuns().contains((*session)->view()->runDir, attachEffects(record)));
    }

private:
    [[nodiscard]] QString path(const char* name) const {
        return folder_->filePath(QString::fromLatin1(name));
    }
    [[nodiscard]] fs::path writeRun(const char* name, bool ended) const {
        const fs::path run(path(name).toStdString());
        fs::create_directories(run);
        RemoteRecord record;
        record.place.host = "far";
        record.place.runId = "0123456789ab";
        record.place.runDir = "/runs/r1";
        record.sshConfig = path("config").toStdString();
        record.ended = ended;
        if (!writeRemoteRecord(run, record)) qFatal("cannot write the record");
        return run;
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(AttachConsentTest)
#include "tst_attach_consent.moc"

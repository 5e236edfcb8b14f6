// SPDX-License-Identifier: Apache-2.0
// Files of figures that a user's own program writes, followed while it runs.
#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <mutex>
#include <set>

#include "core/base/ids.h"
#include "core/launch/program/file_owner.h"
#include "core/launch/program/folder_watch.h"
#include "core/launch/program/program_files.h"
#include "core/telemetry/event_file.h"
#include "tests/support/heard.h"

using namespace lockstep;
using namespace lockstep::launch;

namespace fs = std::filesystem;

namespace {

constexpr int kWait = 20'000;

/// A program that runs until its input ends, or the object does.
struct Script {
    QProcess process;
    Script(const QString& folder, const QString& script) {
        process.setWorkingDirectory(folder);
        process.start("sh", {"-c", script + "; cat > /dev/null"});
        if (!process.waitForStarted()) qFatal("no shell");
    }
    ~Script() {
        process.closeWriteChannel();
        process.waitForFinished(kWait);
    }
    [[nodiscard]] pid_t pid() const { return pid_t(process.processId()); }
};

/// Follows a folder for a supervisor, and keeps what is told as "name@step=value".
class Following {
public:
    Following(const QString& folder, pid_t supervisor, bool first = true) {
        ProgramFiles::Options options;
        options.folder = folder.toStdString();
        options.runDir = options.folder / "runs" / "this";
        options.supervisor = supervisor;
        options.firstOnHost = first;
        options.ownerPatience = Millis(300);
        files_.emplace(options, [this](const FileFigure& figure) { return take(figure); });
    }
    void finish() {
        files_->finish();
        if (!QTest::qWaitFor([this] { return files_->isFinished(); }, kWait)) qFatal("no end");
        files_.reset();
    }
    /// The next so many figures are refused once each.
    void refuse(int count) { refusals_ = count; }
    [[nodiscard]] QString told() const {
        const std::lock_guard lock(mutex_);
        return told_.join(' ');
    }

private:
    bool take(const FileFigure& figure) {
        if (refusals_ > 0) {
            --refusals_;
            return false;
        }
        const std::lock_guard lock(mutex_);
        told_ << QString("%1@%2=%3")
                     .arg(QString::fromStdString(figure.name))
                     .arg(figure.step)
                     .arg(figure.value);
        return true;
    }
    mutable std::mutex mutex_;
    QStringList told_;
    std::atomic<int> refusals_{0};
    std::optional<ProgramFiles> files_;
};

void append(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    if (!file.open(QIODevice::Append)) qFatal("cannot write %s", qPrintable(path));
    file.write(bytes);
}

/// One scalar, in an event file whose name tells of this process.
void writeEvents(const QString& folder, std::string_view tag, double value) {
    telemetry::EventFile file(folder.toStdString(), 1000);
    file.addScalar({1000, 1, 0, 0, tag, value});
    QVERIFY(file.flush());
}

/// Time for the watch to be in place: what is written then is new.
void settle(const QString& folder, const Following& following) {
    append(folder + "/settled.csv", "step,settled\n");
    int step = 0;
    const bool isFollowed = QTest::qWaitFor(
        [&] {
            append(folder + "/settled.csv", QByteArray::number(step++) + ",1\n");
            return following.told().contains("settled@");
        },
        kWait);
    if (!isFollowed) qFatal("nothing is followed");
}

QString withoutSettling(QString told) {
    return told.remove(QRegularExpression("settled@\\d+=1 ?")).trimmed();
}

}  // namespace

class ProgramFilesTest : public QObject {
    Q_OBJECT
private slots:
    void theNameOfAnEventFileTellsWhoWritesIt() {
        const auto torch =
            parseEventFileName("events.out.tfevents.1790000000.node-1.example.org.4711.0");
        QVERIFY(torch);
        QCOMPARE(torch->host, std::string("node-1.example.org"));
        QCOMPARE(torch->pid, 4711);
        const auto keras = parseEventFileName("events.out.tfevents.1790000000.node.4711.12.v2");
        QVERIFY(keras);
        QCOMPARE(keras->host, std::string("node"));
        QCOMPARE(keras->pid, 4711);
        QVERIFY(!parseEventFileName("events.out.tfevents.1790000000.node"));
        QVERIFY(!parseEventFileName("events.out.tfevents.1790000000.node.v2"));
        QVERIFY(!parseEventFileName("metrics.csv"));
    }

    void whatAProgramLogsIsToldWhileItRuns() {
        const QTemporaryDir place;
        Following following(place.path(), ::getpid());
        settle(place.path(), following);
        Script program(
            place.path(),
            "exec 3>training.log; echo epoch,loss >&3; echo 0,1.5 >&3; read go; "
            "echo 1,0.5 >&3; mkdir -p lightning_logs/version_0; "
            "exec 4>lightning_logs/version_0/metrics.csv; echo step,acc >&4; echo 9,1 >&4");
        QTRY_COMPARE_WITH_TIMEOUT(withoutSettling(following.told()), QString("loss@0=1.5"), kWait);
        program.process.write("go\n");
        QTRY_VERIFY_WITH_TIMEOUT(following.told().contains("loss@1=0.5"), kWait);
        QTRY_VERIFY_WITH_TIMEOUT(following.told().contains("acc@9=1"), kWait);
    }

    void eventFilesOfNewFoldersAreToldAndNamesThatMeetAreToldApart() {
        const QTemporaryDir place;
        Following following(place.path(), ::getpid());
        settle(place.path(), following);
        writeEvents(place.filePath("logs/train"), "epoch_loss", 0.5);
        QTRY_VERIFY_WITH_TIMEOUT(following.told().contains("train/epoch_loss@1=0.5"), kWait);
        writeEvents(place.filePath("logs/validation"), "epoch_loss", 0.25);
        writeEvents(place.filePath("runs/x/a"), "loss", 1);
        QTRY_VERIFY_WITH_TIMEOUT(following.told().contains(" loss@1=1"), kWait);
        writeEvents(place.filePath("runs/x/b"), "loss", 2);
        QTRY_VERIFY_WITH_TIMEOUT(following.told().contains("b/loss@1=2"), kWait);
        QVERIFY(following.told().contains("validation/epoch_loss@1=0.25"));
    }

    void programsThatShareAFolderAreToldApart() {
        const QTemporaryDir place;
        const QString script =
            "exec 3>log-$0.csv; echo step,value >&3; echo 1,$0 >&3; "
            "touch events.out.tfevents.1.$1.$$.0";
        // Each is the supervisor of what it starts.
        const auto wrapped = [&](int number) {
            return QString("read go; sh -c '%1; cat >/dev/null' %2 '%3'")
                .arg(script)
                .arg(number)
                .arg(QString::fromStdString(hostName()));
        };
        Script first(place.path(), wrapped(1));
        Script second(place.path(), wrapped(2));
        Following ofFirst(place.path(), first.pid(), true);
        Following ofSecond(place.path(), second.pid(), false);
        QTest::qWait(200);  // a pause: by then both watches are in place
        first.process.write("go\n");
        second.process.write("go\n");
        QTRY_COMPARE_WITH_TIMEOUT(ofFirst.told(), QString("value@1=1"), kWait);
        QTRY_COMPARE_WITH_TIMEOUT(ofSecond.told(), QString("value@1=2"), kWait);
        // a pause: longer than the patience with those whose writer is not known
        QTest::qWait(500);
        QCOMPARE(ofFirst.told(), QString("value@1=1"));
        QCOMPARE(ofSecond.told(), QString("value@1=2"));
    }

    void aFileThatNobodyHasOpenIsTheFirstProcesssOfTheHost() {
        const QTemporaryDir place;
        Following first(place.path(), ::getpid(), true);
        Following second(place.path(), ::getpid(), false);
        settle(place.path(), first);
        append(place.filePath("metrics.csv"), "step,loss\n1,0.5\n");
        QTRY_COMPARE_WITH_TIMEOUT(withoutSettling(first.told()), QString("loss@1=0.5"), kWait);
        second.finish();
        QCOMPARE(second.told(), QString());
    }

    void whatWasThereBeforeIsHistoryAndIsGoneOnWith() {
        const QTemporaryDir place;
        append(place.filePath("old.csv"), "step,loss\n1,9\n2,8\n");
        append(place.filePath("notes.csv"), "this, is no log\n1,2\n");
        QTest::qWait(50);  // a pause: files are born at the kernel's last tick
        Following following(place.path(), ::getpid());
        settle(place.path(), following);
        append(place.filePath("old.csv"), "3,7\n");
        append(place.filePath("notes.csv"), "3,4\n");
        append(place.filePath("words.log"), "started\n");
        QTRY_COMPARE_WITH_TIMEOUT(withoutSettling(following.told()), QString("loss@3=7"), kWait);
    }

    void aFormerRunsLogThatIsWrittenAnewIsToldFromItsFirstRow() {
        const QTemporaryDir place;
        const QString path = place.filePath("training.log");
        append(path, "epoch,loss\n0,9\n1,8\n2,7\n3,6\n");
        QTest::qWait(50);  // a pause: files are born at the kernel's last tick
        Following following(place.path(), ::getpid());
        settle(place.path(), following);
        Script program(place.path(),  // as Keras' CSVLogger opens it
                       "exec 3>training.log; echo epoch,loss >&3; echo 0,5 >&3; echo 1,4 >&3");
        QTRY_COMPARE_WITH_TIMEOUT(withoutSettling(following.told()), QString("loss@0=5 loss@1=4"),
                                  kWait);
    }

    void aLogThatGoesBeforeItsWriterIsKnownIsForgotten() {
        const QTemporaryDir place;
        Following following(place.path(), ::getpid());
        settle(place.path(), following);
        append(place.filePath("short.csv"), "step,loss\n1,0.5\n");
        QTest::qWait(50);  // a pause: it is seen, and shorter than that patience
        QVERIFY(QFile::remove(place.filePath("short.csv")));
        following.finish();
        QCOMPARE(withoutSettling(following.told()), QString());
    }

    void whereADiskIsSlowListingAndPassingOverEndWhenTheyAreTold() {
        const QTemporaryDir place;
        for (int i = 0; i < 10; ++i)
            append(place.filePath(QString("%1.csv").arg(i)), "step,loss\n");
        int asked = 0;
        auto watch = FolderWatch::open({.wantsFile = FigureFile::mayBeOne,
                                        .entersFolder = [](const fs::path&) { return true; },
                                        .givesUp = [&asked] { return ++asked > 3; }});
        QVERIFY(watch);
        QCOMPARE(watch->add(place.path().toStdString()).size(), std::size_t{3});
        const QString path = place.filePath("large.csv");
        append(path, "step,loss\n" + QByteArray("1,0.5\n").repeated(500'000));
        FigureFile file(path.toStdString());
        asked = 0;
        const auto passed = file.passOver(3'000'000, [&asked] { return ++asked > 2; });
        QVERIFY(!passed);
        QCOMPARE(passed.error().code, ErrorCode::Cancelled);
        QCOMPARE(asked, 3);
        QVERIFY(file.passOver(3'000'000));
    }

    void newsThatTheSystemLostIsFoundThoughNoMoreFoldersAreWatched() {
        const QTemporaryDir place;
        auto watch = FolderWatch::open({.wantsFile = FigureFile::mayBeOne,
                                        .entersFolder = [](const fs::path&) { return true; },
                                        .mostFolders = 1});
        QVERIFY(watch && watch->add(place.path().toStdString()).empty());
        QFile limit("/proc/sys/fs/inotify/max_queued_events");
        QVERIFY(limit.open(QIODevice::ReadOnly));
        for (int i = limit.readAll().trimmed().toInt() / 2 + 1; i > 0; --i)
            append(place.filePath("notes.txt"), "x");
        append(place.filePath("metrics.csv"), "step,loss\n");
        std::set<fs::path> written;
        for (auto news = watch->wait(Nanos{0}); !news.empty() || written.empty();
             news = watch->wait(Nanos{0}))
            written.insert(news.begin(), news.end());
        QCOMPARE(written.size(), std::size_t{1});
        QCOMPARE(watch->unwatched(), std::uint64_t{0});
    }

    void aFolderThatIsMadeAgainWhileNewsIsLostIsWatchedAgain() {
        const QTemporaryDir place;
        QVERIFY(QDir(place.path()).mkpath("logs"));
        auto watch = FolderWatch::open({.wantsFile = FigureFile::mayBeOne,
                                        .entersFolder = [](const fs::path&) { return true; }});
        QVERIFY(watch && watch->add(place.path().toStdString()).empty());
        QFile limit("/proc/sys/fs/inotify/max_queued_events");
        QVERIFY(limit.open(QIODevice::ReadOnly));
        for (int i = limit.readAll().trimmed().toInt() / 2 + 1; i > 0; --i)
            append(place.filePath("notes.txt"), "x");
        QVERIFY(QDir(place.filePath("logs")).removeRecursively());
        QVERIFY(QDir(place.path()).mkpath("logs"));
        append(place.filePath("metrics.csv"), "step,loss\n");
        std::set<fs::path> written;
        for (auto news = watch->wait(Nanos{0}); !news.empty() || written.empty();
             news = watch->wait(Nanos{0}))
            written.insert(news.begin(), news.end());
        append(place.filePath("logs/metrics.csv"), "step,loss\n");
        const auto later = watch->wait(std::chrono::seconds(5));
        QCOMPARE(later.size(), std::size_t{1});
        QCOMPARE(later.front(), fs::path(place.filePath("logs/metrics.csv").toStdString()));
    }

    void otherRunsAndFoldersOfToolsAreLeftAlone() {
        const QTemporaryDir place;
        for (const char* folder :
             {"runs/other", "runs/this/events", "runs/this/mine", ".git", "env/lib"})
            QVERIFY(QDir(place.path()).mkpath(folder));
        append(place.filePath("runs/other/journal"), "x");
        append(place.filePath("runs/other/job.toml"), "x");
        append(place.filePath("env/pyvenv.cfg"), "x");
        Following following(place.path(), ::getpid());
        settle(place.path(), following);
        for (const char* folder : {"runs/other", "runs/this/events", ".git", "env/lib"})
            append(place.filePath(QString(folder) + "/a.csv"), "step,loss\n1,1\n");
        append(place.filePath("runs/this/mine/a.csv"), "step,loss\n1,2\n");
        QTRY_VERIFY_WITH_TIMEOUT(following.told().contains("loss@1=2"), kWait);
        following.finish();
        QCOMPARE(withoutSettling(following.told()), QString("loss@1=2"));
    }

    void nothingIsLostWhereNoMoreCanBeTaken() {
        const QTemporaryDir place;
        Following following(place.path(), ::getpid());
        settle(place.path(), following);
        following.refuse(20);
        QByteArray rows = "step,loss\n";
        for (int step = 0; step < 50'000; ++step)
            rows += QByteArray::number(step) + ",1\n";
        append(place.filePath("metrics.csv"), rows);
        QTRY_COMPARE_WITH_TIMEOUT(following.told().count(" loss@"), 50'000, kWait);
    }

    void aLogThatIsWrittenAnewWithAnotherHeaderIsToldOnce() {
        const QTemporaryDir place;
        Following following(place.path(), ::getpid());
        settle(place.path(), following);
        const QString path = place.filePath("metrics.csv");
        append(path, "step,loss\n1,0.5\n");
        QTRY_COMPARE_WITH_TIMEOUT(withoutSettling(following.told()), QString("loss@1=0.5"), kWait);
        QFile file(path);  // in one go: at no time is it seen to be shorter
        QVERIFY(file.open(QIODevice::ReadWrite));
        file.write("step,loss,score\n1,0.5,\n2,0.25,7\n");
        file.close();
        QTRY_COMPARE_WITH_TIMEOUT(withoutSettling(following.told()),
                                  QString("loss@1=0.5 loss@2=0.25 score@2=7"), kWait);
    }

    void whatIsWrittenWhileFoldersAreStillListedIsTold() {
        const QTemporaryDir place;
        for (int i = 0; i < 300; ++i)
            QVERIFY(QDir(place.path()).mkpath(QString("data/%1").arg(i)));
        Following following(place.path(), ::getpid());
        append(place.filePath("metrics.csv"), "step,loss\n1,0.5\n");
        QTRY_COMPARE_WITH_TIMEOUT(following.told(), QString("loss@1=0.5"), kWait);
    }

    void whatIsWrittenLastIsToldAtTheEnd() {
        const QTemporaryDir place;
        Following following(place.path(), ::getpid());
        settle(place.path(), following);
        append(place.filePath("metrics.csv"), "step,loss\n1,0.5\n");
        following.finish();
        QCOMPARE(withoutSettling(following.told()), QString("loss@1=0.5"));
    }

    void rowsThatAreLeftOutAreSaidOnceAFileAndCountedAtTheEnd() {
        const QTemporaryDir place;
        append(place.filePath("old.csv"), "step,loss\n1,2,3\n1,1\n");
        QTest::qWait(50);  // a pause: files are born at the kernel's last tick
        const tests::Heard heard;
        Following following(place.path(), ::getpid());
        settle(place.path(), following);
        append(place.filePath("old.csv"), "2,0.5\n");
        append(place.filePath("wider.csv"), "step,loss\n1,1\n2,1,5\n3,1,5\n4,1,5\n");
        append(place.filePath("long.csv"),
               "step,loss\n1,2\n2," + QByteArray(100'000, 'x') + "\n3,4\n");
        QTRY_VERIFY_WITH_TIMEOUT(following.told().contains("loss@3=4"), kWait);
        following.finish();
        QVERIFY(following.told().contains("loss@2=0.5"));
        const QString said = heard.all();
        const QString wider = QFileInfo(place.filePath("wider.csv")).canonicalFilePath();
        QCOMPARE(said.count("line 3 of " + wider + " is left out: it has 3 cells, the header 2"),
                 1);
        QCOMPARE(said.count("3 rows were left out of " + wider), 1);
        QCOMPARE(said.count("long.csv is left out: it is longer than 65536 bytes"), 1);
        QCOMPARE(said.count("left out"), 3);
    }

    void aLogThatBecomesSomethingElseIsSaidToBeFollowedNoFurther() {
        const QTemporaryDir place;
        const tests::Heard heard;
        Following following(place.path(), ::getpid());
        settle(place.path(), following);
        const QString path = place.filePath("training.log");
        append(path, "epoch,loss\n0,0.5\n");
        QTRY_VERIFY_WITH_TIMEOUT(following.told().contains("loss@0=0.5"), kWait);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("started\n");
        file.close();
        QTRY_VERIFY_WITH_TIMEOUT(
            heard.all().contains("training.log is not followed any further: it has no header"),
            kWait);
    }

    void filesBeyondTheLimitAreLeftOut() {
        const QTemporaryDir place;
        Following following(place.path(), ::getpid());
        settle(place.path(), following);
        for (int i = 0; i < 80; ++i)
            append(place.filePath(QString("%1.csv").arg(i)), "step,loss\n1,0.5\n");
        following.finish();
        QCOMPARE(withoutSettling(following.told()).count("loss@"), 63);  // and the one that settles
    }
};

QTEST_GUILESS_MAIN(ProgramFilesTest)
#include "tst_program_files.moc"

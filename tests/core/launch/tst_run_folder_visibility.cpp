// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/launch/run_folder_visibility.h"

using namespace lockstep;
using namespace lockstep::launch;

class RunFolderVisibilityTest : public QObject {
    Q_OBJECT
private slots:
    void whoSeesTheFolderSeesItsWord() {
        const QTemporaryDir folder;
        const auto token = leaveToken(folder.path().toStdString());
        QVERIFY(token);
        QVERIFY(seesRunFolder(folder.path().toStdString(), *token));
        // By another name it is the same folder.
        const QTemporaryDir other;
        const auto link = std::filesystem::path(other.filePath("link").toStdString());
        std::filesystem::create_directory_symlink(folder.path().toStdString(), link);
        QVERIFY(seesRunFolder(link, *token));
    }

    void anotherFolderOfTheSameNameIsNotTakenForIt() {
        const QTemporaryDir here;
        const QTemporaryDir there;
        const auto token = leaveToken(there.path().toStdString());
        QVERIFY(leaveToken(here.path().toStdString()));
        QVERIFY(!seesRunFolder(here.path().toStdString(), *token));
    }

    void theWordOfAFormerStartDoesNotCount() {
        const QTemporaryDir folder;
        const auto former = leaveToken(folder.path().toStdString());
        const auto token = leaveToken(folder.path().toStdString());
        QVERIFY(*former != *token);
        QVERIFY(!seesRunFolder(folder.path().toStdString(), *former));
        QVERIFY(seesRunFolder(folder.path().toStdString(), *token));
    }

    void withoutAWordNothingIsSeen() {
        const QTemporaryDir folder;
        QVERIFY(replaceFileDurably(folder.filePath(".visible").toStdString(), ""));
        QVERIFY(!seesRunFolder(folder.path().toStdString(), ""));
    }

    void aPathThatLeadsNowhereIsToldAtOnce() {
        const Nanos start = SteadyClock::read();
        QVERIFY(!seesRunFolder("/nowhere/at/all/run", "0123"));
        QVERIFY(SteadyClock::read() - start < std::chrono::seconds(1));
    }

    void aFolderThatCannotBeWrittenIsAnError() { QVERIFY(!leaveToken("/proc/1/nowhere")); }
};

QTEST_GUILESS_MAIN(RunFolderVisibilityTest)
#include "tst_run_folder_visibility.moc"

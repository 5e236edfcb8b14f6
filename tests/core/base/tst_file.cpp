// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <cerrno>

#include "core/base/file.h"
#include "core/base/uninterrupted.h"

using namespace lockstep;

class FileTest : public QObject {
    Q_OBJECT
private slots:
    void whatWasWrittenIsRead() {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("a").toStdString();
        QVERIFY(replaceFileDurably(path, "one").has_value());
        QVERIFY(replaceFileDurably(path, "two").has_value());
        QCOMPARE(readFile(path, 100).value_or(""), std::string("two"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 1);
    }
    void aMissingFileIsNotFound() {
        const auto result = readFile("/nonexistent/file", 100);
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::NotFound);
        QVERIFY(result.error().message.find("/nonexistent/file") != std::string::npos);
    }
    void aFileAboveTheLimitIsRefused() {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("big").toStdString();
        QVERIFY(replaceFileDurably(path, std::string(101, 'x')).has_value());
        QVERIFY(!readFile(path, 100));
        QVERIFY(readFile(path, 101).has_value());
    }
    void aDeviceIsNotReadAsAFile() { QVERIFY(!readFile("/dev/zero", 100)); }
    void aNewFileNeverOverwrites() {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("new").toStdString();
        QVERIFY(writeNewFileDurably(path, {}).has_value());
        QVERIFY(!writeNewFileDurably(path, {}));
    }
    void aCallThatASignalInterruptsIsMadeAgain() {
        int calls = 0;
        const auto interruptedTwice = [&calls] {
            errno = EINTR;
            return ++calls < 3 ? -1 : 7;
        };
        QCOMPARE(uninterrupted(interruptedTwice), 7);
        QCOMPARE(calls, 3);
        const auto fails = [&calls] {
            ++calls;
            errno = EIO;
            return -1;
        };
        QCOMPARE(uninterrupted(fails), -1);
        QCOMPARE(calls, 4);
    }
    void aFullDiskIsAnErrorAndTheOldFileStays() {
        const auto result = replaceFileDurably("/dev/full/x", "text");
        QVERIFY(!result);
    }
};

QTEST_GUILESS_MAIN(FileTest)
#include "tst_file.moc"

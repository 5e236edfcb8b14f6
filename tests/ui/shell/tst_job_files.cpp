// SPDX-License-Identifier: GPL-3.0-or-later
// How the desktop knows job files, and whom it opens them with.
#include <QDir>
#include <QFile>
#include <QMimeDatabase>
#include <QTemporaryDir>
#include <QtTest>

namespace {

const auto kFolder = QStringLiteral(LOCKSTEP_SOURCE_DIR "/packaging/io.lockstep.Lockstep");
const auto kJob = QStringLiteral("application/x-lockstep-job+toml");
const QByteArray kText = "[job]\nname = \"digits\"\n";

QString typeOf(const char* name, const QByteArray& text) {
    return QMimeDatabase().mimeTypeForFileNameAndData(QLatin1String(name), text).name();
}

}  // namespace

class JobFilesTest : public QObject {
    Q_OBJECT

    QTemporaryDir data_;

private slots:
    void initTestCase() {
        const QString packages = data_.filePath(QStringLiteral("mime/packages"));
        QVERIFY(QDir().mkpath(packages));
        QVERIFY(QFile::copy(kFolder + QStringLiteral(".xml"),
                            packages + QStringLiteral("/io.lockstep.Lockstep.xml")));
        qputenv("XDG_DATA_DIRS", data_.path().toLocal8Bit() + ":/usr/local/share:/usr/share");
    }

    void aJobIsKnownByItsNameOrByHowItBegins() {
        QCOMPARE(typeOf("digits.lockstep.toml", {}), kJob);
        QCOMPARE(typeOf("digits", kText), kJob);
        QCOMPARE(typeOf("digits", "# What it is.\n\n" + kText), kJob);
        QVERIFY(QMimeDatabase().mimeTypeForName(kJob).inherits(QStringLiteral("text/plain")));
    }
    void otherFilesStayWhatTheyAre() {
        QCOMPARE(typeOf("Cargo.toml", "[package]\n"), QStringLiteral("application/toml"));
        QCOMPARE(typeOf("job.toml", kText), QStringLiteral("application/toml"));
        QVERIFY(typeOf("disk", "[job]\nname=fio\n") != kJob);
    }
    void theWindowOpensWhatTheDesktopKnows() {
        QFile file(kFolder + QStringLiteral(".desktop"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
        QVERIFY(lines.contains(QStringLiteral("Exec=lockstep %f")));
        const QStringList types = lines.filter(QStringLiteral("MimeType="));
        QCOMPARE(types.size(), 1);
        const QStringList names =
            types[0].section(QLatin1Char('='), 1).split(QLatin1Char(';'), Qt::SkipEmptyParts);
        QCOMPARE(names, QStringList({kJob, QStringLiteral("application/toml")}));
        for (const QString& name : names)
            QVERIFY2(QMimeDatabase().mimeTypeForName(name).isValid(), qPrintable(name));
    }
};

QTEST_GUILESS_MAIN(JobFilesTest)
#include "tst_job_files.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/ssh_names.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSet>

namespace lockstep::ui {
namespace {

constexpr qsizetype kMostNames = 1000;
constexpr qsizetype kMostFiles = 64;
constexpr qint64 kMostBytes = qint64(1) << 20;

QString userFolder() {
    return QDir::home().filePath(QStringLiteral(".ssh"));
}

/// The words of a line; one in quotes may hold blanks. The first may have '=' behind it.
QStringList wordsOf(const QString& line) {
    static const QRegularExpression word(QStringLiteral(R"re("([^"]*)"|([^\s="]+))re"));
    QStringList words;
    if (line.trimmed().startsWith(QLatin1Char('#'))) return words;
    for (auto found = word.globalMatch(line); found.hasNext();) {
        const QRegularExpressionMatch match = found.next();
        words << (match.captured(1).isEmpty() ? match.captured(2) : match.captured(1));
    }
    return words;
}

/// The files that a word of Include names; it may be a pattern.
QStringList filesOf(QString pattern) {
    if (pattern.startsWith(QLatin1String("~/"))) pattern = QDir::home().filePath(pattern.mid(2));
    const QFileInfo info(QDir(userFolder()), pattern);
    QStringList files;
    for (const QString& name : info.dir().entryList({info.fileName()}, QDir::Files | QDir::Hidden))
        files << info.dir().filePath(name);
    return files;
}

bool isName(const QString& word) {
    static const QRegularExpression other(QStringLiteral("[*?!%]"));
    return !word.isEmpty() && !word.contains(other);
}

}  // namespace

QStringList sshNames(const QString& file) {
    QStringList waiting{file};
    QSet<QString> read;
    QSet<QString> names;
    while (!waiting.isEmpty() && read.size() < kMostFiles && names.size() < kMostNames) {
        QFile settings(waiting.takeFirst());
        if (read.contains(settings.fileName())) continue;
        read.insert(settings.fileName());
        // A pipe would never end.
        if (!QFileInfo(settings).isFile() || !settings.open(QIODevice::ReadOnly)) continue;
        const QString text = QString::fromUtf8(settings.read(kMostBytes));
        for (const QString& line : text.split(QLatin1Char('\n'))) {
            const QStringList words = wordsOf(line);
            if (words.isEmpty()) continue;
            const QString key = words.front().toLower();
            for (const QString& word : words.mid(1)) {
                if (key == QLatin1String("include")) waiting << filesOf(word);
                if (key == QLatin1String("host") && isName(word) && names.size() < kMostNames)
                    names.insert(word);
            }
        }
    }
    QStringList sorted(names.begin(), names.end());
    sorted.sort(Qt::CaseInsensitive);
    return sorted;
}

QString sshSettingsFile(const QString& sshConfig, const QString& folder) {
    if (sshConfig.isEmpty()) return QDir(userFolder()).filePath(QStringLiteral("config"));
    if (sshConfig.startsWith(QLatin1String("~/"))) return QDir::home().filePath(sshConfig.mid(2));
    return QDir(folder).absoluteFilePath(sshConfig);
}

}  // namespace lockstep::ui

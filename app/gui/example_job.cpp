// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/example_job.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace lockstep::app {

namespace {

/// Of a file of resources, installed beside the program or in the source tree; empty: neither is
/// there.
QString resource(const QString& name) {
    const QString program = QCoreApplication::applicationDirPath();
    // build/<preset>/bin -> the source tree
    for (const char* place : {"/../share/lockstep/", "/../../../resources/"}) {
        const QFileInfo file(program + QLatin1String(place) + name);
        if (file.exists()) return file.canonicalFilePath();
    }
    return {};
}

}  // namespace

QString exampleJobFile() {
    return resource(QStringLiteral("examples/digits.toml"));
}

QString startersFolder() {
    return resource(QStringLiteral("starters"));
}

}  // namespace lockstep::app

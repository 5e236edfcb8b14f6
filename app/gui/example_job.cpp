// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/example_job.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace lockstep::app {

QString exampleJobFile() {
    const QString places[] = {
        QCoreApplication::applicationDirPath() +
            QStringLiteral("/../share/lockstep/examples/digits.toml"),
        // build/<preset>/bin -> the source tree
        QCoreApplication::applicationDirPath() +
            QStringLiteral("/../../../resources/examples/digits.toml"),
    };
    for (const QString& place : places) {
        const QFileInfo file(place);
        if (file.isFile()) return file.canonicalFilePath();
    }
    return {};
}

}  // namespace lockstep::app

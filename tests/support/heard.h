// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <QFile>
#include <QTemporaryFile>
#include <QtGlobal>
#include <cstdio>

namespace lockstep::tests {

/// What this process says on its standard error, from now on.
class Heard {
public:
    Heard() : former_(::dup(STDERR_FILENO)) {
        std::fflush(stderr);
        if (!file_.open() || ::dup2(file_.handle(), STDERR_FILENO) < 0) qFatal("not to be heard");
    }
    ~Heard() {
        std::fflush(stderr);
        ::dup2(former_, STDERR_FILENO);
        ::close(former_);
    }
    Heard(const Heard&) = delete;
    Heard& operator=(const Heard&) = delete;
    [[nodiscard]] QString all() const {
        QFile file(file_.fileName());
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

private:
    QTemporaryFile file_;
    int former_;
};

}  // namespace lockstep::tests

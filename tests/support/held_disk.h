// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFile>
#include <QTemporaryDir>

namespace lockstep::tests {

/// The disk of a test that has held_syncs.cpp among its sources: it stands still while it is held,
/// for files below a folder `checkpoints`. Made before there are threads.
class HeldDisk {
public:
    HeldDisk() { qputenv("LOCKSTEP_TEST_HELD_SYNCS", QFile::encodeName(file_)); }
    ~HeldDisk() { release(); }
    HeldDisk(const HeldDisk&) = delete;
    HeldDisk& operator=(const HeldDisk&) = delete;
    void hold() const {
        QFile file(file_);
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot hold the disk");
    }
    void release() const { QFile::remove(file_); }

private:
    const QTemporaryDir folder_;
    const QString file_ = folder_.filePath("held");
};

}  // namespace lockstep::tests

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace lockstep::ui {

/// The names that a file of ssh settings gives to hosts, and those of the files that it includes:
/// sorted, without patterns and what is negated. At most 1,000, from at most 64 files of 1 MiB. A
/// file that cannot be read has none: ssh itself says so. Reads the disk: for a worker thread.
[[nodiscard]] QStringList sshNames(const QString& file);

/// The file that ssh reads for a job: its launch.ssh_config, relative to `folder`, else the user's.
[[nodiscard]] QString sshSettingsFile(const QString& sshConfig, const QString& folder);

}  // namespace lockstep::ui

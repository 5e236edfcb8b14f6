// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/data_text.h"

#include "core/config/document/job_file.h"

namespace lockstep::ui {
namespace {

/// The lines of a section as they are resolved.
QString sectionOf(const config::JobSpec& job, const QString& head) {
    const QString all = QString::fromStdString(config::resolvedToml(job));
    const qsizetype begin = all.indexOf(head);
    return begin < 0 ? QString()
                     : all.mid(begin, all.indexOf(QStringLiteral("\n["), begin) - begin);
}

}  // namespace

QString sourceTextOf(const config::JobSpec& job) {
    config::JobSpec plain = job;
    plain.data.augment.clear();
    return sectionOf(plain, QStringLiteral("[data]"));
}

QString samplesTextOf(const config::JobSpec& job) {
    QString data = sectionOf(job, QStringLiteral("[data]"));
    if (job.data.augment.empty()) return data;
    return QStringLiteral("%1\nseed %2\nbatch %3")
        .arg(data)
        .arg(job.training.seed.value_or(0))
        .arg(job.training.globalBatchSize);
}

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>

namespace lockstep::ui {

/// The job files opened last, the newest first, kept in the user's settings.
class RecentJobs final : public QObject {
    Q_OBJECT
public:
    static constexpr int kLimit = 8;

    explicit RecentJobs(QObject* parent = nullptr);

    [[nodiscard]] const QStringList& paths() const { return paths_; }
    void add(const QString& path);
    /// A file that turned out not to exist.
    void remove(const QString& path);

Q_SIGNALS:
    void changed(const QStringList& paths);

private:
    void store();

    QStringList paths_;
};

}  // namespace lockstep::ui

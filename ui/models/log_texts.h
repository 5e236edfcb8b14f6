// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QString>

namespace lockstep::ui {

/// Texts of log lines that were read, the newest and the most used of them: at most kMostBytes.
class LogTexts {
public:
    static constexpr qsizetype kMostBytes = qsizetype{16} << 20;

    /// Null where it is not here.
    [[nodiscard]] const QString* find(quint32 line) {
        if (const auto found = young_.constFind(line); found != young_.cend()) return &*found;
        const auto old = old_.find(line);
        if (old == old_.end()) return nullptr;
        const QString text = old_.take(line);
        put(line, text);
        return &*young_.constFind(line);
    }
    void put(quint32 line, const QString& text) {
        if (bytes_ > kMostBytes / 2) {
            old_ = std::exchange(young_, {});
            bytes_ = 0;
        }
        young_.insert(line, text);
        bytes_ += text.size() * qsizetype(sizeof(QChar)) + kOfEntry;
    }
    void clear() { *this = {}; }

private:
    static constexpr qsizetype kOfEntry = 64;

    QHash<quint32, QString> young_;
    QHash<quint32, QString> old_;
    qsizetype bytes_ = 0;  ///< Of the young ones.
};

}  // namespace lockstep::ui

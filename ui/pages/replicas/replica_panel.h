// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVector>

#include "core/job/fold/session.h"
#include "ui/widgets/card.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace lockstep::ui {

class ElidedLabel;
class PhaseBar;
class Sparkline;

/// One replica in detail, beside the table: who it is, how its last steps went, what it wrote.
class ReplicaPanel final : public Card {
    Q_OBJECT
public:
    explicit ReplicaPanel(QWidget* parent = nullptr);

    void showReplica(const job::ReplicaView& replica);
    /// The last steps, oldest first.
    void showHistory(const QVector<float>& losses, const QVector<float>& stepMilliseconds);
    void showLog(const QStringList& lines);
    /// The run goes on.
    void offerDrills(bool on);

Q_SIGNALS:
    void closeRequested();
    void drillRequested(int process);

private:
    void buildFacts();
    void buildCurves();
    void buildLog();
    ElidedLabel* addFact(const QString& name);
    static QString deviceText(const job::ReplicaView& replica);
    static QString memoryText(const job::ReplicaView& replica);

    QList<QLabel*> facts_;  ///< What the next ones are called.
    ElidedLabel* host_ = nullptr;
    ElidedLabel* process_ = nullptr;
    ElidedLabel* device_ = nullptr;
    ElidedLabel* memory_ = nullptr;
    QLabel* stepTime_ = nullptr;
    QLabel* loss_ = nullptr;
    PhaseBar* phases_ = nullptr;
    Sparkline* stepTimes_ = nullptr;
    Sparkline* losses_ = nullptr;
    QPlainTextEdit* log_ = nullptr;
    QPushButton* drill_ = nullptr;
    bool offersDrills_ = false;
    bool isWorker_ = false;
    int shown_ = 0;  ///< The process.
};

}  // namespace lockstep::ui

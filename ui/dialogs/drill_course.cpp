// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/drill_course.h"

#include <QGridLayout>
#include <algorithm>

#include "core/job/fold/drill_plan.h"
#include "ui/style/core_words.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kIconSide = 18;

QString capital(const std::string& line) {
    QString words = fromCore(line);
    if (!words.isEmpty()) words[0] = words[0].toUpper();
    return words;
}

}  // namespace

DrillCourse::DrillCourse(QWidget* parent) : QWidget(parent) {
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setHorizontalSpacing(kGrid);
    layout->setVerticalSpacing(kGrid);
    layout->setColumnStretch(1, 1);
    const std::array<const char*, Parts> names{"drillLanded", "drillDetected", "drillRecovered"};
    for (int part = 0; part < Parts; ++part) {
        Line& line = lines_[std::size_t(part)];
        line.icon = new QLabel(this);
        line.icon->setFixedSize(kIconSide, kIconSide);
        line.words = wrappedLabel(this);
        line.words->setObjectName(QLatin1String(names[std::size_t(part)]));
        line.words->setTextInteractionFlags(Qt::TextSelectableByMouse);
        layout->addWidget(line.icon, part, 0, Qt::AlignTop);
        layout->addWidget(line.words, part, 1, Qt::AlignTop);
    }
}

void DrillCourse::setLine(Part part, const QString& words, Icon icon, Tone tone) {
    Line& line = lines_[std::size_t(part)];
    line.icon->setVisible(!words.isEmpty());
    line.words->setVisible(!words.isEmpty());
    line.words->setText(words);
    line.icon->setPixmap(makeIcon(icon, tone).pixmap(kIconSide, kIconSide));
}

void DrillCourse::showSentence(const QString& sentence, Icon icon, Tone tone) {
    setLine(Landed, sentence, icon, tone);
    setLine(Detected, {}, icon, tone);
    setLine(Recovered, {}, icon, tone);
}

void DrillCourse::showDrill(const job::DrillView& drill, double now, bool isRunOver) {
    const bool isOver = isRunOver || job::isOver(drill);
    const QString outcome = capital(job::outcomeLine(drill, isRunOver));
    if (!job::isLanded(drill)) {
        if (isOver) return showSentence(outcome, Icon::Info, Tone::Warn);
        return showSentence(
            tr("Not landed yet: %1 s").arg(std::max(now - drill.orderedWallTime, 0.0), 0, 'f', 1),
            Icon::Waiting, Tone::Accent);
    }
    const QString waited = QString::number(std::max(now - drill.landedWallTime, 0.0), 'f', 1);
    setLine(Landed, capital(job::landedLine(drill)), Icon::Check, Tone::Good);
    const bool isRight = drill.namedProcess && drill.namedKind;
    if (drill.detectedWallTime > 0)
        setLine(Detected, capital(job::detectedLine(drill)), isRight ? Icon::Check : Icon::Warning,
                isRight ? Tone::Good : Tone::Warn);
    else if (isOver)
        setLine(Detected, tr("Not detected: the run named nothing"), Icon::Warning, Tone::Warn);
    else
        setLine(Detected, tr("Not detected yet: %1 s").arg(waited), Icon::Waiting, Tone::Accent);
    if (drill.recoveredWallTime > 0)
        setLine(Recovered, outcome, Icon::Check, Tone::Good);
    else if (isOver)
        setLine(Recovered, outcome, Icon::Warning, Tone::Warn);
    else
        setLine(Recovered, tr("Not recovered yet: %1 s").arg(waited), Icon::Waiting, Tone::Accent);
}

}  // namespace lockstep::ui

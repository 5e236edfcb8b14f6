// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/stuck_notice.h"

#include <QPushButton>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/config/document/job_file.h"
#include "ui/models/words.h"
#include "ui/style/core_words.h"
#include "ui/widgets/notice_bar.h"

namespace lockstep::ui {

StuckNotice::StuckNotice(NoticeBar& notice, std::function<double()> now, QObject* parent)
    : QObject(parent), notice_(notice), now_(std::move(now)) {
    timer_.setInterval(std::chrono::milliseconds(250));
    connect(&timer_, &QTimer::timeout, this, &StuckNotice::showTimeLeft);
}

void StuckNotice::reset() {
    timer_.stop();
    end_ = {};
    notice_.clear();
}

void StuckNotice::showView(const job::RunView& view) {
    const bool isNear = view.stuckEnd.wallTime > 0 && !isEnded(view.state);
    if (!isNear) {
        if (end_.wallTime > 0) reset();
        return;
    }
    QString sentence = fromCore(view.sentence);
    if (!sentence.isEmpty()) sentence[0] = sentence[0].toUpper();
    const bool isShown = end_.wallTime > 0 && !notice_.isHidden();
    end_ = view.stuckEnd;
    if (isShown) {  // its buttons stay, under a finger or with the keyboard on them
        notice_.setSentence(sentence);
        return showTimeLeft();
    }
    keepsSteps_ = config::JobDocument::lenient(view.jobToml, "job.toml").spec().launch.keepsSteps();
    notice_.showNotice({Tone::Bad, sentence, {}, {}});
    showTimeLeft();
    QPushButton* longer = notice_.addAction(tr("Wait longer"));
    longer->setObjectName(QStringLiteral("stuckWaitLonger"));
    connect(longer, &QPushButton::clicked, this, &StuckNotice::waitLongerRequested);
    QPushButton* end = notice_.addAction(tr("End now"));
    end->setObjectName(QStringLiteral("stuckEndNow"));
    connect(end, &QPushButton::clicked, this, &StuckNotice::endRequested);
    timer_.start();
}

void StuckNotice::showTimeLeft() {
    const int seconds = std::max(static_cast<int>(std::ceil(end_.wallTime - now_())), 0);
    const QString words = !end_.restarts ? tr("The run ends in %1 s.")
                          : keepsSteps_
                              ? tr("It restarts from its newest step, kept in memory, in %1 s.")
                              : tr("It restarts from its newest checkpoint in %1 s.");
    notice_.setRemedy(words.arg(seconds));
}

}  // namespace lockstep::ui

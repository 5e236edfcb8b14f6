// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/drill_panel.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QListWidget>
#include <QPushButton>
#include <algorithm>
#include <chrono>

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "ui/dialogs/drill_course.h"
#include "ui/dialogs/question_dialog.h"
#include "ui/models/words.h"
#include "ui/pages/page_parts.h"
#include "ui/style/core_words.h"
#include "ui/style/units.h"
#include "ui/widgets/card.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr auto kBeat = std::chrono::milliseconds(100);
constexpr QSize kSize(960, 720);
constexpr QSize kLeast(420, 420);
constexpr int kSideBySide = 820;
constexpr double kMostSeconds = 86'400;
constexpr double kUsualSeconds = 10;  ///< Of a fault that needs a length.
constexpr int kIdRole = Qt::UserRole;
constexpr std::size_t kIdBytes = 16;

QLabel* secondary(QWidget* parent, const QString& text = {}) {
    QLabel* label = wrappedLabel(parent, text);
    label->setProperty("secondary", true);
    return label;
}

/// "14:05:12  kill of process 1: recovered after 3.4 s; …"
QString lineOf(const job::DrillView& drill, bool isRunOver) {
    std::string outcome = job::outcomeLine(drill, isRunOver);
    if (outcome.empty()) outcome = drill.sentence;
    return DrillPanel::tr("%1  %2 of process %3: %4")
        .arg(units::timeOfDay(drill.orderedWallTime),
             QString::fromStdString(job::wordOf(drill.order.kind)))
        .arg(drill.order.processId)
        .arg(fromCore(outcome));
}

QIcon iconOf(const job::DrillView& drill, bool isRunOver) {
    if (!job::isOver(drill) && !isRunOver) return makeIcon(Icon::Waiting, Tone::Accent);
    if (drill.recoveredWallTime > 0) return makeIcon(Icon::Check, Tone::Good);
    return job::isLanded(drill) ? makeIcon(Icon::Warning, Tone::Warn)
                                : makeIcon(Icon::Info, Tone::Neutral);
}

}  // namespace

DrillPanel::DrillPanel(QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("drillPanel"));
    setWindowTitle(tr("Drill"));
    QWidget* body = scrolledBody(this);
    auto* outer = new QVBoxLayout(body);
    outer->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
    outer->setSpacing(2 * kGrid);
    const auto purpose = job::kDrillPurpose;
    outer->addWidget(secondary(
        body, fromCore(std::string(purpose)) + QLatin1Char(' ') + tr("It really happens.")));
    auto* columns = new QHBoxLayout;
    columns->setSpacing(2 * kGrid);
    auto* faults = new Card(tr("Fault"), body);
    choice_ = new DrillChoice(faults);
    faults->body()->addWidget(choice_);
    columns->addWidget(faults, 1);
    auto* right = new QVBoxLayout;
    right->setSpacing(2 * kGrid);
    right->addWidget(buildOrder());
    right->addWidget(buildCourse(), 1);
    columns->addLayout(right, 1);
    stackWhenNarrow(this, columns, kSideBySide);
    outer->addLayout(columns, 1);
    setMinimumSize(kLeast);
    resize(kSize);
    beat_.setInterval(kBeat);
    beat_.callOnTimeout(this, &DrillPanel::showCourse);
    connect(choice_, &DrillChoice::changed, this, [this] {
        showLength();
        showPlan();
    });
    showLength();
    showPlan();
    showCourse();
}

QWidget* DrillPanel::buildOrder() {
    auto* card = new Card(tr("Where"), this);
    process_ = new QComboBox(card);
    process_->setObjectName(QStringLiteral("drillProcess"));
    process_->setAccessibleName(tr("In which process"));
    process_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    length_ = new QDoubleSpinBox(card);
    length_->setObjectName(QStringLiteral("drillSeconds"));
    length_->setAccessibleName(tr("For how many seconds"));
    length_->setRange(0, kMostSeconds);
    length_->setDecimals(1);
    length_->setSuffix(tr(" s"));
    lengthName_ = new QLabel(tr("Lasts"), card);
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(2 * kGrid);
    form->setVerticalSpacing(kGrid);
    form->addRow(tr("Process"), process_);
    form->addRow(lengthName_, length_);
    effect_ = wrappedLabel(card);
    effect_->setObjectName(QStringLiteral("drillEffect"));
    effect_->setFont(strongFont());
    policy_ = secondary(card);
    policy_->setObjectName(QStringLiteral("drillPolicy"));
    do_ = new QPushButton(tr("Make this fault…"), card);
    do_->setObjectName(QStringLiteral("drillButton"));
    do_->setProperty("danger", true);
    do_->setAutoDefault(false);
    auto* verbs = new QHBoxLayout;
    verbs->addStretch(1);
    verbs->addWidget(do_);
    card->body()->setSpacing(kGrid);
    card->body()->addLayout(form);
    card->body()->addSpacing(kGrid);
    card->body()->addWidget(effect_);
    card->body()->addWidget(policy_);
    card->body()->addLayout(verbs);
    connect(process_, &QComboBox::currentIndexChanged, this, [this] {
        showRefusals();
        showPlan();
    });
    connect(length_, &QDoubleSpinBox::valueChanged, this, &DrillPanel::showPlan);
    connect(do_, &QPushButton::clicked, this, &DrillPanel::ask);
    return card;
}

QWidget* DrillPanel::buildCourse() {
    courseCard_ = new Card(tr("Drills of this run"), this);
    list_ = new QListWidget(courseCard_);
    list_->setObjectName(QStringLiteral("drillList"));
    list_->setAccessibleName(tr("Drills of this run, the newest first"));
    list_->setTextElideMode(Qt::ElideRight);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setMinimumHeight(10 * kGrid);
    list_->setTabKeyNavigation(false);
    none_ = secondary(
        courseCard_, tr("None yet. Those of the command line, lockstepctl drill, come here, too."));
    none_->setObjectName(QStringLiteral("noDrills"));
    none_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    course_ = new DrillCourse(courseCard_);
    courseCard_->body()->setSpacing(2 * kGrid);
    courseCard_->body()->addWidget(course_);
    courseCard_->body()->addWidget(none_);
    courseCard_->body()->addWidget(list_, 1);
    connect(list_, &QListWidget::currentRowChanged, this, &DrillPanel::showCourse);
    return courseCard_;
}

job::DrillOrder DrillPanel::order() const {
    job::DrillOrder order;
    order.kind = choice_->kind();
    order.processId = process_->currentData().toInt();
    order.seconds = job::hasLength(order.kind) ? length_->value() : 0;
    return order;
}

void DrillPanel::chooseProcess(int process) {
    if (const int index = process_->findData(process); index >= 0) process_->setCurrentIndex(index);
}

/// Asks once more: it harms a job that trains.
void DrillPanel::ask() {
    if (!view_ || !obstacle().isEmpty()) return;
    job::DrillOrder wanted = order();
    QuestionDialog dialog(tr("Make this fault?"), asSentence(fromCore(job::effectOf(wanted))),
                          fromCore(job::policyOf(wanted, *view_)), this);
    dialog.setObjectName(QStringLiteral("drillQuestion"));
    dialog.addButton(tr("Cancel"), "cancelDrillButton", QuestionDialog::Verb::Stay);
    QPushButton* yes =
        dialog.addButton(tr("Make the fault"), "confirmDrillButton", QuestionDialog::Verb::Lose);
    if (dialog.ask() != yes || !view_ || !obstacle().isEmpty()) return;
    wanted.id = randomHex(kIdBytes);
    watched_ = wanted.id;
    Q_EMIT ordered(wanted);
}

void DrillPanel::showRun(const std::shared_ptr<const job::RunView>& view) {
    view_ = view;
    showProcesses();
    showRefusals();
    showPlan();
    showDrills();
    showCourse();
}

void DrillPanel::showProcesses() {
    if (!view_) return;
    std::map<int, QString> names;
    for (const job::ReplicaView& replica : view_->replicas)
        if (replica.role == job::Role::Worker)
            names[replica.processId] = tr("%1 (%2) on %3")
                                           .arg(replica.processId)
                                           .arg(roleName(replica.role, replica.processId),
                                                QString::fromStdString(replica.host));
    bool isSame = int(names.size()) == process_->count();
    int row = 0;
    for (const auto& [id, name] : names)
        isSame = isSame && process_->itemData(row++).toInt() == id;
    if (isSame) return;
    const QVariant chosen = process_->currentData();
    const QSignalBlocker quiet(process_);
    process_->clear();
    for (const auto& [id, name] : names)
        process_->addItem(name, id);
    process_->setCurrentIndex(std::max(process_->findData(chosen), 0));
}

/// A length that the fault cannot have is no field; one that it needs is there from the start.
void DrillPanel::showLength() {
    const job::DrillKind kind = choice_->kind();
    const bool needs = kind == job::DrillKind::DiskFull;
    const QSignalBlocker quiet(length_);
    length_->setMinimum(needs ? 1 : 0);
    length_->setSpecialValueText(needs ? QString() : tr("until the run ends it"));
    if (needs && length_->value() <= 1) length_->setValue(kUsualSeconds);
    const bool has = job::hasLength(kind);
    lengthName_->setVisible(has);
    length_->setVisible(has);
    length_->setEnabled(has);
}

QString DrillPanel::obstacle() const {
    if (!view_) return tr("no run is followed");
    if (view_->exitStatus < 0 && !view_->connected)
        return tr("the run is not reached (%1)").arg(fromCore(view_->connectionSentence));
    if (isAsked_) return tr("the run is asked for a drill");
    return fromCore(job::refusalOf(order(), *view_));
}

/// What holds for every fault is said once, beside the button.
void DrillPanel::showRefusals() {
    if (!view_) return;
    DrillChoice::Refusals refusals;
    std::map<QString, int> counts;
    const auto words = job::drillWords();
    for (const std::string& word : words) {
        job::DrillOrder each = order();
        each.kind = *job::drillKindOf(word);
        each.seconds = job::hasLength(each.kind) ? kUsualSeconds : 0;
        refusals[each.kind] = fromCore(job::refusalOf(each, *view_));
        ++counts[refusals[each.kind]];
    }
    const bool isGeneral = counts.size() == 1 && !counts.begin()->first.isEmpty();
    if (isGeneral) refusals.clear();
    choice_->setEnabled(!isGeneral);
    choice_->setRefusals(refusals);
}

void DrillPanel::showPlan() {
    const QString why = obstacle();
    do_->setEnabled(why.isEmpty());
    do_->setToolTip(why.isEmpty() ? QString() : asSentence(why));
    effect_->setText(why.isEmpty() ? asSentence(fromCore(job::effectOf(order())))
                                   : tr("Not now: %1.").arg(why));
    policy_->setVisible(why.isEmpty());
    if (view_) policy_->setText(fromCore(job::policyOf(order(), *view_)));
}

void DrillPanel::showWatch(const job::DrillWatch* watch) {
    using State = job::DrillWatch::State;
    isAsked_ = watch != nullptr && watch->state() == State::Asked;
    notTaken_.reset();
    if (watch != nullptr && (watch->state() == State::NotTaken || watch->state() == State::Late))
        notTaken_ = fromCore(watch->sentence());
    if (watch != nullptr) watched_ = watch->order().id;
    showPlan();
    showCourse();
}

/// The newest first; the chosen one stays chosen, a new one is chosen by itself.
void DrillPanel::showDrills() {
    const QSignalBlocker quiet(list_);
    const std::size_t count = view_ ? view_->drills.size() : 0;
    const bool isNew = int(count) > list_->count();
    while (list_->count() > int(count))
        delete list_->takeItem(0);
    while (list_->count() < int(count))
        list_->insertItem(0, new QListWidgetItem);
    const bool isRunOver = view_ && view_->exitStatus >= 0;
    for (std::size_t i = 0; i < count; ++i) {
        const job::DrillView& drill = view_->drills[i];
        QListWidgetItem* item = list_->item(int(count - 1 - i));
        const QString line = lineOf(drill, isRunOver);
        if (item->text() == line) continue;
        item->setText(line);
        item->setToolTip(line);
        item->setIcon(iconOf(drill, isRunOver));
        item->setData(kIdRole, QString::fromStdString(drill.order.id));
    }
    if (isNew) list_->setCurrentRow(0);
    list_->setVisible(count > 0);
    none_->setVisible(count == 0);
}

/// Of the chosen drill; of the one that was ordered here while the run has not taken it.
void DrillPanel::showCourse() {
    const QListWidgetItem* item = list_->currentItem();
    const job::DrillView* drill =
        view_ && item != nullptr
            ? job::findDrill(*view_, item->data(kIdRole).toString().toStdString())
            : nullptr;
    const bool isRunOver = view_ && view_->exitStatus >= 0;
    const bool isUnknown = view_ && job::findDrill(*view_, watched_) == nullptr;
    course_->setVisible(drill != nullptr || isAsked_ || notTaken_);
    if (isAsked_)
        course_->showSentence(tr("The run is asked for it …"), Icon::Waiting, Tone::Accent);
    else if (notTaken_ && isUnknown)
        course_->showSentence(tr("No drill was done: %1.").arg(*notTaken_), Icon::Warning,
                              Tone::Warn);
    else if (drill != nullptr)
        course_->showDrill(*drill, wallSeconds(), isRunOver);
    const bool runs = isAsked_ || (drill != nullptr && !job::isOver(*drill) && !isRunOver);
    if (runs == beat_.isActive()) return;
    runs ? beat_.start() : beat_.stop();
}

}  // namespace lockstep::ui

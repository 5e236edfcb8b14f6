// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/keys_dialog.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <algorithm>

#include "ui/dialogs/key_list.h"
#include "ui/style/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kWidth = 88 * kGrid;  // beside the frame in a screen of 800
constexpr int kMostHeight = 88 * kGrid;
constexpr int kWaysWidth = 34 * kGrid;

/// As they stand on a keyboard.
QWidget* waysOf(const Gesture& gesture, QWidget* parent) {
    auto* ways = new QWidget(parent);
    ways->setFixedWidth(kWaysWidth);
    auto* layout = new FlowLayout(ways, kGrid / 2);
    for (const QString& way : gesture.ways) {
        auto* cap = new QLabel(way, ways);
        cap->setTextFormat(Qt::PlainText);
        cap->setProperty("keyCap", true);
        layout->addWidget(cap);
    }
    return ways;
}

Card* cardOf(const GestureGroup& group, QWidget* parent) {
    auto* card = new Card(group.place, parent);
    auto* rows = new QGridLayout;
    rows->setHorizontalSpacing(2 * kGrid);
    rows->setVerticalSpacing(kGrid);
    rows->setColumnStretch(1, 1);
    for (const Gesture& gesture : group.gestures) {
        auto* effect = wrappedLabel(card, gesture.effect);
        effect->setAccessibleName(gesture.ways.join(QStringLiteral(", ")) + QStringLiteral(": ") +
                                  gesture.effect);
        const int row = rows->rowCount();
        rows->addWidget(waysOf(gesture, card), row, 0);
        rows->addWidget(effect, row, 1);
    }
    card->body()->addLayout(rows);
    return card;
}

}  // namespace

KeysDialog::KeysDialog(QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("keysDialog"));
    setWindowTitle(tr("Keys and gestures"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* area = new QScrollArea(this);
    area->setObjectName(QStringLiteral("keysArea"));
    area->setAccessibleName(windowTitle());
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::StrongFocus);
    auto* cards = new QWidget;
    auto* column = new QVBoxLayout(cards);
    column->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
    column->setSpacing(2 * kGrid);
    for (const GestureGroup& group : KeyList::groups())
        column->addWidget(cardOf(group, cards));
    column->addStretch(1);
    area->setWidget(cards);
    auto* close = new QPushButton(tr("Close"), this);
    close->setObjectName(QStringLiteral("closeKeysButton"));
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 2 * kGrid);
    layout->setSpacing(kGrid);
    layout->addWidget(area, 1);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(2 * kGrid, 0, 2 * kGrid, 0);
    foot->addStretch(1);
    foot->addWidget(close);
    layout->addLayout(foot);
    resize(kWidth, std::min(kMostHeight, parent->height()));
    area->setFocus();
}

void showKeys(QWidget* window) {
    auto* dialog = window->findChild<KeysDialog*>();
    if (dialog == nullptr) dialog = new KeysDialog(window);
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/stylesheet.h"

#include <array>
#include <utility>

namespace lockstep::ui {

namespace {

// @name stands for a colour of the theme.
constexpr char kSheet[] = R"(
QToolTip { background: @raised; color: @text; border: 1px solid @hairline; padding: 4px 6px; }

QPushButton { background: @surface; color: @text; border: 1px solid @hairline; border-radius: 6px;
    padding: 5px 14px; min-height: 18px; outline: none; }
QPushButton:hover { background: @hover; }
QPushButton:pressed { background: @hairline; }
QPushButton:focus { border: 1px solid @accent; }
QPushButton:disabled { color: @disabled; background: @window; }
QPushButton:checked { background: @accentSoft; color: @accent; border-color: @accent; }
QPushButton[primary="true"] { background: @accent; color: @accentText; border: 1px solid @accent;
    font-weight: 600; }
QPushButton[primary="true"]:hover { background: @accentHover; border-color: @accentHover; }
QPushButton[primary="true"]:focus { border: 1px solid @text; }
QPushButton[primary="true"]:disabled { background: @hairline; border-color: @hairline;
    color: @disabled; }
QPushButton[menu="true"] { padding-right: 28px; }
QPushButton::menu-indicator { image: url(@chevronDown); width: 14px; height: 14px; right: 8px;
    subcontrol-position: right center; subcontrol-origin: padding; }
QPushButton[danger="true"] { color: @bad; }
QPushButton[danger="true"]:disabled { color: @disabled; }
QPushButton[danger="true"]:hover { background: @badSoft; border-color: @bad; }

QToolButton { background: transparent; border: 1px solid transparent; border-radius: 6px;
    padding: 4px; color: @text; outline: none; }
QToolButton:hover { background: @hover; }
QToolButton:pressed, QToolButton:checked { background: @accentSoft; color: @accent; }
QToolButton:focus { border: 1px solid @accent; }
QToolButton:disabled { color: @disabled; }
QToolButton:checked:disabled { background: @hairline; }
QToolButton[floating="true"] { background: @raised; border: 1px solid @hairline; padding: 3px 8px; }
QToolButton[toggle="true"] { border: 1px solid @hairline; padding: 1px 6px; color: @secondary; }
QToolButton[toggle="true"]:checked { border-color: @accent; color: @accent; }
QToolButton[toggle="true"]:disabled { color: @disabled; }
QToolButton[toggle="true"]:focus { border-color: @accent; }
QToolButton::menu-indicator { image: none; }

QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox {
    background: @surface; color: @text; border: 1px solid @hairline; border-radius: 6px;
    padding: 4px 8px; selection-background-color: @selection; selection-color: @text; }
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox { min-height: 20px; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus,
QComboBox:focus { border: 1px solid @accent; }
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled {
    background: @window; color: @disabled; }
QLineEdit[invalid="true"], QSpinBox[invalid="true"], QDoubleSpinBox[invalid="true"],
QComboBox[invalid="true"] { border: 1px solid @bad; }
QComboBox::drop-down { border: none; width: 24px; subcontrol-position: right center; }
QComboBox::down-arrow { image: url(@chevronDown); width: 14px; height: 14px; }
QComboBoxPrivateContainer { background: transparent; border: none; }
QComboBox QAbstractItemView { background: @raised; border: 1px solid @hairline; border-radius: 6px;
    padding: 4px; outline: none; selection-background-color: @selection; selection-color: @text; }
QComboBox QAbstractItemView::item { min-height: 20px; padding: 3px 8px; border-radius: 4px; }
QCheckBox { spacing: 8px; }
QCheckBox:disabled { color: @disabled; }
QCheckBox::indicator { width: 16px; height: 16px; border: 1px solid @frame; border-radius: 4px;
    background: @surface; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: @accent; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; image: url(@tick); }
QCheckBox::indicator:disabled { border-color: @hairline; background: @window; }
QCheckBox::indicator:checked:disabled { background: @disabled; border-color: @disabled; }
QRadioButton { spacing: 8px; }
QRadioButton:disabled { color: @disabled; }
QRadioButton::indicator { width: 14px; height: 14px; border: 1px solid @frame; border-radius: 8px;
    background: @surface; }
QRadioButton::indicator:hover, QRadioButton::indicator:focus { border-color: @accent; }
QRadioButton::indicator:checked { width: 6px; height: 6px; border: 5px solid @accent;
    background: @surface; }
QRadioButton::indicator:disabled { border-color: @hairline; background: @window; }
QRadioButton:focus { color: @accent; }
QSpinBox::up-button, QDoubleSpinBox::up-button { subcontrol-origin: border; border: none;
    subcontrol-position: top right; width: 20px; margin: 2px 2px 0 0; }
QSpinBox::down-button, QDoubleSpinBox::down-button { subcontrol-origin: border; border: none;
    subcontrol-position: bottom right; width: 20px; margin: 0 2px 2px 0; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url(@chevronUp); width: 12px; height: 12px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: url(@chevronDown); width: 12px;
    height: 12px; }

QTableView, QTreeView, QListView { background: @surface; border: none; color: @text;
    alternate-background-color: @surface; gridline-color: @hairline; outline: none;
    selection-background-color: @selection; selection-color: @text; }
QTableView::item, QTreeView::item, QListView::item { padding: 4px 8px; border: none; }
QTableView::item:selected, QTreeView::item:selected, QListView::item:selected {
    background: @selection; color: @text; }
QTreeView#layerTree::item:selected { background: transparent; }
QHeaderView { background: @surface; border: none; }
QHeaderView::section { background: @surface; color: @secondary; border: none;
    border-bottom: 1px solid @hairline; padding: 6px 8px; font-weight: normal; }
QTableCornerButton::section { background: @surface; border: none; }

QTabWidget::pane { border: none; border-top: 1px solid @hairline; }
QTabBar::tab { background: transparent; color: @secondary; padding: 7px 12px; border: none;
    border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text; border-bottom: 2px solid @accent; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:focus { color: @accent; }

QMenuBar { background: @window; color: @text; padding: 2px 4px; }
QMenuBar::item { background: transparent; padding: 4px 8px; border-radius: 4px; }
QMenuBar::item:selected { background: @hover; }
QMenuBar::item:disabled { color: @disabled; }
QMenu { background: @raised; border: 1px solid @hairline; border-radius: 6px; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 12px; border-radius: 4px; color: @text; }
QMenu::item:selected { background: @selection; }
QMenu::item:disabled { color: @disabled; }
QMenu::separator { height: 1px; background: @hairline; margin: 4px 8px; }
QStatusBar { background: @window; color: @secondary; border-top: 1px solid @hairline; }
QStatusBar::item { border: none; }

QScrollArea { background: transparent; border: none; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: @scroll; border-radius: 3px; margin: 3px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: @secondary; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QSplitter::handle { background: @window; }
QSplitter::handle:hover { background: @hairline; }
QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: @hairline; }
QSlider::sub-page:horizontal { background: @accent; border-radius: 2px; }
QSlider::handle:horizontal { width: 14px; height: 14px; margin: -5px 0; border-radius: 7px;
    background: @accent; border: none; }
QSlider::handle:horizontal:focus { background: @text; }
QLabel[secondary="true"] { color: @secondary; }
QLabel[problem="true"] { color: @bad; }
QLabel[keyCap="true"] { background: @window; border: 1px solid @hairline;
    border-bottom: 2px solid @frame; border-radius: 4px; padding: 1px 6px; }
QLabel:disabled { color: @disabled; }
)";

}  // namespace

QString stylesheet(const Theme& theme) {
    const QString tint = theme.dark ? QStringLiteral("-dark.svg") : QStringLiteral("-light.svg");
    const QString folder = QStringLiteral(":/lockstep/icons/");
    // Longer names first: @accentHover must not be read as @accent.
    const std::array<std::pair<const char*, QString>, 21> names{{
        {"@accentHover", mixed(theme.accent, theme.text, 0.12).name()},
        {"@accentSoft", theme.accentSoft.name()},
        {"@accentText", theme.accentText.name()},
        {"@accent", theme.accent.name()},
        {"@badSoft", theme.toneSoft(Tone::Bad).name()},
        {"@bad", theme.bad.name()},
        {"@chevronDown", folder + QStringLiteral("arrow-down") + tint},
        {"@chevronUp", folder + QStringLiteral("arrow-up") + tint},
        {"@disabled", theme.textDisabled.name()},
        {"@frame", mixed(theme.hairline, theme.textSecondary, 0.6).name()},
        {"@hairline", theme.hairline.name()},
        {"@hover", theme.hover.name()},
        {"@raised", theme.raised.name()},
        {"@scroll", mixed(theme.hairline, theme.textSecondary, 0.35).name()},
        {"@secondary", theme.textSecondary.name()},
        {"@selection", theme.selection.name()},
        {"@surface", theme.surface.name()},
        {"@text", theme.text.name()},
        {"@window", theme.window.name()},
        {"@good", theme.good.name()},
        {"@tick", folder + QStringLiteral("tick") + tint},
    }};
    QString sheet = QString::fromLatin1(kSheet);
    for (const auto& [name, value] : names)
        sheet.replace(QLatin1String(name), value);
    return sheet;
}

}  // namespace lockstep::ui

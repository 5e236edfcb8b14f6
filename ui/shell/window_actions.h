// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <QObject>

class QActionGroup;
class QMainWindow;
class QMenu;
class QUndoStack;

namespace lockstep::ui {

/// Every verb of the window as an action with its menu and shortcut; the window connects them.
class WindowActions final : public QObject {
    Q_OBJECT
public:
    /// Fills the menu bar of `window`. `undoStack` gives Undo and Redo.
    WindowActions(QMainWindow& window, QUndoStack& undoStack);

    QAction* open = nullptr;
    QAction* openExample = nullptr;
    QList<QAction*> starters;  ///< Jobs to begin with; data() is the starter's name.
    QAction* openRun = nullptr;
    QAction* save = nullptr;
    QAction* saveAs = nullptr;
    QAction* saveChart = nullptr;
    QAction* quit = nullptr;
    QAction* copyChart = nullptr;
    QAction* find = nullptr;
    QAction* checkHosts = nullptr;
    QAction* launch = nullptr;
    QAction* resume = nullptr;
    QAction* stop = nullptr;
    QAction* kill = nullptr;
    QAction* drill = nullptr;
    QAction* release = nullptr;
    QAction* refresh = nullptr;
    QAction* callBack = nullptr;  ///< Checkable.
    QAction* keys = nullptr;
    QAction* about = nullptr;
    QList<QAction*> pages;   ///< One a page, in order of the navigation rail; checkable.
    QList<QAction*> themes;  ///< System, light, dark; data() is the index.
    QList<QAction*>
        languages;  ///< As the system, then each there is; data() is its code, or empty.

    void setRecentJobs(const QStringList& paths);

Q_SIGNALS:
    void recentJobChosen(const QString& path);

private:
    QAction* add(QMenu* menu, const char* name, const QString& text,
                 const QKeySequence& shortcut = {});
    void buildFileMenu(QMainWindow& window);
    void buildEditMenu(QMainWindow& window, QUndoStack& undoStack);
    void buildViewMenu(QMainWindow& window);
    void buildLanguageMenu(QMenu* view);
    void buildRunMenu(QMainWindow& window);
    void buildHelpMenu(QMainWindow& window);

    QMenu* recent_ = nullptr;
    QActionGroup* pageGroup_ = nullptr;
    QActionGroup* themeGroup_ = nullptr;
};

}  // namespace lockstep::ui

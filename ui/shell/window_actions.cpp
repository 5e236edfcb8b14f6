// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window_actions.h"

#include <QActionGroup>
#include <QFileInfo>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QUndoStack>

#include "ui/shell/primary_verb.h"
#include "ui/style/language.h"

namespace lockstep::ui {

WindowActions::WindowActions(QMainWindow& window, QUndoStack& undoStack) : QObject(&window) {
    buildFileMenu(window);
    buildEditMenu(window, undoStack);
    buildViewMenu(window);
    buildRunMenu(window);
    buildHelpMenu(window);
}

QAction* WindowActions::add(QMenu* menu, const char* name, const QString& text,
                            const QKeySequence& shortcut) {
    auto* action = new QAction(text, this);
    action->setObjectName(QLatin1String(name));
    action->setShortcut(shortcut);
    menu->addAction(action);
    return action;
}

void WindowActions::buildFileMenu(QMainWindow& window) {
    QMenu* menu = window.menuBar()->addMenu(tr("&File"));
    QMenu* begin = menu->addMenu(tr("&New"));
    openExample =
        add(begin, "openExampleAction", tr("&Images: the digits example"), Qt::CTRL | Qt::Key_E);
    const auto addStarter = [&](const char* action, const char* name, const QString& words) {
        starters << add(begin, action, words);
        starters.back()->setData(QLatin1String(name));
    };
    addStarter("newImagesAction", "images", tr("Images in &folders of your own"));
    addStarter("newHousesAction", "houses", tr("A &table: what houses cost"));
    addStarter("newTinyGptAction", "tiny-gpt", tr("A te&xt: a tiny GPT that writes plays"));
    addStarter("newOwnProgramAction", "own-program", tr("A &program of your own"));
    addStarter("newSshHostsAction", "ssh-hosts", tr("Several &hosts, over ssh"));
    addStarter("newSlurmAction", "slurm", tr("On a &Slurm cluster"));
    open = add(menu, "openAction", tr("&Open job…"), QKeySequence::Open);
    recent_ = menu->addMenu(tr("&Recent jobs"));
    recent_->setObjectName(QStringLiteral("recentMenu"));
    recent_->setEnabled(false);
    openRun =
        add(menu, "openRunAction", tr("A&ttach to run folder…"), Qt::CTRL | Qt::SHIFT | Qt::Key_O);
    menu->addSeparator();
    save = add(menu, "saveAction", tr("&Save"), QKeySequence::Save);
    saveAs = add(menu, "saveAsAction", tr("Save &as…"), Qt::CTRL | Qt::SHIFT | Qt::Key_S);
    saveChart =
        add(menu, "saveChartAction", tr("Save c&hart as…"), Qt::CTRL | Qt::SHIFT | Qt::Key_E);
    menu->addSeparator();
    quit = add(menu, "quitAction", tr("&Quit"), Qt::CTRL | Qt::Key_Q);
}

void WindowActions::buildEditMenu(QMainWindow& window, QUndoStack& undoStack) {
    QMenu* menu = window.menuBar()->addMenu(tr("&Edit"));
    QAction* undo = undoStack.createUndoAction(this, tr("&Undo"));
    connect(&undoStack, &QUndoStack::undoTextChanged, undo, [undo](const QString& change) {
        undo->setText(change.isEmpty() ? tr("&Undo") : tr("&Undo %1").arg(change));
    });
    undo->setObjectName(QStringLiteral("undoAction"));
    undo->setShortcut(QKeySequence::Undo);
    QAction* redo = undoStack.createRedoAction(this, tr("&Redo"));
    connect(&undoStack, &QUndoStack::redoTextChanged, redo, [redo](const QString& change) {
        redo->setText(change.isEmpty() ? tr("&Redo") : tr("&Redo %1").arg(change));
    });
    redo->setObjectName(QStringLiteral("redoAction"));
    redo->setShortcut(QKeySequence::Redo);
    menu->addActions({undo, redo});
    menu->addSeparator();
    copyChart = add(menu, "copyChartAction", tr("Copy c&hart"), Qt::CTRL | Qt::SHIFT | Qt::Key_C);
    find = add(menu, "findAction", tr("&Find figures, lines or runs…"), QKeySequence::Find);
}

void WindowActions::buildViewMenu(QMainWindow& window) {
    QMenu* menu = window.menuBar()->addMenu(tr("&View"));
    pageGroup_ = new QActionGroup(this);
    const QStringList names{tr("&Home"),      tr("&Job"),  tr("&Live"), tr("&Replicas"),
                            tr("&Evaluator"), tr("L&ogs"), tr("R&uns")};
    for (int i = 0; i < names.size(); ++i) {
        QAction* page =
            add(menu, "pageAction", names[i], QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_0 + i)));
        page->setObjectName(QStringLiteral("pageAction%1").arg(i));
        page->setCheckable(true);
        pageGroup_->addAction(page);
        pages << page;
    }
    menu->addSeparator();
    refresh = add(menu, "refreshAction", tr("Re&fresh the runs"), QKeySequence(Qt::Key_F5));
    callBack = add(menu, "callBackAction", tr("&Notify when another window is in front"));
    callBack->setCheckable(true);
    QMenu* theme = menu->addMenu(tr("&Theme"));
    themeGroup_ = new QActionGroup(this);
    for (const QString& name : {tr("As the &system"), tr("&Light"), tr("&Dark")}) {
        QAction* action = add(theme, "themeAction", name);
        action->setObjectName(QStringLiteral("themeAction%1").arg(themes.size()));
        action->setData(themes.size());
        action->setCheckable(true);
        themeGroup_->addAction(action);
        themes << action;
    }
    buildLanguageMenu(menu);
}

void WindowActions::buildLanguageMenu(QMenu* view) {
    QMenu* menu = view->addMenu(tr("Lan&guage"));
    menu->menuAction()->setObjectName(QStringLiteral("languageMenu"));
    auto* group = new QActionGroup(this);
    QList<Language> choices{{QString(), tr("As the &system")}};
    choices += ui::languages();
    for (const Language& language : choices) {
        QAction* action = add(menu, "languageAction", language.name);
        action->setData(language.code);
        action->setCheckable(true);
        action->setChecked(language.code == chosenLanguage());
        group->addAction(action);
        languages << action;
    }
}

void WindowActions::buildRunMenu(QMainWindow& window) {
    QMenu* menu = window.menuBar()->addMenu(tr("&Run"));
    checkHosts = add(menu, "checkHostsAction", tr("&Check the hosts"), Qt::CTRL | Qt::Key_K);
    launch = add(menu, "launchAction", tr("&Launch"), kLaunchKeys);
    resume = add(menu, "resumeAction", tr("&Resume from the newest checkpoint"), kResumeKeys);
    menu->addSeparator();
    stop = add(menu, "stopAction", tr("&Stop after this step"), kStopKeys);
    kill = add(menu, "killAction", tr("&End the processes now"));
    menu->addSeparator();
    drill = add(menu, "drillAction", tr("&Drill…"), Qt::CTRL | Qt::Key_D);
    menu->addSeparator();
    release = add(menu, "releaseAction", tr("&Close this run"), kReleaseKeys);
    release->setToolTip(tr("Stop watching; a detached run goes on by itself"));
    menu->setToolTipsVisible(true);
}

void WindowActions::buildHelpMenu(QMainWindow& window) {
    QMenu* menu = window.menuBar()->addMenu(tr("&Help"));
    keys = add(menu, "keysAction", tr("&Keys and gestures"), QKeySequence::HelpContents);
    about = add(menu, "aboutAction", tr("&About Lockstep"));
}

void WindowActions::setRecentJobs(const QStringList& paths) {
    recent_->clear();
    recent_->setEnabled(!paths.isEmpty());
    for (const QString& path : paths) {
        QAction* action = recent_->addAction(QFileInfo(path).fileName() + QStringLiteral("  –  ") +
                                             QFileInfo(path).path());
        connect(action, &QAction::triggered, this, [this, path] { Q_EMIT recentJobChosen(path); });
    }
}

}  // namespace lockstep::ui

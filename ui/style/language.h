// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QLocale>
#include <QString>

class QObject;

namespace lockstep::ui {

/// A language of the window's own words, and of what core says as far as fromCore() has phrases for
/// it. Logs and the terminal are English in all of them: so they can be searched.
struct Language {
    QString code;  ///< As QLocale has it: "en", "de", "zh_CN".
    QString name;  ///< In itself: "Deutsch".
};

/// English first. Only English where the program was built without Qt's lrelease.
[[nodiscard]] QList<Language> languages();

/// The user's choice; empty: as the system, which is the default.
[[nodiscard]] QString chosenLanguage();
void chooseLanguage(const QString& code);

/// The one that a code asks for, "zh_CN" for "zh"; empty: there is none such.
[[nodiscard]] QString languageFor(const QString& code);

/// The first of `wanted` (codes, as QLocale::uiLanguages() lists them: "de-AT", "zh-Hans-CN") that
/// there is; "en" where there is none.
[[nodiscard]] QString bestLanguage(const QStringList& wanted);

/// Makes the program speak a language for as long as `owner` lives, before its first window: the
/// best for `code`; empty: the user's choice. Qt's own words (of file dialogs) come with it where
/// Qt's translations are installed.
void speak(QObject& owner, const QString& code = {});

/// Of the language that is spoken: for the names of months. QLocale() is that of the system.
[[nodiscard]] QLocale spokenLocale();

}  // namespace lockstep::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/language.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QPointer>
#include <QSettings>
#include <QTranslator>

void initTranslations() {
#ifdef LOCKSTEP_TRANSLATIONS
    Q_INIT_RESOURCE(translations);
#endif
}

namespace lockstep::ui {
namespace {

const auto kEnglish = QStringLiteral("en");
const auto kKey = QStringLiteral("language");
const auto kFolder = QStringLiteral(":/lockstep/translations");

struct Spoken {
    QPointer<QObject> owner;  ///< With it its language ends.
    QString code;
};

Spoken& spoken() {
    static Spoken theOne;
    return theOne;
}

void install(QObject& owner, const QString& file, const QString& folder) {
    auto* translator = new QTranslator(&owner);
    if (translator->load(file, folder))
        QCoreApplication::installTranslator(translator);
    else
        delete translator;
}

}  // namespace

QList<Language> languages() {
    initTranslations();
    QList<Language> all{{kEnglish, QStringLiteral("English")}};
    const QStringList files = QDir(kFolder).entryList({QStringLiteral("*.qm")}, QDir::Files);
    for (const QString& file : files) {
        const QString code = file.chopped(3);
        QString name = QLocale(code).nativeLanguageName();
        if (!name.isEmpty()) name.front() = name.front().toUpper();
        all.append({code, name});
    }
    return all;
}

QString chosenLanguage() {
    const QString code = QSettings().value(kKey).toString();
    for (const Language& language : languages())
        if (language.code == code) return code;
    return {};
}

void chooseLanguage(const QString& code) {
    QSettings().setValue(kKey, code);
}

QString languageFor(const QString& code) {
    const QLocale locale(code);
    for (const Language& language : languages()) {
        const QLocale known(language.code);
        // Script, as well: traditional Chinese is not read by all who read the simplified one.
        if (known.language() == locale.language() && known.script() == locale.script())
            return language.code;
    }
    return {};
}

QString bestLanguage(const QStringList& wanted) {
    for (const QString& code : wanted)
        if (const QString found = languageFor(code); !found.isEmpty()) return found;
    return kEnglish;
}

void speak(QObject& owner, const QString& code) {
    QString best = code.isEmpty() ? chosenLanguage() : bestLanguage({code});
    if (best.isEmpty()) best = bestLanguage(QLocale::system().uiLanguages());
    spoken() = {&owner, best};
    if (best == kEnglish) return;
    initTranslations();
    install(owner, QStringLiteral("qtbase_") + best,
            QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    install(owner, best, kFolder);
}

QLocale spokenLocale() {
    return QLocale(spoken().owner ? spoken().code : kEnglish);
}

}  // namespace lockstep::ui

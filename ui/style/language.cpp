// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/language.h"

#include <QCoreApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QLocale>
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

QString bestLanguage(const QStringList& wanted) {
    const QList<Language> all = languages();
    for (const QString& word : wanted) {
        const QLocale locale(word);
        for (const Language& language : all) {
            const QLocale known(language.code);
            // Script, as well: traditional Chinese is not read by all who read the simplified one.
            if (known.language() == locale.language() && known.script() == locale.script())
                return language.code;
        }
    }
    return kEnglish;
}

void speak(QObject& owner, const QString& code) {
    QString spoken = code.isEmpty() ? chosenLanguage() : code;
    if (spoken.isEmpty()) spoken = bestLanguage(QLocale::system().uiLanguages());
    if (spoken == kEnglish) return;
    initTranslations();
    install(owner, QStringLiteral("qtbase_") + spoken,
            QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    install(owner, spoken, kFolder);
}

}  // namespace lockstep::ui

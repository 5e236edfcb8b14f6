// SPDX-License-Identifier: Apache-2.0
// Job files with one mistake each, and what must be said of it.
#pragma once

#include <QtTest>

#include "tests/core/config/job_texts.h"

namespace lockstep::config::test {

/// One bad text, and the one finding it must give.
struct Bad {
    const char* name;
    std::string text;
    const char* place;
    Severity severity;
    const char* key;
    const char* message;  ///< The whole sentence.
    const char* remedy;   ///< How it begins.
};

inline constexpr Severity kError = Severity::Error;
inline constexpr Severity kWarning = Severity::Warning;

/// The minimal job takes four lines: what is appended starts at line 5.
inline std::string with(const std::string& more) {
    return kMinimalJob + more;
}

inline std::string data(const std::string& lines) {
    return "[data]\n" + lines + "[model]\nlayers = [{ units = 10 }]\n";
}

inline std::string layers(const std::string& value) {
    return "[data]\ndataset = \"digits\"\n[model]\nlayers = " + value + "\n";
}

inline void addRows(const std::vector<Bad>& jobs) {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < jobs.size(); ++i)
        QTest::newRow(jobs[i].name) << static_cast<int>(i);
}

/// The mistake is named once, with its place and a remedy, and refuses the job if it is an error.
inline void checkNamedOnce(const Bad& bad) {
    const auto document = parsed(bad.text);
    QVERIFY(document.wellFormed());
    QString all;
    for (const Finding& finding : document.findings())
        all += QString::fromStdString(finding.place + ": " + finding.message + "\n");
    QVERIFY2(document.findings().size() == 1, qPrintable(all));
    const Finding& finding = document.findings()[0];
    QCOMPARE(QString::fromStdString(finding.message), QString::fromUtf8(bad.message));
    QCOMPARE(QString::fromStdString(finding.place), QString::fromUtf8(bad.place));
    QCOMPARE(QString::fromStdString(finding.key), QString::fromUtf8(bad.key));
    QVERIFY(finding.severity == bad.severity);
    QVERIFY2(finding.remedy.starts_with(bad.remedy), finding.remedy.c_str());
    QCOMPARE(document.checked().has_value(), bad.severity != Severity::Error);
}

}  // namespace lockstep::config::test

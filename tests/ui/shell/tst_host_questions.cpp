// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QtTest>
#include <future>
#include <thread>

#include "ui/bridge/host_questions.h"
#include "ui/dialogs/host_question_dialog.h"
#include "ui/style/theme.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

using Kind = job::HostQuestion::Kind;
using Answer = std::optional<job::HostAnswer>;

job::HostQuestion hostKey() {
    return {.kind = Kind::HostKey,
            .destination = "alice@gpu2",
            .host = "gpu2 (10.0.0.12)",
            .keyType = "ED25519",
            .fingerprint = "SHA256:9mB4aQeN0yQp1xqOQxv0m0r7u0w0Hk0pQ5b8E1n2c3M"};
}

/// The question on a thread of its own, as a connection asks it.
std::future<Answer> askOn(const HostQuestions& questions, const job::HostQuestion& question,
                          std::stop_token stop = {}) {
    return std::async(std::launch::async,
                      [ask = questions.ask(), question, stop] { return ask(question, stop); });
}

}  // namespace

class HostQuestionsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light); }

    void anAnswerGivenInTheWindowReachesTheThreadThatAsks() {
        HostQuestions questions;
        connect(&questions, &HostQuestions::asked, this,
                [&](quint64 id, const job::HostQuestion& question) {
                    QCOMPARE(question.keyType, std::string("ED25519"));
                    questions.answer(id, job::HostAnswer{true, ""});
                });
        auto answer = askOn(questions, hostKey());
        QTRY_VERIFY(answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
        QVERIFY(answer.get()->accepted);
    }

    void questionsComeOneAfterTheOther() {
        HostQuestions questions;
        std::vector<quint64> open;
        connect(&questions, &HostQuestions::asked, this,
                [&](quint64 id, const job::HostQuestion&) { open.push_back(id); });
        auto first = askOn(questions, hostKey());
        auto second = askOn(questions, hostKey());
        QTRY_COMPARE(open.size(), std::size_t(1));
        questions.answer(open[0], std::nullopt);
        QTRY_COMPARE(open.size(), std::size_t(2));
        questions.answer(open[1], job::HostAnswer{true, ""});
        int accepted = 0;
        for (auto* one : {&first, &second})
            accepted += one->get().has_value() ? 1 : 0;
        QCOMPARE(accepted, 1);
    }

    void aQuestionThatIsWithdrawnIsTakenOffTheWindow() {
        HostQuestions questions;
        quint64 shown = 0;
        quint64 gone = 0;
        connect(&questions, &HostQuestions::asked, this,
                [&](quint64 id, const job::HostQuestion&) { shown = id; });
        connect(&questions, &HostQuestions::withdrawn, this, [&](quint64 id) { gone = id; });
        std::stop_source ended;
        auto answer = askOn(questions, hostKey(), ended.get_token());
        QTRY_VERIFY(shown != 0);
        ended.request_stop();
        QTRY_COMPARE(gone, shown);
        QVERIFY(!answer.get());
        questions.answer(shown, job::HostAnswer{true, ""});  // too late: nothing happens
    }

    void aWindowThatClosesDeclinesWhatIsOpen() {
        auto questions = std::make_unique<HostQuestions>();
        bool shown = false;
        connect(questions.get(), &HostQuestions::asked, this, [&] { shown = true; });
        auto answer = askOn(*questions, hostKey());
        QTRY_VERIFY(shown);
        questions.reset();
        QVERIFY(!answer.get());
    }

    void anUnknownKeyIsShownWithItsFingerprintAndRefusingIsTheDefault() {
        HostQuestionDialog dialog(hostKey());
        dialog.open();
        QCOMPARE(dialog.findChild<QLabel*>("hostKeyFingerprint")->text(),
                 QString::fromStdString(hostKey().fingerprint));
        auto* refuse = dialog.findChild<QPushButton*>("hostRefuseButton");
        QVERIFY(refuse->isDefault());
        QTest::keyClick(&dialog, Qt::Key_Return);
        QVERIFY(!dialog.isVisible());
        QVERIFY(!dialog.answer());
    }

    void trustIsGivenByItsOwnButton() {
        HostQuestionDialog dialog(hostKey());
        dialog.open();
        dialog.findChild<QPushButton*>("hostAcceptButton")->click();
        QVERIFY(dialog.answer());
        QVERIFY(dialog.answer()->accepted);
    }

    void aPassphraseIsTypedBlindly() {
        HostQuestionDialog dialog(
            {.kind = Kind::Passphrase, .destination = "gpu2", .keyFile = "~/.ssh/id_ed25519"});
        dialog.open();
        auto* edit = dialog.findChild<QLineEdit*>("hostSecretEdit");
        QCOMPARE(edit->echoMode(), QLineEdit::Password);
        QTest::keyClicks(edit, "open sesame");
        QTest::keyClick(edit, Qt::Key_Return);
        QVERIFY(dialog.answer());
        QCOMPARE(dialog.answer()->secret, std::string("open sesame"));
    }

    void everyLaunchOfTheWindowCanAsk() {
        HostQuestions questions;
        QWidget window;
        presentHostQuestions(questions, &window);
        job::Ask asks;
        int started = 0;
        std::string launched;
        JobServices services;
        services.startAsker = [&](job::Ask ask) -> Result<std::shared_ptr<job::AskServer>> {
            asks = std::move(ask);
            ++started;
            return fail(ErrorCode::Unavailable, "not in this test");
        };
        services.launch = [&](const std::string& toml, const std::filesystem::path&,
                              const job::LaunchOptions&) -> JobServices::OpenedSession {
            launched = toml;
            return fail(ErrorCode::Unavailable, "not in this test");
        };
        QCOMPARE(started, 0);  // not before a launch needs it
        QVERIFY(!questions.answering(services).launch("job", "", {}));
        QCOMPARE(launched, std::string("job"));
        QCOMPARE(started, 1);
        auto answer =
            std::async(std::launch::async, [&] { return asks(hostKey(), std::stop_token{}); });
        const auto dialog = [] {
            for (QWidget* widget : QApplication::topLevelWidgets())
                if (auto* found = qobject_cast<HostQuestionDialog*>(widget)) return found;
            return static_cast<HostQuestionDialog*>(nullptr);
        };
        QTRY_VERIFY(dialog() != nullptr);
        dialog()->findChild<QPushButton*>("hostAcceptButton")->click();
        QVERIFY(answer.get()->accepted);
    }

    void whatAHostSaysIsNeverMarkup() {
        HostQuestionDialog dialog({.kind = Kind::Password,
                                   .destination = "gpu2",
                                   .text = "<b>Code</b> of <a href='x'>today</a>:"});
        for (const QLabel* label : dialog.findChildren<QLabel*>())
            if (label->text().contains(QLatin1String("Code")))
                QCOMPARE(label->textFormat(), Qt::PlainText);
    }
};

QTEST_MAIN(HostQuestionsTest)
#include "tst_host_questions.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// The window in German and Chinese: what core says of a run (causes, verdicts, notices, remedies,
// the doctor) is translated wherever it is shown, in all states.
#include <QTableView>
#include <QtTest>

#include "tests/ui/shell/window_fixture.h"
#include "tests/ui/support/settle.h"
#include "tests/ui/support/shown_words.h"
#include "ui/models/words.h"
#include "ui/style/core_words.h"
#include "ui/style/language.h"
#include "ui/widgets/notice_bar.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;
using testsupport::WindowFixture;

namespace {

/// What core wrote, as journals and doctors have it: from the functions named beside it.
struct Said {
    // RemoteRun, Registration, SlurmState
    std::vector<std::string> launching{
        "connecting to node-b", "copying Lockstep to node-b, 12 of 40 MB",
        "starting the coordinator on node-a",
        "waiting for processes 2, 3 of 4 to register (12 s of 60 s)",
        "waiting in Slurm's queue as job 71, partition gpu: the nodes it needs are not free yet"};
    // ProgressWatch, Standstill, Stragglers, Witness
    std::vector<std::string> verdicts{
        "process 1 (node-b) has been in forward for 31 s at step 2401; the others wait for it in "
        "all-reduce",
        "process 1 (node-b) has been in a wait for its disk for 431 s after step 2400; the others "
        "wait for it in checkpoint",
        "process 1 (node-b) has not moved in all-reduce for 31 s at step 2401; the others wait for "
        "it there",
        "process 0 (node-a) and process 1 (node-b) have waited for each other in all-reduce for "
        "31 s at step 2401: the network between them may be down",
        "process 0 (node-a) and process 1 (node-b) have waited for each other in all-reduce for "
        "31 s at step 2401: each pair of processes reaches the other; what their threads answer "
        "does not tell who stands still",
        "process 1 (node-b) has not moved in all-reduce of bucket 2 for 31 s at step 2401, and its "
        "threads do not answer; the others wait for it there",
        "process 0 (node-a) and process 1 (node-b) do not reach each other: all replicas have "
        "waited in all-reduce of bucket 2 for 31 s at step 2401",
        "process 0 (node-a) is cut off from process 1 (node-b) and process 2 (node-c) (2 of 3 "
        "links are down): all replicas have waited in broadcast of the state for 31 s at step 1",
        "process 0 (node-a) and process 1 (node-a) are cut off from process 2 (node-b) and process "
        "3 (node-b) (4 of 6 links are down): all replicas have waited in all-reduce for 31 s at "
        "step 2401",
        "2 of 6 links are down, between process 0 (node-a) and process 1 (node-b), process 2 "
        "(node-c) and process 3 (node-d): all replicas have waited in all-reduce for 31 s at step "
        "2401",
        "5 of 10 links are down, between processes 0-3, 5: all replicas have waited in all-reduce "
        "for 31 s at step 2401",
        "process 0 (node-a) has waited for process 1 (node-b) in all-gather of the weights for 31 "
        "s at step 2401: each pair of processes reaches the other",
        "process 1 (node-b) costs the others 24 %: its forward pass takes 31 ms, the others' 12 ms "
        "(for 40 s, since step 2200)",
        "process 1 (node-b) has sent no heartbeat for 4.2 s",
        "process 1 (node-b) is stopped (SIGSTOP or a debugger), and has sent no heartbeat for "
        "4.2 s",
        "process 1 (node-b) and process 2 (node-b) wait for their disk (state D), and have sent no "
        "heartbeat for 4.2 s"};
    // describeExit, CoordinatorWatch, WeightGuard, HostSegment; cause and remedy
    std::vector<std::pair<std::string, std::string>> failures{
        {"was killed by signal 9 (SIGKILL)",
         "If nobody killed it, its host may have run out of memory: see dmesg there."},
        {"sent no heartbeat for 15 s",
         "Its host may be down, cut off from the network, or stopped."},
        {"is frozen with its control group, and sent no heartbeat for 15 s, nor did processes 2-3",
         "Its container was paused, or its control group frozen, on its host."},
        {"the loss became nan at step 2400 on replica 1; the step was not applied",
         "Lower training.learning_rate, or look for bad values in the data. Checkpoints written\n"
         "before are good: --resume continues from the newest."},
        {"cannot write /runs/a/journal: No space left on device",
         "Free some space on the disk of the run folder; it is tried again."},
        {"did not register within 60 s",
         "Look at their logs; check that they were started and can reach the coordinator's "
         "address.\nFor slow starts raise cluster.initialization_timeout_seconds."}};
    // RunHost, JournalWatch, CheckpointStore
    std::vector<std::string> notices{
        "the journal cannot be written (No space left on device): 3 MB wait in memory, it is tried "
        "again; training goes on",
        "checkpoint of step 2000 skipped: the disk was still busy with an older one after 500 ms",
        "spare node-c could not take the place of a host: it did not answer within 30 s",
        "a damaged checkpoint was passed over: step-1800 does not match its checksum; the run goes "
        "on from step 1600"};
};

/// Words that German and Chinese have not, in a text of more than a few.
bool isEnglish(const QString& text) {
    static const QRegularExpression words(QStringLiteral(
        "\\b(the|its|has|have|been|which|others|waits?|from|with|cannot|killed|ended|lost|"
        "waiting|connecting)\\b"));
    return words.match(text).hasMatch();
}

/// Texts of the job file and its help are the form's; the logs are as they were written.
bool isCores(const QString& place) {
    return !place.contains(QLatin1String("Edit (")) && !place.contains(QLatin1String("log")) &&
           !place.contains(QLatin1String("(choice)")) && !place.contains(QLatin1String("Editor"));
}

void addTables(const QWidget& window, QStringList& texts) {
    for (const QTableView* table : window.findChildren<QTableView*>()) {
        if (!table->isVisible() || !table->model() ||
            table->objectName().contains(QLatin1String("log"), Qt::CaseInsensitive))
            continue;
        for (int row = 0; row < std::min(table->model()->rowCount(), 20); ++row)
            for (int column = 0; column < table->model()->columnCount(); ++column)
                for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole)})
                    texts << table->model()->index(row, column).data(role).toString();
    }
}

/// What the window shows on all pages, in English.
QStringList englishOn(WindowFixture& fixture, const QString& state) {
    QStringList english;
    for (const auto page : {MainWindow::Page::Home, MainWindow::Page::Live,
                            MainWindow::Page::Replicas, MainWindow::Page::Evaluator}) {
        fixture.window().showPage(page);
        testsupport::settle(fixture.window());
        QStringList texts;
        const testsupport::ShownWords shown(fixture.window());
        for (auto word = shown.all().begin(); word != shown.all().end(); ++word)
            if (isCores(word.value())) texts << word.key();
        addTables(fixture.window(), texts);
        for (const QString& text : texts)
            if (isEnglish(text)) english << state + QStringLiteral(": ") + text;
    }
    return english;
}

/// LOCKSTEP_PICTURES=FOLDER saves what the window looks like.
void picture(WindowFixture& fixture, const QString& name) {
    const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
    if (!folder.isEmpty())
        fixture.window().grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
}

void publish(WindowFixture& fixture, const job::RunView& view) {
    fixture.script().publish(view);
    QVERIFY(QTest::qWaitFor([&] {
        const auto now = fixture.window().bridge().view();
        return now && now->state == view.state && now->sentence == view.sentence &&
               now->notices.size() == view.notices.size() && now->error == view.error;
    }));
}

job::RunView failedBy(const std::pair<std::string, std::string>& failure) {
    job::RunView view = ExampleRun::failedView(2400);
    view.failures.back().cause = failure.first;
    view.error = "process 1 (127.0.0.1): " + failure.first;
    view.sentence = view.error;
    view.remedy = failure.second;
    view.replicas[1].state = "lost: " + failure.first;
    return view;
}

QStringList walkStates(WindowFixture& fixture) {
    const Said said;
    QStringList english;
    job::RunView view = ExampleRun::view(0, job::RunState::Launching);
    for (const std::string& sentence : said.launching) {
        view.sentence = sentence;
        view.connectionSentence = "connecting to the run";
        publish(fixture, view);
        english += englishOn(fixture, QStringLiteral("launching"));
    }
    for (const std::string& verdict : said.verdicts) {
        view = ExampleRun::view(2400);
        view.connectionSentence = "live from node-a";
        view.sentence = verdict;
        view.verdictSeverity = 2;
        view.replicas[1].state =
            "waiting for the others in all-reduce for 4.2 s, slow: the others "
            "wait for it";
        publish(fixture, view);
        english += englishOn(fixture, QStringLiteral("verdict"));
    }
    for (const std::string& notice : said.notices) {
        view.notices.push_back({1, job::Role::Worker, notice, 1e9});
        view.missing = "12 of the run's records were lost: the disk did not take them in time";
        publish(fixture, view);
        english += englishOn(fixture, QStringLiteral("notice"));
    }
    for (const auto& failure : said.failures) {
        publish(fixture, failedBy(failure));
        english += englishOn(fixture, QStringLiteral("failure"));
    }
    return english;
}

}  // namespace

class CoreWordsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("lockstep-core-words"));
        if (languages().size() == 1) QSKIP("built without Qt's lrelease: English only");
    }
    void noStateOfARunIsToldInEnglish_data();
    void noStateOfARunIsToldInEnglish();
    void theFailureCardSaysWhatHappened_data();
    void theFailureCardSaysWhatHappened();
    void whatTheDoctorFindsIsTranslated_data() { noStateOfARunIsToldInEnglish_data(); }
    void whatTheDoctorFindsIsTranslated();
};

void CoreWordsTest::noStateOfARunIsToldInEnglish_data() {
    QTest::addColumn<QString>("code");
    QTest::newRow("German") << "de";
    QTest::newRow("Chinese") << "zh_CN";
}

void CoreWordsTest::noStateOfARunIsToldInEnglish() {
    QFETCH(const QString, code);
    QObject translators;
    speak(translators, code);
    WindowFixture fixture;
    fixture.window().resize(1280, 800);
    QVERIFY(fixture.showExample());
    QVERIFY(fixture.launch());
    QStringList english = walkStates(fixture);
    english.removeDuplicates();
    for (const QString& each : english)
        qWarning().noquote() << each;
    QVERIFY(english.isEmpty());
}

void CoreWordsTest::theFailureCardSaysWhatHappened_data() {
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("cause");
    QTest::addColumn<QString>("remedy");
    QTest::newRow("German") << "de"
                            << QStringLiteral(
                                   "Prozess 1 auf 127.0.0.1 wurde durch Signal 9 (SIGKILL) beendet")
                            << QStringLiteral("Wenn ihn niemand beendet hat");
    QTest::newRow("Chinese") << "zh_CN" << QStringLiteral("被信号 9 (SIGKILL) 终止")
                             << QStringLiteral("如果没有人终止它");
}

void CoreWordsTest::theFailureCardSaysWhatHappened() {
    QFETCH(const QString, code);
    QFETCH(const QString, cause);
    QFETCH(const QString, remedy);
    QObject translators;
    speak(translators, code);
    WindowFixture fixture;
    fixture.window().resize(1280, 800);
    QVERIFY(fixture.showExample());
    QVERIFY(fixture.launch());
    publish(fixture, ExampleRun::view(2400));
    publish(fixture, failedBy(Said().failures.front()));
    auto* notice = fixture.find<NoticeBar>("noticeBar");
    QTRY_VERIFY2(notice->accessibleName().contains(cause), qPrintable(notice->accessibleName()));
    QStringList words;
    for (const QLabel* label : notice->findChildren<QLabel*>())
        words << label->text();
    QVERIFY2(words.join(u'\n').contains(remedy), qPrintable(words.join(u'\n')));
    for (const auto page : {MainWindow::Page::Live, MainWindow::Page::Replicas}) {
        fixture.window().showPage(page);
        testsupport::settle(fixture.window());
        picture(fixture, QStringLiteral("%1-failed-%2").arg(code).arg(int(page)));
    }
    // The run itself is told as before.
    QCOMPARE(fixture.window().bridge().view()->failures.back().cause,
             std::string("was killed by signal 9 (SIGKILL)"));
}

void CoreWordsTest::whatTheDoctorFindsIsTranslated() {
    QFETCH(const QString, code);
    QObject translators;
    speak(translators, code);
    for (const char* sentence :
         {"2 of 3 hosts examined", "1 of 3 hosts would stop the job: 2 problems.",
          "3 hosts are ready, with 1 thing to look at.",
          "port 2222 of process 1 on node-b is held by sshd (pid 71)",
          "End it, or choose another port: with port 0 the system chooses a free one.",
          "the clock of node-b is 5.0 s ahead of this machine's: its records are shown at wrong "
          "times",
          "node-b has 120 MiB left for the run folder /runs, and the job needs about 900 MiB",
          "Reaches host2 (10.77.0.2) by eth0, which is in its network.\nSo for NCCL and Gloo it is "
          "NCCL_SOCKET_IFNAME=eth0 and GLOO_SOCKET_IFNAME=eth0.\n2 connections to other hosts "
          "made.",
          "node-b does not let ada in: none of this user's keys is accepted (it takes publickey)",
          "node-a and node-b do not reach each other (port 4000): Connection refused",
          "Let the system choose the port"})
        QVERIFY2(!isEnglish(fromCore(std::string(sentence))),
                 qPrintable(fromCore(std::string(sentence))));
}

QTEST_MAIN(CoreWordsTest)
#include "tst_core_words.moc"

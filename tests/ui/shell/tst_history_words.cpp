// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of one sample across checkpoints, and what is not guessed.
#include <QtTest>

#include "ui/models/sample_history.h"

using namespace lockstep;
using namespace lockstep::ui;
using State = HistoryPoint::State;

namespace {

/// A letter a checkpoint, of steps 500, 1000, …: the class that it is taken for, of which "r" is
/// its own; "-" gone, "?" not asked, "!" could not answer.
History historyOf(const QString& letters) {
    History history;
    for (const QChar letter : letters) {
        HistoryPoint point{.step = 500 * std::int64_t(history.size() + 1)};
        point.state = letter == QLatin1Char('-')   ? State::Gone
                      : letter == QLatin1Char('?') ? State::NotAsked
                      : letter == QLatin1Char('!') ? State::Failed
                                                   : State::Recorded;
        if (point.state == State::Failed) point.problem = QStringLiteral("it is damaged");
        point.truth = 'r';
        point.prediction = letter.unicode();
        history.push_back(point);
    }
    return history;
}

QString plain(QString text) {
    return text.replace(QChar(0x202f), QLatin1Char(' '));
}

job::EvaluationView::Sample answer(int index, int truth, int prediction) {
    job::EvaluationView::Sample sample;
    sample.index = index;
    sample.truth = truth;
    sample.prediction = prediction;
    sample.probability = 0.75F;
    return sample;
}

/// Checkpoints of steps 1, 2, 3, the first one gone; that and the last one scored, with an answer
/// about sample 5.
job::RunView run() {
    job::RunView run;
    run.runDir = "/runs/a";
    for (const std::int64_t step : {1, 2, 3}) {
        job::CheckpointView& checkpoint = run.checkpoints.emplace_back();
        checkpoint.step = step;
        checkpoint.wallTime = double(step);
        checkpoint.deleted = step == 1;
        if (step == 2) continue;
        auto evaluation = std::make_shared<job::EvaluationView>();
        evaluation->step = step;
        evaluation->split = "validation";
        evaluation->samples = {answer(5, 0, step == 1 ? 1 : 0)};
        run.evaluations.push_back(std::move(evaluation));
    }
    return run;
}

std::vector<State> statesOf(const History& history) {
    std::vector<State> states;
    for (const HistoryPoint& each : history)
        states.push_back(each.state);
    return states;
}

}  // namespace

class HistoryWordsTest : public QObject {
    Q_OBJECT
private slots:
    void theSentenceSaysSinceWhen_data() {
        QTest::addColumn<QString>("letters");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* letters, const char* sentence) {
            QTest::newRow(letters) << QString::fromLatin1(letters) << QString::fromUtf8(sentence);
        };
        row("", "");
        row("-?!", "");
        row("rrr", "Right at all 3 checkpoints.");
        row("aaa", "Wrong at all 3 checkpoints.");
        row("-rr", "Right at all 2 checkpoints whose answer is known.");
        row("a-a", "Wrong at all 2 checkpoints whose answer is known.");
        row("-r?", "Right at step 1 000; no other answer is known.");
        row("a", "Wrong at step 500; no other answer is known.");
        row("aarr", "Right since step 1 500.");
        row("rraa", "Wrong since step 1 500.");
        row("a-rr", "Right since step 1 500 at the latest; wrong at step 500.");
        row("r?a", "Wrong since step 1 500 at the latest; right at step 500.");
        row("-ar-", "Right since step 1 500.");
        row("arar", "Right since step 2 000. It changed its mind 3 times, last at step 2 000.");
        row("rabb", "Wrong since step 1 000. It changed its mind 2 times, last at step 1 500.");
        row("aba", "Wrong at all 3 checkpoints. It changed its mind 2 times, last at step 1 500.");
        row("ar-a",
            "Wrong since step 2 000 at the latest; right at step 1 000. It changed its mind "
            "at least 2 times, last at step 2 000.");
    }
    void theSentenceSaysSinceWhen() {
        QFETCH(QString, letters);
        QFETCH(QString, sentence);
        QCOMPARE(plain(historySentence(historyOf(letters))), sentence);
    }

    void whatIsNotKnownIsCounted() {
        QCOMPARE(historyGaps(historyOf(QStringLiteral("rra"))), QString());
        QCOMPARE(historyGaps(historyOf(QStringLiteral("--ra"))),
                 QStringLiteral("Gone, with nothing recorded of this sample, and not asked: 2 of 4 "
                                "checkpoints."));
        QCOMPARE(historyGaps(historyOf(QStringLiteral("?r!"))),
                 QStringLiteral("Not asked yet: 1 of 3. Could not answer: 1 of 3, it is damaged."));
    }

    void whatIsRecordedAndWhatIsAskedComeTogether() {
        SampleHistory history;
        history.setRun(run(), "validation");
        using enum State;
        QCOMPARE(statesOf(history.of(5)), (std::vector{Recorded, NotAsked, Recorded}));
        QCOMPARE(statesOf(history.of(6)), (std::vector{Gone, NotAsked, NotAsked}));
        QVERIFY(!history.of(5)[0].isRight() && history.of(5)[2].isRight());
        QCOMPARE(history.toAsk({5}, 10), std::vector<std::int64_t>{2});
        QCOMPARE(history.toAsk({5, 6}, 10), (std::vector<std::int64_t>{3, 2}));
        QCOMPARE(history.toAsk({5, 6}, 1), std::vector<std::int64_t>{3});
        history.add(2, {answer(5, 0, 0), answer(6, 0, 2)});
        QCOMPARE(statesOf(history.of(5)), (std::vector{Recorded, Computed, Recorded}));
        QCOMPARE(statesOf(history.of(6)), (std::vector{Gone, Computed, NotAsked}));
        QVERIFY(history.toAsk({5}, 10).empty());
        history.addProblem(3, QStringLiteral("it is damaged"));
        QCOMPARE(statesOf(history.of(6)), (std::vector{Gone, Computed, Failed}));
        QCOMPARE(history.toAsk({6}, 10), std::vector<std::int64_t>{3});
    }

    void whatWasAskedStaysWhileItsCheckpointDoes() {
        SampleHistory history;
        job::RunView now = run();
        history.setRun(now, "validation");
        history.add(2, {answer(6, 0, 0)});
        using enum State;
        now.checkpoints[1].deleted = true;
        history.setRun(now, "validation");
        QCOMPARE(statesOf(history.of(6)), (std::vector{Gone, Computed, NotAsked}));
        now.checkpoints.push_back(now.checkpoints[1]);  // written again behind a resume
        now.checkpoints.back().deleted = false;
        now.checkpoints.back().wallTime = 20;
        history.setRun(now, "validation");
        QCOMPARE(statesOf(history.of(6)), (std::vector{Gone, NotAsked, NotAsked}));
        history.add(2, {answer(6, 0, 0)});
        history.setRun(now, "test");
        QCOMPARE(statesOf(history.of(6)), (std::vector{Gone, NotAsked, NotAsked}));
    }
};

QTEST_GUILESS_MAIN(HistoryWordsTest)
#include "tst_history_words.moc"

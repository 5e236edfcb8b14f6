// SPDX-License-Identifier: GPL-3.0-or-later
// One sample across the checkpoints of a real run: recorded, asked, in words and by the keys.
#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QtTest>
#include <atomic>

#include "tests/integration/workplace.h"
#include "tests/ui/support/settle.h"
#include "ui/models/evaluation_model.h"
#include "ui/pages/evaluator/answer_strip.h"
#include "ui/pages/evaluator/checkpoint_actions.h"
#include "ui/pages/evaluator/evaluation_details.h"
#include "ui/pages/evaluator/evaluator_page.h"
#include "ui/style/language.h"
#include "ui/style/theme.h"
#include "ui/widgets/sample_grid.h"

using namespace lockstep;
using namespace lockstep::ui;
using State = HistoryPoint::State;

namespace {

constexpr int kSoon = 60'000;

QString plain(QString text) {
    return text.replace(QChar(0x202f), QLatin1Char(' '));
}

/// Five checkpoints, all of them scored.
QByteArray scoredJob() {
    QByteArray job = tests::kSmallJob;
    job.replace("evaluator = false", "evaluator = true");
    return job;
}

/// The page over what a run's folder tells.
struct Desk {
    EvaluationModel model;
    EvaluatorPage page{model};

    /// Shows what the checkpoint of that step says.
    Desk(const std::shared_ptr<const job::RunView>& view, HistoryPanel::Asker asker,
         std::int64_t step = 20) {
        page.details().setAsker(std::move(asker));
        page.resize(1180, 720);
        page.show();
        model.update(view->evaluations);
        page.showView(view);
        (void)QTest::qWaitForWindowActive(&page);
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.at(row)->step == step && model.at(row)->split == "validation")
                table().setCurrentIndex(model.index(row, 0));
    }
    template <typename Widget>
    [[nodiscard]] Widget& find(const char* name) const {
        auto* widget = page.findChild<Widget*>(QLatin1String(name));
        if (widget == nullptr) qFatal("there is no %s", name);
        return *widget;
    }
    [[nodiscard]] QTableView& table() const { return find<QTableView>("evaluationTable"); }
    [[nodiscard]] SampleGrid& grid() const { return find<SampleGrid>("sampleGrid"); }
    [[nodiscard]] HistoryPanel& panel() const { return find<HistoryPanel>("sampleHistory"); }
    [[nodiscard]] AnswerStrip& strip() const { return find<AnswerStrip>("answerStrip"); }
    [[nodiscard]] QString words(const char* label) const {
        return plain(find<QLabel>(label).text());
    }
    void choose(int place) {
        QTest::mouseClick(&grid(), Qt::LeftButton, {}, grid().tile(place).center());
    }
    /// Chooses a sample that another checkpoint whose files are gone has no record of, nor those
    /// whose files are there; -1: there is none.
    [[nodiscard]] int unrecorded() {
        for (int place = 0; place < grid().sampleCount(); ++place) {
            choose(place);
            const History history = panel().history();
            if (std::ranges::count(history, State::Gone, &HistoryPoint::state) == 1 &&
                std::ranges::count(history, State::NotAsked, &HistoryPoint::state) == 3)
                return place;
        }
        return -1;
    }
};

}  // namespace

class SampleHistoryTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        applyTheme(*qApp, ThemeMode::Light);
        place_.write("scored.toml", scoredJob());
        REQUIRE_EXIT(place_.run({"run", "scored.toml", "--run-dir", "run"}), 0);
        for (const char* gone : {"run/checkpoints/step-20", "run/checkpoints/step-40"})
            QVERIFY(!place_.exists(gone) || QDir(place_.path(gone)).removeRecursively());
        auto session = job::attach(place_.path("run").toStdString());
        QVERIFY2(session, session ? "" : session.error().message.c_str());
        session_ = std::move(*session);
        const auto gone = [](const job::CheckpointView& each) { return each.deleted; };
        QVERIFY(QTest::qWaitFor(
            [&] {
                view_ = session_->view();
                return view_->caughtUp && std::ranges::count_if(view_->checkpoints, gone) == 2;
            },
            kSoon));
        QCOMPARE(view_->checkpoints.size(), std::size_t{5});
        const auto scored = [](const auto& each) { return each->split == "validation"; };
        QCOMPARE(std::ranges::count_if(view_->evaluations, scored), 5);
    }

    void aFewSamplesAreAskedOfCheckpointsAsAllOfThemAre() {
        const std::vector<std::uint32_t> samples{7, 9'999, 0, 512};
        std::map<std::int64_t, Result<std::vector<job::EvaluationView::Sample>>> heard;
        const auto done = job::askCheckpoints(
            {runDir(), "validation", {98, 7, 80}, samples},
            [&heard](job::StepAnswers said) { heard.emplace(said.step, std::move(said.answers)); },
            {});
        QVERIFY2(done, done ? "" : done.error().message.c_str());
        QCOMPARE(heard.size(), std::size_t{3});
        QVERIFY(!heard.at(7));
        QCOMPARE(heard.at(7).error().message,
                 std::string("the files of the checkpoint of step 7 are gone"));
        for (const std::int64_t step : {80, 98}) {
            const auto all = job::scoreSamples({runDir(), step, "validation"}, {}).value();
            const auto page = all->page(-1, -1, 0, 10'000);
            const auto& said = heard.at(step).value();
            QCOMPARE(said.size(), samples.size());
            for (std::size_t i = 0; i < samples.size(); ++i) {
                const auto same = std::ranges::find(page.samples, int(samples[i]),
                                                    &job::EvaluationView::Sample::index);
                QVERIFY(same != page.samples.end());
                QCOMPARE(said[i].index, same->index);
                QCOMPARE(said[i].truth, same->truth);
                QCOMPARE(said[i].prediction, same->prediction);
                QVERIFY(std::abs(said[i].truthProbability - same->truthProbability) < 1e-5F);
                QVERIFY(std::abs(said[i].probability - same->probability) < 1e-5F);
            }
        }
    }

    void whatCannotBeAskedIsSaid() {
        const auto unheard = [](const job::StepAnswers&) { QFAIL("nothing was asked"); };
        const auto beyond =
            job::askCheckpoints({runDir(), "validation", {98}, {10'000}}, unheard, {});
        QVERIFY(!beyond && beyond.error().code == ErrorCode::BadInput);
        QCOMPARE(beyond.error().message,
                 std::string("the validation data have no sample 10000: 10000 in all"));
        std::stop_source wanted;
        int heard = 0;
        const auto stopped = job::askCheckpoints({runDir(), "validation", {98, 80, 60}, {1}},
                                                 [&](const job::StepAnswers&) {
                                                     ++heard;
                                                     wanted.request_stop();
                                                 },
                                                 {wanted.get_token(), {}});
        QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);
        QCOMPARE(heard, 1);
    }

    void theSamplesCourseIsWhatItsCheckpointsSay() {
        Desk desk(view_, job::askCheckpoints);
        QVERIFY(!desk.panel().isVisible());
        const int place = desk.unrecorded();
        QVERIFY(place >= 0 && desk.panel().isVisible());
        const int sample = desk.panel().sample();
        QCOMPARE(desk.strip().count(), 5);
        QVERIFY2(desk.words("historyGaps").startsWith(QStringLiteral("Gone, with nothing")),
                 qPrintable(desk.words("historyGaps")));
        desk.find<QPushButton>("askCheckpoints").click();
        QVERIFY(desk.find<QPushButton>("cancelAsking").isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(!desk.panel().isAsking(), kSoon);
        QVERIFY(!desk.find<QPushButton>("askCheckpoints").isVisible());

        const History history = desk.panel().history();
        for (const HistoryPoint& point : history) {
            if (point.state == State::Gone) continue;
            QVERIFY(point.isKnown());
            if (point.step < 60) continue;  // its files are gone, it was recorded
            const auto page = job::scoreSamples({runDir(), point.step, "validation"}, {})
                                  .value()
                                  ->page(-1, -1, 0, 10'000);
            const auto same =
                std::ranges::find(page.samples, sample, &job::EvaluationView::Sample::index);
            QCOMPARE(point.prediction, same->prediction);
            QVERIFY(std::abs(point.truthProbability - same->truthProbability) < 1e-5F);
        }
        QVERIFY(desk.words("historySentence")
                    .startsWith(QStringLiteral("Sample %1 of class ").arg(sample)));
        QVERIFY(desk.words("historySentence").endsWith(plain(historySentence(history))));
        // The others that are shown were asked, too.
        desk.choose(place == 0 ? 1 : 0);
        QVERIFY(!desk.find<QPushButton>("askCheckpoints").isVisible());
    }

    void itIsReachedByTheKeysAlone() {
        Desk desk(view_, job::askCheckpoints, 98);
        desk.grid().setFocus();
        QTest::keyClick(&desk.grid(), Qt::Key_Return);
        QVERIFY(desk.panel().isVisible());
        const int first = desk.panel().sample();
        QTest::keyClick(&desk.grid(), Qt::Key_Right);
        QVERIFY(desk.panel().sample() != first);
        desk.strip().setFocus();
        QTest::keyClick(&desk.strip(), Qt::Key_Home);
        QVERIFY(desk.words("historyPointed").startsWith(QStringLiteral("Step 20: ")));
        QCOMPARE(plain(desk.strip().accessibleDescription()), desk.words("historyPointed"));
        QTest::keyClick(&desk.strip(), Qt::Key_End);
        QTest::keyClick(&desk.strip(), Qt::Key_Left);
        QVERIFY(desk.words("historyPointed").startsWith(QStringLiteral("Step 80: ")));
        const int sample = desk.panel().sample();
        QTest::keyClick(&desk.strip(), Qt::Key_Return);
        QCOMPARE(desk.model.at(desk.table().currentIndex().row())->step, 80);
        QCOMPARE(desk.panel().sample(), sample);  // it stays open
        QTest::keyClick(&desk.strip(), Qt::Key_Escape);
        QVERIFY(!desk.panel().isVisible());
        QVERIFY(desk.grid().hasFocus());
        QTest::keyClick(&desk.grid(), Qt::Key_Space);
        QVERIFY(desk.panel().isVisible());
        QTest::keyClick(&desk.grid(), Qt::Key_Escape);
        QVERIFY(!desk.panel().isVisible());
    }

    void askingIsCancelledAndKeepsWhatItHasHeard() {
        for (const bool leaves : {false, true}) {
            std::atomic<bool> ended = false;
            Desk desk(view_,
                      [&ended](const job::AskedSamples& asked, const job::HearStep& hear,
                               const job::LoadWatch& watch) -> Result<void> {
                          auto one = asked;
                          one.steps.resize(1);
                          if (auto done = job::askCheckpoints(one, hear, {}); !done) return done;
                          (void)tests::waitUntil([&watch] { return watch.stop.stop_requested(); });
                          ended = true;
                          return fail(ErrorCode::Cancelled, "stopped");
                      });
            QVERIFY(desk.unrecorded() >= 0);
            const auto known = [&desk] {
                return std::ranges::count_if(desk.panel().history(), &HistoryPoint::isKnown);
            };
            const auto before = known();
            desk.find<QPushButton>("askCheckpoints").click();
            QTRY_COMPARE_WITH_TIMEOUT(known(), before + 1, kSoon);
            QVERIFY(desk.words("historyProgress").startsWith(QStringLiteral("Asked 1 of ")));
            if (leaves)
                desk.page.hide();
            else
                desk.find<QPushButton>("cancelAsking").click();
            QTRY_VERIFY_WITH_TIMEOUT(ended, kSoon);
            QVERIFY(!desk.panel().isAsking());
            QCOMPARE(known(), before + 1);
            QVERIFY(!desk.find<QPushButton>("askCheckpoints").isHidden());
        }
    }

    void aCheckpointThatCannotAnswerIsSaidAndAskedAgain() {
        Desk desk(view_, [](const job::AskedSamples& asked, const job::HearStep& hear,
                            const job::LoadWatch& watch) {
            auto others = asked;
            std::erase(others.steps, 80);
            hear({80, fail(ErrorCode::Corrupt, "model.safetensors is damaged")});
            return job::askCheckpoints(others, hear, watch);
        });
        QVERIFY(desk.unrecorded() >= 0);
        desk.find<QPushButton>("askCheckpoints").click();
        QTRY_VERIFY_WITH_TIMEOUT(!desk.panel().isAsking(), kSoon);
        QVERIFY2(desk.words("historyGaps")
                     .contains(
                         QStringLiteral("Could not answer: 1 of 5, model.safetensors is damaged.")),
                 qPrintable(desk.words("historyGaps")));
        QCOMPARE(desk.find<QPushButton>("askCheckpoints").text(),
                 QStringLiteral("Ask 1 checkpoint"));
    }

    void dataThatCannotBeReadAreSaid() {
        Desk desk(view_,
                  [](const job::AskedSamples&, const job::HearStep&,
                     const job::LoadWatch&) -> Result<void> {
                      return fail(ErrorCode::BadInput, "the data are gone", "Bring them back.");
                  });
        QVERIFY(desk.unrecorded() >= 0);
        desk.find<QPushButton>("askCheckpoints").click();
        QTRY_VERIFY_WITH_TIMEOUT(!desk.panel().isAsking(), kSoon);
        const auto& gaps = desk.find<QLabel>("historyGaps");
        QVERIFY(gaps.text().startsWith(QStringLiteral("The data are gone. ")));
        QCOMPARE(gaps.toolTip(), QStringLiteral("Bring them back."));
        QVERIFY(gaps.property("problem").toBool());
    }

    void withoutAnAskerWhatIsRecordedIsShown() {
        Desk desk(view_, {});
        desk.choose(0);
        QVERIFY(desk.panel().isVisible());
        QVERIFY(!desk.find<QPushButton>("askCheckpoints").isVisible());
        QVERIFY(std::ranges::any_of(desk.panel().history(), &HistoryPoint::isKnown));
    }

    void itLooksAsItShould() {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (folder.isEmpty()) QSKIP("LOCKSTEP_PICTURES names no folder");
        struct Case {
            QSize size;
            ThemeMode mode;
            QString language;
        };
        for (const auto& [size, mode, language] :
             {Case{{1180, 720}, ThemeMode::Light, "en"}, Case{{1180, 720}, ThemeMode::Dark, "en"},
              Case{{720, 600}, ThemeMode::Light, "en"}, Case{{1180, 1000}, ThemeMode::Dark, "de"},
              Case{{720, 600}, ThemeMode::Light, "de"},
              Case{{1180, 720}, ThemeMode::Light, "zh_CN"}}) {
            QObject speaker;
            speak(speaker, language);
            applyTheme(*qApp, mode);
            Desk desk(view_, job::askCheckpoints);
            desk.page.actions().setOffered(true, {});
            desk.page.setKeeper([](const auto&, std::int64_t, bool) { return Result<void>(); });
            desk.page.resize(size);
            QVERIFY(desk.unrecorded() >= 0);
            const auto keep = [&](const char* what) {
                testsupport::settle(desk.page);
                desk.page.grab().save(QStringLiteral("%1/history-%2-%3-%4-%5-%6.png")
                                          .arg(folder, language, QString::number(size.width()),
                                               mode == ThemeMode::Dark ? QStringLiteral("dark")
                                                                       : QStringLiteral("light"),
                                               QString::number(desk.page.devicePixelRatioF()),
                                               QLatin1String(what)));
            };
            keep("recorded");
            desk.find<QPushButton>("askCheckpoints").click();
            QTRY_VERIFY_WITH_TIMEOUT(!desk.panel().isAsking(), kSoon);
            desk.strip().setFocus();
            keep("asked");
        }
        applyTheme(*qApp, ThemeMode::Light);
    }

private:
    [[nodiscard]] std::filesystem::path runDir() const { return view_->runDir; }
    tests::Workplace place_;
    std::unique_ptr<job::Session> session_;
    std::shared_ptr<const job::RunView> view_;
};

QTEST_MAIN(SampleHistoryTest)
#include "tst_sample_history.moc"

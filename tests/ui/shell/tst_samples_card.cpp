// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QtTest>
#include <array>
#include <atomic>
#include <future>

#include "core/job/data_folder.h"
#include "tests/ui/shell/window_fixture.h"
#include "tests/ui/support/settle.h"
#include "ui/bridge/background_task.h"
#include "ui/bridge/data_check.h"
#include "ui/models/network.h"
#include "ui/pages/job/samples_card.h"
#include "ui/widgets/augmented_samples.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::kWait;
using testsupport::settle;
using testsupport::WindowFixture;

namespace {

/// Two classes of images of 4 x 4 pixels, one of them with an augmented version.
job::DataCard exampleCard() {
    job::DataCard card;
    card.kind = "images";
    card.shape = {4, 4, 1};
    card.facts = {.input = {4, 4, 1}, .classes = 2};
    card.classNames = {"cat", "dog"};
    card.parts = {{"training", 1200, {900, 300}}, {"validation", 50, {25, 25}}, {"test", 0, {}}};
    card.notes = {"2 images cannot be read and are left out: cat/broken.jpg, dog/half.png"};
    const std::vector<std::uint8_t> pixels(16, 200);
    card.samples = {{3, 0, pixels, {{pixels, 1, 0.6}}}, {9, 1, pixels, {{pixels, -1, 1}}}};
    return card;
}

/// A card of its own, whose reader answers when it is told to.
struct Reading {
    JobEditor editor;
    SamplesCard card{editor};
    /// Of one reading after the other, as far as they begin.
    struct Answers {
        std::array<std::promise<SamplesCard::Answer>, 3> promised;
        std::array<job::LoadWatch, 3> watches;
        std::atomic<int> begun = 0;
        std::atomic<int> watched = 0;  ///< Of the watches, those that are there.
    };
    std::shared_ptr<Answers> answers = std::make_shared<Answers>();
    std::promise<SamplesCard::Answer>* answer = &answers->promised[0];
    QTableWidget* counts = card.findChild<QTableWidget*>(QStringLiteral("classCounts"));
    AugmentedSamples* samples =
        card.findChild<AugmentedSamples*>(QStringLiteral("augmentedSamples"));
    QLabel* state = card.findChild<QLabel*>(QStringLiteral("samplesState"));

    Reading() {
        editor.open(QStringLiteral("job.toml"), QStringLiteral("[data]\ndataset = \"digits\"\n"));
        card.setReader([all = answers](const config::JobSpec&, const std::filesystem::path&,
                                       const job::LoadWatch& watch) {
            const auto place = std::size_t(all->begun++);
            all->watches.at(place) = watch;
            ++all->watched;
            return all->promised.at(place).get_future().get();
        });
        card.resize(1000, 600);
        card.show();
    }
    void click(const char* name) { card.findChild<QPushButton*>(QLatin1String(name))->click(); }
};

}  // namespace

class SamplesCardTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void countsNotesAndSamplesAreShown() {
        Reading reading;
        QVERIFY(reading.counts->isHidden());
        QSignalSpy told(&reading.card, &SamplesCard::factsRead);
        reading.click("readSamplesButton");
        QVERIFY(reading.card.isReading());
        QVERIFY(reading.state->text().startsWith(QStringLiteral("Reading")));
        reading.answer->set_value(exampleCard());
        QTRY_VERIFY_WITH_TIMEOUT(!reading.counts->isHidden(), kWait);
        const auto cell = [&](int row, int column) {
            return reading.counts->item(row, column)->text();
        };
        QCOMPARE(reading.counts->rowCount(), 3);
        QCOMPARE(told.size(), qsizetype(1));
        QCOMPARE(cell(1, 0), QStringLiteral("cat"));
        QCOMPARE(cell(1, 1), QStringLiteral("900"));
        QCOMPARE(cell(2, 2), QStringLiteral("25"));
        QVERIFY(reading.card.findChild<QLabel*>(QStringLiteral("samplesNotes"))
                    ->text()
                    .contains(QStringLiteral("cat/broken.jpg")));
        QCOMPARE(reading.samples->shown(), QSize(2, 2));
        QVERIFY(!reading.card.grab().isNull());

        reading.editor.setValue(QStringLiteral("data.validation_samples"), QStringLiteral("7"));
        QVERIFY(reading.state->isVisible());
        QVERIFY(reading.state->text().contains(QStringLiteral("changed")));
        reading.editor.undoStack().undo();
        QVERIFY(!reading.state->isVisible());
    }
    void anotherSeedOrBatchMakesAugmentedImagesOld() {
        Reading reading;
        reading.editor.setText(reading.editor.text() +
                               QStringLiteral("augment = [{ type = \"random_flip\" }]\n"));
        QVERIFY(!reading.editor.spec().data.augment.empty());
        reading.click("readSamplesButton");
        reading.answer->set_value(exampleCard());
        QTRY_VERIFY_WITH_TIMEOUT(!reading.counts->isHidden(), kWait);
        QVERIFY(!reading.state->isVisible());
        for (const char* key : {"training.seed", "training.global_batch_size"}) {
            reading.editor.setValue(QLatin1String(key), QStringLiteral("48"));
            QVERIFY2(reading.state->isVisible(), key);
            QVERIFY(reading.state->text().contains(QStringLiteral("changed")));
            reading.editor.undoStack().undo();
            QVERIFY(!reading.state->isVisible());
        }
        reading.editor.setValue(QStringLiteral("training.epochs"), QStringLiteral("48"));
        QVERIFY(!reading.state->isVisible());
    }
    void whatWasCancelledIsThrownAwayWhenItComes() {
        Reading reading;
        reading.click("readSamplesButton");
        QTRY_COMPARE_WITH_TIMEOUT(reading.answers->begun.load(), 1, kWait);
        reading.click("cancelSamplesButton");
        QVERIFY(!reading.card.isReading());
        QVERIFY(
            reading.card.findChild<QPushButton*>(QStringLiteral("readSamplesButton"))->isVisible());
        reading.click("readSamplesButton");
        job::DataCard other = exampleCard();
        other.classNames.push_back("fox");
        reading.answers->promised[1].set_value(other);
        reading.answer->set_value(exampleCard());
        int shown = 0;  // rows, whenever there are any
        connect(reading.counts->model(), &QAbstractItemModel::rowsInserted, &reading.card,
                [&] { shown = shown == 0 ? reading.counts->rowCount() : shown; });
        QTRY_VERIFY_WITH_TIMEOUT(!reading.counts->isHidden(), kWait);
        QCOMPARE(shown, 4);
    }
    void readingsThatAreCancelledHoldUpNobodyAndDoNotBegin() {
        Reading reading;
        reading.click("readSamplesButton");
        QTRY_COMPARE_WITH_TIMEOUT(reading.answers->begun.load(), 1, kWait);
        for (int i = 0; i < 5; ++i) {
            reading.click("cancelSamplesButton");
            reading.click("readSamplesButton");
        }
        reading.click("cancelSamplesButton");
        // Whatever else the window does in the background goes on.
        BackgroundTask other;
        bool isDone = false;
        other.start([] { return true; }, [&isDone](bool answer) { isDone = answer; });
        QTRY_VERIFY_WITH_TIMEOUT(isDone, kWait);
        QCOMPARE(reading.answers->begun.load(), 1);
        reading.answer->set_value(exampleCard());
        reading.click("readSamplesButton");
        reading.answers->promised[1].set_value(exampleCard());
        QTRY_VERIFY_WITH_TIMEOUT(!reading.counts->isHidden(), kWait);
        QCOMPARE(reading.answers->begun.load(), 2);
    }
    void theReadingEndsWhenTheJobAsksForOtherDataOrThePageIsLeft() {
        Reading reading;
        const auto begin = [&reading](int place) {
            reading.click("readSamplesButton");
            QTRY_COMPARE_WITH_TIMEOUT(reading.answers->watched.load(), place + 1, kWait);
        };
        const auto isWanted = [&reading](int place) {
            return !reading.answers->watches[std::size_t(place)].stop.stop_requested();
        };
        begin(0);
        reading.editor.setValue(QStringLiteral("training.epochs"), QStringLiteral("9"));
        QVERIFY(isWanted(0));  // that decides no sample
        reading.editor.setValue(QStringLiteral("data.validation_samples"), QStringLiteral("7"));
        QVERIFY(!isWanted(0) && !reading.card.isReading());
        QVERIFY2(reading.state->text().contains(QStringLiteral("stopped")),
                 qPrintable(reading.state->text()));
        reading.answer->set_value(exampleCard());

        begin(1);
        reading.card.hide();
        QVERIFY(!isWanted(1) && !reading.card.isReading());
        reading.answers->promised[1].set_value(exampleCard());
        reading.card.show();
        begin(2);
        reading.click("cancelSamplesButton");
        QVERIFY(!isWanted(2));
        reading.answers->promised[2].set_value(exampleCard());
        QVERIFY(reading.counts->isHidden());
    }
    void howFarTheReadingIsIsShown() {
        Reading reading;
        reading.click("readSamplesButton");
        QTRY_COMPARE_WITH_TIMEOUT(reading.answers->watched.load(), 1, kWait);
        reading.answers->watches[0].report({job::LoadProgress::Unit::Images, 1200, 50000});
        QTRY_VERIFY2_WITH_TIMEOUT(reading.state->text()
                                      .replace(QChar(0x202f), QLatin1Char(' '))
                                      .endsWith(QStringLiteral("1 200 of 50 000 images")),
                                  qPrintable(reading.state->text()), kWait);
        reading.answer->set_value(exampleCard());
        QTRY_VERIFY_WITH_TIMEOUT(!reading.counts->isHidden(), kWait);
        QVERIFY(!reading.state->isVisible());
    }
    void theWholeButtonIsSeenOnAFreshPage() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        settle(fixture.window());
        const auto* button = fixture.find<QPushButton>("readSamplesButton");
        const QWidget* head = button->parentWidget();
        QVERIFY2(head->rect().contains(button->geometry()),
                 qPrintable(QStringLiteral("%1 of %2").arg(head->height()).arg(button->height())));
        QVERIFY(button->height() >= button->sizeHint().height());
    }
    void dataThatCannotBeReadAreSaidInTheCard() {
        Reading reading;
        reading.click("readSamplesButton");
        reading.answer->set_value(
            fail(ErrorCode::NotFound, "there is no directory images", "Give data.directory."));
        QTRY_VERIFY_WITH_TIMEOUT(reading.state->text().contains(QStringLiteral("no directory")),
                                 kWait);
        QVERIFY(reading.state->isVisible() && reading.state->property("problem").toBool());
        QVERIFY(reading.counts->isHidden());
        QVERIFY2(!reading.state->text().contains(QStringLiteral("data.directory")),
                 qPrintable(reading.state->text()));  // the form's words, not the file's
    }
    void whateverDecidesTheDataIsAReasonToLookAgain() {
        JobEditor editor;
        JobServices services;
        auto looks = std::make_shared<std::atomic<int>>(0);
        services.factsOfData = [looks](const config::JobSpec&, const std::filesystem::path&) {
            ++*looks;
            return Result<model::DataFacts>(model::DataFacts{.input = {4}});
        };
        DataCheck check(services, editor);
        editor.open(QStringLiteral("job.toml"),
                    QStringLiteral("[data]\ndataset = \"arrays\"\ninputs = \"all.npz:x\"\n"
                                   "targets = \"all.npz:y\"\n"));
        QTRY_COMPARE_WITH_TIMEOUT(looks->load(), 1, kWait);
        int expected = 1;
        for (const auto& [key, value] : {std::pair{"data.inputs", "\"all.npz:other\""},
                                         {"data.targets", "\"all.npz:z\""},
                                         {"data.on_error", "skip"},
                                         {"data.missing", "mean"},
                                         {"data.dataset", "table"}}) {
            const QString before = editor.text();
            editor.setValue(QLatin1String(key), QLatin1String(value));
            QVERIFY2(editor.text() != before, key);
            QTRY_VERIFY2_WITH_TIMEOUT(looks->load() == expected + 1, key, kWait);
            ++expected;
            editor.setValue(QStringLiteral("training.epochs"), QString::number(expected));
        }
        editor.setText(editor.text() + QStringLiteral("\n[job]\nname = \"x\"\n"));
        editor.setValue(QStringLiteral("data.target_scale"), QStringLiteral("2"));
        QTRY_COMPARE_WITH_TIMEOUT(looks->load(), expected + 1, kWait);  // and of nothing else
    }
    void aNetworkWhoseDataAreNotReadUnaskedSaysSoAndIsDrawnOnceTheyAre() {
        JobEditor editor;
        Network network(editor);
        JobServices services;
        services.factsOfData = job::factsOfData;
        DataCheck check(services, editor);
        connect(&check, &DataCheck::factsFound, &network, &Network::setFacts);
        editor.open(QStringLiteral("job.toml"),
                    QStringLiteral("[data]\ndataset = \"idx\"\ndirectory = \"images\"\n[model]\n"
                                   "layers = [{ type = \"flatten\" }, "
                                   "{ type = \"dense\", units = \"classes\" }]\n"));
        QTRY_VERIFY2_WITH_TIMEOUT(network.problem().contains(QStringLiteral("Show samples")),
                                  qPrintable(network.problem()), kWait);
        network.setReadFacts({.input = {28, 28, 1}, .classes = 47});
        QCOMPARE(network.problem(), QString());
        QCOMPARE(network.graph().layers.back().output, model::Shape{47});
        editor.setValue(QStringLiteral("training.epochs"), QStringLiteral("3"));
        QCOMPARE(network.problem(), QString());
        editor.setValue(QStringLiteral("data.directory"), QStringLiteral("\"others\""));
        QVERIFY(!network.problem().isEmpty());
    }
    void theExamplesOwnDigitsAreRead() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        fixture.find<QPushButton>("readSamplesButton")->click();
        auto* counts = fixture.find<QTableWidget>("classCounts");
        constexpr int kGenerating = 60'000;  // the digits are drawn where no cache has them
        QTRY_VERIFY_WITH_TIMEOUT(!counts->isHidden(), kGenerating);
        QCOMPARE(counts->rowCount(), 11);
        QVERIFY(fixture.find<AugmentedSamples>("augmentedSamples")->sampleCount() > 0);
    }
};

QTEST_MAIN(SamplesCardTest)
#include "tst_samples_card.moc"

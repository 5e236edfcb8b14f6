// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QtTest>
#include <future>

#include "tests/ui/shell/window_fixture.h"
#include "ui/pages/job/samples_card.h"
#include "ui/widgets/augmented_samples.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::kWait;
using testsupport::WindowFixture;

namespace {

/// Two classes of images of 4 x 4 pixels, one of them with an augmented version.
job::DataCard exampleCard() {
    job::DataCard card;
    card.kind = "images";
    card.shape = {4, 4, 1};
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
    std::shared_ptr<std::promise<SamplesCard::Answer>> answer =
        std::make_shared<std::promise<SamplesCard::Answer>>();
    QTableWidget* counts = card.findChild<QTableWidget*>(QStringLiteral("classCounts"));
    AugmentedSamples* samples =
        card.findChild<AugmentedSamples*>(QStringLiteral("augmentedSamples"));
    QLabel* state = card.findChild<QLabel*>(QStringLiteral("samplesState"));

    Reading() {
        editor.open(QStringLiteral("job.toml"), QStringLiteral("[data]\ndataset = \"digits\"\n"));
        card.setReader([waiting = answer](const config::JobSpec&, const std::filesystem::path&) {
            return waiting->get_future().get();
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
        reading.click("readSamplesButton");
        QVERIFY(reading.card.isReading());
        QVERIFY(reading.state->text().startsWith(QStringLiteral("Reading")));
        reading.answer->set_value(exampleCard());
        QTRY_VERIFY_WITH_TIMEOUT(!reading.counts->isHidden(), kWait);
        const auto cell = [&](int row, int column) {
            return reading.counts->item(row, column)->text();
        };
        QCOMPARE(reading.counts->rowCount(), 3);
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
    void whatWasCancelledIsThrownAwayWhenItComes() {
        Reading reading;
        reading.click("readSamplesButton");
        reading.click("cancelSamplesButton");
        QVERIFY(!reading.card.isReading());
        reading.answer->set_value(exampleCard());
        QVERIFY(QThreadPool::globalInstance()->waitForDone(kWait));
        QCoreApplication::processEvents();
        QVERIFY(reading.counts->isHidden());
        QVERIFY(
            reading.card.findChild<QPushButton*>(QStringLiteral("readSamplesButton"))->isVisible());
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

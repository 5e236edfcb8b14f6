// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>

#include "core/job/epoch_figures.h"
#include "core/wire/messages/record.pb.h"

using namespace lockstep;
using namespace lockstep::job;

class EpochFiguresTest : public QObject {
    Q_OBJECT

    static wire::EpochResult result(bool validated) {
        wire::EpochResult epoch;
        epoch.set_epoch(3);
        epoch.set_step(120);
        epoch.set_train_loss(0.1 + 0.2);
        epoch.set_train_accuracy(std::nan(""));
        epoch.set_seconds(1.5);
        auto& figure = *epoch.add_train_figures();
        figure.set_name("mean_absolute_error");
        figure.set_value(1.0 / 3);
        epoch.set_has_validation(validated);
        if (validated) epoch.set_validation_loss(0.7);
        return epoch;
    }

private slots:
    void whatOneProcessTellsAnotherIsTheSameToTheLastBit() {
        const auto parts = encodeFigures({figuresOf(result(true)), figuresOf(result(false))}, 4096);
        QCOMPARE(parts.size(), std::size_t{1});
        const auto back = parseFigures(parts[0]);
        QVERIFY2(back.has_value(), back ? "" : back.error().message.c_str());
        QCOMPARE(back->size(), std::size_t{2});
        const EpochFigures& first = back->front();
        QCOMPARE(first.epoch, 3);
        QCOMPARE(first.step, std::int64_t{120});
        QVERIFY(first.train.loss == 0.1 + 0.2);
        QVERIFY(std::isnan(first.train.accuracy));
        QVERIFY(first.train.metrics.at("mean_absolute_error") == 1.0 / 3);
        QVERIFY(first.hasValidation && first.validation.loss == 0.7);
        QCOMPARE(first.seconds, 1.5);
        QVERIFY(!back->back().hasValidation);
        QVERIFY(std::isnan(back->back().validation.loss));
    }

    void manyEpochsAreToldInPartsOfTheSizeThatIsAllowed() {
        const std::vector<EpochFigures> epochs(50, figuresOf(result(true)));
        const auto alone = encodeFigures({epochs[0]}, 1);  // does not fit, and is told all the same
        QCOMPARE(alone.size(), std::size_t{1});
        const std::size_t two = 2 * alone[0].size();
        const auto parts = encodeFigures(epochs, two);
        QCOMPARE(parts.size(), std::size_t{25});
        for (const std::string& part : parts) {
            QVERIFY(part.size() <= two);
            QCOMPARE(parseFigures(part).value().size(), std::size_t{2});
        }
        QVERIFY(encodeFigures({}, two).empty());
    }

    void whatIsNoneIsNotTaken() {
        for (const char* text : {"", "nothing", "[{}]", "[{\"epoch\": 1}]", "[1]"})
            QVERIFY2(!parseFigures(text).has_value(), text);
        QVERIFY(parseFigures("[]").value().empty());
    }
};

QTEST_GUILESS_MAIN(EpochFiguresTest)
#include "tst_epoch_figures.moc"

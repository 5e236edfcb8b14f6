// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "tests/core/data/bad_sources.h"
#include "tests/core/data/source_place.h"

using namespace lockstep;
using namespace lockstep::data;
using namespace lockstep::data::test;

namespace {

const std::vector<BadSource>& all() {
    static const std::vector<BadSource> kAll = badSources();
    return kAll;
}

}  // namespace

class MalformedSourcesTest : public QObject {
    Q_OBJECT
private slots:
    void thereAreEnoughOfThem() { QVERIFY(all().size() > 100); }

    void everyMistakeIsOneSentence_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < all().size(); ++i)
            QTest::addRow("%zu %s", i, all()[i].name) << static_cast<int>(i);
    }
    void everyMistakeIsOneSentence() {
        QFETCH(int, index);
        const BadSource& bad = all()[static_cast<std::size_t>(index)];
        const Place place;
        for (const auto& [name, content] : bad.files)
            place.write(name, content);
        const auto dataset = place.load(bad.job);
        QVERIFY(!dataset);
        const Error& error = dataset.error();
        QVERIFY2(error.message.find(bad.words) != std::string::npos, error.message.c_str());
        QCOMPARE(error.code, ErrorCode::BadInput);  // exit status 2
        QVERIFY2(error.message.find('\n') == std::string::npos, error.message.c_str());
        QVERIFY2(error.message.size() < 700, error.message.c_str());
        QVERIFY2(QString::fromStdString(error.message).toStdString() == error.message,
                 "the sentence is not UTF-8");
    }
};

QTEST_GUILESS_MAIN(MalformedSourcesTest)
#include "tst_malformed_sources.moc"

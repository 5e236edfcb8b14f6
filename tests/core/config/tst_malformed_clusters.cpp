// SPDX-License-Identifier: Apache-2.0
// Every description of tests/golden/malformed_clusters.txt is refused with the right sentence and
// a way out.
#include <QFile>
#include <QtTest>

#include "core/config/dialects/dialect_readers.h"
#include "core/config/document/effective_cluster.h"
#include "core/config/document/environment_lint.h"

using namespace lockstep;
using namespace lockstep::config;

namespace {

struct Malformed {
    QString name;
    QString how;
    QString says;
    QString text;
};

std::vector<Malformed> readCorpus() {
    QFile file(LOCKSTEP_SOURCE_DIR "/tests/golden/malformed_clusters.txt");
    if (!file.open(QIODevice::ReadOnly)) return {};
    std::vector<Malformed> corpus;
    Malformed next;
    bool inText = false;
    for (QString line = file.readLine(); !line.isEmpty(); line = file.readLine()) {
        if (inText && line == "---\n") {
            corpus.push_back(std::exchange(next, {}));
            inText = false;
        } else if (inText) {
            next.text += line;
        } else if (line == "<<<\n") {
            inText = true;
        } else if (line.startsWith("as: ")) {
            next.how = line.mid(4).trimmed();
        } else if (line.startsWith("says: ")) {
            next.says = line.mid(6).trimmed();
        } else if (!line.startsWith('#')) {
            next.name = line.trimmed();
        }
    }
    return corpus;
}

const std::vector<Malformed>& corpus() {
    static const std::vector<Malformed> kCorpus = readCorpus();
    return kCorpus;
}

Environment environmentOf(const QString& text) {
    Environment::Variables variables;
    for (const QString& line : text.split('\n', Qt::SkipEmptyParts))
        variables[line.section('=', 0, 0).toStdString()] = line.section('=', 1).toStdString();
    return Environment(variables);
}

std::optional<Error> firstError(const std::vector<Finding>& findings) {
    for (const Finding& finding : findings)
        if (finding.severity == Severity::Error) return toError(finding);
    return std::nullopt;
}

template <typename T>
std::optional<Error> errorOf(const Result<T>& result) {
    return result ? std::nullopt : std::optional(result.error());
}

/// The error of a pasted text: of its reader, or the first of the findings.
std::optional<Error> errorOf(const Result<DialectReading>& reading) {
    return reading ? firstError(reading->findings) : std::optional(reading.error());
}

/// What refuses the description, as the programs would.
std::optional<Error> refusal(const Malformed& one) {
    std::string text = one.text.toStdString();
    if (one.how == "job") return firstError(JobDocument::lenient(text, "job.toml").findings());
    if (one.how == "paste") return errorOf(readAny(text));
    if (one.how == "hostfile") return errorOf(readDialect(Dialect::Hostfile, text));
    if (one.how == "tf_config")
        return firstError(
            lintEnvironment(Environment(Environment::Variables{{"TF_CONFIG", text}})).findings);
    const std::string method = one.how.section(' ', 1).toStdString();
    if (method.empty()) return firstError(lintEnvironment(environmentOf(one.text)).findings);
    return errorOf(resolveCluster({}, {}, environmentOf(one.text), method));
}

}  // namespace

class MalformedClustersTest : public QObject {
    Q_OBJECT
private slots:
    void theCorpusIsThere() {
        QVERIFY2(corpus().size() >= 100, qPrintable(QString::number(corpus().size())));
        for (const Malformed& one : corpus())
            QVERIFY2(!one.name.isEmpty() && !one.how.isEmpty() && one.says.size() > 9,
                     qPrintable(one.name));
    }

    void everyOneIsRefusedWithTheRightSentence_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < corpus().size(); ++i)
            QTest::newRow(qPrintable(corpus()[i].name)) << static_cast<int>(i);
    }
    void everyOneIsRefusedWithTheRightSentence() {
        QFETCH(int, index);
        const Malformed& one = corpus()[static_cast<std::size_t>(index)];
        const auto error = refusal(one);
        QVERIFY2(error.has_value(), "accepted");
        const QString message = QString::fromStdString(error->message);
        QVERIFY2(message.contains(one.says), qPrintable(message));
        QVERIFY2(!message.contains('\n'), qPrintable(message));
        QVERIFY2(!error->remedy.empty(), qPrintable(message));
        QCOMPARE(error->code, ErrorCode::BadInput);
    }
};

QTEST_GUILESS_MAIN(MalformedClustersTest)
#include "tst_malformed_clusters.moc"

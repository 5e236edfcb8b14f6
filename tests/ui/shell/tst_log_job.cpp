// SPDX-License-Identifier: GPL-3.0-or-later
// The log of a real job in the real window: a user's program that floods its output, and fails.
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/ui/support/real_services.h"
#include "ui/dialogs/consent_dialog.h"
#include "ui/models/log_model.h"
#include "ui/models/words.h"
#include "ui/shell/main_window.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

constexpr int kSoon = 20'000;
constexpr int kFinished = 60'000;
constexpr int kFlood = 30'000;

constexpr const char* kProgram = R"(
for i in range(30000):
    print("flood", i, flush=True)
def load(shard):
    raise KeyError(shard)
try:
    load(3)
except KeyError as error:
    raise ValueError("bad label 11 in shard 3") from error
)";

}  // namespace

class LogJobTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QVERIFY(folder_.isValid());
        QStandardPaths::setTestModeEnabled(true);
        for (const char* name : {"XDG_STATE_HOME", "XDG_RUNTIME_DIR"}) {
            const QString place = folder_.filePath(QString::fromLatin1(name).toLower());
            QVERIFY(QDir().mkdir(place));
            QVERIFY(QFile::setPermissions(place,
                                          QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
            qputenv(name, place.toUtf8());
        }
        QFile program(folder_.filePath(QStringLiteral("program.py")));
        QVERIFY(program.open(QIODevice::WriteOnly) && program.write(kProgram) > 0);
        QFile job(folder_.filePath(QStringLiteral("job.toml")));
        QVERIFY(job.open(QIODevice::WriteOnly));
        QVERIFY(job.write("[launch]\ncommand = [\"python3\", \"program.py\"]\n") > 0);
    }

    void everyLineOfAFloodIsThereAndTheLineThatKilledIsShown() {
        MainWindow::Options options;
        options.openJob = folder_.filePath(QStringLiteral("job.toml"));
        options.stateFolder = folder_.filePath(QStringLiteral("state"));
        options.places.runsFolder = folder_.filePath(QStringLiteral("runs")).toStdString();
        options.places.workerProgram = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";
        MainWindow window(testsupport::realServices(), options);
        window.show();
        auto* launch = window.findChild<QPushButton*>(QStringLiteral("launchButton"));
        QTRY_VERIFY_WITH_TIMEOUT(launch->isEnabled() && launch->isVisible(), kSoon);
        QTest::mouseClick(launch, Qt::LeftButton);
        const auto dialog = [&] {
            return window.findChild<ConsentDialog*>(QStringLiteral("consentDialog"));
        };
        QTRY_VERIFY_WITH_TIMEOUT(dialog() != nullptr, kSoon);
        QTest::mouseClick(dialog()->findChild<QPushButton*>(QStringLiteral("consentButton")),
                          Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(window.bridge().view() != nullptr &&
                                     window.bridge().view()->state == job::RunState::Failed,
                                 kFinished);
        const auto shown = [&] {
            return window.findChild<QPushButton*>(QStringLiteral("noticeShowLog"));
        };
        QTRY_VERIFY_WITH_TIMEOUT(shown() != nullptr && shown()->isVisible(), kSoon);
        shown()->click();

        auto* table = window.findChild<QTableView*>(QStringLiteral("logTable"));
        auto* model = qobject_cast<LogModel*>(table->model());
        const auto textOf = [&](int row) {
            return model->index(row, int(LogModel::Column::Text)).data().toString();
        };
        QTRY_COMPARE_WITH_TIMEOUT(textOf(table->currentIndex().row()),
                                  QStringLiteral("ValueError: bad label 11 in shard 3"), kSoon);
        // It was unfolded for that: one account, from the first traceback on.
        const int head = model->headOf(table->currentIndex().row());
        QVERIFY(head >= 0);
        QCOMPARE(textOf(head), QStringLiteral("Traceback (most recent call last):"));
        QVERIFY(model->index(head, 0).data(LogModel::FoldedLinesRole).toInt() >= 10);

        auto* filter = window.findChild<QLineEdit*>(QStringLiteral("logFilterEdit"));
        filter->setText(QStringLiteral("flood "));
        QTRY_VERIFY_WITH_TIMEOUT(!model->isFiltering(), kSoon);
        QCOMPARE(model->rowCount(), kFlood);
        for (const int row : {0, 10'000, kFlood - 1}) {
            QTRY_COMPARE_WITH_TIMEOUT(textOf(row), QStringLiteral("flood %1").arg(row), kSoon);
        }
    }

private:
    QTemporaryDir folder_;
};

QTEST_MAIN(LogJobTest)
#include "tst_log_job.moc"

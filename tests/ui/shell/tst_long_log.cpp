// SPDX-License-Identifier: GPL-3.0-or-later
// A log of a million lines through the real session, reader and page: what each takes is printed.
#include <malloc.h>
#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <ctime>

#include "core/job/journal_session.h"
#include "core/job/logs/log_book.h"
#include "core/launch/process/left_out.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "core/wire/messages/record.pb.h"
#include "ui/models/log_model.h"
#include "ui/pages/logs/logs_page.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

constexpr int kLines = 1'000'000;
constexpr int kFlood = 400'000;  // of them: in the process's file alone
constexpr int kWait = 120'000;
constexpr double kMostBlockedMs = 50;

double threadMs() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

qint64 residentBytes() {
    ::malloc_trim(0);
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    return file.readAll().split(' ').value(1).toLongLong() * 4096;
}

/// Measures how long the longest event keeps the UI thread at work: its own time, so that a busy
/// machine does not count.
class MeasuredApplication final : public QApplication {
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override {
        if (depth_++ > 0) {
            const bool done = QApplication::notify(receiver, event);
            --depth_;
            return done;
        }
        const double before = threadMs();
        const bool done = QApplication::notify(receiver, event);
        longest = std::max(longest, threadMs() - before);
        --depth_;
        return done;
    }
    double longest = 0;

private:
    int depth_ = 0;
};

std::string textOf(int line) {
    if (line % 100'000 == 77'777) return "needle in line " + std::to_string(line);
    return "step " + std::to_string(line) + " loss 0.123 of an ordinary line of some length";
}

/// Of four processes; process 0 has written a flood that the journal was spared.
void writeRun(const QTemporaryDir& folder) {
    QDir(folder.path()).mkdir(QStringLiteral("logs"));
    QFile journal(folder.filePath(QStringLiteral("journal")));
    QFile flood(folder.filePath(QStringLiteral("logs/process-0.log")));
    if (!journal.open(QIODevice::WriteOnly) || !flood.open(QIODevice::WriteOnly)) qFatal("no file");
    std::string frames;
    const auto say = [&](int line, int process, const std::string& text) {
        wire::Record record;
        record.set_wall_time(1'790'000'000 + line * 0.01);
        record.mutable_log()->set_process_id(std::uint32_t(process));
        record.mutable_log()->set_level(1);
        record.mutable_log()->set_text(text);
        return record;
    };
    const auto put = [&](const wire::Record& record) {
        telemetry::appendFrame(wire::encode(record).value(), frames);
        if (frames.size() < (1 << 20)) return;
        journal.write(frames.data(), qint64(frames.size()));
        frames.clear();
    };
    constexpr int kBefore = 300'000;
    for (int line = 0; line < kBefore; ++line)
        put(say(line, line % 4, textOf(line)));
    for (int line = kBefore; line < kBefore + kFlood; ++line)
        flood.write((textOf(line) + '\n').c_str());
    put(say(kBefore, 0,
            launch::leftOutSentence(kFlood, "all of them are in logs/process-0.log",
                                    {{0, std::uint64_t(flood.pos())}})));
    for (int line = kBefore + kFlood; line < kLines; ++line)
        put(say(line, line % 4, textOf(line)));
    journal.write(frames.data(), qint64(frames.size()));
}

}  // namespace

class LongLogTest : public QObject {
    Q_OBJECT
private:
    MeasuredApplication& app_ = static_cast<MeasuredApplication&>(*qApp);

    template <typename Condition>
    bool measure(const char* what, Condition condition) {
        QElapsedTimer timer;
        timer.start();
        app_.longest = 0;
        const bool isDone = QTest::qWaitFor(condition, kWait);
        qInfo("%-44s %7.0f ms, longest event %5.1f ms", what, double(timer.nsecsElapsed()) / 1e6,
              app_.longest);
        return isDone && app_.longest <= kMostBlockedMs;
    }

private slots:
    void aMillionLinesAreOpenedFilteredAndSearchedWithoutHoldingUpTheWindow() {
        const QTemporaryDir folder;
        writeRun(folder);
        LogModel model;
        LogsPage page(model);
        page.resize(1280, 800);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        const qint64 before = residentBytes();

        auto session = job::openJournalSession(folder.path().toStdString()).value();
        QTimer beat;  // as the window's
        connect(&beat, &QTimer::timeout, &page, [&] { model.follow(session->logBook()); });
        beat.start(100);
        auto* table = page.findChild<QTableView*>(QStringLiteral("logTable"));
        const auto shown = [&](int row) {
            return model.index(row, int(LogModel::Column::Text)).data().toString();
        };
        QVERIFY(measure("first lines in view", [&] { return model.rowCount() > 100; }));
        QVERIFY(measure("all lines in the index and in the table", [&] {
            return session->view()->caughtUp && model.lineCount() >= kLines &&
                   model.rowCount() >= kLines;
        }));
        const int rows = model.rowCount();  // some are the session's own words
        QVERIFY(rows <= kLines + 2);

        table->scrollToTop();
        QVERIFY(measure("the first line, read from the file",
                        [&] { return shown(0) == QString::fromStdString(textOf(0)); }));
        for (const int row : {299'999, 300'000, 500'000, 699'999, 700'000}) {
            table->scrollTo(model.index(row, 0));
            QVERIFY(measure("a line in the middle",
                            [&] { return shown(row) == QString::fromStdString(textOf(row)); }));
        }
        auto* filter = page.findChild<QLineEdit*>(QStringLiteral("logFilterEdit"));
        filter->setText(QStringLiteral("NEEDLE"));
        QVERIFY(measure("filtered by a text",
                        [&] { return !model.isFiltering() && model.rowCount() == 10; }));
        filter->clear();
        QVERIFY(measure("all lines again", [&] { return model.rowCount() == rows; }));

        auto* find = page.findChild<QLineEdit*>(QStringLiteral("logFindEdit"));
        auto* count = page.findChild<QLabel*>(QStringLiteral("logFindCount"));
        find->setText(QStringLiteral("needle"));
        QVERIFY(measure("the first match chosen", [&] { return !model.found().empty(); }));
        QVERIFY(measure("searched to the end", [&] { return !model.isFinding(); }));
        QCOMPARE(model.found().size(), std::size_t(10));
        QElapsedTimer timer;
        timer.start();
        app_.longest = 0;
        for (int i = 0; i < 9; ++i) {
            QTest::keyClick(find, Qt::Key_Return);
            QCoreApplication::processEvents();
        }
        qInfo("%-44s %7.1f ms, longest event %5.1f ms", "find next, each",
              double(timer.nsecsElapsed()) / 9e6, app_.longest);
        QVERIFY(app_.longest <= kMostBlockedMs);
        QVERIFY2(count->text().endsWith(QStringLiteral("of 10")), qPrintable(count->text()));

        page.findChild<QToolButton*>(QStringLiteral("logFindRegex"))->setChecked(true);
        find->setText(QStringLiteral("step \\d+7 loss"));
        QVERIFY(
            measure("a regular expression, begun", [&] { return model.found().size() > 1000; }));
        page.findChild<QToolButton*>(QStringLiteral("logFindStop"))->click();
        QVERIFY2(count->text().contains(QStringLiteral("stopped at")), qPrintable(count->text()));
        find->setText(QStringLiteral("step \\d+7 "));
        QVERIFY(measure("a regular expression, to the end", [&] { return !model.isFinding(); }));
        // All that end in 7, without the ten needles and step 7.
        QCOMPARE(model.found().size(), std::size_t(kLines / 10 - 11));

        const qint64 grown = residentBytes() - before;
        qInfo("memory of a million lines: %.0f MiB, their files: %.0f MiB", double(grown) / 1048576,
              double(QFileInfo(folder.filePath(QStringLiteral("journal"))).size() +
                     QFileInfo(folder.filePath(QStringLiteral("logs/process-0.log"))).size()) /
                  1048576);
        QVERIFY(grown < 80 << 20);
    }
};

int main(int argc, char** argv) {
    MeasuredApplication app(argc, argv);
    LongLogTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_long_log.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures are drawn on threads of their own, and nobody waits for one.
#include <QElapsedTimer>
#include <QtTest>
#include <algorithm>
#include <atomic>

#include "tests/ui/charts/layer_request.h"
#include "ui/charts/paint/series_renderer.h"

using namespace lockstep::ui;

class TestSeriesRenderer : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aCrewDoesEveryPieceOnce() {
        WorkCrew crew(3);
        for (const int pieces : {0, 1, 2, 1'000}) {
            std::vector<std::atomic<int>> done(static_cast<std::size_t>(pieces));
            crew.run(pieces, [&](int piece) { ++done[static_cast<std::size_t>(piece)]; });
            for (const std::atomic<int>& count : done)
                QCOMPARE(count.load(), 1);
        }
    }

    void picturesOfSeveralChartsComeTogether() {
        Column column;
        column.append(0, noise(1'000));
        SeriesRenderer renderer;
        std::vector<int> inOneGo;  // pictures that came before the event loop went on
        int now = 0;
        QObject boundary;
        std::vector<int> clients;
        for (int chart = 0; chart < 4; ++chart)
            clients.push_back(renderer.addClient([&](const RenderedLayer&) {
                if (now++ > 0) return;
                QMetaObject::invokeMethod(
                    &boundary, [&] { inOneGo.push_back(std::exchange(now, 0)); },
                    Qt::QueuedConnection);
            }));
        constexpr int kTimes = 10;
        for (int time = 0; time < kTimes; ++time) {
            int wanted = int(clients.size());
            for (const int one : inOneGo)
                wanted += one;
            for (const int client : clients)
                renderer.request(client, requestFor(column, {0, 1'000.0 + time}, {0, 1}));
            const auto all = [&] {
                int sum = 0;
                for (const int one : inOneGo)
                    sum += one;
                return sum;
            };
            QTRY_COMPARE_WITH_TIMEOUT(all(), wanted, 10'000);
        }
        // The first may be ready before the others are asked for; one by one they would be forty.
        QVERIFY2(inOneGo.size() <= 2 * kTimes,
                 qPrintable(QString::number(qulonglong(inOneGo.size()))));
        for (const int client : clients)
            renderer.removeClient(client);
    }

    void askingForAPictureNeverWaitsForIt() {
        Column column;
        column.append(0, std::vector<float>(1'000'000, 0.5f));
        LayerRequest request = requestFor(column, {0, 1e6}, {0, 1});
        for (int i = 1; i < 8; ++i) {
            request.series.push_back(request.series.front());
            request.series.back().key = i;
        }
        request.smoothing = 0.9;
        SeriesRenderer renderer;
        quint64 newest = 0;
        const int client =
            renderer.addClient([&](const RenderedLayer& layer) { newest = layer.revision; });

        QElapsedTimer timer;
        qint64 longest = 0;
        for (quint64 revision = 1; revision <= 50; ++revision) {
            request.revision = revision;
            request.smoothing = 0.9 + 0.001 * double(revision % 2);  // everything anew
            timer.start();
            renderer.request(client, request);
            longest = std::max(longest, timer.nsecsElapsed());
        }

        QVERIFY2(longest < 20'000'000,
                 qPrintable(QString::number(longest)));  // 20 ms: a busy machine
        QTRY_COMPARE_WITH_TIMEOUT(newest, quint64(50), 30'000);
        renderer.removeClient(client);
    }
};

QTEST_MAIN(TestSeriesRenderer)
#include "tst_series_renderer.moc"

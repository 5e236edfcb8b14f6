// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <thread>

#include "core/base/bounded_queue.h"

using namespace lockstep;
using namespace std::chrono_literals;

class BoundedQueueTest : public QObject {
    Q_OBJECT
private slots:
    void aFullQueueRefuses() {
        BoundedQueue<int> queue(2);
        int value = 1;
        QVERIFY(queue.push(value));
        QVERIFY(queue.push(value));
        QVERIFY(!queue.push(value));
        QVERIFY(!queue.pushWithin(value, 1ms));
        QCOMPARE(queue.size(), std::size_t(2));
    }
    void takingWaitsForAnItemOfAnotherThread() {
        BoundedQueue<int> queue(1);
        std::jthread producer([&queue] {
            int value = 42;
            (void)queue.push(value);
        });
        QCOMPARE(queue.take(10s).value_or(-1), 42);
    }
    void closingWakesAndKeepsWhatIsQueued() {
        BoundedQueue<int> queue(4);
        int value = 7;
        QVERIFY(queue.push(value));
        queue.close();
        QVERIFY(!queue.push(value));
        QCOMPARE(queue.take(10s).value_or(-1), 7);
        QVERIFY(!queue.take(10s));
    }
};

QTEST_GUILESS_MAIN(BoundedQueueTest)
#include "tst_bounded_queue.moc"

// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/tensor/device.h"

using namespace lockstep;
using namespace lockstep::tensor;

class CpuDeviceTest : public QObject {
    Q_OBJECT
private slots:
    void itIsNamedAsDevicesAreListed() {
        QCOMPARE(openCpuDevice()->name(), std::string("cpu:0"));
        QCOMPARE(openCpuDevice(3)->name(), std::string("cpu:3"));
    }
    void memoryIsZeroAndAligned_data() {
        QTest::addColumn<quint64>("bytes");
        QTest::addColumn<quint64>("alignment");
        QTest::newRow("one byte") << quint64{1} << quint64{64};
        QTest::newRow("odd") << quint64{4097} << quint64{64};
        QTest::newRow("huge pages") << (quint64{3} << 20) << (quint64{2} << 20);
    }
    void memoryIsZeroAndAligned() {
        QFETCH(quint64, bytes);
        QFETCH(quint64, alignment);
        const auto device = openCpuDevice();
        for (int round = 0; round < 3; ++round) {  // Freed memory comes back dirty.
            const auto buffer = device->allocate(bytes);
            QVERIFY(buffer.has_value());
            QCOMPARE(buffer->bytes(), bytes);
            QCOMPARE(reinterpret_cast<std::uintptr_t>(buffer->data()) % alignment,
                     std::uintptr_t{0});
            const auto content = buffer->as<unsigned char>();
            QVERIFY(std::ranges::all_of(content, [](unsigned char byte) { return byte == 0; }));
            std::ranges::fill(content, static_cast<unsigned char>(0xAA));
        }
    }
    void nothingCanBeAllocated() {
        const auto buffer = openCpuDevice()->allocate(0);
        QVERIFY(buffer.has_value());
        QVERIFY(buffer->as<float>().empty());
    }
    void moreThanThereIsIsRefusedInWords() {
        for (const std::size_t bytes :
             {std::numeric_limits<std::size_t>::max(), std::size_t{1} << 62}) {
            const auto buffer = openCpuDevice()->allocate(bytes);
            QVERIFY(!buffer.has_value());
            QVERIFY(buffer.error().code == ErrorCode::Unavailable);
            QVERIFY(buffer.error().message.find("cpu:0") != std::string::npos);
        }
    }
    void aBufferMovesItsMemory() {
        auto first = openCpuDevice()->allocate(64).value();
        void* const data = first.data();
        Buffer second(std::move(first));
        QCOMPARE(second.data(), data);
        Buffer third = openCpuDevice()->allocate(128).value();
        third = std::move(second);
        QCOMPARE(third.data(), data);
        QCOMPARE(third.bytes(), std::size_t{64});
    }
};

QTEST_GUILESS_MAIN(CpuDeviceTest)
#include "tst_cpu_device.moc"

// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/telemetry/gpu_probe.h"

using namespace lockstep;
using namespace lockstep::telemetry;

namespace {
const std::string kFake = LOCKSTEP_BINARY_DIR "/tests/libfake_nvml.so";
const std::string kOther = LOCKSTEP_BINARY_DIR "/tests/libfake_cuda_driver.so";
}  // namespace

class GpuProbeTest : public QObject {
    Q_OBJECT
private slots:
    void cleanup() { qunsetenv("FAKE_NVML_INIT"); }

    void theFiguresAreInTheUnitsTheirNamesSay() {
        const auto probe = GpuProbe::open({"GPU-one", "GPU-one"}, kFake);
        QVERIFY2(probe.has_value(), probe ? "" : probe.error().message.c_str());
        const auto figures = (*probe)->sample();
        QCOMPARE(figures.size(), std::size_t{2});
        const wire::GpuFigures& gpu = figures[1];
        QCOMPARE(gpu.uuid(), std::string("GPU-one"));
        QCOMPARE(gpu.name(), std::string("Pretended GPU"));
        QCOMPARE(gpu.compute_percent(), 87.0F);
        QCOMPARE(gpu.memory_percent(), 40.0F);
        QCOMPARE(gpu.used_bytes(), 400U);
        QCOMPARE(gpu.total_bytes(), 1000U);
        QCOMPARE(gpu.celsius(), 54.0F);
        QCOMPARE(gpu.watts(), 410.5F);
        QCOMPARE(gpu.watts_limit(), 700.0F);
        QCOMPARE(gpu.compute_megahertz(), 1980U);
        QCOMPARE(gpu.memory_megahertz(), 2619U);
        QCOMPARE(gpu.uncorrected_ecc_errors(), 0U);  // this GPU does not tell
        QCOMPARE(gpu.slowdown(), std::string("power limit, hot"));
    }

    void whatIsNotThereIsSaid() {
        const auto none = GpuProbe::open({"GPU-one"}, "libno-such-nvml.so.1");
        QVERIFY(!none.has_value());
        QCOMPARE(none.error().code, ErrorCode::Unavailable);
        const auto other = GpuProbe::open({"GPU-one"}, kOther);
        QVERIFY(!other.has_value());
        QVERIFY2(other.error().message.ends_with("is not the NVML that is expected"),
                 other.error().message.c_str());
        const auto unknown = GpuProbe::open({"GPU-one", "GPU-two"}, kFake);
        QVERIFY(!unknown.has_value());
        QCOMPARE(unknown.error().code, ErrorCode::NotFound);
        QCOMPARE(unknown.error().message, std::string("NVML does not know GPU-two: error 6"));
        qputenv("FAKE_NVML_INIT", "9");
        const auto failing = GpuProbe::open({"GPU-one"}, kFake);
        QVERIFY(!failing.has_value());
        QCOMPARE(failing.error().message, std::string("NVML does not start: error 9"));
    }

    void idleClocksAreNoTrouble() {
        QCOMPARE(slowdownWords(0), std::string());
        QCOMPARE(slowdownWords(0x01), std::string());
        QCOMPARE(slowdownWords(0x08 | 0x80),
                 std::string("hardware slowdown, power brake (hardware)"));
    }
};

QTEST_GUILESS_MAIN(GpuProbeTest)
#include "tst_gpu_probe.moc"

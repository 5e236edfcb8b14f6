// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>

#include "core/tensor/cuda_module.h"
#include "core/tensor/gpu_support.h"

using namespace lockstep;
using namespace lockstep::tensor;

Q_DECLARE_METATYPE(lockstep::tensor::GpuState)

namespace {

const std::string kFakeDriver = LOCKSTEP_BINARY_DIR "/tests/libfake_cuda_driver.so";
const std::string kFakeNvml = LOCKSTEP_BINARY_DIR "/tests/libfake_nvml.so";
const std::string kModule = LOCKSTEP_BINARY_DIR "/bin/lockstep-cuda.so";

void pretend(const char* devices, const char* capability, const char* init, const char* version) {
    qputenv("FAKE_CUDA_DEVICES", devices);
    qputenv("FAKE_CUDA_CAPABILITY", capability);
    qputenv("FAKE_CUDA_INIT", init);
    qputenv("FAKE_CUDA_VERSION", version);
}

}  // namespace

class GpuSupportTest : public QObject {
    Q_OBJECT
private slots:
    void init() { pretend("1", "90", "0", "13000"); }

    void eachReasonHasItsOwnSentence_data() {
        QTest::addColumn<QByteArray>("driver");
        QTest::addColumn<QByteArray>("module");
        QTest::addColumn<QByteArrayList>("fake");
        QTest::addColumn<GpuState>("state");
        QTest::addColumn<QString>("sentence");
        const QByteArray fake = QByteArray::fromStdString(kFakeDriver);
        const QByteArray other = QByteArray::fromStdString(kFakeNvml);
        const QByteArrayList good{"1", "90", "0", "13000"};
        QTest::newRow("no driver") << QByteArray("libno-such-driver.so.1") << QByteArray() << good
                                   << GpuState::DriverMissing << "there is no NVIDIA driver";
        QTest::newRow("not a driver") << other << QByteArray() << good << GpuState::DriverFailed
                                      << "libfake_nvml.so has no function cuInit";
        QTest::newRow("a driver that fails")
            << fake << QByteArray() << QByteArrayList{"1", "90", "999", "13000"}
            << GpuState::DriverFailed << "cuInit of the NVIDIA driver fails with error 999";
        QTest::newRow("a driver that says there is none")
            << fake << QByteArray() << QByteArrayList{"0", "90", "100", "13000"}
            << GpuState::NoDevice << "sees no GPU";
        QTest::newRow("no device")
            << fake << QByteArray() << QByteArrayList{"0", "90", "0", "13000"} << GpuState::NoDevice
            << "sees no GPU";
        QTest::newRow("an old GPU")
            << fake << QByteArray() << QByteArrayList{"2", "70", "0", "13000"}
            << GpuState::Unsupported
            << "Pretended GPU 0 has compute capability 7.0, and Lockstep needs 7.5";
        QTest::newRow("no module") << fake << QByteArray("/no/such/lockstep-cuda.so") << good
                                   << GpuState::ModuleAbsent << "lockstep-cuda is not installed";
        QTest::newRow("not a module") << fake << other << good << GpuState::ModuleBroken
                                      << "has no function lockstepCudaModule";
    }
    void eachReasonHasItsOwnSentence() {
        QFETCH(QByteArray, driver);
        QFETCH(QByteArray, module);
        QFETCH(QByteArrayList, fake);
        QFETCH(GpuState, state);
        QFETCH(QString, sentence);
        pretend(fake[0], fake[1], fake[2], fake[3]);
        const GpuSupport support = findGpuSupport({driver.toStdString(), module.toStdString()});
        QVERIFY2(support.sentence.find(sentence.toStdString()) != std::string::npos,
                 support.sentence.c_str());
        QCOMPARE(support.state, state);
        QVERIFY(!support.usable());
        QVERIFY(!support.remedy.empty());
        const Error error = support.toError();
        QCOMPARE(error.code, ErrorCode::BadInput);
        QVERIFY(error.message.starts_with("cluster.device = \"gpu\": "));
    }

    void devicesAreDescribedAsTheDriverTellsThem() {
        pretend("2", "89", "0", "13000");
        const GpuSupport support = findGpuSupport({kFakeDriver, "/no/such/module.so"});
        QCOMPARE(support.devices.size(), std::size_t{2});
        const GpuInfo& second = support.devices[1];
        QCOMPARE(second.index, 1);
        QCOMPARE(second.name, std::string("Pretended GPU 1"));
        QCOMPARE(second.uuid, std::string("GPU-a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1"));
        QCOMPARE(second.pciBus, std::string("0000:01:00.0"));
        QCOMPARE(second.computeMajor * 10 + second.computeMinor, 89);
        QCOMPARE(second.memoryBytes, std::uint64_t{8} << 30);
    }

    void theRealModuleIsFoundGoodForTheRightDriverOnly() {
        if (!QFile::exists(QString::fromStdString(kModule)))
            QSKIP("lockstep-cuda is not built here: there is no CUDA");
        const GpuSupport support = findGpuSupport({kFakeDriver, kModule});
        QVERIFY2(support.usable(), support.sentence.c_str());
        QCOMPARE(support.modulePath, kModule);
        pretend("1", "90", "0", "11080");
        const GpuSupport old = findGpuSupport({kFakeDriver, kModule});
        QCOMPARE(old.state, GpuState::DriverTooOld);
        QVERIFY2(old.sentence.starts_with("the NVIDIA driver is for CUDA 11.8"),
                 old.sentence.c_str());
    }

    void withoutAGpuTheModuleRefusesInWords() {
        if (!QFile::exists(QString::fromStdString(kModule)))
            QSKIP("lockstep-cuda is not built here: there is no CUDA");
        if (findGpuSupport().usable()) QSKIP("there is a GPU here");
        const auto module = loadCudaModule(kModule);
        QVERIFY2(module.has_value(), module ? "" : module.error().message.c_str());
        const auto seconds = module->table.productSeconds(0, {}, 1);
        QVERIFY(!seconds.has_value());
        QCOMPARE(seconds.error().code, ErrorCode::Unavailable);
        QVERIFY2(seconds.error().message.starts_with("the GPU failed while being "),
                 seconds.error().message.c_str());
    }

    void anotherInterfaceIsRefused() {
        if (!QFile::exists(QString::fromStdString(kModule)))
            QSKIP("lockstep-cuda is not built here: there is no CUDA");
        const auto library = DynamicLibrary::open(kModule);
        QVERIFY(library.has_value());
        const auto entry = library->function<CudaModuleEntry>("lockstepCudaModule");
        QVERIFY(entry.has_value());
        QVERIFY((*entry)(kCudaModuleAbi + 1) == nullptr);
        QVERIFY((*entry)(kCudaModuleAbi) != nullptr);
    }
};

QTEST_GUILESS_MAIN(GpuSupportTest)
#include "tst_gpu_support.moc"

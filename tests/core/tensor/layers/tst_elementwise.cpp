// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/tensor/cpu/layers/elementwise.h"
#include "tests/support/layer_values.h"

using namespace lockstep;
using namespace lockstep::tensor;
using namespace lockstep::testing;

/// Each operation is one or two roundings of floats: the expected bits are known.
class ElementwiseTest : public QObject {
    Q_OBJECT
    static constexpr std::size_t kCount = 1003;
    const Floats a_ = randomFloats(kCount, 1);
    const Floats b_ = randomFloats(kCount, 2);
    const Floats dy_ = randomFloats(kCount, 3);

private slots:
    void sumsAndProductsAreThoseOfTheElements() {
        for (const VectorIsa isa : supportedIsas()) {
            Floats sum(kCount), relu(kCount), product(kCount), da(kCount), db(kCount), half(kCount);
            add(a_, b_, sum, isa);
            addRelu(a_, b_, relu, isa);
            multiply(a_, b_, product, isa);
            multiplyGradient(dy_, a_, b_, da, db, isa);
            scale(a_, 0.3F, half, isa);
            for (std::size_t i = 0; i < kCount; ++i) {
                QCOMPARE(sum[i], a_[i] + b_[i]);
                QCOMPARE(relu[i], std::max(a_[i] + b_[i], 0.0F));
                QCOMPARE(product[i], a_[i] * b_[i]);
                QCOMPARE(da[i], dy_[i] * b_[i]);
                QCOMPARE(db[i], dy_[i] * a_[i]);
                QCOMPARE(half[i], a_[i] * 0.3F);
            }
        }
    }
    void reluAndItsGradient() {
        Floats x = a_;
        x[4] = std::numeric_limits<float>::quiet_NaN();
        x[5] = 0;
        for (const VectorIsa isa : supportedIsas()) {
            Floats y(kCount), dx(kCount);
            reluForward(x, y, isa);
            reluGradient(dy_, y, dx, isa);
            QVERIFY(std::isnan(y[4]));
            QCOMPARE(dx[5], 0.0F);
            for (std::size_t i = 0; i < kCount; ++i) {
                if (i == 4) continue;
                QCOMPARE(y[i], std::max(x[i], 0.0F));
                QCOMPARE(dx[i], x[i] > 0 ? dy_[i] : 0.0F);
            }
        }
    }
    void aResultMayBeAnOperand() {
        for (const VectorIsa isa : supportedIsas()) {
            Floats sum = a_;
            add(sum, b_, sum, isa);
            Floats other = b_;
            add(a_, other, other, isa);
            QVERIFY(sameBits(sum, other));
            Floats da(kCount), db(kCount), gradient = dy_, rest(kCount);
            multiplyGradient(dy_, a_, b_, da, db, isa);
            multiplyGradient(gradient, a_, b_, gradient, rest, isa);
            QVERIFY(sameBits(gradient, da) && sameBits(rest, db));
        }
    }
    void affineWorksChannelByChannel() {
        for (const std::size_t channels : {1U, 2U, 3U, 17U, 31U, 32U, 40U}) {
            const std::size_t rows = 21;
            const Floats x = randomFloats(rows * channels, 4);
            const Floats factor = randomFloats(channels, 5);
            const Floats offset = randomFloats(channels, 6);
            for (const VectorIsa isa : supportedIsas()) {
                Floats y(x.size()), dx(x.size());
                affine({x.data(), rows, channels}, factor, offset, {y.data(), rows, channels}, isa);
                affineGradient({x.data(), rows, channels}, factor, {dx.data(), rows, channels},
                               isa);
                for (std::size_t i = 0; i < x.size(); ++i) {
                    volatile float product = x[i] * factor[i % channels];
                    QCOMPARE(y[i], product + offset[i % channels]);
                    QCOMPARE(dx[i], static_cast<float>(product));
                }
            }
        }
    }
    void oneScaleStandsForAllChannels() {
        const Floats x = randomFloats(60, 7);
        Floats one(60), all(60);
        affine({x.data(), 12, 5}, Floats{0.25F}, Floats{-1.0F}, {one.data(), 12, 5});
        affine({x.data(), 12, 5}, Floats(5, 0.25F), Floats(5, -1.0F), {all.data(), 12, 5});
        QVERIFY(sameBits(one, all));
    }
};

QTEST_GUILESS_MAIN(ElementwiseTest)
#include "tst_elementwise.moc"

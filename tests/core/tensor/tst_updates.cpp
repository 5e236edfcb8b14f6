// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>

#include "core/base/rng.h"
#include "core/tensor/cpu/updates.h"

using namespace lockstep;
using namespace lockstep::tensor;

namespace {

using Floats = std::vector<float>;

/// Leaves a rest behind the vectors of every width.
constexpr std::size_t kCount = 10007;

Floats randomFloats(std::uint64_t stream, float low, float high) {
    CounterRng rng(23, stream);
    Floats values(kCount);
    for (float& value : values)
        value = rng.nextFloat(low, high);
    return values;
}

struct State {
    Floats gradients = randomFloats(1, -1, 1);
    Floats parameters = randomFloats(2, -1, 1);
    Floats first = randomFloats(3, 0, 0.1F);
    Floats second = randomFloats(4, 0, 0.01F);

    [[nodiscard]] UpdateSpans spans(std::size_t begin, std::size_t end) {
        const auto part = [&](Floats& all) { return std::span(all).subspan(begin, end - begin); };
        return {part(gradients), part(parameters), part(first), part(second)};
    }
    [[nodiscard]] bool operator==(const State& other) const {
        const auto isSame = [](const Floats& one, const Floats& another) {
            return std::memcmp(one.data(), another.data(), kCount * sizeof(float)) == 0;
        };
        return isSame(parameters, other.parameters) && isSame(first, other.first) &&
               isSame(second, other.second);
    }
};

std::uint32_t bitsOf(const Floats& values) {
    return std::accumulate(values.begin(), values.end(), 0U, [](std::uint32_t sum, float value) {
        return sum + std::bit_cast<std::uint32_t>(value);
    });
}

using Update = std::function<BitSums(VectorIsa, const UpdateSpans&)>;

const std::map<std::string, Update>& updates() {
    static const std::map<std::string, Update> all{
        {"sgd",
         [](VectorIsa isa, const UpdateSpans& s) {
             return sgd(isa, {0.03F, 0}, s);
         }},
        {"momentum",
         [](VectorIsa isa, const UpdateSpans& s) {
             return sgd(isa, {0.03F, 0.9F}, s);
         }},
        {"nesterov",
         [](VectorIsa isa, const UpdateSpans& s) {
             return sgdNesterov(isa, {0.03F, 0.9F}, s);
         }},
        {"adam",
         [](VectorIsa isa, const UpdateSpans& s) {
             return adam(isa, {3e-3F, 0.1F, 1e-3F, 1e-7F}, s);
         }},
        {"rmsprop",
         [](VectorIsa isa, const UpdateSpans& s) {
             return rmsProp(isa, {0.01F, 0.9F, 0.1F, 1e-7F, 0}, s);
         }},
        {"rmsprop with momentum",
         [](VectorIsa isa, const UpdateSpans& s) {
             return rmsProp(isa, {0.01F, 0.9F, 0.1F, 1e-7F, 0.9F}, s);
         }},
        {"lion",
         [](VectorIsa isa, const UpdateSpans& s) {
             return lion(isa, {0.01F, 0.9F, 0.1F, 0.99F, 0.01F}, s);
         }},
        {"decay",
         [](VectorIsa isa, const UpdateSpans& s) { return decay(isa, 0.01F, s.parameters); }},
    };
    return all;
}

}  // namespace

class UpdatesTest : public QObject {
    Q_OBJECT
private slots:
    void everyInstructionSetGivesTheSameBitsAndTheirSums() {
        for (const auto& [name, update] : updates())
            for (const VectorIsa isa : supportedIsas()) {
                State expected;
                State state;
                for (int step = 0; step < 5; ++step) {
                    std::ignore = update(VectorIsa::Baseline, expected.spans(0, kCount));
                    const std::uint32_t before = bitsOf(state.parameters);
                    const BitSums sums = update(isa, state.spans(0, kCount));
                    QVERIFY2(sums.found == before, name.c_str());
                    QVERIFY2(sums.left == bitsOf(state.parameters), name.c_str());
                    QVERIFY2(sums.found != sums.left, name.c_str());
                }
                QVERIFY2(state == expected, name.c_str());
            }
    }
    void everyCutGivesTheSameBitsAndSumsThatAddUp() {
        const std::size_t cuts[] = {0, 1, 2, 17, 64, 1000, 1015, 5003, 10006, kCount};
        for (const auto& [name, update] : updates())
            for (const VectorIsa isa : supportedIsas()) {
                State whole;
                State parts;
                const BitSums expected = update(isa, whole.spans(0, kCount));
                BitSums sums;
                for (std::size_t i = 0; i + 1 < std::size(cuts); ++i)
                    sums.add(update(isa, parts.spans(cuts[i], cuts[i + 1])));
                QVERIFY2(parts == whole, name.c_str());
                QVERIFY2(sums.found == expected.found && sums.left == expected.left, name.c_str());
            }
    }
    void bitsAreSummedAlikeByEveryInstructionSet() {
        const Floats values = randomFloats(5, -1e6F, 1e6F);
        for (const VectorIsa isa : supportedIsas())
            QCOMPARE(sumOfBits(isa, values), bitsOf(values));
    }
};

QTEST_GUILESS_MAIN(UpdatesTest)
#include "tst_updates.moc"

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <QtTest>

#include "core/base/sha256.h"

using namespace lockstep;

namespace {

std::string digits(const Sha256& digest) {
    std::string text;
    for (const std::uint8_t byte : digest)
        text += fmt::format("{:02x}", byte);
    return text;
}

}  // namespace

class Sha256Test : public QObject {
    Q_OBJECT
private slots:
    /// The examples of FIPS 180-4; as `sha256sum` prints them.
    void digestsAreThoseOfTheStandard() {
        QCOMPARE(digits(sha256("")),
                 std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
        QCOMPARE(digits(sha256("abc")),
                 std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        QCOMPARE(digits(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
                 std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
        QCOMPARE(digits(sha256(std::string(1'000'000, 'a'))),
                 std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
    }
    /// Cases 1, 2 and 6 of RFC 4231.
    void codesAreThoseOfTheStandard() {
        QCOMPARE(digits(hmacSha256(std::string(20, '\x0b'), "Hi There")),
                 std::string("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"));
        QCOMPARE(digits(hmacSha256("Jefe", "what do ya want for nothing?")),
                 std::string("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
        QCOMPARE(digits(hmacSha256(std::string(131, '\xaa'),
                                   "Test Using Larger Than Block-Size Key - Hash Key First")),
                 std::string("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"));
    }
};

QTEST_APPLESS_MAIN(Sha256Test)
#include "tst_sha256.moc"

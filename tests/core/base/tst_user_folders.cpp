// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/base/user_folders.h"

using namespace lockstep;
using Path = std::filesystem::path;

class UserFoldersTest : public QObject {
    Q_OBJECT
private slots:
    void eachFollowsItsVariable() {
        for (const char* name : {"XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"})
            qputenv(name, QByteArray("/somewhere/") + name);
        QCOMPARE(stateFolder(), Path("/somewhere/XDG_STATE_HOME/lockstep"));
        QCOMPARE(cacheFolder(), Path("/somewhere/XDG_CACHE_HOME/lockstep"));
        QCOMPARE(dataFolder(), Path("/somewhere/XDG_DATA_HOME/lockstep"));
    }
    void aRelativePathIsIgnoredAsTheSpecificationAsks() {
        qputenv("XDG_CACHE_HOME", "relative");
        qputenv("HOME", "/home/ada");
        QCOMPARE(cacheFolder(), Path("/home/ada/.cache/lockstep"));
    }
};

QTEST_APPLESS_MAIN(UserFoldersTest)
#include "tst_user_folders.moc"

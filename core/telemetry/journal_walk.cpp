// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/journal_walk.h"

#include <algorithm>
#include <utility>

#include "core/base/try.h"
#include "core/wire/codec.h"

namespace lockstep::telemetry {

namespace {
constexpr std::size_t kReadBytes = 1 << 20;
}  // namespace

Result<JournalCheck> forEachRecord(
    const JournalReader& reader,
    const std::function<Result<void>(const wire::Record&, std::uint64_t)>& use) {
    JournalCheck check;
    for (;;) {
        const auto frames = TRY(reader.read(check.end, kReadBytes));
        if (frames.empty()) break;
        FrameCursor cursor(frames, check.end);
        for (std::uint64_t begin = check.end; const auto bytes = cursor.next();
             begin = cursor.offset()) {
            const auto record = wire::decode<wire::Record>(*bytes);
            if (!record)
                check.damage.add({cursor.offset() - begin, begin, 1});
            else if (auto used = use(*record, cursor.offset()); !used)
                return fail(std::move(used.error()));
        }
        check.damage.add(cursor.damage());
        check.end = cursor.offset();
    }
    const auto size = TRY(reader.size());
    check.torn = size - std::min(size, check.end);
    return check;
}

}  // namespace lockstep::telemetry

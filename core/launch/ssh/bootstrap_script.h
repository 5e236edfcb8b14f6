// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace lockstep::launch {

/// What a host runs before any program of ours is there: POSIX sh and Debian's essential packages.
/// It is one function, so that a script that arrives in part is a syntax error and does nothing.
/// Every answer is a line that begins with `lockstep-bootstrap`.
inline constexpr std::string_view kBootstrapScript = R"sh(
lockstep() {
  mask=$(umask)
  umask 077
  say() { printf "lockstep-bootstrap %s\n" "$*"; }
  refuse() { # KIND WORDS: one line of them
    say refused "$1" "$(printf "%s" "$2" | head -n 1)"
    exit 3
  }

  # Each offer: MACHINE HASH BYTES GLIBC.
  IFS=" " read -r offers || exit 3
  machine=$(uname -m)
  set -- $offers
  hash=
  while [ $# -ge 4 ]; do
    if [ "$1" = "$machine" ]; then hash=$2 size=$3 needed=$4; fi
    shift 4
  done
  [ -n "$hash" ] || refuse machine "$machine"
  libc=$(getconf GNU_LIBC_VERSION 2>/dev/null)
  case $libc in "glibc "[0-9]*) libc=${libc#glibc } ;; *) refuse glibc none ;; esac
  printf "%s\n" "$needed" "$libc" | LC_ALL=C sort -V -C || refuse glibc "$libc"

  # A cache folder that is not absolute does not count, by the XDG specification.
  case ${XDG_CACHE_HOME-} in
    /*) cache=$XDG_CACHE_HOME ;;
    *) case ${HOME-} in /*) cache=$HOME/.cache ;; *) refuse home "${HOME-}" ;; esac ;;
  esac
  builds=$cache/lockstep/builds
  build=$builds/$hash
  whole() {
    [ -x "$build/bin/lockstep-worker" ] && (cd "$build" && sha256sum --status -c SHA256SUMS) 2>/dev/null
  }

  # The newest three stay, and what runs. Other hosts that share this folder cannot be asked:
  # there, what was started in the last two weeks stays.
  sweep() {
    find "$builds" -maxdepth 1 -name "new.*" -mtime +0 -exec rm -rf {} +
    case $(stat -f -c %T "$builds") in
      ext2/ext3 | xfs | btrfs | tmpfs | overlayfs | zfs | f2fs) unused= ;;
      *) unused="-mtime +13" ;;
    esac
    kept=0
    for old in $(ls -1t "$builds"); do
      case $old in *[!0-9a-f]*) continue ;; esac
      [ ${#old} -eq 64 ] || continue
      kept=$((kept + 1))
      [ $kept -gt 3 ] || continue
      [ -n "$(find "$builds/$old" -maxdepth 0 $unused)" ] || continue
      if ls -l /proc/[0-9]*/exe 2>/dev/null | grep -qF "/$old/bin/"; then continue; fi
      rm -rf "$builds/$old"
    done
  }

  install() {
    words=$(LC_ALL=C mkdir -p "$builds" 2>&1) || refuse folder "$words"
    new=$(LC_ALL=C mktemp -d "$builds/new.XXXXXX" 2>&1) || refuse folder "$new"
    trap "rm -rf \"\$new\"" EXIT
    trap "exit 3" HUP INT PIPE TERM
    : >"$new/probe" && chmod 700 "$new/probe"
    [ -x "$new/probe" ] || refuse noexec "$builds"
    say want "$machine"
    words=$(LC_ALL=C head -c "$size" 2>&1 >"$new/packed") || refuse write "$words"
    got=$(sha256sum <"$new/packed")
    [ "${got%% *}" = "$hash" ] || refuse damaged "${got%% *}"
    mkdir "$new/build"
    words=$(LC_ALL=C tar -xzof "$new/packed" -C "$new/build" 2>&1) || refuse write "$words"
    { # Another launcher may have been faster; what is whole is never moved away.
      flock -w 60 9
      if ! whole; then
        [ ! -e "$build" ] || mv -T "$build" "$new/damaged"
        words=$(LC_ALL=C mv -T "$new/build" "$build" 2>&1) || refuse write "$words"
      fi
    } 9>"$builds/lock"
    rm -rf "$new"
    trap - EXIT HUP INT PIPE TERM
    whole || refuse damaged "$build"
    sweep
  }

  whole || install
  touch "$build" 2>/dev/null
  say run
  umask "$mask"
  exec "$build/bin/lockstep-worker" --host
}
lockstep
)sh";

}  // namespace lockstep::launch

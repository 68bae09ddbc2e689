#!/bin/sh
# cmake --install into an empty folder: a program of the user's compiles against it with pkg-config and
# runs; manual page and completions are there, and bash and man can read them.
set -eu
cmake=$1 build=$2 cc=$3
work=$(mktemp -d)
not_run=
leave() {
    status=$?
    rm -rf "$work"
    if [ "$status" -eq 0 ] && [ -n "$not_run" ]; then status=77; fi
    exit "$status"
}
trap leave EXIT
skip_here() { # WHY: see tests/cli/lib.sh
    echo "skipped: $*"
    not_run=yes
}
fail() {
    echo "$*"
    exit 1
}

"$cmake" --install "$build" --prefix "$work/usr" >"$work/log" || { cat "$work/log"; exit 1; }
[ "$("$work/usr/bin/isoglot" --version)" = "$("$build/isoglot" --version)" ] || fail "the program"

pc=$(find "$work/usr" -name isoglot.pc)
[ -n "$pc" ] || fail "no isoglot.pc"
cat >"$work/user.c" <<'END'
#include <isoglot/error.h>
#include <isoglot/version.h>
#include <stdio.h>
int main(void)
{
    ig_err err;
    ig_fail(&err, IG_ERR_INPUT, "x", 1, "y");
    printf("%s %s\n", ig_version(), ig_code_text(err.code));
    return 0;
}
END
export PKG_CONFIG_PATH="${pc%/*}${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
# shellcheck disable=SC2046
"$cc" -o "$work/user" "$work/user.c" $(pkg-config --cflags --libs isoglot)
out=$("$work/user")
[ "$out" = "$(pkg-config --modversion isoglot) malformed or inconsistent input data" ] ||
    fail "the user's program printed '$out'"

man=$work/usr/share/man/man1/isoglot.1
grep -q '^\.SS isoglot help' "$man" || fail "no manual page"
if command -v man >/dev/null 2>&1; then
    # groff's warnings are what a reader would see as holes.
    warnings=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=100 man --warnings -E UTF-8 -l "$man" 2>&1 >/dev/null)
    [ -z "$warnings" ] || fail "man complains: $warnings"
else
    skip_here "no man for the manual page"
fi

for f in share/bash-completion/completions/isoglot share/zsh/site-functions/_isoglot \
    share/fish/vendor_completions.d/isoglot.fish; do
    [ -s "$work/usr/$f" ] || fail "no $f"
done
if command -v bash >/dev/null 2>&1; then
    bash -c '
        set -eu
        source "$1"
        complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _isoglot; echo "${COMPREPLY[*]}"; }
        [ "$(complete_words isoglot hel)" = help ] || { echo "commands: $(complete_words isoglot hel)"; exit 1; }
        [ "$(complete_words isoglot help --comp)" = --completion ] || { echo "options: $(complete_words isoglot help --comp)"; exit 1; }
        [ "$(complete_words isoglot help --completion fi)" = fish ] || { echo "names: $(complete_words isoglot help --completion fi)"; exit 1; }
        [ "$(complete_words isoglot corpus wor)" = world ] || { echo "second words: $(complete_words isoglot corpus wor)"; exit 1; }
        [ "$(complete_words isoglot corpus world --lang)" = --languages ] || { echo "their options: $(complete_words isoglot corpus world --lang)"; exit 1; }
        ' bash "$work/usr/share/bash-completion/completions/isoglot"
fi
if command -v zsh >/dev/null 2>&1; then
    zsh -n "$work/usr/share/zsh/site-functions/_isoglot"
else
    skip_here "no zsh for its completions"
fi
if command -v fish >/dev/null 2>&1; then
    fish --no-execute "$work/usr/share/fish/vendor_completions.d/isoglot.fish"
else
    skip_here "no fish for its completions"
fi

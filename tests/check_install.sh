#!/bin/sh
# cmake --install into an empty folder: the program of docs/programs.md compiles against it with
# pkg-config and runs; manual page and completions are there, and bash and man can read them.
set -eu
cmake=$1 build=$2 cc=$3
docs=$(cd "$(dirname "$0")/../docs" && pwd)
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
# The program of the manual, as it stands there, against the shared library.
# shellcheck disable=SC2016  # marks of Markdown
sed -n '/^```c$/,/^```$/{/^```/d;p;}' "$docs/programs.md" >"$work/user.c"
cat >"$work/run.yaml" <<'END'
preset: bert-tiny
world-sentences: 200
dev-take: 50
vocab-size: 150
updates: 2
batch: 32
END
lib=${pc%/*}
lib=${lib%/*}
export PKG_CONFIG_PATH="$lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
# shellcheck disable=SC2046
"$cc" -Wall -Werror -o "$work/user" "$work/user.c" $(pkg-config --cflags --libs isoglot)
LD_LIBRARY_PATH=$lib "$work/user" "$work/run.yaml" "$work/run" >"$work/out" 2>"$work/err" ||
    fail "the program of docs/programs.md: $(cat "$work/err")"
grep -q '"mu"' "$work/out" || fail "no measures: $(cat "$work/out")"
tail -1 "$work/out" | grep -qE '^[1-9][0-9]* pieces, the vector begins with -?[0-9.e-]+$' || fail "$(tail -1 "$work/out")"
if command -v readelf >/dev/null 2>&1; then
    readelf -dW "$lib/libisoglot.so" | grep -q 'SONAME.*\[libisoglot\.so\.0\]' || fail "the soname"
    others=$(readelf --dyn-syms -W "$lib/libisoglot.so" | awk '$5 ~ /GLOBAL|WEAK/ && $7 != "UND" && $8 !~ /^ig_/ { print $8 }')
    [ -z "$others" ] || fail "exports more than ig_: $others"
fi

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
    PATH=$work/usr/bin:$PATH bash -c '
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

#!/bin/sh
# cpack: the package for Debian names what it needs, and unpacked anywhere its program runs an experiment that is in it.
set -eu
cpack=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$*"
    exit 1
}
for tool in dpkg-deb dpkg-shlibdeps; do
    command -v "$tool" >/dev/null 2>&1 || { echo "skipped: no $tool"; exit 77; }
done

(cd "$work" && "$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$work/out" -D CPACK_DEBIAN_COMPRESSION_TYPE=none) >"$work/log" 2>&1 ||
    fail "$(cat "$work/log")"
deb=$(find "$work/out" -maxdepth 1 -name 'isoglot_*.deb')
[ -n "$deb" ] || fail "no package: $(ls -R "$work/out")"
for name in libc6 libicu libjansson libyaml libarchive libsqlite3; do
    dpkg-deb -f "$deb" Depends | grep -q "$name" || fail "$name is not among: $(dpkg-deb -f "$deb" Depends)"
done
dpkg-deb -f "$deb" Recommends | grep -q libcurl || fail "libcurl is not recommended"
dpkg-deb -x "$deb" "$work/root"
usr=$work/root/usr
for f in share/man/man1/isoglot.1 share/bash-completion/completions/isoglot share/zsh/site-functions/_isoglot; do
    [ -s "$usr/$f" ] || fail "no $f"
done
# Debian's machine-readable form: the header's format first; every License of a stanza of files has its text in one.
copyright=$usr/share/doc/isoglot/copyright
[ "$(sed -n 1p "$copyright" 2>/dev/null)" = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/" ] ||
    fail "no machine-readable copyright file: $(ls -R "$usr/share/doc" 2>&1)"
awk -v RS= '{ files = copyright = license = ""; n = split($0, line, "\n")
        for (i = 1; i <= n; i++) {
            if (line[i] !~ /^( |[A-Z][A-Za-z-]*: )/) { print "line: " line[i]; exit 1 }
            if (sub(/^Files: /, "", line[i])) files = line[i]
            if (sub(/^Copyright: /, "", line[i])) copyright = line[i]
            if (sub(/^License: /, "", line[i])) { license = line[i]; text[license] = text[license] || line[i + 1] ~ /^ / }
        }
        if (files != "") { if (copyright == "" || license == "") { print "stanza: " files; exit 1 } all = all || files == "*" }
    } END { for (l in text) if (!text[l]) { print "no text of " l; exit 1 } exit !all }' "$copyright" >"$work/log" ||
    fail "$copyright: $(cat "$work/log")"
[ "$(stat -c %a "$copyright")" = 644 ] || fail "$copyright has other rights than 644"
mine=$usr/share/isoglot/experiments
"$usr/bin/isoglot" run "$mine/dufter2020/table1-mini.yaml" --variant world,tiny --only 0:0 --store "$work/st" \
    --quiet >"$work/log" 2>&1 || fail "$(cat "$work/log")"
"$usr/bin/isoglot" report "$mine/k2020/mini.yaml" --set precision=bfloat16 --results "$mine/k2020/results/mini.jsonl" \
    >"$work/log" 2>&1 || fail "$(cat "$work/log")"

#!/bin/sh
# Whether the built program has what cmake/harden.cmake asks for. Usage: check_hardening.sh PROGRAM; 77: it cannot be told.
set -eu
program=$1
for tool in readelf objdump; do
    command -v "$tool" >/dev/null 2>&1 || {
        echo "skipped: no $tool"
        exit 77
    }
done
LC_ALL=C
export LC_ALL
failed=0
want() { # WHAT, HOW MANY AT LEAST, HOW MANY THERE ARE
    [ "$3" -ge "$2" ] || {
        echo "$1: found $3, expected $2 or more"
        failed=1
    }
}
want "position-independent program (PIE)" 1 "$(readelf -hW "$program" | grep -c 'Type: *DYN')"
want "RELRO segment" 1 "$(readelf -lW "$program" | grep -c GNU_RELRO)"
want "all symbols bound at the start (full RELRO)" 1 "$(readelf -dW "$program" | grep -c 'BIND_NOW\|FLAGS_1.*NOW')"
want "stack that is not executed" 1 "$(readelf -lW "$program" | grep 'GNU_STACK' | grep -vc 'RWE')"
want "canaries on stacks" 1 "$(readelf -sW "$program" | grep -c __stack_chk_fail)"
want "checked library calls (FORTIFY)" 5 "$(readelf -sW "$program" | grep -o '__[a-z]*_chk@' | sort -u | grep -cv stack)"
case $(uname -m) in
# Every function of ours that can be jumped to begins with the mark; libraries' are theirs.
x86_64) want "marked targets of jumps (CET)" 1000 "$(objdump -d "$program" | grep -c endbr64)" ;;
esac
exit $failed

#!/bin/sh
# Program and library for machines with glibc 2.28 or newer, with everything inside but the C library: tools/portable_build.sh
# DIR. They come to DIR/build, from where tools/wheel.sh makes a wheel: tools/wheel.sh dist DIR/build.
#
# The compiler is zig's (pip install ziglang), which compiles against the glibc that its target names, on whatever machine.
# The libraries are those of docs/install.md, static, from Debian's source packages (apt-get source: a deb-src line must be
# among the sources of apt). Of ICU's data only what the program reads goes in: breaks of sentences and characters, NFKC.
# libcurl is loaded on demand; the machine's headers are used. Needs cmake, ninja, make, perl,
# tclsh, icupkg. What is there in DIR is not made again.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "${1:?usage: tools/portable_build.sh DIR}"
dir=$(cd "$1" && pwd) python=${PYTHON:-python3} arch=$(uname -m)
prefix=$dir/prefix
PATH=$PATH:/usr/sbin
mkdir -p "$dir/bin" "$dir/source" "$dir/licences" "$prefix/lib/pkgconfig" "$prefix/include"

for tool in cc c++; do
    printf '#!/bin/sh\nexec "%s" -m ziglang %s -target %s-linux-gnu.2.28 "$@" -w\n' "$python" "$tool" "$arch" >"$dir/bin/$tool"
done
for tool in ar ranlib; do
    printf '#!/bin/sh\nexec "%s" -m ziglang %s "$@"\n' "$python" "$tool" >"$dir/bin/$tool"
done
chmod +x "$dir"/bin/*
export CC="$dir/bin/cc" CXX="$dir/bin/c++" AR="$dir/bin/ar" RANLIB="$dir/bin/ranlib" CFLAGS="-O2 -fPIC" CXXFLAGS="-O2 -fPIC" \
    PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig"
host=$arch-linux-gnu

say() { echo "portable_build.sh: $*" >&2; }

# The source of a Debian package, unpacked, in the current folder; false: its library is there.
enter() { # PACKAGE LIBRARY LICENCE
    [ ! -f "$prefix/lib/$2" ] || return 1
    cd "$dir/source"
    ls "$1"_*.orig.tar.?z* >/dev/null 2>&1 || apt-get source -q --download-only "$1" >"$dir/log" 2>&1 ||
        { say "apt-get source $1 failed, expected a deb-src line among apt's sources"; exit 1; }
    say "$1"
    rm -rf "$dir/work"
    mkdir "$dir/work"
    for archive in "$1"_*.orig.tar.?z "$1"_*.orig.tar.bz2; do
        [ ! -f "$archive" ] || tar -C "$dir/work" --strip-components=1 -xf "$archive" || exit 1
    done
    cd "$dir/work"
    cp "$3" "$dir/licences/$1" || exit 1
}
quietly() { "$@" >"$dir/log" 2>&1 || { tail -n 20 "$dir/log" >&2; say "failed: $*"; exit 1; }; }
configured() { # ARGUMENTS: autoconf's way
    quietly ./configure --host="$host" --build="$host" --enable-static --disable-shared --prefix="$prefix" "$@"
}
with_cmake() { # FOLDER ARGUMENTS
    folder=$1
    shift
    quietly cmake -G Ninja -S "$folder" -B built -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
        -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_FIND_ROOT_PATH="$prefix" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
        -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY -DCMAKE_AR="$AR" -DCMAKE_RANLIB="$RANLIB" -DBUILD_SHARED_LIBS=OFF \
        -DCMAKE_POSITION_INDEPENDENT_CODE=ON "$@"
    quietly ninja -C built install
}
pc() { # NAME VERSION CFLAGS LIBS
    printf 'Name: %s\nDescription: %s\nVersion: %s\nCflags: %s\nLibs: %s\n' "$1" "$1" "$2" "$3" "$4" >"$prefix/lib/pkgconfig/$1.pc"
}

if enter zlib libz.a README; then
    quietly ./configure --static --prefix="$prefix"
    quietly make -j2 libz.a install
fi
if enter jansson libjansson.a LICENSE; then
    with_cmake . -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
fi
if enter libyaml libyaml.a License; then
    with_cmake . -DBUILD_TESTING=OFF
    pc yaml-0.1 0.2 "-I$prefix/include" "-L$prefix/lib -lyaml"
fi
if enter expat libexpat.a COPYING; then
    with_cmake expat -DEXPAT_BUILD_TOOLS=OFF -DEXPAT_BUILD_EXAMPLES=OFF -DEXPAT_BUILD_TESTS=OFF -DEXPAT_SHARED_LIBS=OFF
fi
if enter libzstd libzstd.a LICENSE; then
    with_cmake build/cmake -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_BUILD_SHARED=OFF
fi
if enter xz-utils liblzma.a COPYING; then
    configured --disable-xz --disable-xzdec --disable-lzmadec --disable-lzmainfo --disable-scripts --disable-doc --disable-nls
    quietly make -j2 install
fi
if enter bzip2 libbz2.a LICENSE; then
    quietly make libbz2.a CC="$CC" AR="$AR" RANLIB="$RANLIB" CFLAGS="$CFLAGS"
    cp libbz2.a "$prefix/lib/"
    cp bzlib.h "$prefix/include/"
fi
if enter libarchive libarchive.a COPYING; then
    # Its check for a regex library ends the configuration where there is no libgcc; it is not linked.
    off=
    for part in TEST TAR CPIO CAT OPENSSL NETTLE LIBXML2 EXPAT LZ4 LZO ACL XATTR LIBB2 ICONV MBEDTLS PCREPOSIX CNG WERROR; do
        off="$off -DENABLE_$part=OFF"
    done
    # shellcheck disable=SC2086
    with_cmake . $off -DLIBGCC_INCLUDE_DIR=/ -DLIBGCC_LIBRARIES=m -DBZIP2_INCLUDE_DIR="$prefix/include" \
        -DBZIP2_LIBRARIES="$prefix/lib/libbz2.a"
    rm -f "$prefix"/lib/libarchive.so*
    pc libarchive 3 "-I$prefix/include" "-L$prefix/lib -larchive -lz -lbz2 -llzma -lzstd"
fi
if enter sqlite3 libsqlite3.a LICENSE.md; then
    configured --disable-tcl --disable-readline --disable-load-extension
    quietly make -j2 libsqlite3.la
    cp .libs/libsqlite3.a "$prefix/lib/"
    cp sqlite3.h "$prefix/include/"
    cp sqlite3.pc "$prefix/lib/pkgconfig/"
fi
if enter openssl libcrypto.a LICENSE.txt; then
    quietly ./Configure "linux-$arch" no-shared no-tests no-engine no-legacy no-dso --prefix="$prefix" --libdir=lib
    quietly make -j2 build_generated libcrypto.a
    cp -r include/openssl "$prefix/include/"
    cp libcrypto.a "$prefix/lib/"
    pc libcrypto 3.0 "-I$prefix/include" "-L$prefix/lib -lcrypto -ldl -lpthread"
fi
if enter icu libicuuc.a LICENSE; then
    cd source
    quietly ./configure --host="$host" --build="$host" --enable-static --disable-shared --disable-tests --disable-samples \
        --disable-extras --disable-icuio --disable-layoutex --disable-dyload --disable-tools
    mkdir -p lib "$prefix/include/unicode"
    quietly make -j2 -C common
    all=$(echo data/in/icudt*.dat)
    name=$(basename "$all") && symbol=$(echo "$name" | sed 's/[a-z]\.dat$/_dat/')
    icupkg -l "$all" | grep -vE '^(brkitr/|nfkc\.)' >left-out.txt
    icupkg -r left-out.txt "$all" "$name"
    cat >data.S <<END
.section .rodata
.globl $symbol
.type $symbol, %object
.balign 16
$symbol: .incbin "$name"
.size $symbol, . - $symbol
.section .note.GNU-stack, "", %progbits
END
    quietly "$CC" -c -o data.o data.S
    quietly "$AR" crs "$prefix/lib/libicudata.a" data.o
    cp common/unicode/*.h i18n/unicode/*.h "$prefix/include/unicode/"
    for part in uc i18n; do
        pc icu-$part 72 "-I$prefix/include" "-L$prefix/lib -licuuc -licudata -lc++ -lpthread"
    done
    cp lib/libicuuc.a "$prefix/lib/"
fi

# Headers of libcurl, which is loaded on demand, apart from the machine's others.
mkdir -p "$prefix/on-demand"
cp -r "$(dirname "$(echo '#include <curl/curl.h>' | cc -M -xc - | tr ' ' '\n' | grep -m 1 'curl/curl\.h$')")" "$prefix/on-demand/"
pc libcurl "$(env -u PKG_CONFIG_LIBDIR pkg-config --modversion libcurl)" "-I$prefix/on-demand" ""

# libgcc has __builtin_cpu_supports, which zig's own runtime answers with no.
libgcc=$(cc -print-libgcc-file-name)
cd "$root"
quietly cmake -G Ninja -S . -B "$dir/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DCMAKE_AR="$AR" \
    -DCMAKE_RANLIB="$RANLIB" -DCMAKE_C_STANDARD_LIBRARIES="$libgcc" -DCMAKE_DISABLE_FIND_PACKAGE_BLAS=ON
say "isoglot"
quietly ninja -C "$dir/build"
rm -rf "$dir/build/licences"
cp -r "$dir/licences" "$dir/build/"
for file in "$dir/build/isoglot" "$dir/build/libisoglot.so.0"; do
    newest=$(objdump -T "$file" | grep -o 'GLIBC_2\.[0-9]*' | sed 's/.*\.//' | sort -n | tail -n 1)
    echo "$file: glibc 2.$newest"
done

#!/bin/sh
# Makes libnpvar_r.a: copies the one that NPVAR_R_LIBRARY names, or builds it in the checkout that this package stands in,
# or, in a source package, from the sources it carries, without a network.
set -eu
PATH="$PATH:${HOME:-}/.cargo/bin"
if [ -n "${NPVAR_R_LIBRARY:-}" ]; then
    cp "$NPVAR_R_LIBRARY" libnpvar_r.a
elif [ -f vendor.tar.xz ]; then
    tar -xJf vendor.tar.xz
    CARGO_HOME="$(pwd)/cargo-home" CARGO_TARGET_DIR="$(pwd)/target" cargo build --release --offline --jobs 2 -p npvar-r \
        --config 'source.crates-io.replace-with="vendored"' --config 'source.vendored.directory="vendor"'
    cp target/release/libnpvar_r.a .
    rm -rf target vendor cargo-home
else
    cargo build --release -p npvar-r --manifest-path rust/Cargo.toml
    cp "${CARGO_TARGET_DIR:-../../../target}/release/libnpvar_r.a" .
fi

//! A short name for a configuration: equal text, equal name.

/// FNV-1a over the text, as 16 hexadecimal digits. It tells configurations apart; it is no protection against forgery.
pub(crate) fn fingerprint(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

//! What is taken as a table, and how much of it.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use flate2::write::GzEncoder;
use npvar_web::server::Limits;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde_json::json;
use tempfile::TempDir;

use crate::site::{LIMITS, Site, send, table};

#[tokio::test(flavor = "multi_thread")]
async fn uploads_that_are_too_large_or_no_tables_are_refused_in_a_sentence() {
    let site = Site::start().await;
    let large = vec![b'1'; LIMITS.upload_bytes + 1];
    let answer = site.ask("POST", "api/tables?name=big.csv", &large).await;
    assert_eq!(answer.status, 413);
    // The same without saying how long it is.
    let mut request = format!(
        "POST /{}/api/tables HTTP/1.1\r\n{}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        site.token,
        site.own_host()
    )
    .into_bytes();
    for _ in 0..60 {
        request.extend(format!("{:x}\r\n", 4096).bytes());
        request.extend([b'1'; 4096]);
        request.extend(b"\r\n");
    }
    request.extend(b"0\r\n\r\n");
    assert_eq!(send(site.port, &request).await.status, 413);
    let wide: String = (0..60).map(|j| format!("c{j}")).collect::<Vec<_>>().join(",") + "\n" + &["1"; 60].join(",");
    let long = format!("a,b\n{}", "1,2\n".repeat(49_999));
    assert_eq!(site.ask("POST", "api/tables", long.as_bytes()).await.status, 200);
    let too_long = format!("a,b\n{}", "1,\n".repeat(10) + &"1,2\n".repeat(49_980));
    for (content, part) in [
        (&b""[..], "empty"),
        (b"a,b\n", "no data rows"),
        (b"a\n1\n", "at least two columns"),
        (b"\x1f\x8b\x08\x00", ""),
        (b"PK\x03\x04....", "zip archive"),
        (b"PAR1 and then nothing", "table.parquet"),
        (b"ARROW1\0\0 broken", "table.parquet"),
        (b"\xff\xfe\x00\x01\x02,\n\x80\x81,\x82\n", ""),
        (b"a,b\n1,2\n3\n", "row"),
        (wide.as_bytes(), "too large for the page"),
    ] {
        let answer = site.ask("POST", "api/tables?name=table.parquet", content).await;
        assert_eq!(answer.status, 400, "{}", answer.text());
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(part), "{part}: {error}");
        assert!(!error.contains("/tmp"), "{error}");
    }
    assert_eq!(site.ask("POST", "api/tables", too_long.as_bytes()).await.status, 200);
    let answer = site.ask("POST", "api/tables", format!("a,b\n{}", "1,2\n".repeat(50_001)).as_bytes()).await;
    assert_eq!(answer.status, 413);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_long_line_is_refused_where_the_bound_is() {
    let limits = Limits { upload_bytes: 40 << 20, ..LIMITS };
    let site = Site::start_in(TempDir::new().unwrap(), limits).await;
    for (content, problem) in [
        ("1,".repeat(2 << 20), "t.csv: the first line has more than 1,048,576 fields, the most that are read"),
        ("1".repeat(33 << 20), "t.csv: the first line is longer than 32 MiB, the most that is read"),
        (format!("a,b\n1,2\n{}", "1,".repeat(2 << 20)), "t.csv: row 2 has more than 1,048,576 fields"),
    ] {
        let answer = site.ask("POST", "api/tables?name=t.csv", content.as_bytes()).await;
        assert_eq!(answer.status, 400);
        assert!(answer.json()["error"].as_str().unwrap().starts_with(problem), "{}", answer.text());
    }
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_packed_file_unpacks_to_is_held_to_the_limit_while_it_is_unpacked() {
    let site = Site::start().await;
    // What follows is no gzip any more, so whoever unpacked beyond the limit would say that the file is damaged.
    let bomb = [packed("1,2\n".repeat(LIMITS.upload_bytes / 2).as_bytes()), vec![0xff; 1000]].concat();
    assert!(bomb.len() < LIMITS.upload_bytes / 10, "{}", bomb.len());
    let first = site.upload(&table(100)).await;
    let own = std::fs::read_dir(site.folder.path().join("tmp")).unwrap().next().unwrap().unwrap().path();
    let files = || std::fs::read_dir(&own).unwrap().count();
    let before = files();
    // More of them than tables are held: none takes the place of one that is.
    for _ in 0..=LIMITS.tables {
        let answer = site.ask("POST", "api/tables?name=t.csv.gz", &bomb).await;
        assert_eq!(answer.status, 413);
        assert!(answer.json()["error"].as_str().unwrap().contains("may unpack to"), "{}", answer.text());
    }
    assert_eq!(files(), before);
    assert_eq!(site.run(json!({"table": first, "learner": "eqvar", "seed": 1})).await.status, 200);
    let small = packed(table(100).as_bytes());
    assert_eq!(site.ask("POST", "api/tables?name=t.csv.gz", &small).await.status, 200);
    let damaged = [&small[..small.len() / 2], &[0; 9]].concat();
    assert_eq!(site.ask("POST", "api/tables?name=t.csv.gz", &damaged).await.status, 400);
}

/// A Parquet file whose pages are compressed: few values, again and again.
fn parquet(rows: usize) -> Vec<u8> {
    let column: ArrayRef = Arc::new(Float64Array::from_iter_values((0..rows).map(|row| (row % 7) as f64)));
    let batch = RecordBatch::try_from_iter([("a", column.clone()), ("b", column)]).unwrap();
    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_file_that_unfolds_to_a_large_table_is_refused() {
    let site = Site::start().await;
    let bomb = parquet(1_000_000);
    assert!(bomb.len() < LIMITS.upload_bytes, "{}", bomb.len());
    let answer = site.ask("POST", "api/tables?name=bomb.parquet", &bomb).await;
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("too large for the page"), "{}", answer.text());
    assert_eq!(site.ask("POST", "api/tables?name=t.parquet", &parquet(1000)).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_claims_a_gigabyte_is_refused() {
    let site = Site::start().await;
    let mut bomb = parquet(1000);
    // The header of the first page (a dictionary of seven values) begins after the magic; its claim has one byte more to
    // spare than the file's own, so the whole header is written anew: type, claim, packed size, then what was there.
    assert_eq!(bomb[4..7], [0x15, 4, 0x15]);
    bomb.splice(7..8, [0x80, 0x80, 0x80, 0x80, 0x08]);
    let answer = site.ask("POST", "api/tables?name=bomb.parquet", &bomb).await;
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("claims to unpack to 1073741824 bytes"), "{}", answer.text());
    assert_eq!(site.ask("POST", "api/tables?name=t.parquet", &parquet(1000)).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_files_are_answered_whatever_is_damaged() {
    let site = Site::start().await;
    let whole = parquet(1000);
    for i in 0..150 {
        let mut damaged = whole.clone();
        let at = (i * 7919) % whole.len();
        match i % 3 {
            0 => damaged.truncate(at),
            1 => damaged[at] ^= 0xff,
            _ => damaged[at..(at + 8).min(whole.len())].fill(0x7f),
        }
        let answer = site.ask("POST", "api/tables?name=t.parquet", &damaged).await;
        assert!([200, 400].contains(&answer.status), "{i}: {} {}", answer.status, answer.text());
    }
    assert_eq!(site.ask("POST", "api/tables?name=t.parquet", &whole).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_of_text_are_left_out_and_missing_values_counted() {
    let site = Site::start().await;
    let answer = site.ask("POST", "api/tables?name=t.csv", b"id,a,b\nx1,1,2\nx2,,3\nx3,4,5\nx4,6,8\n").await.json();
    let preview = &answer["preview"];
    assert_eq!((&preview["rows"], &preview["dropped"]), (&json!(3), &json!(1)));
    assert_eq!(preview["left_out"][0]["name"], "id");
    assert_eq!(preview["columns"][1]["mean"], 5.0);
    assert_eq!(preview["columns"][1]["standard_deviation"], 3.0);
    assert_eq!(preview["columns"][0]["first"], json!([1.0, 4.0, 6.0]));
    let id = answer["id"].as_str().unwrap();
    let headless = site.ask("GET", &format!("api/tables/{id}?header=false"), b"").await;
    assert_eq!(headless.status, 400, "{}", headless.text());
}

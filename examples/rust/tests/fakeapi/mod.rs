//! Starts a fakeapi server, a fake Kubernetes API server, for a test. Copy this file into your tests.
//!
//! The file needs the program fakeapi: `uv tool install 'fakeapi-k8s[all]'` or `pipx install 'fakeapi-k8s[all]'`. The
//! variable FAKEAPI names another program.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use http::request::Builder;
use kube::{Client, Config};
use serde::Deserialize;
use serde_json::{Value, json};

const START_TIMEOUT: Duration = Duration::from_secs(20);

static STARTED: AtomicUsize = AtomicUsize::new(0);

/// A running server. It stops when it is dropped.
pub struct FakeApi {
    /// A client of an administrator.
    pub client: Client,
    _process: Process,
}

/// A request that the server has received.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// The status code of the response; 0 without a response.
    pub code: u16,
    /// The request in one line.
    pub text: String,
}

impl FakeApi {
    /// Starts a server with these options of `fakeapi serve`, such as `["--release", "1.34"]`.
    pub async fn start(options: &[&str]) -> Self {
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fakeapi-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the folder of the server can be created");
        let ready_file = folder.join("ready.json");
        let program = std::env::var("FAKEAPI").unwrap_or_else(|_| "fakeapi".into());
        let child = Command::new(&program)
            .args(["serve", "--end-with-parent", "--port", "0", "--ready-file"])
            .arg(&ready_file)
            .arg("--kubeconfig")
            .arg(folder.join("kubeconfig"))
            .args(options)
            .stdout(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("fakeapi: {program}: {error}; install it as docs/rust.md of fakeapi says, or name the program in FAKEAPI")
            });
        let mut process = Process { child, folder };
        let url = process.url(&ready_file).await;
        let config = Config::new(url.parse().expect("the server prints a URL"));
        let client = Client::try_from(config).expect("kube can use a plain URL");
        Self { client, _process: process }
    }

    /// Injects a fault, which affects the next matching requests. `conflict` with the target
    /// `update resourceclaims/status` answers them with 409 Conflict.
    pub async fn fault(&self, fault: &str, target: &str, times: usize) {
        let rule = json!({fault: {"target": target, "times": times}});
        self.control(http::Request::post("/_fakeapi/faults"), rule.to_string()).await;
    }

    /// Returns the recorded requests that match a pattern `VERB [RESOURCE[/SUBRESOURCE] [NAMESPACE/NAME]]`, such as
    /// `update resourceclaims/status default/gpu`, oldest first.
    pub async fn requests(&self, pattern: &str) -> Vec<Request> {
        let mut words = pattern.split_whitespace();
        let mut query = format!("last=10000&verb={}", words.next().expect("a pattern has a verb"));
        if let Some(resource) = words.next() {
            query += &format!("&resource={resource}");
        }
        if let Some((namespace, name)) = words.next().and_then(|object| object.split_once('/')) {
            query += &format!("&namespace={namespace}&name={name}");
        }
        let path = format!("/_fakeapi/requests?{query}");
        let answer = self.control(http::Request::get(path), String::new()).await;
        let journal: Value = serde_json::from_str(&answer).expect("the control API answers with JSON");
        serde_json::from_value(journal["requests"].clone()).expect("the journal is a list of requests")
    }

    /// Deletes all objects, faults and recorded requests, as in a new cluster. Watches end.
    pub async fn reset(&self) {
        self.control(http::Request::post("/_fakeapi/reset"), String::new()).await;
    }

    /// Sends a request to the control API. Its OpenAPI document is at /_fakeapi/openapi.json.
    async fn control(&self, request: Builder, body: String) -> String {
        let request = request.header("Content-Type", "application/json").body(body.into_bytes());
        let request = request.expect("the request is valid");
        let line = format!("{} {}", request.method(), request.uri());
        self.client.request_text(request).await.unwrap_or_else(|error| panic!("{line}: {error}"))
    }
}

/// The server's process and the folder with its files.
struct Process {
    child: Child,
    folder: PathBuf,
}

impl Process {
    /// Waits until the server has written the ready file, and returns the URL in it.
    async fn url(&mut self, ready_file: &Path) -> String {
        let deadline = Instant::now() + START_TIMEOUT;
        loop {
            // The server writes the whole file at once.
            if let Ok(content) = std::fs::read(ready_file) {
                let facts: Value = serde_json::from_slice(&content).expect("the ready file contains JSON");
                return facts["url"].as_str().expect("the ready file contains the URL").to_owned();
            }
            if let Some(status) = self.child.try_wait().expect("the process can be observed") {
                panic!("fakeapi did not start: {status}");
            }
            assert!(Instant::now() < deadline, "fakeapi did not start within {START_TIMEOUT:?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

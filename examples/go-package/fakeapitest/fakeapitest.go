// Package fakeapitest starts a fakeapi server, a fake Kubernetes API server, for a test.
//
// Copy this file into your module. It needs only the standard library, k8s.io/client-go, and the program fakeapi:
// `uv tool install 'fakeapi-k8s[all]'` or `pipx install 'fakeapi-k8s[all]'`. The variable FAKEAPI names another program.
package fakeapitest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

const (
	startTimeout = 20 * time.Second
	stopTimeout  = 10 * time.Second
)

// Server is a running fakeapi server.
type Server struct {
	// Config is the configuration of an administrator.
	Config *rest.Config
	t      testing.TB
}

// Request is a request that the server has received.
type Request struct {
	Verb      string
	Resource  string // with the subresource: resourceclaims/status
	Namespace string
	Name      string
	Agent     string
	Code      int      // the status code of the response; 0 without a response
	Faults    []string // the names of the faults that affected the request
	Text      string   // the request in one line
}

// String returns the request in one line.
func (r Request) String() string { return r.Text }

// Codes returns the status code of each request.
func Codes(requests []Request) []int {
	var codes []int
	for _, request := range requests {
		codes = append(codes, request.Code)
	}
	return codes
}

// Start starts a server, and stops it at the end of the test. The options are those of `fakeapi serve`, such as
// "--release", "1.34".
func Start(t testing.TB, options ...string) *Server {
	t.Helper()
	program := cmp.Or(os.Getenv("FAKEAPI"), "fakeapi")
	readyFile := filepath.Join(t.TempDir(), "ready.json")
	command := exec.Command(program, append([]string{"serve", "--end-with-parent", "--port", "0", "--ready-file", readyFile}, options...)...)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Start(); err != nil {
		t.Fatalf("fakeapi: %v; install it as docs/go.md of fakeapi says, or name the program in FAKEAPI", err)
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = command.Wait() // the output says why
	}()
	t.Cleanup(func() { stop(command, exited) })

	var ready struct{ URL string }
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(5 * time.Millisecond) {
		// The server writes the whole file at once.
		if content, err := os.ReadFile(readyFile); err == nil {
			if err := json.Unmarshal(content, &ready); err != nil {
				t.Fatalf("fakeapi: %s: %v", readyFile, err)
			}
			return &Server{Config: &rest.Config{Host: ready.URL, QPS: -1}, t: t}
		}
		select {
		case <-exited:
			t.Fatalf("fakeapi did not start:\n%s", output.String())
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("fakeapi did not start within %v", startTimeout)
		}
	}
}

// Fault injects a fault: "conflict" with the target "update resourceclaims/status" and {"times": 1} answers the next
// update of a claim's status with 409 Conflict. The arguments may be nil.
func (s *Server) Fault(fault, target string, arguments map[string]any) {
	s.t.Helper()
	rule := map[string]any{"target": target}
	maps.Copy(rule, arguments)
	s.control(http.MethodPost, "/faults", map[string]any{fault: rule}, nil)
}

// Requests returns the recorded requests that match a pattern VERB [RESOURCE[/SUBRESOURCE] [[NAMESPACE/]NAME]], such as
// "update resourceclaims/status default/gpu", oldest first. VERB can also be "write" or "*".
func (s *Server) Requests(pattern string) []Request {
	s.t.Helper()
	words := strings.Fields(pattern)
	if len(words) == 0 || len(words) > 3 {
		s.t.Fatalf("fakeapi: %q is not of the form VERB [RESOURCE[/SUBRESOURCE] [[NAMESPACE/]NAME]]", pattern)
	}
	query := url.Values{"verb": {words[0]}, "last": {"10000"}}
	if len(words) > 1 {
		query.Set("resource", words[1])
	}
	if len(words) > 2 {
		namespace, name, found := strings.Cut(words[2], "/")
		if !found {
			namespace, name = "", words[2]
		}
		query.Set("namespace", namespace)
		query.Set("name", name)
	}
	var journal struct{ Requests []Request }
	s.control(http.MethodGet, "/requests?"+query.Encode(), nil, &journal)
	return journal.Requests
}

// Reset deletes all objects, faults and recorded requests, as in a new cluster. Watches end.
func (s *Server) Reset() {
	s.t.Helper()
	s.control(http.MethodPost, "/reset", nil, nil)
}

// control sends a request to the control API. Its OpenAPI document is at /_fakeapi/openapi.json.
func (s *Server) control(method, path string, body, answer any) {
	s.t.Helper()
	if err := send(method, s.Config.Host+"/_fakeapi"+path, body, answer); err != nil {
		s.t.Fatalf("fakeapi: %s %s: %v", method, path, err)
	}
}

func send(method, url string, body, answer any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, url, bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 400 {
		return fmt.Errorf("%s: %s", response.Status, content)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(content, answer)
}

func stop(command *exec.Cmd, exited <-chan struct{}) {
	_ = command.Process.Signal(syscall.SIGTERM) // fails if the server has exited
	select {
	case <-exited:
	case <-time.After(stopTimeout):
		_ = command.Process.Kill()
		<-exited
	}
}

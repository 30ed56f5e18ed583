package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/remotecommand"
)

// Where a pod finds the token of its service account.
const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount/token"

// A proxy that is asked for may be started a moment later.
const proxyWait = 30 * time.Second

var (
	written = regexp.MustCompile(`(?s)^base64 -d >'([^']+)' <<EOF\n(.*)\nEOF`)
	listed  = regexp.MustCompile(`^ls -1d (\S+) 2>/dev/null \|\| true$`)
)

// runtime runs the commands that the suite's DRA drivers need, and connects ports to their sockets.
type runtime struct {
	pods    *pods
	mutex   sync.Mutex
	proxies map[string]*proxied
}

// proxied is a listening socket on a node whose connections are handed to those who forward a port.
type proxied struct {
	listener    net.Listener
	path        string
	connections chan net.Conn
	done        chan struct{}
}

func (r *runtime) Exec(ctx context.Context, id string, cmd []string, in io.Reader, out, errors io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize) error {
	parts := strings.Split(id, "/")
	pod, err := r.pods.get(parts[0], parts[1])
	if err != nil {
		return err
	}
	container, err := pod.container(parts[2])
	if err != nil {
		return err
	}
	if len(cmd) == 0 {
		return fmt.Errorf("no command")
	}
	return r.run(pod, container, cmd, out)
}

func (r *runtime) run(pod *pod, container *v1.Container, cmd []string, out io.Writer) error {
	name, last := filepath.Base(cmd[0]), cmd[len(cmd)-1]
	if name == "env" && len(cmd) == 1 {
		return r.env(pod, container, out)
	}
	if name == "hostpathplugin" {
		return r.proxy(pod, container, cmd[1:])
	}
	if name == "cat" && last == tokenPath {
		token, err := r.pods.token(pod)
		if err == nil {
			_, err = io.WriteString(out, token)
		}
		return err
	}
	if name == "sh" {
		return r.shell(pod, container, last, out)
	}
	where, err := pod.onHost(container, last)
	if err != nil {
		return err
	}
	switch name {
	case "rm":
		r.close(where)
		return os.RemoveAll(where)
	case "mkdir":
		return os.MkdirAll(where, 0o755)
	case "cat":
		content, err := os.ReadFile(where)
		if err == nil {
			_, err = out.Write(content)
		}
		return err
	case "mv":
		from, err := pod.onHost(container, cmd[1])
		if err != nil {
			return err
		}
		return os.Rename(from, where)
	}
	return fmt.Errorf("no container runs here: %q", cmd)
}

// shell does what the two scripts of the suite do: write a file, and list names by a pattern.
func (r *runtime) shell(pod *pod, container *v1.Container, script string, out io.Writer) error {
	if found := listed.FindStringSubmatch(script); found != nil {
		where, err := pod.onHost(container, found[1])
		if err != nil {
			return err
		}
		names, err := filepath.Glob(where)
		for _, each := range names {
			fmt.Fprintln(out, strings.TrimSuffix(found[1], filepath.Base(found[1]))+filepath.Base(each))
		}
		return err
	}
	found := written.FindStringSubmatch(script)
	if found == nil {
		return fmt.Errorf("no container runs here: %q", script)
	}
	where, err := pod.onHost(container, found[1])
	if err != nil {
		return err
	}
	content, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(found[2], "\n", ""))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(where), 0o755); err != nil {
		return err
	}
	return os.WriteFile(where, content, 0o644)
}

// proxy listens at a socket until the socket is removed, as hostpathplugin does with a proxy endpoint.
func (r *runtime) proxy(pod *pod, container *v1.Container, arguments []string) error {
	endpoint, port := "", ""
	for _, each := range arguments {
		if value, found := strings.CutPrefix(each, "--endpoint="); found {
			endpoint = value
		}
		if value, found := strings.CutPrefix(each, "--proxy-endpoint=tcp://:"); found {
			port = value
		}
	}
	where, err := pod.onHost(container, endpoint)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(where), 0o755); err != nil {
		return err
	}
	r.close(where)
	os.Remove(where)
	listener, err := net.Listen("unix", where)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%s:%s", pod.key(), port)
	made := &proxied{listener, where, make(chan net.Conn), make(chan struct{})}
	r.mutex.Lock()
	r.proxies[key] = made
	r.mutex.Unlock()
	defer close(made.done)
	for {
		connection, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		go func() {
			select {
			case made.connections <- connection:
			case <-made.done:
				connection.Close()
			}
		}()
	}
}

// close ends the proxy that listens at a path.
func (r *runtime) close(path string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for key, each := range r.proxies {
		if each.path == path || strings.HasPrefix(each.path, path+"/") {
			each.listener.Close()
			delete(r.proxies, key)
		}
	}
}

func (r *runtime) Attach(ctx context.Context, id string, in io.Reader, out, err io.WriteCloser, tty bool, resize <-chan remotecommand.TerminalSize) error {
	return fmt.Errorf("no container runs here")
}

// PortForward joins the stream with the next connection to the socket of the proxy at this port.
func (r *runtime) PortForward(ctx context.Context, pod string, port int32, stream io.ReadWriteCloser) error {
	found, err := r.await(fmt.Sprintf("%s:%d", pod, port))
	if err != nil {
		return err
	}
	select {
	case connection := <-found.connections:
		go func() {
			io.Copy(connection, stream)
			connection.Close()
		}()
		io.Copy(stream, connection)
		connection.Close()
		return stream.Close()
	case <-found.done:
		return stream.Close()
	}
}

func (r *runtime) await(key string) (*proxied, error) {
	for end := time.Now().Add(proxyWait); ; time.Sleep(20 * time.Millisecond) {
		r.mutex.Lock()
		found := r.proxies[key]
		r.mutex.Unlock()
		if found != nil {
			return found, nil
		}
		if time.Now().After(end) {
			return nil, fmt.Errorf("nothing listens at port %s", key)
		}
	}
}

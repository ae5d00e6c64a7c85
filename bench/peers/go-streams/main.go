// Streams of the API server through client-go: commands, logs, ports and watches. Prints "pass NAME" or "FAIL NAME: why" for each step
// and exits with 1 when one failed. The cluster (KUBECONFIG) has a pod "web" whose container echoes; see bench/src/clients/streams.ts.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/client-go/util/exec"
)

const (
	namespace = "default"
	pod       = "web"
	patience  = 60 * time.Second
)

type fixture struct {
	config *rest.Config
	client *kubernetes.Clientset
}

func (f fixture) podURL(rest string) *url.URL {
	parsed, err := url.Parse(fmt.Sprintf("%s/api/v1/namespaces/%s/pods/%s/%s", f.config.Host, namespace, pod, rest))
	if err != nil {
		panic(err)
	}
	return parsed
}

// executor makes one of the ways client-go runs a command.
func (f fixture) executor(kind string, target *url.URL) (remotecommand.Executor, error) {
	switch kind {
	case "WebSocket":
		return remotecommand.NewWebSocketExecutor(f.config, "GET", target.String())
	case "SPDY":
		return remotecommand.NewSPDYExecutor(f.config, "POST", target)
	}
	// What the server does not speak is refused, and the second way taken.
	first, err := remotecommand.NewWebSocketExecutorForProtocols(f.config, "GET", target.String(), "none.channel.k8s.io")
	if err != nil {
		return nil, err
	}
	second, err := remotecommand.NewSPDYExecutor(f.config, "POST", target)
	if err != nil {
		return nil, err
	}
	return remotecommand.NewFallbackExecutor(first, second, func(error) bool { return true })
}

func (f fixture) run(kind, query string, options remotecommand.StreamOptions) error {
	executor, err := f.executor(kind, f.podURL("exec?container=main&"+query))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return executor.StreamWithContext(ctx, options)
}

func (f fixture) echo(kind string) error {
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<18)
	var out, problems bytes.Buffer
	err := f.run(kind, "stdin=true&stdout=true&stderr=true&command=cat",
		remotecommand.StreamOptions{Stdin: bytes.NewReader(sent), Stdout: &out, Stderr: &problems})
	if err != nil {
		return err
	}
	if !bytes.Equal(out.Bytes(), sent) || problems.Len() > 0 {
		return fmt.Errorf("%d of %d bytes came back, and %q", out.Len(), len(sent), problems.String())
	}
	return nil
}

func (f fixture) exitCode(kind string) error {
	var out, problems bytes.Buffer
	err := f.run(kind, "stdout=true&stderr=true&command=fail", remotecommand.StreamOptions{Stdout: &out, Stderr: &problems})
	var exit exec.CodeExitError
	if !errors.As(err, &exit) || exit.Code != 7 || problems.String() != "bad luck\n" {
		return fmt.Errorf("ended with %v, having said %q", err, problems.String())
	}
	return nil
}

// sizes has one size of a terminal, and then none until the command ends.
type sizes struct {
	told bool
	done chan struct{}
}

func (s *sizes) Next() *remotecommand.TerminalSize {
	if !s.told {
		s.told = true
		return &remotecommand.TerminalSize{Width: 80, Height: 24}
	}
	<-s.done
	return nil
}

func (f fixture) terminal(kind string) error {
	var out bytes.Buffer
	queue := &sizes{done: make(chan struct{})}
	defer close(queue.done)
	err := f.run(kind, "stdin=true&stdout=true&tty=true&command=size",
		remotecommand.StreamOptions{Stdin: strings.NewReader(""), Stdout: &out, Tty: true, TerminalSizeQueue: queue})
	if err == nil && out.String() != "80x24" {
		err = fmt.Errorf("the terminal is %q", out.String())
	}
	return err
}

func (f fixture) logs() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	stream, err := f.client.CoreV1().Pods(namespace).GetLogs(pod, &corev1.PodLogOptions{Container: "main", Follow: true}).Stream(ctx)
	if err != nil {
		return err
	}
	defer stream.Close()
	lines := bufio.NewScanner(stream)
	for number := 0; number < 3; number++ {
		if !lines.Scan() || lines.Text() != fmt.Sprintf("line %d", number) {
			return fmt.Errorf("line %d is %q: %v", number, lines.Text(), lines.Err())
		}
	}
	return nil
}

func (f fixture) forward(kind string) error {
	target := f.podURL("portforward")
	transport, upgrader, err := spdy.RoundTripperFor(f.config)
	if err != nil {
		return err
	}
	dialer := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, "POST", target)
	if kind == "WebSocket" {
		if dialer, err = portforward.NewSPDYOverWebsocketDialer(target, f.config); err != nil {
			return err
		}
	}
	stop, ready, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	var problems bytes.Buffer
	forwarder, err := portforward.New(dialer, []string{"0:8080"}, stop, ready, io.Discard, &problems)
	if err != nil {
		return err
	}
	go func() { done <- forwarder.ForwardPorts() }()
	select {
	case <-ready:
	case err := <-done:
		return fmt.Errorf("did not begin: %w", err)
	case <-time.After(patience):
		return errors.New("did not begin")
	}
	ports, err := forwarder.GetPorts()
	if err != nil {
		return err
	}
	for round := 0; round < 3; round++ {
		if err := echoThrough(ports[0].Local); err != nil {
			return fmt.Errorf("connection %d: %w; %s", round, err, problems.String())
		}
	}
	close(stop)
	return <-done
}

func echoThrough(port uint16) error {
	connection, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	go func() {
		connection.Write(sent)
		connection.(*net.TCPConn).CloseWrite()
	}()
	back, err := io.ReadAll(connection)
	if err == nil && !bytes.Equal(back, sent) {
		err = fmt.Errorf("%d of %d bytes came back", len(back), len(sent))
	}
	return err
}

// watches opens many of them, and counts the connections.
func (f fixture) watches() error {
	var connections atomic.Int32
	config := rest.CopyConfig(f.config)
	config.QPS, config.Burst = 1000, 1000
	dialer := &net.Dialer{}
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		connections.Add(1)
		return dialer.DialContext(ctx, network, address)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	const count = 300
	var seen sync.WaitGroup
	for number := 0; number < count; number++ {
		watch, err := client.CoreV1().ConfigMaps(namespace).Watch(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		seen.Add(1)
		go func() {
			defer seen.Done()
			defer watch.Stop()
			for event := range watch.ResultChan() {
				if object, ok := event.Object.(*corev1.ConfigMap); ok && object.Name == "seen-by-all" {
					return
				}
			}
		}()
	}
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "seen-by-all"}}
	if _, err := client.CoreV1().ConfigMaps(namespace).Create(ctx, object, metav1.CreateOptions{}); err != nil {
		return err
	}
	seen.Wait()
	if ctx.Err() != nil {
		return errors.New("not all were told")
	}
	if connections.Load() > 1 {
		return fmt.Errorf("%d connections for %d watches", connections.Load(), count)
	}
	return nil
}

// largeHead is below the limit of the real server (1 MiB), and above it.
func (f fixture) largeHead() error {
	transport, err := rest.TransportFor(f.config)
	if err != nil {
		return err
	}
	ask := func(kibibytes int) (*http.Response, error) {
		request, err := http.NewRequest("GET", f.config.Host+"/version", nil)
		if err != nil {
			return nil, err
		}
		for part := 0; part < kibibytes/50; part++ {
			request.Header.Set(fmt.Sprintf("x-part-%d", part), strings.Repeat("x", 50*1024))
		}
		return transport.RoundTrip(request)
	}
	answer, err := ask(900)
	if err != nil {
		return err
	}
	answer.Body.Close()
	if answer.StatusCode != 200 || answer.Proto != "HTTP/2.0" {
		return fmt.Errorf("900 KiB are answered with %s over %s", answer.Status, answer.Proto)
	}
	if answer, err = ask(1200); err == nil && answer.StatusCode == 200 {
		return errors.New("1200 KiB are taken")
	}
	return nil
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		panic(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		panic(err)
	}
	f := fixture{config, client}
	failed := false
	step := func(name string, run func() error) {
		if err := run(); err != nil {
			failed = true
			fmt.Printf("FAIL %s: %v\n", name, err)
		} else {
			fmt.Printf("pass %s\n", name)
		}
	}
	for _, kind := range []string{"WebSocket", "SPDY", "SPDY after a refused WebSocket"} {
		step("4 MiB through a command and back over "+kind, func() error { return f.echo(kind) })
		step("an exit code over "+kind, func() error { return f.exitCode(kind) })
		step("the size of a terminal over "+kind, func() error { return f.terminal(kind) })
	}
	step("a log is followed", f.logs)
	for _, kind := range []string{"WebSocket", "SPDY"} {
		step("a port is forwarded over "+kind, func() error { return f.forward(kind) })
	}
	step("300 watches share a connection of HTTP/2", f.watches)
	step("large heads have a limit", f.largeHead)
	if failed {
		os.Exit(1)
	}
}

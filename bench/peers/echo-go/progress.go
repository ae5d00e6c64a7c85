package main

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"k8s.io/apimachinery/pkg/types"
)

// progress tells on stdout, a line of JSON each, how far the operator is.
type progress struct {
	mu         sync.Mutex
	expect     int
	reconciles int
	// keys that were reconciled successfully; nil once `expect` of them were.
	done map[types.NamespacedName]struct{}
}

func newProgress(expect int) *progress {
	p := &progress{expect: expect, done: map[types.NamespacedName]struct{}{}}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR2)
	go func() {
		for range asked {
			p.mu.Lock()
			fmt.Printf("{\"event\":\"stats\",\"reconciles\":%d}\n", p.reconciles)
			p.mu.Unlock()
		}
	}()
	p.tell("started")
	return p
}

func (p *progress) tell(event string) { fmt.Printf("{\"event\":%q}\n", event) }

func (p *progress) synced() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tell("synced")
	if p.expect == 0 {
		p.done = nil
		p.tell("all")
	}
}

func (p *progress) reconciled(key types.NamespacedName, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reconciles++
	if p.reconciles == 1 {
		p.tell("first")
	}
	if p.done == nil || err != nil {
		return
	}
	p.done[key] = struct{}{}
	if p.expect > 0 && len(p.done) == p.expect {
		p.done = nil
		p.tell("all")
	}
}

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor/durable"
)

// stopped is a weft run with a store that signals are sent to.
type stopped struct {
	*shop
	store string
	cmd   *exec.Cmd
	said  lockedBuffer
	ended chan int
}

// runHeld starts weft run with a token, and waits until its order is in the air.
func (s *shop) runHeld(flow string, flags ...string) *stopped {
	s.Helper()
	s.mu.Lock()
	s.hold["r"] = make(chan struct{})
	s.mu.Unlock()
	p := s.run(flow, flags...)
	select {
	case <-s.held:
	case code := <-p.ended:
		s.Fatalf("exit code %d: %s", code, p.said.String())
	}
	return p
}

// run starts weft run with a token.
func (s *shop) run(flow string, flags ...string) *stopped {
	s.Helper()
	p := &stopped{shop: s, store: "sqlite:" + filepath.Join(s.dir, "weft.db"), ended: make(chan int, 1)}
	arguments := append([]string{"run", "--store", p.store, "--token", "t", "-i", "ref=r"}, flags...)
	p.cmd = exec.Command("weft", append(arguments, filepath.Join("flows", flow))...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = s.dir, &p.said, &p.said
	if err := p.cmd.Start(); err != nil {
		s.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the code tells
		p.ended <- p.cmd.ProcessState.ExitCode()
	}()
	s.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

func (p *stopped) signal(which os.Signal) {
	p.Helper()
	if err := p.cmd.Process.Signal(which); err != nil {
		p.Fatal(err)
	}
}

// says waits until the process has said something.
func (p *stopped) says(what string) {
	p.Helper()
	for until := time.Now().Add(30 * time.Second); !strings.Contains(p.said.String(), what); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			p.Fatalf("it does not say %q: %s", what, p.said.String())
		}
	}
}

// exits waits for the end of the process.
func (p *stopped) exits(code int, says string) {
	p.Helper()
	select {
	case got := <-p.ended:
		if got != code || !strings.Contains(p.said.String(), says) {
			p.Fatalf("exit code %d, want %d and %q: %s", got, code, says, p.said.String())
		}
	case <-time.After(60 * time.Second):
		p.Fatalf("it does not end: %s", p.said.String())
	}
}

func (s *shop) release() { s.mu.Lock(); close(s.hold["r"]); delete(s.hold, "r"); s.mu.Unlock() }

// TestASignalLeavesARunInItsStore: what is in the air is awaited and recorded, and the same
// command goes on with the same run.
func TestASignalLeavesARunInItsStore(t *testing.T) {
	for name, which := range map[string]os.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			first := s.runHeld("shop.arazzo.yaml")
			first.signal(which)
			first.says("weft: stopping: a request in the air is awaited")
			s.release()
			first.exits(130, "goes on when its store is driven again (weft serve, or the same command); to cancel it: weft runs cancel ")
			second := s.run("shop.arazzo.yaml")
			second.says("joined: the run ")
			message := filepath.Join(s.dir, "paid.json")
			s.write("paid.json", `{"ref":"r"}`)
			runJSON(t, "delivered", "deliver", "--json", "--store", second.store, "-w", "buy", "t", message)
			second.exits(0, "")
			if n := s.times("r"); n != 1 {
				t.Errorf("%d orders, want 1", n)
			}
			if page := runJSON(t, "page", "runs", "list", "--json", "--store", second.store); page.Get("runs").Len() != 1 {
				t.Errorf("the runs are %v", page)
			}
		})
	}
}

const orderAlone = `
arazzo: 1.1.0
info: {title: Order, version: "1"}
sourceDescriptions: [{name: shop, url: shop.openapi.yaml, type: openapi}]
workflows:
- workflowId: order
  inputs: {type: object, properties: {ref: {type: string}}, required: [ref]}
  steps:
  - {stepId: create, operationId: createOrder, requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}}
`

// TestASignalAtTheLastRequest: the run that ends with what was awaited has its own result.
func TestASignalAtTheLastRequest(t *testing.T) {
	s := newShop(t)
	s.write("flows/order.arazzo.yaml", orderAlone)
	p := s.runHeld("order.arazzo.yaml")
	p.signal(syscall.SIGTERM)
	p.says("weft: stopping")
	s.release()
	p.exits(0, "1 workflow succeeded")
}

// TestASecondSignalGivesUp: what was in the air is unknown to the next process, and is not
// sent again.
func TestASecondSignalGivesUp(t *testing.T) {
	s := newShop(t)
	s.write("flows/order.arazzo.yaml", orderAlone)
	p := s.runHeld("order.arazzo.yaml")
	defer s.release()
	p.signal(syscall.SIGTERM)
	p.says("weft: stopping")
	p.signal(syscall.SIGTERM)
	p.exits(130, "giving up what is in the air")
	s.run("order.arazzo.yaml").exits(3, "joined: the run ")
	if n := s.times("r"); n != 1 {
		t.Errorf("%d orders, want 1", n)
	}
}

// TestASignalIsHeededInTime: what is in the air is awaited for as long as was said, and is
// then unknown to the next process, which does not send it again.
func TestASignalIsHeededInTime(t *testing.T) {
	s := newShop(t)
	s.write("flows/order.arazzo.yaml", orderAlone)
	p := s.runHeld("order.arazzo.yaml", "--stop-timeout", "300ms", "--log-level", "warn")
	defer s.release()
	asked := time.Now()
	p.signal(syscall.SIGTERM)
	p.exits(130, "its outcome is not recorded")
	if took := time.Since(asked); took < 300*time.Millisecond || took > durable.DefaultStopTimeout/2 {
		t.Errorf("it took %v to stop", took)
	}
	s.run("order.arazzo.yaml").exits(3, "joined: the run ")
	if n := s.times("r"); n != 1 {
		t.Errorf("%d orders, want 1", n)
	}
}

package cli_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// attempt makes a request and gives its status, its content type and its body.
func (p *process) attempt(path, body string, fields ...string) (status int, media, text string) {
	p.Helper()
	request, err := http.NewRequestWithContext(p.Context(), "POST", p.base+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(fields); i += 2 {
		request.Header.Set(fields[i], fields[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		p.Fatalf("%v; %s", err, p.stderr.String())
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		p.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("Content-Type"), string(all)
}

// smallDisk mounts a small file system, and gives its folder; it skips where that is not
// allowed.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=6m"); err != nil {
		t.Skipf("a file system cannot be mounted here (that needs the superuser): %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// limitFiles sets how large the files of another process may become.
func limitFiles(t *testing.T, pid int, bytes uint64) {
	t.Helper()
	limit := syscall.Rlimit{Cur: bytes, Max: ^uint64(0)}
	_, _, fault := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_FSIZE, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if fault != 0 {
		t.Fatal(fault)
	}
}

// TestServeWhereSQLiteIsFull: what is not kept is not acknowledged, what is acknowledged is
// kept, and all goes on when there is room.
func TestServeWhereSQLiteIsFull(t *testing.T) {
	t.Run("a small disk", func(t *testing.T) {
		dir := smallDisk(t)
		filler := filepath.Join(dir, "filler")
		fill := func(*process) {
			file, err := os.Create(filler)
			if err != nil {
				t.Fatal(err)
			}
			for err == nil {
				_, err = file.Write(make([]byte, 4096))
			}
			if !errors.Is(errors.Join(err, file.Close()), syscall.ENOSPC) {
				t.Fatal(err)
			}
		}
		free := func(*process) {
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
		}
		serveWhereFull(t, filepath.Join(dir, "weft.db"), fill, free)
	})
	t.Run("a limit of files", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "weft.db")
		fill := func(p *process) {
			largest := int64(0)
			for _, name := range []string{file, file + "-wal"} {
				if about, err := os.Stat(name); err == nil {
					largest = max(largest, about.Size())
				}
			}
			limitFiles(t, p.cmd.Process.Pid, uint64(largest))
		}
		free := func(p *process) { limitFiles(t, p.cmd.Process.Pid, ^uint64(0)) }
		serveWhereFull(t, file, fill, free)
	})
}

func serveWhereFull(t *testing.T, file string, fill, free func(*process)) {
	s := newShop(t)
	p := s.serve(nil, "--store", "sqlite:"+file, "flows")
	run := p.start("o-1")
	p.untilWaiting(run)
	fill(p)
	to, body := "/v1/runs/"+run+"/messages?step=paid", fmt.Sprintf(`{"ref":"another","text":%q}`, strings.Repeat("x", 20_000))
	acknowledged, refused := map[string]bool{}, ""
	for n := 0; refused == "" && n < 900; n++ {
		id := fmt.Sprintf("m-%d", n)
		switch status, media, text := p.attempt(to, body, "webhook-id", id); status {
		case 202:
			acknowledged[id] = true
		default:
			if refused = text; status != 503 || media != "application/problem+json" {
				t.Fatalf("%d %s: %s", status, media, text)
			}
		}
	}
	if !strings.Contains(refused, "full") && !strings.Contains(refused, "no room") {
		t.Fatalf("after %d messages: %q", len(acknowledged), refused)
	}
	const another = `{"document":"shop.arazzo.yaml","token":"o-2","inputs":{"ref":"o-2"}}`
	large := strings.Replace(another, `"o-2"}}`, `"o-2-`+strings.Repeat("y", 30_000)+`"}}`, 1)
	if status, media, text := p.attempt("/v1/runs", large, "Idempotency-Key", "k"); status != 503 || media != "application/problem+json" {
		t.Errorf("a start: %d %s: %s", status, media, text)
	}
	if log := p.stderr.String(); !strings.Contains(log, file) || !strings.Contains(log, "a request failed") {
		t.Errorf("the log does not name the file: %s", log)
	}
	free(p)
	p.until("the start is taken", func() bool {
		status, _, _ := p.attempt("/v1/runs", large, "Idempotency-Key", "k")
		return status == 200 || status == 201
	})
	if runs := p.do(200, "GET", "/v1/runs?token=o-2", "")["runs"].([]any); len(runs) != 1 {
		t.Errorf("%d runs have the token", len(runs))
	}
	messages, _ := p.show(run)["messages"].([]any)
	for _, m := range messages {
		identity, _ := m.(map[string]any)["identity"].(string)
		delete(acknowledged, identity)
	}
	if len(acknowledged) > 0 {
		t.Errorf("acknowledged and lost: %v", acknowledged)
	}
	p.do(202, "POST", "/webhooks/shop/paid", `{"ref":"o-1"}`)
	p.untilEnded(run, "succeeded")
	if n := s.times("o-1"); n != 1 {
		t.Errorf("the order was sent %d times", n)
	}
}

// TestServeWhereSQLiteIsLocked has another program hold the write lock for longer than is
// waited for.
func TestServeWhereSQLiteIsLocked(t *testing.T) {
	t.Parallel() // it waits most of the time
	s := newShop(t)
	p := s.serve(nil, "flows")
	run := p.start("o-1")
	p.untilWaiting(run)
	other, err := sql.Open("sqlite", "file:"+filepath.Join(s.dir, "weft.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }() // what it held is seen
	other.SetMaxOpenConns(1)
	if _, err := other.ExecContext(t.Context(), "PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	const start = `{"document":"shop.arazzo.yaml","token":"o-2","inputs":{"ref":"o-2"}}`
	var refused sync.WaitGroup // each waits for the file for as long as that may take
	refused.Go(func() {
		if status, media, text := p.attempt("/v1/runs", start, "Idempotency-Key", "k"); status != 503 || media != "application/problem+json" || !strings.Contains(text, "another process holds it") {
			t.Errorf("a start: %d %s: %s", status, media, text)
		}
	})
	refused.Go(func() {
		if status, _, text := p.attempt("/webhooks/shop/paid", `{"ref":"o-1"}`); status < 500 {
			t.Errorf("a message is acknowledged: %d: %s", status, text)
		}
	})
	refused.Wait()
	if _, err := other.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	p.until("the start is taken", func() bool {
		status, _, _ := p.attempt("/v1/runs", start, "Idempotency-Key", "k")
		return status == 200 || status == 201
	})
	p.do(202, "POST", "/webhooks/shop/paid", `{"ref":"o-1"}`)
	p.untilEnded(run, "succeeded")
	if n := s.times("o-1"); n != 1 {
		t.Errorf("the order was sent %d times", n)
	}
}

// refusesToServe starts weft serve on a store that it must not use, and gives what it says.
func (s *shop) refusesToServe(store string) string {
	s.Helper()
	cmd := exec.Command("weft", "serve", "--listen", "127.0.0.1:0", "--store", store, "flows")
	cmd.Dir = s.dir
	timer := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		s.Fatalf("weft serve: %v, want exit code 2: %s", err, out)
	}
	return string(out)
}

// TestServeWhereSQLiteIsDamaged overwrites bytes of a store while nobody uses it: it is
// refused, and goes on once the file is restored.
func TestServeWhereSQLiteIsDamaged(t *testing.T) {
	s := newShop(t)
	p := s.serve(nil, "flows")
	run := p.start("o-1")
	p.untilWaiting(run)
	p.terminate()
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, p.stderr.String())
	}
	file := filepath.Join(s.dir, "weft.db")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]int{"at its beginning": 0, "in its middle": len(whole) / 2} {
		broken := append([]byte(nil), whole...)
		for i := from; i < min(from+20_000, len(broken)); i++ {
			broken[i] = 0xa5
		}
		s.writeFile(file, broken)
		said := s.refusesToServe("sqlite:weft.db")
		if !strings.Contains(said, "--store sqlite:weft.db") || !strings.Contains(said, "is damaged: name another, or restore it") {
			t.Errorf("%s: %s", name, said)
		}
		if after, err := os.ReadFile(file); err != nil || string(after) != string(broken) {
			t.Errorf("%s: the file was changed (%v)", name, err)
		}
	}
	s.writeFile(file, whole)
	p = s.serve(nil, "flows")
	p.do(202, "POST", "/webhooks/shop/paid", `{"ref":"o-1"}`)
	p.untilEnded(run, "succeeded")
	if n := s.times("o-1"); n != 1 {
		t.Errorf("the order was sent %d times", n)
	}
}

func (s *shop) writeFile(name string, data []byte) {
	s.Helper()
	for _, beside := range []string{name + "-wal", name + "-shm"} {
		_ = os.Remove(beside) // there may be none
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		s.Fatal(err)
	}
}

// TestServeWhereSQLiteIsReadOnly has a store that this user, or on a file system that
// nobody, may write.
func TestServeWhereSQLiteIsReadOnly(t *testing.T) {
	dir := t.TempDir()
	var lock, unlock func(dir string) error
	if os.Getuid() == 0 { // the superuser may write whatever the modes say
		dir = smallDisk(t)
		lock = func(dir string) error { return syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "") }
		unlock = func(dir string) error { return syscall.Mount("", dir, "", syscall.MS_REMOUNT, "") }
	} else {
		lock = func(dir string) error {
			return errors.Join(os.Chmod(filepath.Join(dir, "weft.db"), 0o400), os.Chmod(dir, 0o500))
		}
		unlock = func(dir string) error {
			return errors.Join(os.Chmod(dir, 0o700), os.Chmod(filepath.Join(dir, "weft.db"), 0o600))
		}
	}
	s, file := newShop(t), filepath.Join(dir, "weft.db")
	p := s.serve(nil, "--store", "sqlite:"+file, "flows")
	run := p.start("o-1")
	p.untilWaiting(run)
	p.terminate()
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, p.stderr.String())
	}
	if err := lock(dir); err != nil {
		t.Fatal(err)
	}
	said := s.refusesToServe("sqlite:" + file)
	if err := unlock(dir); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said, "--store sqlite:"+file) || !strings.Contains(said, "let this user") {
		t.Errorf("%s", said)
	}
	p = s.serve(nil, "--store", "sqlite:"+file, "flows")
	p.do(202, "POST", "/webhooks/shop/paid", `{"ref":"o-1"}`)
	p.untilEnded(run, "succeeded")
}

// TestServeTellsOfALostNode is the operator's row of a node that is lost: the log of the
// one that takes its runs over tells of it, and the run says whose it is.
func TestServeTellsOfALostNode(t *testing.T) {
	s := newShop(t)
	first := s.serve(nil, "flows")
	run := first.start("o-1")
	first.untilWaiting(run)
	second := s.serve(nil, "flows")
	node := second.show(run)["node"]
	first.kill()
	second.until("another node has the run", func() bool {
		now := second.show(run)
		return now["node"] != node && now["waiting"] != nil
	})
	if log := second.stderr.String(); !strings.Contains(log, "took over the runs of a node") || !strings.Contains(log, fmt.Sprint(node)) {
		t.Errorf("the log does not tell of it: %s", log)
	}
	second.do(202, "POST", "/webhooks/shop/paid", `{"ref":"o-1"}`)
	second.untilEnded(run, "succeeded")
	if n := s.times("o-1"); n != 1 {
		t.Errorf("the order was sent %d times", n)
	}
}

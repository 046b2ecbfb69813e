//go:build unix

package remote

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// asWorker makes this test a worker of the kind that its argument names.
const asWorker = "hostile-worker"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == asWorker {
		c, err := Answer(os.Stdin, os.Stdout)
		if err == nil {
			err = hostile[os.Args[2]](c)
		}
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// hostile are workers that lie. All but the first have read the job.
var hostile = map[string]func(*Conn) error{
	"greets forever": func(c *Conn) error {
		return forever(func() error { return c.Send(FrameHello, Greeting{}) })
	},
	"is done without a tree": afterJob(func(c *Conn) error { return c.Send(FrameResult, agent.Result{Status: agent.Done}) }),
	"talk without end": afterJob(func(c *Conn) error {
		return forever(func() error { return c.Send(FrameEvent, agent.Event{Text: strings.Repeat("x", 900<<10)}) })
	}),
	"events without end": afterJob(func(c *Conn) error {
		return forever(func() error { return c.Send(FrameEvent, agent.Event{Kind: agent.SaidText, Text: "done"}) })
	}),
	"forged events and no end": afterJob(func(c *Conn) error {
		_ = c.Send(FrameEvent, agent.Event{Kind: agent.SaidText, Text: "\x1b[2Jstep a done"})
		_ = c.Send(FrameEvent, agent.Event{Kind: "done", Text: "step a done"})
		return c.Send(FrameEvent, map[string]any{"Wait": 1 << 62, "Kind": agent.Waiting})
	}),
	"a pack without end": afterJob(func(c *Conn) error {
		return c.SendStream(FrameTree, nil, func(w io.Writer) error {
			_, _ = w.Write([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01\xb0\xff\xff\xff\x03"))
			return forever(func() error { _, err := w.Write(make([]byte, 60<<10)); return err })
		})
	}),
	"a missing tree":       afterJob(func(c *Conn) error { return sendPack(c, empty(), strings.Repeat("e", 40)) }),
	"an option for a tree": afterJob(func(c *Conn) error { return sendPack(c, empty(), "--output=/tmp/x") }),
	"an empty pack":        afterJob(func(c *Conn) error { return sendPack(c, nil, "") }),
	"invalid JSON":         afterJob(func(c *Conn) error { return c.Send(FrameResult, "x") }),
	"a job for near":       afterJob(func(c *Conn) error { return c.Send(FrameJob, nil) }),
	"a wrong size": afterJob(func(c *Conn) error {
		return c.Send(FrameUsage, map[string]any{"tokens": map[string]any{"in": 1e30}})
	}),
}

// attacked is a repository of one commit, and this program, which is also the hostile worker.
func attacked(t *testing.T) (r *git.Repo, program string) {
	t.Helper()
	repository.Here(t)
	repository.Write(t, "a", "1\n")
	repository.Commit(t, "one")
	r, err := git.Open(t.Context(), "")
	if err == nil {
		t.Cleanup(func() { r.Close() })
		program, err = os.Executable()
	}
	if err != nil {
		t.Fatal(err)
	}
	return r, program
}

func afterJob(do func(*Conn) error) func(*Conn) error {
	return func(c *Conn) error {
		_ = c.Send(FrameHello, Greeting{})
		_, _ = c.Next(FrameJob)
		for f := (Frame{}); f.Kind != FrameTree; {
			var err error
			if f, err = c.Next(FrameBytes, FrameTree); err != nil {
				return err
			}
		}
		return do(c)
	}
}

func forever(do func() error) error {
	for {
		if err := do(); err != nil {
			return err
		}
	}
}

// empty is a pack without objects, as git makes it.
func empty() []byte {
	head := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), 0)
	return append(head, "\x02\x9d\x08\x82\x3b\xd8\xa8\xea\xb5\x10\xad\x6a\xc7\x5c\x82\x3c\xfd\x3e\xd3\x1e"...)
}

func sendPack(c *Conn, pack []byte, name string) error {
	err := c.SendStream(FrameTree, map[string]string{"name": name}, func(w io.Writer) error { _, err := w.Write(pack); return err })
	if err == nil {
		err = c.Send(FrameResult, agent.Result{Status: agent.Done})
	}
	return err
}

// unchanged are the paths of a clone without changes.
func unchanged(context.Context) ([]string, error) { return nil, nil }

type nobody struct{ agent.Agent }

func (nobody) Name() string { return "nobody" }

// Whatever a worker sends, none of its sessions is done, no ref is moved, no file changes, and little memory
// is used.
func TestHostileWorkers(t *testing.T) {
	r, program := attacked(t)
	refs := repository.Ask(t, "for-each-ref")
	for kind := range hostile {
		t.Run(kind, func(t *testing.T) {
			var transcript bytes.Buffer
			a := &Agent{Agent: nobody{}, Launcher: Launcher{Name: "h", Command: fmt.Sprintf("exec '%s' %s '%s'", program, asWorker, kind)}, Dir: r.Top, Files: r, Paths: unchanged, Note: func(string) {}}
			base, err := r.Output(t.Context(), "rev-parse", "HEAD^{tree}")
			if err != nil {
				t.Fatal(err)
			}
			one := &workerSession{agent: a, base: base, session: agent.Session{ID: "x", Timeout: 10 * time.Minute, Transcript: &transcript}}
			got, err := one.run(t.Context())
			if err == nil {
				t.Errorf("it ended as %+v", got)
			}
			t.Logf("%v", err)
			var m runtime.MemStats
			if runtime.ReadMemStats(&m); m.HeapSys > 300<<20 {
				t.Errorf("it took %d MB", m.HeapSys>>20)
			}
		})
	}
	if now := repository.Ask(t, "for-each-ref"); now != refs || repository.Ask(t, "status", "--porcelain") != "" {
		t.Errorf("refs are %s, was %s", now, refs)
	}
	if left, _ := os.ReadDir(r.PlanDir("parcels")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

//go:build unix

package elsewhere

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
	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/testdata/repository"
)

// asWorker has this test be a worker of the kind that its argument names.
const asWorker = "hostile-worker"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == asWorker {
		c, err := wire.Answer(os.Stdin, os.Stdout)
		if err == nil {
			does := hostile[os.Args[2]]
			if does == nil {
				does = lying[os.Args[2]]
			}
			err = does(c)
		}
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// hostile are workers that lie. All but the first two have read the job.
var hostile = map[string]func(*wire.Conn) error{
	"greets forever": func(c *wire.Conn) error {
		return forever(func() error { return c.Send(wire.Hello, wire.Greeting{Can: []string{wire.Session}}) })
	},
	"asks for the world": func(c *wire.Conn) error {
		_ = c.Send(wire.Hello, wire.Greeting{Can: []string{wire.Session}})
		_, _ = c.Next(wire.Want)
		return c.Send(wire.Have, wire.Trees{Trees: []string{"--upload-pack=x", "HEAD", "^x\nHEAD", strings.Repeat("f", 40)}})
	},
	"is done without a tree": afterJob(func(c *wire.Conn) error { return c.Send(wire.Result, agent.Result{Status: agent.Done}) }),
	"offers without a tree":  afterJob(func(c *wire.Conn) error { return c.Send(wire.Offer, agent.Result{Status: agent.Done}) }),
	"talk without end": afterJob(func(c *wire.Conn) error {
		return forever(func() error { return c.Send(wire.Kind(200), strings.Repeat("x", 900<<10)) })
	}),
	"events without end": afterJob(func(c *wire.Conn) error {
		return forever(func() error { return c.Send(wire.Event, agent.Event{Kind: agent.SaidText, Text: "done"}) })
	}),
	"forged events and no end": afterJob(func(c *wire.Conn) error {
		_ = c.Send(wire.Event, agent.Event{Kind: agent.SaidText, Text: "\x1b[2Jstep a done"})
		_ = c.Send(wire.Event, agent.Event{Kind: "done", Text: "step a done"})
		return c.Send(wire.Event, map[string]any{"Wait": 1 << 62, "Kind": agent.Waiting})
	}),
	"a pack without end": afterJob(func(c *wire.Conn) error {
		return c.SendStream(wire.Tree, nil, func(w io.Writer) error {
			_, _ = w.Write([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01\xb0\xff\xff\xff\x03"))
			return forever(func() error { _, err := w.Write(make([]byte, 60<<10)); return err })
		})
	}),
	"a tree that nobody has": afterJob(func(c *wire.Conn) error { return sendPack(c, empty(), strings.Repeat("e", 40)) }),
	"an option for a tree":   afterJob(func(c *wire.Conn) error { return sendPack(c, empty(), "--output=/tmp/x") }),
	"a pack of nothing":      afterJob(func(c *wire.Conn) error { return sendPack(c, nil, "") }),
	"no JSON":                afterJob(func(c *wire.Conn) error { return c.Send(wire.Result, "x") }),
	"a job for us":           afterJob(func(c *wire.Conn) error { return c.Send(wire.Job, nil) }),
	"a question that nobody may put": afterJob(func(c *wire.Conn) error {
		return c.Send(wire.Ask, []agent.Question{{Text: "your password?"}})
	}),
	"more than there is": afterJob(func(c *wire.Conn) error {
		return c.Send(wire.Usage, map[string]any{"tokens": map[string]any{"in": 1e30}})
	}),
}

// lying are workers that lie of checks, of which there are two.
var lying = map[string]func(*wire.Conn) error{
	"done without a word": afterJob(func(c *wire.Conn) error { return c.Send(wire.Result, agent.Result{Status: agent.Done}) }),
	"done after one":      afterJob(func(c *wire.Conn) error { return passes(c, wire.Result, 0) }),
	"passed, and no end":  afterJob(func(c *wire.Conn) error { return passes(c, wire.Checked, 0, 1) }),
	"passed twice":        afterJob(func(c *wire.Conn) error { return passes(c, wire.Result, 0, 0) }),
	"of another command":  afterJob(func(c *wire.Conn) error { return passes(c, wire.Result, 1, 0) }),
	"of more than there are": afterJob(func(c *wire.Conn) error {
		_ = passes(c, wire.Checked, 0, 1)
		return passes(c, wire.Result, 2)
	}),
	"takes it back": afterJob(func(c *wire.Conn) error {
		_ = passes(c, wire.Checked, 0, 1)
		return c.Send(wire.Result, agent.Result{Status: agent.Failed})
	}),
	"brings a tree": afterJob(func(c *wire.Conn) error { return sendPack(c, empty(), strings.Repeat("e", 40)) }),
	"endless output": afterJob(func(c *wire.Conn) error {
		return forever(func() error { return c.Send(wire.Kind(200), strings.Repeat("x", 900<<10)) })
	}),
	"no number": afterJob(func(c *wire.Conn) error { return c.Send(wire.Checked, map[string]any{"n": "0", "code": nil}) }),
}

// passes says that commands pass, and if end is a Result, that this was all.
func passes(c *wire.Conn, end wire.Kind, which ...int) error {
	for _, n := range which {
		if err := c.Send(wire.Checked, wire.Ended{N: n}); err != nil {
			return err
		}
	}
	if end == wire.Result {
		return c.Send(wire.Result, agent.Result{Status: agent.Done})
	}
	return nil
}

// attacked is a repository of one commit, and this program, which is the hostile worker as well.
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

// Nothing that a worker makes up of checks has them pass.
func TestALyingWorkerPassesNoCheck(t *testing.T) {
	r, program := attacked(t)
	for kind := range lying {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			a := &Agent{Launcher: Launcher{Name: "h", Command: fmt.Sprintf("exec '%s' %s '%s'", program, asWorker, kind), Start: 10 * time.Second}, Dir: r.Top, Tree: files{r}, Note: func(string) {}}
			c := &checking{talk: talk{a: a, s: agent.Session{ID: "x"}, do: wire.Check}}
			got, err := c.run(t.Context(), func(ctx context.Context) (agent.Result, error) {
				return c.check(ctx, []string{"one", "two"}, time.Minute, func(next Next) (bool, error) {
					for range 2 {
						if e, err := next(ctx); err != nil || !e.Passed() {
							return false, err
						}
					}
					return true, nil
				})
			})
			if err == nil && got.Status == agent.Done {
				t.Errorf("they pass: %+v", got)
			}
			t.Logf("%+v, %v", got, err)
		})
	}
}

func afterJob(do func(*wire.Conn) error) func(*wire.Conn) error {
	return func(c *wire.Conn) error {
		_ = c.Send(wire.Hello, wire.Greeting{Can: []string{wire.Session, wire.Check}})
		_, _ = c.Next(wire.Want)
		_ = c.Send(wire.Have, wire.Trees{})
		_, _ = c.Stream(wire.Tree, 1<<30).Drain()
		_, _ = c.Stream(wire.Job, 1<<30).Drain()
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

// empty is a pack of no object, as git makes it.
func empty() []byte {
	head := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), 0)
	return append(head, "\x02\x9d\x08\x82\x3b\xd8\xa8\xea\xb5\x10\xad\x6a\xc7\x5c\x82\x3c\xfd\x3e\xd3\x1e"...)
}

func sendPack(c *wire.Conn, pack []byte, name string) error {
	err := c.SendStream(wire.Tree, wire.Object{Name: name}, func(w io.Writer) error { _, err := w.Write(pack); return err })
	if err == nil {
		err = c.Send(wire.Result, agent.Result{Status: agent.Done})
	}
	return err
}

// files are those of a clone with nothing changed.
type files struct{ r *git.Repo }

func (f files) Repo() *git.Repo { return f.r }

func (f files) Snapshot(ctx context.Context) (string, error) {
	return f.r.Output(ctx, "rev-parse", "HEAD^{tree}")
}

func (f files) Become(ctx context.Context, from *git.Repo, tree string) error {
	return worktree.Become(ctx, from, nil, tree)
}

// Whatever a worker makes up, no session of it is done, no ref is moved, no file changed, and little
// memory is used.
func TestAHostileWorkerGetsNowhere(t *testing.T) {
	r, program := attacked(t)
	refs := repository.Ask(t, "for-each-ref")
	for kind := range hostile {
		t.Run(kind, func(t *testing.T) {
			var transcript bytes.Buffer
			a := &Agent{Agent: nobody{}, Launcher: Launcher{Name: "h", Command: fmt.Sprintf("exec '%s' %s '%s'", program, asWorker, kind), Start: 10 * time.Second}, Dir: r.Top, Tree: files{r}, Note: func(string) {}}
			talk := &talk{a: a, do: wire.Session, s: agent.Session{ID: "x", Timeout: time.Minute, Transcript: &transcript}}
			got, err := talk.run(t.Context(), talk.session)
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

package runner

import (
	"context"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// watched is a watch before a session.
func (w *world) watched() *Watch {
	w.Helper()
	watch := w.site.Watch(w.site.Scene())
	fine(w.T, watch.Session(w.Context(), "a", "a-1", w.git("rev-parse", "HEAD")))
	w.Cleanup(watch.Remove)
	return watch
}

// Branches, tags and stashes that moved during a session are reported; the base is more than
// that, if it has now what is work of this branch.
func TestRefsThatMoved(t *testing.T) {
	w := newWorld(t)
	w.write("x.txt", "x\n").git("add", "x.txt")
	w.git("commit", "-qm", "work")
	watch := w.again().watched()
	if changed := watch.RefsChanged(t.Context()); len(changed) != 0 || OtherRefs(changed) != nil {
		t.Errorf("%v", changed)
	}
	w.git("tag", "v1")
	w.git("commit", "-q", "--allow-empty", "-m", "of the branch itself")
	w.says(strings.Join(OtherRefs(watch.RefsChanged(t.Context())), ""), "refs changed during the session: refs/tags/v1")
	w.git("branch", "-q", "-f", "main", "work~1")
	took, err := watch.BasesTook(t.Context())
	fine(t, err)
	w.says(strings.Join(took, ""), "the base main, which has commits of this branch now, and was at ")

	w = newWorld(t)
	watch = w.watched()
	w.git("switch", "-q", "main")
	w.git("commit", "-q", "--allow-empty", "-m", "of others")
	w.git("switch", "-q", "work")
	if took, err := watch.BasesTook(t.Context()); err != nil || took != nil {
		t.Errorf("a base that merely advanced: %v %v", took, err)
	}
}

// A set-up that changed is named, before any git runs; what is this program's own is put back.
func TestASetUpThatChanged(t *testing.T) {
	w := newWorld(t)
	watch := w.watched()
	fine(t, watch.Unchanged(t.Context()))
	key := w.git("config", "--name-only", "--get-regexp", "^branch[.]work[.]")
	w.hook("post-checkout", "exit 1")
	w.git("config", "--unset", key)
	if err := watch.Unchanged(t.Context()); err == nil || !strings.Contains(err.Error(), "post-checkout") {
		t.Errorf("%v", err)
	}
	_, lost, err := watch.Changed(t.Context())
	fine(t, err)
	if !lost {
		t.Error("the branch lost its plan")
	}
	fine(t, w.site.AttachAgain(t.Context()))
	free, err := w.site.LockPlan(t.Context())
	fine(t, err)
	defer free()
	w.says(w.git("config", key), w.site.Checkout.Doc.ID)
	changed, _, err := watch.End(t.Context())
	fine(t, err)
	w.says(strings.Join(changed, " "), "post-checkout")
}

// Which sandbox is in force is found out, and reported, once.
func TestTheSandboxIsToldOnce(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		_, err := w.site.SandboxInForce(t.Context())
		fine(t, err)
	}
	if len(w.notices) != 1 || w.notices[0].Kind != journal.SandboxKind || w.notices[0].Plan != w.site.Checkout.Doc.ID || w.notices[0].Branch != "work" {
		t.Errorf("%+v", w.notices)
	}
	w.site.On = nil
	w.site.Report(journal.Notice{}) // nobody listens
}

// Commands that a person named confine themselves; sessions that only read run none, but of
// programs with commands of their own.
func TestWhoIsConfined(t *testing.T) {
	for _, row := range []struct {
		a    agent.Agent
		role agent.Role
		want bool
	}{
		{&cli.Command{}, agent.Executor, false}, {&cli.Agent{}, agent.Reviewer, true}, {&builtin.Agent{}, agent.Executor, true},
		{&builtin.Agent{}, agent.Reviewer, false}, {&builtin.Agent{}, agent.Fixer, true},
	} {
		if got := Confinable(row.a, row.role); got != row.want {
			t.Errorf("%T as %s: %v", row.a, row.role, got)
		}
	}
}

// talker is a session that says a secret wherever it can.
type talker struct{ agent.Agent }

func (talker) Run(ctx context.Context, s agent.Session) agent.Result {
	s.On(agent.Event{Text: "my secret"})
	answers, _ := s.Ask([]agent.Question{{Text: "secret?", Suggested: []string{"secret"}}})
	r := agent.Result{Status: agent.Done, Summary: "secret", Subject: strings.Join(answers, "")}
	if err := s.Accept(ctx, r); err != nil {
		r.Reason = err.Error()
	}
	return r
}

// Secrets are taken out of all that a session says.
func TestWordsAreMasked(t *testing.T) {
	var heard []string
	s := agent.Session{
		On: func(e agent.Event) { heard = append(heard, e.Text) },
		Ask: func(q []agent.Question) ([]string, error) {
			heard = append(heard, q[0].Text, q[0].Suggested[0])
			return []string{"ok"}, nil
		},
		Accept: func(_ context.Context, r agent.Result) error { heard = append(heard, r.Summary); return nil },
	}
	mask := func(text string) string { return strings.ReplaceAll(text, "secret", "***") }
	r := Masked{Agent: talker{}, Mask: mask}.Run(t.Context(), s)
	if got := strings.Join(append(heard, r.Summary), ","); got != "my ***,***?,***,***,***" {
		t.Error(got)
	}
	if (&Runner{}).Masked("secret") != "secret" || (&Runner{Mask: mask}).Masked("secret") != "***" {
		t.Error("a site masks, if it has a mask")
	}
}

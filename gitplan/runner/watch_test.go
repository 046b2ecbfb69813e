package runner

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// watched is a watch before a session.
func (w *world) watched() *Watch {
	w.Helper()
	watch := w.site.Watch(w.site.Scene())
	fine(w.T, watch.Session(w.Context(), "a", "a-1", w.git("rev-parse", "HEAD")))
	w.Cleanup(watch.Remove)
	return watch
}

// Branches, tags and stashes that moved during a session are reported; if the base now contains work of this
// branch, that is more than a report.
func TestRefsThatMoved(t *testing.T) {
	w := newWorld(t)
	w.write("x.txt", "x\n").git("add", "x.txt")
	w.git("commit", "-qm", "work")
	watch := w.again().watched()
	const during = "during the session"
	if changed := watch.RefsChanged(t.Context(), during); changed != nil {
		t.Errorf("%v", changed)
	}
	w.git("tag", "v1")
	w.git("commit", "-q", "--allow-empty", "-m", "of the branch itself")
	w.says(strings.Join(watch.RefsChanged(t.Context(), during), ""), "refs changed during the session: refs/tags/v1")
	w.git("branch", "-q", "-f", "main", "work~1")
	took, err := watch.BasesTook(t.Context())
	fine(t, err)
	w.says(strings.Join(took, ""), "the base main (it has commits of this branch now; to put it back: git update-ref refs/heads/main ")

	w = newWorld(t)
	theirs := w.git("commit-tree", "-p", "HEAD", "-m", "theirs", "HEAD^{tree}")
	for _, name := range []string{"forced", "fetched"} {
		w.git("update-ref", "refs/remotes/origin/"+name, theirs)
	}
	watch = w.watched()
	w.git("update-ref", "refs/remotes/origin/fetched", w.git("commit-tree", "-p", theirs, "-m", "more", "HEAD^{tree}"))
	w.git("update-ref", "refs/remotes/origin/new", theirs)
	w.git("update-ref", "-d", "refs/remotes/origin/new")
	if changed := watch.RefsChanged(t.Context(), during); changed != nil {
		t.Errorf("a fetch: %v", changed)
	}
	w.git("update-ref", "refs/remotes/origin/forced", "HEAD")
	w.git("update-ref", "-d", "refs/remotes/origin/fetched")
	w.says(strings.Join(watch.RefsChanged(t.Context(), during), "\n"), "refs changed during the session: refs/remotes/origin/fetched (deleted), refs/remotes/origin/forced\nto put back what was there: git ")

	w = newWorld(t)
	watch = w.watched()
	w.git("switch", "-q", "main")
	w.git("commit", "-q", "--allow-empty", "-m", "of others")
	w.git("switch", "-q", "work")
	if took, err := watch.BasesTook(t.Context()); err != nil || took != nil {
		t.Errorf("a base that merely advanced: %v %v", took, err)
	}
}

// Refs that a session deleted or moved can be restored with the commands of the note, even after git gc:
// stashes, branches, tags.
func TestDeletedRefsCanBeRestored(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"oldest", "second's", "newest"} {
		w.write("a.txt", name+"\n")
		w.git("stash", "push", "-q", "-m", name)
	}
	w.git("branch", "merged", "main")
	w.git("branch", "on", "main")
	for _, branch := range []string{"gone", "moved"} {
		w.git("branch", branch, w.git("commit-tree", "-m", branch, "HEAD^{tree}"))
	}
	w.git("tag", "-a", "-m", "signed off", "v1", "gone")
	w.git("notes", "add", "-m", "a note")
	state := func() string {
		return w.git("stash", "list", "--format=%H %gs") + "\n" + w.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags", "refs/notes")
	}
	before, watch := state(), w.again().watched()
	w.git("stash", "drop", "-q", "stash@{1}")
	notes := strings.Join(watch.RefsChanged(t.Context(), "during the session"), "\n")
	w.says(notes, "refs changed during the session: refs/stash\nto put back what was there: git ")
	w.git("stash", "clear")
	w.git("branch", "-q", "-D", "merged", "gone")
	w.git("branch", "-q", "-f", "moved", "main")
	w.git("branch", "-q", "-f", "on", w.git("commit-tree", "-p", "main", "-m", "on", "main^{tree}"))
	w.git("update-ref", "-d", "refs/notes/commits")
	w.git("tag", "-d", "v1")
	notes = strings.Join(watch.RefsChanged(t.Context(), "during the session"), "\n")
	w.says(notes, "refs/heads/gone (deleted), refs/heads/merged (deleted), refs/heads/moved, refs/heads/on, refs/notes/commits (deleted), refs/stash (deleted), refs/tags/v1 (deleted)\n")
	w.git("reflog", "expire", "--expire=all", "--all")
	w.git("gc", "-q", "--prune=now")
	_, commands, _ := strings.Cut(notes, "to put back what was there: ")
	if out, err := exec.Command("bash", "-c", commands).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", commands, err, out)
	}
	if now := state(); now != before {
		t.Errorf("it is\n%s\nand was\n%s", now, before)
	}
	kept, err := w.site.Checkout.Attempts().List(t.Context(), "")
	if err != nil || len(kept) != 3 || kept[0].Time.IsZero() || kept[1].Ending.Reason == "" {
		t.Errorf("%v, %v", kept, err)
	}
}

// A changed configuration is named, before any git runs; git plan's own state is restored.
func TestChangedConfiguration(t *testing.T) {
	w := newWorld(t)
	watch := w.watched()
	fine(t, watch.Unchanged(t.Context()))
	key := w.git("config", "--name-only", "--get-regexp", "^branch[.]work[.]")
	w.hook("post-checkout", "exit 1")
	w.git("config", "--unset", key)
	if err := watch.Unchanged(t.Context()); err == nil || !strings.Contains(err.Error(), "post-checkout") {
		t.Errorf("%v", err)
	}
	_, lost, err := watch.target.Changed(t.Context(), watch.Setup)
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

// The sandbox in force is determined, and reported, once.
func TestSandboxIsReportedOnce(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		_, err := w.site.SandboxInForce(t.Context())
		fine(t, err)
	}
	if len(w.notices) != 1 || w.notices[0].Kind != journal.SandboxKind || w.notices[0].Plan != w.site.Checkout.Doc.ID || w.notices[0].Branch != "work" {
		t.Errorf("%+v", w.notices)
	}
	w.site.On = nil
	w.site.Report(journal.Notice{}) // without a watcher
}

// Commands that a person configured confine themselves; read-only sessions run none, except programs with
// commands of their own.
func TestConfinedRoles(t *testing.T) {
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

// talker is a session that prints a secret wherever it can.
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

// Secrets are removed from everything that a session prints.
func TestSessionOutputIsMasked(t *testing.T) {
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

// Refs that the task does not write are read again if one has changed, by any program, and otherwise not.
func TestRefsAreReadAgainOnlyAfterAChange(t *testing.T) {
	w := newWorld(t)
	w.git("branch", "other")
	head, tree := w.git("rev-parse", "HEAD"), w.git("rev-parse", "HEAD^{tree}")
	other := w.git("commit-tree", "-m", "other", tree)
	file := filepath.Join(w.site.Checkout.Repo.CommonDir, "refs/heads/other")
	read := func(want string, starts int64) {
		t.Helper()
		began := proc.Started.Load()
		refs, err := w.site.Refs(t.Context())
		if n := proc.Started.Load() - began; err != nil || refs["refs/heads/other"] != want || n != starts {
			t.Errorf("other is at %s, read by %d programs, %v; want %s, %d", refs["refs/heads/other"], n, err, want, starts)
		}
	}
	read(head, 1)
	w.git("commit", "-q", "--allow-empty", "-m", "of the task")
	read(head, 0)
	fine(t, os.WriteFile(file, []byte(other+"\n"), 0o644))
	read(other, 1)
	w.git("pack-refs", "--all")
	read(other, 1)
	read(other, 0)
	fine(t, os.Symlink("elsewhere", file)) // whose contents may be anywhere
	read(other, 1)
	read(other, 1)
	fine(t, os.Remove(file))
	w.git("branch", "-D", "-q", "other")
	read("", 1)
}

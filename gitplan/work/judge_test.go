package work

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// A session's claim to be done does not count: its work is judged, and the reason of a refusal is useful to
// the next session.
func TestRefusedWork(t *testing.T) {
	for name, c := range map[string]struct{ script, check, why string }{
		"nothing":                   {"true", "true", "the session changed nothing"},
		"work that fails its check": {"echo a >a.txt", "! grep a a.txt", "`! grep a a.txt` exited with 1"},
		"work that a check reverts": {"echo a >README", "git checkout -q README", "the session changed nothing"},
		"a nested repository":       {"git init -q sub && git -C sub commit -q --allow-empty -m x && git add sub", "", "sub is a repository of its own"},
		"a name git refuses":        {"mkdir .GIT; echo x | tee .GIT/config >x.txt", "true", "git refuses to add .GIT/config"},
		"line ends git refuses":     {"printf 'a\\r\\nb\\n' >a.txt", "", "git refuses to add what it did: "},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, c.script)
			s.Commit("todo.md", "- [ ] Make a\n")
			s.Set("core.safecrlf", "true", "core.autocrlf", "input")
			s = reopened(s.World)
			before, task := s.Head(), s.step()
			if task.Attempts = 1; c.check != "" {
				task.Checks = []string{c.check}
			}
			s.ended(s.works(task), agent.Failed, c.why)
			if s.Head() != before {
				t.Error("something is committed")
			}
			s.Clean()
		})
	}
}

// A task that may change nothing is done by its checks alone; it has no commit.
func TestTaskWithoutAChange(t *testing.T) {
	for _, script := range []string{"true", "git checkout -q README"} {
		s := newShop(t, script)
		task, before := s.step("test -f README"), s.Head()
		inspected := 0
		task.Unchanged = true
		task.Guard = func(_ context.Context, c workspace.Changeset) (workspace.Guarded, error) {
			inspected++
			return workspace.Guarded{}, nil
		}
		out := s.works(task)
		s.ended(out, agent.Done, "")
		if out.Commit != journal.None || s.Head() != before || inspected != 1 {
			t.Errorf("%s: commit %s, inspected %d times", script, out.Commit, inspected)
		}
	}
}

// The guard reads what would be committed: a refusal fails the attempt and is passed to the next session, a
// report is printed once.
func TestGuardResults(t *testing.T) {
	s := newShop(t, `cat >"$HOME/told$GIT_PLAN_ATTEMPT"; echo $GIT_PLAN_ATTEMPT >a.txt`)
	task := s.step("true")
	task.Guard = func(_ context.Context, c workspace.Changeset) (workspace.Guarded, error) {
		said := workspace.Guarded{Reported: []string{"drifts", "drifts"}}
		if s.Git("show", c.Tree+":a.txt") == "1" {
			said.Failing = []string{"one is not enough", "at all"}
		}
		return said, nil
	}
	out := s.works(task)
	s.ended(out, agent.Done, "")
	if notices := s.Heard(2); out.Attempts != 2 || strings.Join(out.Reported, ",") != "drifts" || !strings.Contains(notices, "one is not enough\nat all") {
		t.Errorf("after %d attempts it reports %q; the second session was sent\n%s", out.Attempts, out.Reported, notices)
	}
	if got := s.happened(); !strings.Contains(got, "failed 1 (one is not enough; and 1 more reason)") {
		t.Errorf("the events are: %s", got)
	}
}

// An attempt whose check fails says apart from that what the guard found, too: what the check printed is shown already.
func TestCheckAndGuardFail(t *testing.T) {
	s := newShop(t, "echo $GIT_PLAN_ATTEMPT >a.txt")
	task := s.step("grep -q 2 a.txt")
	task.Guard = func(_ context.Context, c workspace.Changeset) (workspace.Guarded, error) {
		if s.Git("show", c.Tree+":a.txt") == "1" {
			return workspace.Guarded{Failing: []string{"one is not enough", "at all"}}, nil
		}
		return workspace.Guarded{}, nil
	}
	s.ended(s.works(task), agent.Done, "")
	const want = "one is not enough `grep -q 2 a.txt` exited with 1; and 2 more reasons one is not enough at all"
	if got := s.Said(journal.StepFailed); got != want {
		t.Errorf("it said %q", got)
	}
}

// The person's commit hook decides last: work that it refuses is not committed, and its output is passed to
// the next session.
func TestCommitHookRefuses(t *testing.T) {
	s := newShop(t, "echo $GIT_PLAN_ATTEMPT >a.txt")
	s.hook("pre-commit", "grep -q 2 a.txt && exit 0; echo looked; echo at a.txt; echo no two in it; exit 1")
	out := s.works(s.step("true"))
	s.ended(out, agent.Done, "")
	if out.Attempts != 2 || !strings.Contains(s.happened(), "checked 1, failed 1 (git commit was refused: at a.txt; no two in it") {
		t.Errorf("after %d attempts the events are: %s", out.Attempts, s.happened())
	}
	s.Clean()
}

// A formatting hook may refuse the commit and leave the files formatted: these are checked, and committed,
// without another session.
func TestCommitHookFormats(t *testing.T) {
	s := newShop(t, "echo 'a  b' >a.txt")
	s.hook("pre-commit", "grep -q '  ' a.txt || exit 0; echo 'a b' >a.txt; exit 1")
	out := s.works(s.step("test -f a.txt"))
	s.ended(out, agent.Done, "")
	if out.Attempts != 1 || s.Git("show", "HEAD:a.txt") != "a b" || s.Count(journal.CheckEnd) != 2 {
		t.Errorf("after %d attempts and %d checks a.txt is %q", out.Attempts, s.Count(journal.CheckEnd), s.Git("show", "HEAD:a.txt"))
	}
	s.Clean()
}

// Signing is tried once, before any session.
func TestSigningIsTriedFirst(t *testing.T) {
	s := newShop(t, "echo a >a.txt")
	s.Set("commit.gpgsign", "true", "gpg.program", "/nothing/here")
	s = reopened(s.World)
	lent, back := 0, 0
	s.Lend = func() func() { lent++; return func() { back++ } }
	for range 2 {
		if _, err := s.worksUntil(s.Context(), s.step("true")); !errors.Is(err, fault.ErrCannotSign) {
			t.Errorf("git cannot sign, and the task ends with %v", err)
		}
	}
	if lent != 1 || back != 1 || s.Count(journal.SessionStart) > 0 {
		t.Errorf("the terminal was lent %d times and given back %d times, for %d sessions", lent, back, s.Count(journal.SessionStart))
	}
	s.Clean()
}

// The commit message is from the session that did the work.
func TestAuthorOfTheMessage(t *testing.T) {
	s := newShop(t, `echo a >a.txt; echo '{"subject":"Add a","summary":"It was missing."}' >"$GIT_PLAN_RESULT"`)
	s.ended(s.works(s.step()), agent.Done, "")
	if got := s.Git("log", "-1", "--format=%B"); got != "Add a\n\nIt was missing.\n\nPlan-Step: "+s.Plan+"/a" {
		t.Errorf("the message is\n%s", got)
	}
}

// hook installs a hook of the person's.
func (s *shop) hook(name, script string) {
	s.Helper()
	s.Write(".git/hooks/"+name, "#!/bin/sh\n"+script+"\n")
	s.Fine(executable(".git/hooks/" + name))
}

// git's whole output is passed to the next session; the first line has its end, where most programs say why.
func TestRefusal(t *testing.T) {
	for said, want := range map[string]string{
		"":                       "refused",
		"\n  why \n":             "refused: why",
		"one\ntwo":               "refused: one; two",
		" one\n\ntwo\n three \n": "refused: two; three\none\n\ntwo\n three",
		"one\n  \ntwo  \n":       "refused: one; two",
		"one \r\ntwo\r\n":        "refused: one; two",
	} {
		if got := withLastLines("refused", said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

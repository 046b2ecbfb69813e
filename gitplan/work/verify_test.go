package work

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Commands of the plan run where a session would run them: with plan.isolation=clone in a temporary clone.
func TestVerifyInTheSessionsWorkspace(t *testing.T) {
	for isolation, elsewhere := range map[string]bool{"tree": false, "clone": true} {
		s := newShop(t, "true")
		s.Set("plan.isolation", isolation)
		s = reopened(s.World)
		p, err := workspace.Ready(t.Context(), s.Runner)
		none, failing := s.Failing(t.Context(), p, nil)
		s.Fine(err, failing)
		where := filepath.Join(t.TempDir(), "where")
		failed, err := s.Failing(t.Context(), p, []string{"echo why; exit 3", "false", "pwd -P >'" + where + "'"})
		if err != nil || none != nil || len(failed) != 2 || failed[0].Exit.Code != 3 || failed[0].Output != "why" {
			t.Errorf("%s: %v, %v", isolation, failed, err)
		}
		dir := strings.TrimSpace(s.Read(where))
		if _, err := os.Stat(dir); (dir != s.Dir) != elsewhere || elsewhere == (err == nil) {
			t.Errorf("%s: it ran in %s; %v", isolation, dir, err)
		}
		s.Clean()
	}
}

// Commands of the plan run code of sessions: a repository that they create in the work tree is set aside.
func TestVerifyLeavesNoRepository(t *testing.T) {
	s := newShop(t, "true")
	s.Commit("sub/file", "x\n", "sub")
	p, err := workspace.Ready(t.Context(), s.Runner)
	s.Fine(err)
	_, err = s.Failing(t.Context(), p, []string{"git init -q sub"})
	if _, there := os.Lstat(filepath.Join(s.Dir, "sub/.git")); !errors.Is(err, fault.ErrSetupChanged) || there == nil {
		t.Errorf("%v; %v", err, there)
	}
}

// A person's checks are the person's: with their environment, in their tree.
func TestPersonsChecks(t *testing.T) {
	s := newShop(t, "true")
	t.Setenv("SECRET_TOKEN", "known")
	checks := s.Runner.PersonsChecks("verify", journal.Notice{})
	s.Fine(checks.Run(t.Context(), []string{`test "$SECRET_TOKEN" = known`}))
	if err := checks.Run(t.Context(), []string{"false", "touch second"}); err == nil || s.Read("second") != "" {
		t.Errorf("after a check that failed: %v", err)
	}
	p, err := workspace.Ready(t.Context(), s.Runner)
	s.Fine(err)
	if failed, err := s.Failing(t.Context(), p, []string{`test "$SECRET_TOKEN" = known`}); err != nil || len(failed) != 1 {
		t.Error(err, "a session's check sees the person's secret")
	}
}

// One Worker runs sessions of reviewers in parallel: no count is lost, and a rate-limited agent rests for all
// of them.
func TestSessionsSideBySide(t *testing.T) {
	s := newShop(t, answers)
	s.Agent("limited", "exit 75")
	s.Set("plan.reviewer.fallback", "m", "plan.maxTime", "1h")
	s = reopened(s.World)
	s.reviewed("limited") // it rests from here on
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			name := "m"
			if i%2 == 0 {
				name = "limited"
			}
			a, err := s.Runner.Checkout.Config.NamedAgent(name, agent.Reviewer)
			r := s.RunReview(t.Context(), a, agent.Session{ID: fmt.Sprint("side-", i), Role: agent.Reviewer, Dir: s.Dir})
			if err != nil || r.Status != agent.Done || r.Agent != "m" {
				t.Errorf("%d ended %+v, %v", i, r, err)
			}
		})
	}
	all.Wait()
	tokens, n := agent.Tokens{}, 0
	for _, h := range s.Unreported() {
		tokens, n = tokens.Add(h.Tokens), n+h.Sessions
	}
	if n != 7 || tokens.In != 6300 || s.Count(journal.SessionStart) != 8 {
		t.Errorf("%d sessions used %+v; %d were held", n, tokens, s.Count(journal.SessionStart))
	}
}

// A sandbox that is required and does not work is reported before anything begins.
func TestUnavailableSandbox(t *testing.T) {
	s := newShop(t, "echo a >a.txt")
	s.Set("plan.sandbox", "seatbelt")
	if _, err := os.Stat("/usr/bin/sandbox-exec"); err == nil {
		t.Skip("it can be had here")
	}
	s = reopened(s.World)
	_, err := s.worksUntil(t.Context(), s.step("true"))
	s.Refused(err, fault.ErrSandbox, "seatbelt")
	if s.Count(journal.SessionStart) != 0 || s.happened() != "" {
		t.Error("a session began")
	}
	s.ended(s.works(s.step()), agent.Done, "") // the person's own command is not confined
}

// An invalid value in the configuration is an error before any session, with its key.
func TestSettingsOfASession(t *testing.T) {
	for key, value := range map[string]string{
		"plan.executor.timeout": "soon", "plan.executor.idleTimeout": "later",
		"plan.maxTokens": "few", "plan.executor.fallback": "nobody", "plan.hooksSandbox": "sometimes",
	} {
		s := newShop(t, "true")
		s.Set(key, value)
		if err := reopened(s.World).SetLimits(&agent.Session{}, agent.Executor); err == nil || !strings.Contains(err.Error(), value) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

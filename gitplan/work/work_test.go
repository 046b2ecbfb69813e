package work

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/prompt"
)

// A session whose work failed a check is followed by a fresh one, which continues from the tree as it is, and
// reads what failed and what was changed so far. Work that passes becomes one commit.
func TestNextSessionReadsTheFailure(t *testing.T) {
	s := newShop(t, `cat >"$HOME/told$GIT_PLAN_ATTEMPT"; echo line >>a.txt`)
	out := s.works(s.step("test $(wc -l <a.txt) = 2 || { echo one line is missing; false; }"))
	s.ended(out, agent.Done, "")
	if commits := s.Git("rev-list", "--count", "main..HEAD"); out.Attempts != 2 || out.Commit != s.Head() || commits != "1" {
		t.Errorf("after %d attempts %s is committed, and there are %s commits", out.Attempts, out.Commit, commits)
	}
	if got := s.Git("show", "--format=%s%n%n%(trailers:only,unfold)", "--name-only"); got != "Make a\n\nPlan-Step: "+s.Plan+"/a\n\n\na.txt" {
		t.Errorf("it committed\n%s", got)
	}
	if first := s.Heard(1); strings.Contains(first, "## Why the last attempt failed") || !strings.Contains(first, "GIT_PLAN_RESULT") {
		t.Errorf("the first session was sent %q", first)
	}
	if second := s.Heard(2); !strings.Contains(second, "one line is missing") || !strings.Contains(second, "+line") {
		t.Errorf("the second session was sent\n%s", second)
	}
	if got := s.happened(); !strings.HasPrefix(got, "started 1, failed 1 (") || !strings.HasSuffix(got, "), started 2, checked 2") {
		t.Errorf("the events are: %s", got)
	}
	s.Clean()
}

// A task that is given up restores the tree, and keeps the last session's work under a ref.
func TestAbandonedWorkIsKept(t *testing.T) {
	s := newShop(t, `echo $GIT_PLAN_ATTEMPT >a.txt; echo changed >README`)
	before := s.Head()
	out := s.works(s.step("test -f b.txt"))
	s.ended(out, agent.Failed, "`test -f b.txt` exited with 1")
	if out.Attempts != 3 || s.Head() != before || s.Read("README") != "read me\n" {
		t.Errorf("after %d attempts HEAD is at %s, README is %q", out.Attempts, s.Head(), s.Read("README"))
	}
	s.Clean()
	if s.Git("show", out.Kept+":a.txt") != "3" || s.Git("show", out.Kept+":README") != "changed" {
		t.Errorf("%s does not hold what the last session left", out.Kept)
	}
	if last := s.Checkout.Doc.Events[len(s.Checkout.Doc.Events)-1]; last.Kind != journal.Failed || last.Kept != out.Kept || last.Stopped {
		t.Errorf("the last event is %+v", last)
	}
	if s.Checkout.Task().State().Name != "" {
		t.Error("the task is still recorded")
	}
}

// The result of a session decides whether another follows, and what is kept. Results that say nothing about
// the work are events that say so (stopped).
func TestHowSessionsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		script   string
		config   []string
		status   agent.Status
		why      string
		attempts int
		stopped  bool
	}{
		"says that it failed": {`echo '{"status":"failed","summary":"too hard"}' >"$GIT_PLAN_RESULT"`, nil, agent.Failed, "too hard", 3, false},
		"breaks":              {"exit 3", nil, agent.Failed, "exit code 3", 3, false},
		"takes too long":      {"sleep 60", []string{"plan.executor.timeout", "500ms"}, agent.TimedOut, "the session took longer than", 3, false},
		"is silent":           {"sleep 60", []string{"plan.executor.idleTimeout", "500ms"}, agent.TimedOut, "the session showed no sign of life", 3, false},
		"meets a limit":       {"exit 75", nil, agent.Limited, "the command asks to retry later", 1, true},
		"is not there":        {"/nothing/here", nil, agent.Unusable, "planAgent.m.command cannot be run (exit code 127)", 1, true},
		"asks":                {`echo '{"status":"blocked","question":"Which one?"}' >"$GIT_PLAN_RESULT"`, nil, agent.Blocked, "", 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, "echo work >a.txt\n"+c.script)
			s.Set(c.config...)
			s = reopened(s.World)
			out := s.works(s.step("true"))
			if out.Status != c.status || !strings.HasPrefix(out.Reason, c.why) || out.Attempts != c.attempts {
				t.Errorf("it ended %s after %d attempts: %s", out.Status, out.Attempts, out.Reason)
			}
			if last := s.Checkout.Doc.Events[len(s.Checkout.Doc.Events)-1]; last.Kind != journal.Failed || last.Stopped != c.stopped {
				t.Errorf("the last event is %+v", last)
			}
			if s.Git("show", out.Kept+":a.txt") != "work" {
				t.Error("what it left is not kept")
			}
			s.Clean()
		})
	}
}

// A question that the next session answers itself uses no attempt.
func TestQuestionUsesNoAttempt(t *testing.T) {
	s := newShop(t, `[ $GIT_PLAN_ATTEMPT = 1 ] || exit 3; echo '{"status":"blocked","question":"Which one?"}' >"$GIT_PLAN_RESULT"`)
	task := s.step("true")
	task.Assume = true
	if out := s.works(task); out.Attempts != 4 || !strings.HasPrefix(out.Reason, "exit code 3") {
		t.Errorf("it ended after %d attempts: %s", out.Attempts, out.Reason)
	}
}

// Ctrl-C ends a session and everything that it started; its work is kept.
func TestInterrupted(t *testing.T) {
	s := newShop(t, "echo half >a.txt; echo >.git/here; sleep 60")
	out, err := s.worksUntil(s.until(".git/here"), s.step("true"))
	s.Fine(err)
	s.ended(out, agent.Cancelled, journal.Interrupted)
	if s.Git("show", out.Kept+":a.txt") != "half" || s.happened() != "started 1, failed 1 (interrupted)" || !s.Checkout.Doc.Events[len(s.Checkout.Doc.Events)-1].Stopped {
		t.Errorf("kept as %q; the events are: %s", out.Kept, s.happened())
	}
	s.Clean()
}

// A session that changes configuration or hooks fails, however good its work. Nothing is set aside, since any
// git that reads the tree might run something, and a person must look first.
func TestSessionThatChangesTheConfiguration(t *testing.T) {
	s := newShop(t, "echo a >a.txt; git config alias.st status")
	before := s.Head()
	out := s.works(s.step("true"))
	s.ended(out, agent.Failed, "tampering: ")
	if len(out.SetupChanged) == 0 || out.Attempts != 1 || s.Head() != before || s.Read("a.txt") != "a\n" || out.Kept != "" {
		t.Errorf("it changed %q; after %d attempts HEAD is at %s", out.SetupChanged, out.Attempts, s.Head())
	}
	if _, unseen := s.Checkout.SetupChange(); !unseen {
		t.Error("no person has to look")
	}
	s.Refused(s.Checkout.RequireApproval(), fault.ErrSetupUnseen, "alias.st")
}

// Untracked files from before are never committed. Files that a session removed are restored, and the
// original of a changed one is kept.
func TestThePersonsFiles(t *testing.T) {
	s := newShop(t, "echo a >a.txt; echo overwritten >changed.txt; rm -f removed.txt")
	s.Write("changed.txt", "mine\n")
	s.Write("removed.txt", "mine, too\n")
	out := s.works(s.step("true"))
	s.ended(out, agent.Done, "")
	if got := s.Git("show", "--format=", "--name-only"); got != "a.txt" || s.Read("removed.txt") != "mine, too\n" {
		t.Errorf("it committed %q, and removed.txt is %q", got, s.Read("removed.txt"))
	}
	said := strings.Join(out.Reported, "\n")
	_, ref, _ := strings.Cut(said, "no commit has: changed.txt; to bring them back as they were: git restore --overlay --source=")
	ref, _, _ = strings.Cut(ref, " ")
	if ref == "" || s.Git("show", ref+":changed.txt") != "mine" || !strings.Contains(said, "removed files that no commit has: removed.txt; they are back") {
		t.Errorf("it reports\n%s", said)
	}
}

// A session with a connection is told of a failed check before it ends, and may continue; work that passed
// then is committed without another check.
func TestRunningSessionIsToldOfAFailedCheck(t *testing.T) {
	s := newShop(t, "true")
	call := func(expect, name, args string) script.Turn {
		return script.Turn{Expect: expect, Calls: []script.Call{{Name: name, Args: []byte(args)}}}
	}
	finish := `{"status": "done", "subject": "Add a", "summary": "did it"}`
	server, err := script.Serve(script.Script{Lanes: []script.Lane{{Role: agent.Executor, Turns: []script.Turn{
		call("", "write_file", `{"path": "a.txt", "content": "one\n"}`), call("", "finish", finish),
		call("two is missing", "write_file", `{"path": "b.txt", "content": "two\n"}`), call("", "finish", finish),
	}}}})
	s.Fine(err)
	defer server.Close()
	s.Set("plan.executor.agent", "http", "planAgent.http.baseURL", server.URL(), "planAgent.http.model", "x")
	s = reopened(s.World)
	task := s.step("test -f b.txt || { echo two is missing; false; }")
	task.Prompt = rolePrompt
	out := s.works(task)
	s.ended(out, agent.Done, "")
	if s.Count(journal.SessionStart) != 1 || s.Count(journal.CheckEnd) != 2 || s.Git("log", "-1", "--format=%s") != "Add a" {
		t.Errorf("%d sessions, %d checks", s.Count(journal.SessionStart), s.Count(journal.CheckEnd))
	}
	s.Clean()
}

// A session that gives up after a failed check gives a reason; the next one is told of the check, too.
func TestLastFailedCheckOfASession(t *testing.T) {
	s := newShop(t, "true")
	finish := func(args string) script.Turn {
		return script.Turn{Calls: []script.Call{{Name: "finish", Args: []byte(args)}}}
	}
	server, err := script.Serve(script.Script{Lanes: []script.Lane{{Role: agent.Executor, Turns: []script.Turn{
		finish(`{"status": "done", "summary": "did it", "rejected": "a table"}`), finish(`{"status": "failed", "summary": "it is too hard", "rejected": "a switch"}`),
	}}}})
	s.Fine(err)
	defer server.Close()
	s.Set("plan.executor.agent", "http", "planAgent.http.baseURL", server.URL(), "planAgent.http.model", "x")
	s = reopened(s.World)
	task := s.step("echo two is missing; false")
	task.Attempts = 2
	var notices, noted []string
	task.Prompt = func(try prompt.Attempt) agent.Prompt {
		notices, noted = append(notices, try.Failure), append(noted, try.Notes)
		return rolePrompt(try)
	}
	s.ended(s.works(task), agent.Failed, "it is too hard")
	if len(notices) != 2 || !strings.HasPrefix(notices[1], "it is too hard") || !strings.Contains(notices[1], "The last check that failed in it: ") || !strings.Contains(notices[1], "two is missing") {
		t.Errorf("the sessions were sent %q", notices)
	}
	if want := "it reported: did it\nrejected: a table\nit reported: it is too hard\nrejected: a switch"; noted[0] != "" || noted[1] != want {
		t.Errorf("of the last session they were sent %q, want %q", noted, want)
	}
}

// Ctrl-C during git commit: if the commit exists, the work is done.
func TestInterruptedAfterTheCommit(t *testing.T) {
	s := newShop(t, "echo a >a.txt")
	s.hook("post-commit", "echo >.git/here; sleep 60")
	out, err := s.worksUntil(s.until(".git/here"), s.step("true"))
	s.Fine(err)
	s.ended(out, agent.Done, "")
	if out.Commit != s.Head() || s.Git("log", "-1", "--format=%s") != "Make a" {
		t.Errorf("the commit is %s, HEAD is %s", out.Commit, s.Head())
	}
	s.Clean()
}

// Ctrl-C during a commit hook: nothing is committed, and everything is kept.
func TestInterruptedBeforeTheCommit(t *testing.T) {
	s := newShop(t, "echo a >a.txt")
	s.hook("pre-commit", "echo >.git/here; sleep 60")
	before := s.Head()
	out, err := s.worksUntil(s.until(".git/here"), s.step("true"))
	s.Fine(err)
	s.ended(out, agent.Cancelled, journal.Interrupted)
	if s.Head() != before || s.Git("show", out.Kept+":a.txt") != "a" {
		t.Errorf("kept as %q", out.Kept)
	}
	s.Clean()
}

// A task continues from an interrupted attempt's work, under the number of that attempt.
func TestTaskContinues(t *testing.T) {
	s := newShop(t, "echo half >a.txt; echo >.git/here; sleep 60")
	first, err := s.worksUntil(s.until(".git/here"), s.step())
	s.Fine(err)
	s.Set("planAgent.m.command", "echo whole >>a.txt")
	s = reopened(s.World)
	task := s.step("test $(wc -l <a.txt) = 2")
	task.Kept, task.First = KeptBy(t.Context(), s.Checkout, first.Kept), 2
	out := s.works(task)
	s.ended(out, agent.Done, "")
	if out.Attempts != 2 || !strings.Contains(s.Said(journal.StepNote), "continues from the last session's work; --clean starts over") {
		t.Errorf("after %d attempts it said %s", out.Attempts, s.Said(journal.StepNote))
	}
}

//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// A run in a terminal has a row for each step, redrawn in place however the terminal is resized; it stays
// when the step is done, continues after Ctrl-Z, and stays unchanged when the person stops the run.
func TestRunInATerminal(t *testing.T) {
	s := sit(t)
	s.runs("seq 3; git plan run --no-review")
	s.once(s.until(`^. s1: Step 1 +0:\d[1-9]$`), "s1: Step 1")

	s.tmux("resize-window", "-x", "18", "-y", "24")
	s.once(s.until(`^. s1: Step 1 +…$`), "s1: St") // with nothing below it
	s.tmux("resize-window", "-x", "80", "-y", "24")
	s.until(`^. s1: Step 1 +0:\d\d$`) // the row is drawn at the new width
	s.goOn("s1")
	screen := s.until(`^. s2: Step 2 +0:\d[1-9]$`)
	s.once(screen, `^✓ s1: Step 1 +0:\d\d +[0-9a-f]{10}$`)
	s.once(screen, "s2: Step 2")

	s.types("", "C-z")
	s.until(`Stopped`)
	s.clears()
	s.runs("fg")
	s.until(`^. s2: Step 2 +0:\d\d$`)
	s.goOn("s2")
	s.until(`^. s3: Step 3 +0:\d[1-9]$`)

	s.types("", "C-c")
	screen = s.until(`(?s)hint: .*^\$`)
	for _, line := range []string{`^stopping; .*; Ctrl-C again ends at once$`, `^■ s3: Step 3 +0:\d\d$`, `^■ stopped: 2 steps done, 2 left, 0:\d\d$`, `^  3 sessions, .*cost unknown$`, `^error: interrupted in step s3`} {
		s.once(screen, line)
	}
	s.once(screen, "s3: Step 3")
}

// Keys stop a run and show what is running; a pager, the shell and its jobs get the terminal back in order.
func TestKeysActDuringARun(t *testing.T) {
	s := sit(t)
	gate := filepath.Join(s.dir, "..", "go-on-")
	runGit(t, s.dir, "config", "planAgent.fake.command", `echo begun >begun.txt; until test -e "`+gate+`$GIT_PLAN_STEP"; do sleep 0.02; done`)
	press := func(key, shows string) { // a key that is pressed while the terminal changes owners is lost
		t.Helper()
		want := regexp.MustCompile("(?m)" + shows)
		for range 60 {
			s.types(key)
			for range 10 {
				if time.Sleep(100 * time.Millisecond); want.MatchString(s.tmux("capture-pane", "-p")) {
					return
				}
			}
			s.types("q") // a pager, if one is there
		}
		t.Fatalf("%s never showed %s:\n%s", key, shows, s.tmux("capture-pane", "-p"))
	}
	const row = `^. s1: Step 1 +0:\d\d\n  0/4 · 1 running · 0:\d\d · \? for keys\s*\z`
	const help = `s stop · d diff · l log · \? back$`
	s.runs("GIT_PAGER='less -+F' git plan run --no-review")
	s.until(row)
	press("d", `^\+begun$`)
	s.types("", "C-c") // the pager's
	press("q", row)
	press("l", `session s1-.*executor fake$`)
	press("q", row)
	press("?", help)
	press("?", row)
	s.types("", "C-z")
	s.until(`Stopped[^\n]*\n\$ *\n*\z`)
	s.types("bg; echo I type; stty -a | grep -o '[ -]icanon'", "Enter")
	s.until(`^I type\n icanon$`)
	s.types("fg", "Enter")
	press("?", help)
	s.types("s")
	s.until(`^this ends after what is in progress; s again ends it now$`)
	s.goOn("s1")
	s.until(`^hint: continue where it stopped`)
	s.runs("stty -a | grep -o '[ -]icanon'; stty -a | grep -o '[ -]echo '")
	s.until(`^ icanon\n echo *$`)
}

// While git commit asks for a passphrase nothing is drawn until it has the answer.
func TestPassphraseIsAskedAboveTheRows(t *testing.T) {
	s := sit(t, "SSH_AUTH_SOCK=", "SSH_ASKPASS=", "DISPLAY=")
	key := filepath.Join(s.dir, "..", "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-C", "", "-f", key).CombinedOutput(); err != nil {
		t.Skipf("needs ssh-keygen: %v %s", err, out)
	}
	for _, kv := range [][2]string{{"commit.gpgSign", "true"}, {"gpg.format", "ssh"}, {"user.signingKey", key}} {
		runGit(t, s.dir, "config", kv[0], kv[1])
	}
	s.runs("git plan run --no-review")
	s.until(`^Enter passphrase[^\n]*: *\n*\z`) // git tries to sign, before any session
	s.types("secret", "Enter")
	s.until(`^. s1: Step 1 +0:0`)
	s.goOn("s1")
	screen := s.until(`^Enter passphrase[^\n]*: *\n*\z`)
	time.Sleep(1100 * time.Millisecond) // the clock would have moved
	if now := s.until(`^Enter passphrase[^\n]*: *\n*\z`); now != screen {
		t.Errorf("drawn while git asks:\n%s", now)
	}
	s.types("secret", "Enter")
	screen = s.until(`^. s2: Step 2 +0:`)
	s.once(screen, `^✓ s1: Step 1 +0:\d\d +[0-9a-f]{10}`)
	s.once(screen, "s2: Step 2")
	s.types("", "C-c")
	s.until(`(?s)hint: .*^\$`)
}

// asking is a recorded planner that asks three questions.
const asking = `{"lanes": [{"role": "planner", "turns": [
	{"calls": [{"name": "ask", "args": {"questions": [
		{"question": "Which store should budgets be kept in?", "suggested": ["the ledger", "a file of their own"]},
		{"question": "What is over a budget?", "suggested": ["more than it", "exactly it, too"]},
		{"question": "Who is told?"}]}}]},
	{"calls": [{"name": "submit_plan", "args": {"plan": "# Budgets\n\n## Steps\n\n- [ ] **Read** {#read}\n  - Files: ` + "`read.txt`" + `\n  - Check: ` + "`test -s read.txt`" + `\n"}}]}]}]}`

// A planner's questions are answered with a number, a paste of several lines and not at all, on a narrow
// terminal; nothing is drawn over them. Ctrl-D leaves the rest to the planner, and Ctrl-C ends it.
func TestPlannerAsksAtATerminal(t *testing.T) {
	s := sit(t)
	recording := filepath.Join(s.dir, "..", "asking.json")
	write(t, recording, asking)
	const approve = `(?s)^Approve this plan\? \[y\]es \[e\]dit \[r\]evise *\n? *\[n\]o: *\n*\z`
	for _, kv := range [][2]string{{"plan.agent", "recorded"}, {"plan.executor.agent", "fake"}, {"planAgent.recorded.baseURL", "replay:" + recording}} {
		runGit(t, s.dir, "config", kv[0], kv[1])
	}
	ask := func(more string) {
		t.Helper()
		runGit(t, s.dir, "switch", "-q", "main")
		s.runs("git plan --ask 'warn of budgets' " + more)
		s.until(`(?s)question 1 of 3: .*^answer \(Enter: 1\): *\n*\z`)
	}
	s.tmux("resize-window", "-x", "40", "-y", "24")
	ask("")
	before := s.until(`question 1`)
	time.Sleep(1100 * time.Millisecond) // the clock would have moved
	if now := s.until(`question 1`); now != before {
		t.Errorf("something was drawn while a person is asked:\n%s", now)
	}
	s.types("2", "Enter")
	s.until(`(?s)question 2 of 3: .*^answer \(Enter: 1\): *\n*\z`)
	s.tmux("set-buffer", "it is\nmore\n")
	s.tmux("paste-buffer")
	s.until(`(?s)question 3 of 3: Who is told\?\nanswer \(Enter: the planner decides\): *\n*\z`)
	s.types("", "Enter")
	s.until(approve)
	s.types("maybe", "Enter")
	s.until(`(?s)^answer y, e, n, or r and what should.*^Approve this plan.*: *\n*\z`)
	s.types("y", "Enter")
	s.until(`^approved: 1 step\nRun it now\? \[Y/n\] *\n*\z`)
	s.types("", "Enter")
	s.until(`^. read: Read +0:`)
	s.types("", "C-c")
	s.until(`(?s)^error: interrupted.*\$ *\n*\z`)
	got := runGit(t, s.dir, "plan", "show")
	if !strings.Contains(got, "## Decisions\n\n- D1: Which store should budgets be kept in? a file of their own\n- D2: What is over a budget? it is more\n\n## Goal\n") {
		t.Errorf("the plan has kept:\n%s", got)
	}
	if got = runGit(t, s.dir, "plan", "log", "--stats"); !strings.Contains(got, "interventions  1, one for each ") {
		t.Errorf("the answers are not counted:\n%s", got)
	}

	ask("; echo ended with $?")
	s.types("", "C-c")
	s.once(s.until(`^hint: `), `^error: interrupted before there was`)
	s.until(`^ended with 130|^\$ *\n*\z`)
}

// Before approval, a person can change a plan in the editor or by an instruction to the planner, and is asked
// again.
func TestPlanIsChangedBeforeItIsApproved(t *testing.T) {
	s := sit(t)
	answers := filepath.Join(s.dir, "..", "planner.sh")
	began := filepath.Join(s.dir, "..", "began")
	write(t, answers, `[ "$GIT_PLAN_ROLE" != executor ] || { touch '`+began+`'; exec sleep 100; }
n=Two; grep -q 'fewer words' && n=Three
printf '# Work\n\n## Steps\n\n- [ ] **One** {#one}\n  - Check: \140test -s x.txt\140\n- [ ] **'$n'** {#two}\n  - Check: \140test -s x.txt\140\n'
`)
	for _, kv := range [][2]string{{"planAgent.fake.command", "sh " + answers}, {"core.editor", "sed -i s/Work/Typed/"}} {
		runGit(t, s.dir, "config", kv[0], kv[1])
	}
	runGit(t, s.dir, "switch", "-q", "main")
	const approve = `^Approve this plan\? \[y\]es \[e\]dit \[r\]evise \[n\]o: *\n*\z`
	s.runs("TERM=dumb git plan new 'do the work'")
	s.until(approve)
	s.types("e", "Enter")
	s.ever(`^# Typed$`)
	s.until(approve)
	s.types("r", "Enter")
	s.until(`^What should be different\? *\n*\z`)
	s.types("fewer words", "Enter")
	s.ever(`^- \[ \] \*\*Three\*\* `)
	s.until(approve)
	runGit(t, s.dir, "config", "core.editor", `sed -i '/Three/a\  - Needs: #clii'`)
	s.types("e", "Enter")
	s.until(`(?s)^error: line \d+: Needs names .clii.*to continue with it: answer e .*^hint: fix that, then: answer e; [^\n]*\n` + approve[1:])
	runGit(t, s.dir, "config", "core.editor", "sed -i /Needs/d")
	s.types("e", "Enter")
	s.ever(`^the plan is as it was$`)
	s.until(approve)
	s.types("yes", "Enter")
	const runNow = `^approved: 2 steps\nRun it now\? \[Y/n\] *\n*\z`
	s.until(runNow)
	s.types("later", "Enter")
	s.until(`^answer y or n\nRun it now\? \[Y/n\] *\n*\z`)
	s.types("n", "Enter")
	s.until(`^next: git plan run\n\$ *\n*\z`)

	s.runs("git plan approve --revoke; git plan approve")
	s.until(approve)
	s.types("n", "Enter")
	s.until(`^not approved, so nothing of it runs: git plan approve\n\$ *\n*\z`)
	s.runs("git plan approve")
	s.until(approve)
	s.types("y", "Enter")
	s.until(runNow)
	s.types("", "Enter")
	s.until(`one: One +0:`)
	for _, err := os.Stat(began); err != nil; _, err = os.Stat(began) { // until the session is at work
		time.Sleep(20 * time.Millisecond)
	}
	s.types("", "C-c")
	s.until(`(?s)^hint: .*\$ *\n*\z`)

	// A checklist without a check gets those of the project, if the person wants them.
	write(t, filepath.Join(s.dir, "Makefile"), "test:\n\ttrue\n")
	write(t, filepath.Join(s.dir, "..", "list.md"), "# List\n\n- [ ] one\n- [ ] two\n")
	s.runs("git plan new --force -F ../list.md")
	s.until(`^no step has a check, .*: make test\nRun .* after each step\? \[Y/n\] *\n*\z`)
	s.types("", "Enter")
	s.until(approve)
	s.ever("^- `make test`$")
	s.types("n", "Enter")
	s.until(`^read it: .*\n\$ *\n*\z`)
}

// A terminated program leaves its last rows, and the cursor where a shell continues.
func TestTerminatedRunLeavesTheTerminalInOrder(t *testing.T) {
	s := sit(t, "NO_COLOR=1")
	s.runs("git plan step; echo ended with $?")
	s.until(`^. s1: Step 1 +0:\d[1-9]$`)
	if colors := s.tmux("capture-pane", "-p", "-e"); strings.Contains(colors, "\x1b[3") {
		t.Errorf("there are colours in spite of NO_COLOR:\n%q", colors)
	}
	if err := syscall.Kill(s.holder(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	screen := s.until(`^ended with 143$`)
	s.once(screen, `^■ s1: Step 1 +0:\d\d$`)
	s.once(screen, "s1: Step 1")
	if visible := strings.TrimSpace(s.tmux("display-message", "-p", "#{cursor_flag} #{cursor_x}")); visible != "1 2" && visible != "1 0" {
		t.Errorf("the cursor is hidden or in the midst of a line: %s", visible)
	}

	s.runs("stty -a | grep -o '[ -]icanon'")
	s.until(`^ icanon$`)

	s.runs("TERM=dumb git plan step --no-review; echo ended with $?")
	s.until(`^\d\d:\d\d:\d\d   executor.* \(fake\) begins$`)
	s.goOn("s1")
	s.once(s.until(`^ended with 0$`), `^\d\d:\d\d:\d\d step s1 done: `)
}

// A terminal of 40 columns breaks no word in lists and reports: long lines are folded, as is each row of a
// wide table; errors and the next command are not, as with git. In a pipe nothing is folded.
func TestListsOnANarrowTerminal(t *testing.T) {
	s := sit(t)
	s.goOn("s1")
	runGit(t, s.dir, "plan", "run", "--no-review", "--until", "s1")
	runGit(t, s.dir, "config", "planReviewer.lint.command", "true")
	runGit(t, s.dir, "config", "plan.reviewers", "lint")
	s.tmux("resize-window", "-x", "40", "-y", "40")
	narrow := func(command, has string) {
		t.Helper()
		s.runs("git plan " + command)
		s.until(has)
		if command == "log -f" {
			s.types("", "C-c")
		}
		s.until(`^(\^C)?\$ *\n*\z`)
		for line := range strings.Lines(s.tmux("capture-pane", "-p", "-J")) {
			if columns(strings.TrimRight(line, " \n")) > 40 && !strings.HasPrefix(line, "next: ") && !strings.HasPrefix(line, "hint: ") {
				t.Errorf("git plan %s: the terminal wraps %q", command, line)
			}
		}
	}
	for command, has := range map[string]string{
		"list":        `^\* plan/many-steps  1 of 4 done  open\n    \d+ seconds? ago  many-steps-....$`,
		"log":         `^.{10} .{19} 1/4 step\n {13}s1: done \[fake, tokens\n {13}unknown\]$`,
		"log -f":      `^.{10} .{19} 1/4 step\n {13}s1: done \[fake, tokens\n {13}unknown\]\n {13}no command checked it\nnothing works on it now; waiting for a\nrun`,
		"log --stats": `^executor  1 {9}\ds    1\n    unknown  unknown  0$`,
		"new -h":      `^   --template NAME\n        shape of the plan: feature, fix,$`,
		"status":      `^plan many-steps-.... on plan/many-steps,\n1 of 4 done, open$`,
	} {
		narrow(command, has)
	}
	narrow("review", `^✓ clean: 1 round, 0:\d\d$`)
	for _, command := range commands() {
		for line := range strings.Lines(runGit(t, s.dir, "plan", command.Name, "-h")) {
			if columns(strings.TrimSuffix(line, "\n")) > 80 {
				t.Errorf("git plan %s -h in a pipe: %q is too wide", command.Name, line)
			}
		}
	}
	for command, has := range map[string]string{
		"list":        "* plan/many-steps  1 of 4 done  open  ",
		"log":         " plan/many-steps 1/4 step s1: done [fake, tokens unknown]\n",
		"log --stats": "\nby role   sessions  time  attempts  tokens   cost     interventions\nexecutor  1  ",
	} {
		if got := runGit(t, s.dir, append([]string{"plan"}, strings.Fields(command)...)...); !strings.Contains(got, has) {
			t.Errorf("git plan %s in a pipe lacks %q:\n%s", command, has, got)
		}
	}
}

// Output longer than the screen is shown in the pager that git would use; shorter or piped output is only
// printed. Ctrl-C goes to the pager.
func TestLongOutputIsPaged(t *testing.T) {
	s := sit(t)
	s.runs("git plan list")
	s.until(`^\* plan/many-steps .*\n\$ *\n*\z`)
	s.tmux("resize-window", "-y", "8")
	s.runs("git plan show")
	s.until(`^# Many steps$`)
	s.until(`^:\s*\z`)
	s.types("", "C-c")
	for end := time.Now().Add(time.Minute); !strings.Contains(s.tmux("capture-pane", "-p"), "lines 1-"); {
		if time.Now().After(end) {
			t.Fatal("the pager is gone")
		}
		s.types("=") // a key that is pressed together with Ctrl-C is lost
	}
	s.types("q")
	s.until(`^\$ *\n*\z`)
	s.tmux("resize-window", "-y", "40")
	s.runs("GIT_PAGER='sed s/^/page:/' git plan log")
	s.until(`^page:.* step|^page:.* created`)
	s.runs("GIT_PAGER=false git plan show; echo code $?")
	s.until(`^code 0$`)
	s.runs("git --no-pager plan show")
	s.until(`^# Many steps$`)
	if got := runGit(t, s.dir, "-c", "core.pager=sed s/^/page:/", "plan", "list"); strings.Contains(got, "page:") {
		t.Errorf("what is piped is paged: %s", got)
	}
}

// Parallel steps have a row each, in the order in which they begin, at any width; those that do not fit are counted, and
// finished ones are printed above. Ctrl-C ends all of them.
func TestStepsSideBySideInATerminal(t *testing.T) {
	s := sit(t)
	gate := filepath.Join(s.dir, "..", "go-on-")
	runGit(t, s.dir, "config", "planAgent.fake.command", `until test -e "`+gate+`$GIT_PLAN_STEP"; do sleep 0.02; done; echo x >$GIT_PLAN_STEP.txt`)
	runGit(t, s.dir, "switch", "-q", "main")
	planned(t, s.dir, 6, "  - Needs: none\n")
	s.runs("git plan run --jobs 3 --no-review")
	screen := s.until(`^(?:. s[123]: Step [123] +0:\d\d\n){3}  \d/6 · .*\s*\z`)
	s.once(screen, "s1: Step 1")
	s.goOn("s2")
	screen = s.until(`^✓ s2: Step 2 +0:\d\d +[0-9a-f]{10}\n    no command checked it\n(?:. s[13]: Step [13] +0:\d\d\n){2}. s4: Step 4 +0:\d\d\n  \d/6 · .*\s*\z`)
	s.once(screen, "s2: Step 2")
	for _, width := range []string{"40", "120", "18"} {
		s.tmux("resize-window", "-x", width, "-y", "24")
		s.once(s.until(`(?s)^. s[13]: St.*^. s[13]: St.*^. s4: St[^\n]*\n[^\n]*\s*\z`), "s3: St")
	}
	s.tmux("resize-window", "-x", "80", "-y", "3")
	s.until(`^. 3 more at work\n  \d/6 · .*\s*\z`)
	s.tmux("resize-window", "-x", "80", "-y", "24")
	s.until(`^. s4: Step 4 +0:\d\d\n  \d/6 · .*\s*\z`)
	s.types("", "C-c")
	screen = s.until(`(?s)^(?:■ s[13]: Step [13] +0:\d\d\n){2}■ s4: Step 4 +0:\d\d\n.*hint: .*^\$`)
	s.once(screen, `^error: interrupted`)
}

// If several agents are installed and none is set, a person is asked once, before the first session.
func TestAgentIsAskedForOnce(t *testing.T) {
	s := sit(t)
	bin := filepath.Join(s.dir, "..", "bin")
	for _, name := range []string{"claude", "codex"} {
		write(t, filepath.Join(bin, name), "#!/bin/sh\nexit 1\n")
		if err := os.Chmod(filepath.Join(bin, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{"review", "step"} {
		runGit(t, s.dir, "config", "plan.agent", "")
		s.runs(`PATH="` + bin + `:$PATH" git plan ` + command + `; echo code $?`)
		s.until(`^Which agent should do the work\? \(Enter: 1\) *\n*\z`)
		s.types("9", "Enter")
		s.until(`^answer a number from 1 to \d\nWhich agent should do the work\? \(Enter: 1\) *\n*\z`)
		s.types("2", "Enter")
		s.until(`^code [1-9]`)
		if got := runGit(t, s.dir, "config", "plan.agent"); strings.TrimSpace(got) != "codex" {
			t.Errorf("plan.agent is %q", got)
		}
	}
	s.runs(`PATH="` + bin + `:$PATH" git plan step; echo code $?`)
	if screen := s.until(`^code [1-9]`); strings.Contains(screen, "Which agent") {
		t.Errorf("it asks again:\n%s", screen)
	}
	runGit(t, s.dir, "config", "plan.agent", "")
	s.runs(`PATH="` + bin + `:$PATH" git plan init`)
	s.until(`^Which agent should do the work\? \(Enter: 1\) *\n*\z`)
	s.types("2", "Enter")
	if screen := s.until(`Do that\? \[y/N\] *\n*\z`); strings.Contains(screen, "several agents") {
		t.Errorf("it asks whether to set what was chosen:\n%s", screen)
	}
	s.types("", "Enter")
	if got := runGit(t, s.dir, "config", "plan.agent"); strings.TrimSpace(got) != "codex" {
		t.Errorf("plan.agent is %q", got)
	}
}

// On a dumb terminal nothing is redrawn: events are lines with the time.
func TestDumbTerminalGetsPlainLines(t *testing.T) {
	s := sit(t)
	s.runs("git plan run --no-review >../out 2>&1 & TERM=dumb git plan log -f")
	s.until(`^\d\d:\d\d:\d\d   executor \(fake\) begins$`)
	s.types("", "C-c")
	s.runs("kill %1; wait; echo over")
	s.until(`^over$`)
	runGit(t, s.dir, "config", "planAgent.fake.command", "echo nothing of use")
	runGit(t, s.dir, "commit", "-q", "--allow-empty", "-m", "Something to review")
	for command, says := range map[string]string{
		"lint --critic": `critic \(fake\) begins`, "replan -m more": `planner \(fake\) begins`, "review --only quality": `review: incomplete`,
	} {
		s.runs("TERM=dumb git plan " + command + "; echo ended with $?")
		s.until(`^ended with \d+$`)
		s.ever(`^\d\d:\d\d:\d\d +` + says)
	}
}

// At the end of a run a person is asked the questions of its steps, even if another step failed; a run that
// git plan stop ends after its step says so at once.
func TestRunAsksAtItsEnd(t *testing.T) {
	s := sit(t)
	write(t, filepath.Join(s.dir, "..", "agent.sh"), `[ $GIT_PLAN_STEP = fails ] && exit
if grep -q 'paint it white'; then
	while test ! -e ../stop; do sleep 0.02; done
	git plan status >../seen; echo white >wall.txt; exit
fi
echo '{"status":"blocked","question":"which colour?"}' >"$GIT_PLAN_RESULT"
`)
	write(t, filepath.Join(s.dir, "..", "plan.md"), "# Paint\n\n## Steps\n\n- [ ] **Fails** {#fails}\n- [ ] **Wall** {#wall}\n  - Needs: none\n- [ ] **Roof** {#roof}\n  - Needs: wall\n")
	runGit(t, s.dir, "config", "planAgent.fake.command", "sh ../agent.sh")
	runGit(t, s.dir, "config", "plan.attempts", "1")
	runGit(t, s.dir, "plan", "new", "-F", "../plan.md", "--force", "--yes")
	s.runs("git plan run --no-review; echo ended with $?")
	s.until(`(?s)^wall asks: which colour\?\nanswer \(Enter leaves it blocked\): *\n*\z`)
	s.types("paint it white", "Enter")
	s.until(`(?s)with your answer\n.*^. wall: Wall +0:`)
	runGit(t, s.dir, "plan", "stop")
	write(t, filepath.Join(s.dir, "..", "stop"), "")
	screen := s.until(`^ended with 130$`)
	s.once(screen, `git plan stop was called: this ends after what is in progress`)
}

// While a run waits for an answer at its prompt, no session is running: in another terminal, the plan can be
// edited and the question answered.
func TestPlanIsChangedWhileARunAsks(t *testing.T) {
	s := sit(t)
	write(t, filepath.Join(s.dir, "..", "agent.sh"), `if grep -q "paint it" && test $GIT_PLAN_STEP != again; then echo done >$GIT_PLAN_STEP.txt; exit; fi
echo '{"status":"blocked","question":"which colour?"}' >"$GIT_PLAN_RESULT"
`)
	write(t, filepath.Join(s.dir, "..", "plan.md"), "# Paint\n\n## Steps\n\n- [ ] **Wall** {#wall}\n  - Ask: yes\n- [ ] **Roof** {#roof}\n  - Needs: none\n  - Ask: yes\n- [ ] **Again** {#again}\n  - Ask: yes\n")
	runGit(t, s.dir, "config", "planAgent.fake.command", "sh ../agent.sh")
	runGit(t, s.dir, "plan", "new", "-F", "../plan.md", "--force", "--yes")
	const asks = ` asks: which colour\?\nanswer \(Enter leaves it blocked\): *\n*\z`
	s.runs("git plan run --no-review")
	s.until(`(?s)^wall` + asks)
	s.ever(`^\? wall: Wall .*  asks\n    which colour\?$`)
	if got := runGit(t, s.dir, "plan", "status"); !strings.Contains(got, "(wall)  waits for your answer to: which colour?") || strings.Contains(got, "running") {
		t.Errorf("status says\n%s", got)
	}
	edited := exec.Command("git", "plan", "edit")
	edited.Dir, edited.Env = s.dir, append(os.Environ(), "GIT_EDITOR=sed -i s/Roof/Roofs/\\;s/wall}/wall}\\\\n\\ \\ -\\ Do:\\ brush/")
	if out, err := edited.CombinedOutput(); err != nil || !strings.Contains(string(out), "approved: it is your own edit") {
		t.Fatalf("%v %s", err, out)
	}
	s.types("paint it white", "Enter")
	s.until(`(?s)^step wall is open again, with your answer\n.*^roof` + asks)
	runGit(t, s.dir, "plan", "answer", "roof", "paint it red")
	s.types("", "Enter")
	s.until(`(?s)^step roof has been answered or reopened elsewhere\n.*^again` + asks)
	if got := runGit(t, s.dir, "plan", "status"); !strings.Contains(got, "2 of 3 done") {
		t.Errorf("status says\n%s", got)
	}
	s.types("paint it blue", "Enter")
	s.until(`(?s)^step again is open again, with your answer\n.*^again` + asks)
	s.types("", "C-c")
	s.until(`^error: interrupted$`)
}

// columns is how many terminal columns a text takes.
func columns(s string) int { return ansi.StringWidth(s) }

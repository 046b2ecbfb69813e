//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/race"
)

// armedAndWaiting arms git, moves the plan and waits to be killed with its git plan.
const armedAndWaiting = `
P="sh $ARMED/pwn.sh"
hooks() { mkdir -p "$1"; for h in post-index-change reference-transaction post-checkout pre-commit; do printf '#!/bin/sh\n%s\n' "$P" >"$1/$h"; chmod 755 "$1/$h"; done; }
echo work >work.txt
echo more >>kept.txt
if [ -n "$ARM" ]; then
	(
		cd "$REPO"
		git config filter.armed.clean "$P"; git config filter.armed.smudge "$P"
		git config core.fsmonitor "$P; false"
		git config core.pager "$P; cat"; git config core.editor "$P; true"
		git config remote.origin.url ssh://armed.example/x; git config core.sshCommand "$P"
		hooks "$(git rev-parse --git-dir)/hooks"
		echo '* filter=armed' >.gitattributes
		plan=$(git for-each-ref --format='%(refname)' refs/plans)
		git update-ref "$plan" "$(git commit-tree -p "$plan" -m forged "$plan^{tree}")"
	) >/dev/null 2>&1
fi
: >ready
n=0; while [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
`

// TestAKilledGitPlanLetsNothingOut kills git plan after its session has armed git. The next command, whatever
// it is, executes nothing of that, and says what changed. Each sandbox is tested with one place and one first
// command; ARMED=all tests every combination.
func TestAKilledGitPlanLetsNothingOut(t *testing.T) {
	race.Skip(t)
	firsts := []string{"run", "status", "undo", "next"}
	for n, sandbox := range []proc.SandboxKind{proc.Unconfined, proc.Landlock, proc.Bwrap} {
		if err := proc.Works(context.Background(), sandbox); err != nil {
			t.Logf("NOT TESTED: %s does not work here: %v", sandbox, err)
			continue
		}
		for i, isolation := range []string{"tree", "clone"} {
			for j, first := range firsts {
				if os.Getenv("ARMED") != "all" && (i == n%2 || j != n) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%s", sandbox, isolation, first), func(t *testing.T) {
					repo, state, marker := killedPlace(t, string(sandbox), isolation)
					t.Setenv("ARM", "1")
					killInSession(t, repo, isolation, state)
					moved := strings.Contains(runGit(t, repo, "for-each-ref", "--format=%(subject)", "refs/plans"), "forged")
					config, _ := os.ReadFile(filepath.Join(repo, ".git", "config"))
					armed := strings.Contains(string(config), marker[:len(marker)-len("marker")])
					if sandbox == proc.Unconfined && (!moved || !armed) || sandbox == proc.Landlock && isolation == "tree" && !armed {
						t.Fatalf("the session could not arm git, and this test shows nothing: moved %v, armed %v", moved, armed)
					}
					for n, line := range []string{first, "status", "run --no-review", "undo", "next", "attempts", "log", "fetch", "doctor", "edit"} {
						code, said := planSays(t, repo, line)
						if found, err := os.ReadFile(marker); err == nil {
							t.Fatalf("git plan %s had something executed:\n%s\nit said:\n%s", line, found, said)
						}
						if n == 0 && armed && (code != exit.Person || !strings.Contains(said, "tampering: changed during the session: ") || !strings.Contains(said, "filter.armed.clean")) {
							t.Errorf("git plan %s: exit code %d\n%s", line, code, said)
						}
						if n == 0 && moved && !strings.Contains(said, "the session moved the plan to ") {
							t.Errorf("git plan %s does not say that the plan was moved:\n%s", line, said)
						}
					}
					if got := runGit(t, repo, "for-each-ref", "--format=%(subject)", "refs/plans"); strings.Contains(got, "forged") {
						t.Errorf("the plan is still where the session moved it: %s", got)
					}
				})
			}
		}
	}
}

// TestAKilledGitPlanThatChangedNothingGoesOn: only a difference stops a command.
func TestAKilledGitPlanThatChangedNothingGoesOn(t *testing.T) {
	race.Skip(t)
	repo, state, _ := killedPlace(t, "none", "tree")
	killInSession(t, repo, "tree", state)
	if code, said := planSays(t, repo, "status"); code != 0 {
		t.Fatalf("status: exit code %d\n%s", code, said)
	}
	if code, said := planSays(t, repo, "step --no-review"); !strings.Contains(said, "was interrupted: what it left is kept") {
		t.Fatalf("step: exit code %d\n%s", code, said)
	}
	if left, _ := filepath.Glob(filepath.Join(state, "git-plan", "set-ups", "*")); len(left) > 0 {
		t.Errorf("left: %s", left)
	}
}

func killedPlace(t *testing.T, sandbox, isolation string) (repo, state, marker string) {
	t.Helper()
	repo = begun(t, 1)
	dir, err := os.MkdirTemp("/var/tmp", "git-plan-killed-") // no sandbox allows a session to write there
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	state, marker = filepath.Join(dir, "state"), filepath.Join(dir, "marker")
	t.Setenv("ARMED", dir)
	t.Setenv("XDG_STATE_HOME", state)
	t.Setenv("REPO", repo)
	t.Setenv("VISUAL", "true") // otherwise it opens an editor
	for name, text := range map[string]string{
		"pwn.sh":      "if [ -z \"$GIT_PLAN_SESSION\" ]; then echo \"in $PWD\" >>'" + marker + "'; fi\ncat 2>/dev/null\n",
		"executor.sh": armedAndWaiting,
		"plan.md": "# Killed\n\n## Steps\n\n- [ ] **One** {#one}\n  - Run: `echo one >one.txt`\n" +
			"- [ ] **Two** {#two}\n  - Run: `if [ -e \"$ARMED/again\" ]; then echo 2 >two.txt; else sh \"$ARMED/executor.sh\"; fi`\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	runGit(t, repo, "switch", "-q", "main")
	write(t, filepath.Join(repo, "kept.txt"), "kept\n")
	runGit(t, repo, "add", ".")
	runGit(t, repo, "commit", "-qm", "begin")
	for _, kv := range [][2]string{{"plan.isolation", isolation}, {"plan.sandbox", sandbox}, {"plan.attempts", "1"}, {"plan.passEnv", "ARMED ARM REPO"}} {
		runGit(t, repo, "config", kv[0], kv[1])
	}
	for _, line := range []string{"new --yes -F " + filepath.Join(dir, "plan.md"), "step --no-review"} {
		if code, said := planSays(t, repo, line); code != 0 {
			t.Fatalf("git plan %s: exit code %d\n%s", line, code, said)
		}
	}
	return repo, state, marker
}

// killInSession kills git plan, and nothing else, while its session waits.
func killInSession(t *testing.T, repo, isolation, state string) {
	t.Helper()
	ready := filepath.Join(repo, "ready")
	if isolation == "clone" {
		ready = filepath.Join(state, "git-plan", "*", "*", "ready")
	}
	cmd := exec.Command("git-plan", "step", "--no-review")
	cmd.Dir = repo
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			t.Fatalf("the session ended by itself: %v", err)
		case <-time.After(20 * time.Millisecond):
		}
		if found, _ := filepath.Glob(ready); len(found) > 0 {
			break
		}
	}
	_ = cmd.Process.Signal(syscall.SIGKILL)
	<-ended
	write(t, filepath.Join(os.Getenv("ARMED"), "again"), "")
}

// planSays runs a command without a terminal.
func planSays(t *testing.T, repo, line string) (code int, said string) {
	t.Helper()
	cmd := exec.Command("git-plan", strings.Fields(line)...)
	cmd.Dir = repo
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

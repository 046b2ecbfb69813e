package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A job of a forge runs a plan until its time limit, and is killed. The next job, in another clone, resumes
// there, and locally it looks as if it had been done there.
func TestKilledJobResumesInTheNextJob(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("needs setsid, to kill a job with all that it started")
	}
	bin := built(t)
	for _, job := range []string{"GitHub, run", "GitLab, run"} {
		t.Run(job, func(t *testing.T) {
			t.Parallel()
			c := inCI(t, bin, `drop --yes && printf '# Long\n\n## Steps\n- [ ] One {#one}\n  - Run: \140echo 1 >one.txt\140\n- [ ] Two {#two}\n- [ ] Three {#three}\n' | git plan new -F - --yes`, "sleep 984")
			do := func(script, wants string) {
				t.Helper()
				if out, err := c.sh(script); err != nil || !strings.Contains(out, wants) {
					t.Fatalf("%v, and it says no %q\n%s", err, wants, out)
				}
			}
			write(t, filepath.Join(c.dir, "job.sh"), "set -ex\n"+recipes(t)[job])
			do(`setsid sh job.sh >said 2>&1 & until grep -q "executor (fake) begins" said || ! kill -0 $!; do sleep 0.1; done; kill -9 -$!; wait; cat said`, "approved: 3 steps")
			do("git -C remote.git log --format=%s work", "One\none\n")
			write(t, filepath.Join(c.dir, "agent.sh"), `case $GIT_PLAN_ROLE in
executor) echo 2 >$GIT_PLAN_STEP.txt; printf '{"status": "done"}' >"$GIT_PLAN_RESULT" ;;
*) printf '{"nonce": "%s", "covered": ["one.txt", "two.txt", "three.txt"], "findings": []}' "$GIT_PLAN_NONCE" ;;
esac`)
			do("rm -rf clone git-plan git-plan-bin path .local; sh job.sh", "step two done")
			do("git -C remote.git log --format=%s work", "Three\nTwo\nOne\none\n")
			do(`PATH='`+filepath.Dir(bin)+`':$PATH; cd repo && git plan fetch && git pull -q origin work && git plan status && git plan log | grep -c 'step .*: done' && git status --porcelain`, "\n3\n")
		})
	}
}

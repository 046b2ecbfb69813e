//go:build unix

package main

import "testing"

// sideBySide is a storm with four sessions running at once: six independent steps, of which two write the
// same lines, one fails its check at first, one makes a commit and one needs no model; and two that need
// others.
var sideBySide = weather{
	args: []string{"run", "--jobs", "4", "--no-review"}, ends: []string{"progress\t8\t8\n"}, anyOrder: true, merged: "shared.txt",
	plan: `# Storm

## Steps

- [ ] **One** {#one}
  - Needs: none
- [ ] **Two** {#two}
  - Needs: none
- [ ] **Retry** {#retry}
  - Needs: none
  - Check: ` + "`sleep 0.02; grep -q right retry.txt`" + `
- [ ] **Own commits** {#own}
  - Needs: none
- [ ] **Run** {#run}
  - Needs: none
  - Run: ` + "`sleep 0.02; echo run >run.txt`" + `
- [ ] **Three** {#three}
  - Needs: none
- [ ] **After** {#after}
  - Needs: one, own
  - Check: ` + "`test -s one.txt && test -s own2.txt`" + `
- [ ] **Last** {#last}
  - Needs: two, retry, run, three, after
  - Check: ` + "`cat one.txt two.txt three.txt run.txt after.txt && test $(wc -l <shared.txt) -eq 2`" + `
`,
	executor: `
pause() { sleep 0.0$1; }
case $GIT_PLAN_STEP in
retry) pause 2; if grep -q wrong retry.txt 2>/dev/null; then echo right >retry.txt; else echo wrong >retry.txt; fi; pause 2 ;;
own) echo 1 >own1.txt; pause 1; git add own1.txt; git commit -qm first; pause 1; echo 2 >own2.txt; git add own2.txt; git commit -qm second; pause 1; echo 3 >>own2.txt ;;
*)
	echo $GIT_PLAN_STEP >$GIT_PLAN_STEP.txt
	pause 3
	case $GIT_PLAN_STEP in one | two) { cat shared.txt 2>/dev/null; echo $GIT_PLAN_STEP; } | sort -u >new; mv new shared.txt ;; esac
	pause 2
	;;
esac
`,
}

// With four sessions running, too, the next run ends like an undisturbed one: each step once, one commit
// each, in a linear history, and no work of a session is lost.
func TestASignalAtAnyMomentLosesNothingOfStepsSideBySide(t *testing.T) {
	atAnyMoment(t, "tree", sideBySide)
}

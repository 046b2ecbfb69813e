//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/testdata/race"
)

// dyingGit is a git that kills the program that starts it at call number $DIE_AT, before or after its work.
const dyingGit = `#!/bin/sh
n=$(cat "$DIE_DIR/count" 2>/dev/null || echo 0)
n=$((n + 1))
echo $n >"$DIE_DIR/count"
case " $DIE_AT: $* " in " $n: "* | " commit: "*" commit --quiet "*)
	touch "$DIE_DIR/died"
	if [ "$DIE_WHEN" = behind ] && [ "$1" != cat-file ]; then %[1]s "$@" >/dev/null; fi
	kill -9 $PPID
	exit 1
esac
exec %[1]s "$@"
`

const recoveryExecutor = `
case $DOES in
hang) echo half >half.txt; mkdir sub; echo s >sub/s; echo mod >>readme; echo sub/hidden >.gitignore; echo h >sub/hidden; touch begun; exec sleep 60 ;;
*) if [ -f half.txt ] && [ -f sub/s ] && [ -f sub/hidden ] && grep -q mod readme; then echo resumed >result; else echo lost >result; fi ;;
esac
`

// A crash during recovery is recovered from, too: a program that is killed at any git of its own, twice in a
// row, leaves a state that the next one continues from.
func TestKilledRecoveryIsRecovered(t *testing.T) {
	race.Skip(t)
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	repo := interruptedPlace(t) // the same path: a task of another work tree is left to that
	began := t.TempDir()        // with the state files of running tasks, which are in the home
	shIn(t, filepath.Dir(repo), `cp -Rp "$REPO" .local "$BEGAN"`, "REPO="+repo, "BEGAN="+began)
	bin := t.TempDir()
	write(t, filepath.Join(bin, "git"), fmt.Sprintf(dyingGit, real))
	if err := os.Chmod(filepath.Join(bin, "git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for n := 1; ; n++ {
		when := []string{"before", "behind"}[n%2]                                                                                                              // in turn: what is behind one is nearly before the next
		shIn(t, filepath.Dir(repo), `rm -rf .local; find "$REPO" -mindepth 1 ! -path "$REPO/.git" -delete; cp -Rp "$BEGAN"/. .`, "REPO="+repo, "BEGAN="+began) // another .git would be another repository
		step := func(at int) (string, error, bool) {
			state := t.TempDir()
			cmd := exec.Command("git-plan", "step", "--no-review")
			cmd.Dir = repo
			cmd.Env = append(os.Environ(), "DIE_DIR="+state, fmt.Sprint("DIE_AT=", at), "DIE_WHEN="+when, "PATH="+bin+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			_, e := os.Stat(filepath.Join(state, "died"))
			return string(out), err, e == nil
		}
		first, _, died := step(n)
		if !died { // it has fewer gits than that
			return
		}
		second, _, _ := step(n)
		last := ""
		for range 2 { // the first may find that everything is done
			out, err, _ := step(0)
			if last += out; err == nil {
				break
			}
		}
		said := fmt.Sprintf("killed at git %d, %s it\n--- first\n%s--- second\n%s--- last\n%s", n, when, first, second, last)
		found, _ := exec.Command(real, "-C", repo, "show", "HEAD:result").Output()
		if got := string(found); got != "resumed\n" {
			t.Errorf("the session found %q\n%s", got, said)
		}
		if got := runGit(t, repo, "status", "--porcelain"); got != "?? mine.txt\n" {
			t.Errorf("the tree holds\n%s%s", got, said)
		}
		if data, _ := os.ReadFile(filepath.Join(repo, "mine.txt")); string(data) != "mine\n" {
			t.Errorf("the person's file is %q\n%s", data, said)
		}
		if t.Failed() {
			return
		}
	}
}

// A git plan new -b that is killed at any git of its own is completed by the same command, or by the command
// that it prints.
func TestKilledNewIsCompleted(t *testing.T) {
	race.Skip(t)
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	sh := shellIn(t, dir, built(t))
	write(t, filepath.Join(bin, "git"), fmt.Sprintf(dyingGit, real))
	write(t, filepath.Join(dir, "plan.md"), "# New\n\n## Steps\n\n- [ ] **One** {#one}\n")
	for n, died := 1, true; died; n++ {
		for _, when := range []string{"before", "behind"} {
			out, _ := sh(fmt.Sprintf(`chmod 755 %[1]s/git; rm -rf new die; git init -q new; mkdir die; cd new; git commit -q --allow-empty -m one
DIE_DIR=../die DIE_AT=%[2]d DIE_WHEN=%[3]s PATH=%[1]s:$PATH git-plan new -F ../plan.md -b feat --yes
ls ../die; again="git plan new -F ../plan.md --yes"
$again -b feat >../said 2>&1 || { cat ../said; grep -q 'this one: leave out -b$' ../said && { $again || git plan approve --yes; }; }
echo; git plan status --porcelain; git for-each-ref --format='%%(refname:rstrip=-2)' refs/plans refs/heads/feat`, bin, n, when))
			died = strings.Contains(out, "died\n")
			if want := "\nstep\t1\tone\topen\t"; !strings.Contains(out, want) || !strings.HasSuffix(out, "\nrefs/heads\nrefs/plans\n") {
				t.Fatalf("killed at git %d, %s it:\n%s", n, when, out)
			}
		}
	}
}

// interruptedPlace is a repository whose session was killed while it worked.
func interruptedPlace(t *testing.T) string {
	t.Helper()
	repo := grown(t, 1, 2, 1)
	dir := filepath.Dir(repo)
	t.Setenv("RECOVERY_DIR", dir)
	write(t, filepath.Join(dir, "executor.sh"), recoveryExecutor)
	write(t, filepath.Join(dir, "plan.md"), "# Recovery\n\n## Steps\n\n- [ ] **Only** {#only}\n  - Check: `grep -q resumed result`\n")
	runGit(t, repo, "switch", "-q", "main")
	write(t, filepath.Join(repo, "readme"), "x\n")
	runGit(t, repo, "add", "-A")
	runGit(t, repo, "commit", "-qm", "readme")
	runGit(t, repo, "branch", "-q", "-D", "plan/many-steps")
	runGit(t, repo, "config", "planAgent.fake.command", `sh "$RECOVERY_DIR/executor.sh"`)
	runGit(t, repo, "config", "plan.passEnv", "RECOVERY_DIR DOES")
	runGit(t, repo, "config", "plan.sandbox", "none")
	runGit(t, repo, "config", "plan.attempts", "1")
	runGit(t, repo, "plan", "new", "-F", filepath.Join(dir, "plan.md"), "--yes")
	write(t, filepath.Join(repo, "mine.txt"), "mine\n")
	cmd := exec.Command("git-plan", "step")
	cmd.Dir, cmd.Env = repo, append(os.Environ(), "DOES=hang")
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		if _, err := os.Stat(filepath.Join(repo, "begun")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if _, err := os.Stat(filepath.Join(repo, "begun")); err != nil {
		t.Fatalf("no session began: %s", said.String())
	}
	return repo
}

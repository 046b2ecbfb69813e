//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// storm is a repository whose run has everything in it: a step that fails its check at first, one whose
// session makes a commit, one without a model, a slow commit hook, a review that finds and fixes, an
// untracked file of the person's. Everything takes a little while, so that signals arrive while it runs.
type storm struct {
	dir   string // contains repo and scripts
	end   string // the result of an undisturbed run: its tree and its commits
	mark  string // in the environment of every process of the storm
	at    int    // the boundary at which git waits; see countingGit
	total time.Duration
	weather
}

// weather describes a storm: the plan, its agent, how it is run, and what status says in the end. The commits
// of parallel steps come in any order, and a file that several write is merged.
type weather struct {
	plan, executor string
	args           []string // of git plan
	ends           []string
	anyOrder       bool
	merged         string
}

// everything is a run with everything in it.
var everything = weather{plan: stormPlan, executor: stormExecutor, args: []string{"run"}, ends: []string{"progress\t4\t4\n", "review\tclean\t"}}

const stormPlan = `# Storm

## Steps

- [ ] **Retry** {#retry}
  - Files: ` + "`retry.txt`" + `
  - Check: ` + "`sleep 0.02; grep -q right retry.txt`" + `
- [ ] **Own commits** {#own}
  - Files: ` + "`own*.txt`" + `
- [ ] **Run** {#run}
  - Run: ` + "`sleep 0.02; cat retry.txt own1.txt >run.txt`" + `
- [ ] **Last** {#last}
  - Check: ` + "`test -s last.txt`" + `

## Verification
- ` + "`test -f last.txt`" + `
`

const stormExecutor = `
pause() { sleep 0.0$1; }
case $GIT_PLAN_STEP in
retry) pause 2; if grep -q wrong retry.txt 2>/dev/null; then echo right >retry.txt; else echo wrong >retry.txt; fi; pause 2 ;;
own) echo 1 >own1.txt; pause 1; git add own1.txt; git commit -qm first; pause 1; echo 2 >own2.txt; git add own2.txt; git commit -qm second; pause 1; echo 3 >>own2.txt ;;
last) echo a >last.txt; pause 3; echo bug >>last.txt ;;
esac
`

const stormReviewer = `
sleep 0.02
if grep -q bug last.txt; then f='{"category":"correctness","severity":"high","file":"last.txt","quote":"bug","title":"a bug","detail":"d","trigger":"t","remedy":"fix"}'; fi
printf '{"nonce":"%s","covered":[%s],"findings":[%s]}' "$GIT_PLAN_NONCE" "$(git ls-files | sed 's/.*/"&"/' | paste -sd, -)" "$f"
`

const stormVerifier = `
id=$(sed -n 's/.*"id": *"\([0-9a-f]*\)".*/\1/p' "$GIT_PLAN_FINDINGS" | head -n 1)
printf '{"nonce":"%s","answers":[{"id":"%s","answer":"confirmed","because":"b","quote":"bug"}]}' "$GIT_PLAN_NONCE" "$id"
`

const stormFixer = `
sleep 0.02; printf 'a\nfixed\n' >last.txt; sleep 0.01
id=$(sed -n 's/.*"id": *"\([0-9a-f]*\)".*/\1/p' "$GIT_PLAN_FINDINGS" | head -n 1)
printf '{"status":"done","dispositions":[{"id":"%s","disposition":"fixed","because":"b"}]}' "$id" >"$GIT_PLAN_RESULT"
`

func newStorm(t *testing.T, isolation string, of weather) *storm {
	t.Helper()
	repo := grown(t, 1, 2, 1)
	t.Setenv("XDG_STATE_HOME", filepath.Join(filepath.Dir(repo), "state"))
	runGit(t, repo, "config", "plan.isolation", isolation)
	s := &storm{weather: of, dir: filepath.Dir(repo), mark: "STORM=" + strconv.Itoa(rand.Int())}
	t.Setenv("STORM", strings.TrimPrefix(s.mark, "STORM="))
	t.Setenv("STORM_DIR", s.dir)
	for name, text := range map[string]string{
		"executor.sh": of.executor, "reviewer.sh": stormReviewer, "verifier.sh": stormVerifier, "fixer.sh": stormFixer,
		"storm.md": of.plan, "hook": "#!/bin/sh\nsleep 0.02\n",
	} {
		write(t, filepath.Join(s.dir, name), text)
	}
	runGit(t, repo, "switch", "-q", "main")
	runGit(t, repo, "branch", "-q", "-D", "plan/many-steps")
	runGit(t, repo, "config", "planAgent.fake.command", `sh "$STORM_DIR/$GIT_PLAN_ROLE.sh"`)
	runGit(t, repo, "config", "plan.reviewers", "quality")
	write(t, filepath.Join(repo, ".git/hooks/pre-commit"), "#!/bin/sh\nsleep 0.02\n")
	if err := os.Chmod(filepath.Join(repo, ".git/hooks/pre-commit"), 0o755); err != nil {
		t.Fatal(err)
	}
	runGit(t, repo, "plan", "new", "-F", filepath.Join(s.dir, "storm.md"), "--yes")
	write(t, filepath.Join(repo, "mine.txt"), "the person's own\n")
	began := time.Now()
	calm := s.fresh(t)
	if out, err := s.run(calm).CombinedOutput(); err != nil {
		t.Fatalf("the undisturbed run: %v\n%s", err, out)
	}
	s.total = time.Since(began)
	s.end = s.endOf(t, calm)
	return s
}

// fresh is a copy of the repository before anything was done. A copy is another repository, so its plan is
// approved there.
func (s *storm) fresh(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(s.dir, "run-")
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "repo")
	if out, err := exec.Command("cp", "-R", filepath.Join(s.dir, "repo"), to).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	runGit(t, to, "plan", "approve", "--yes")
	return to
}

// run is git-plan itself, so that its process id is known.
func (s *storm) run(repo string) *exec.Cmd {
	cmd := exec.Command("git-plan", s.args...)
	cmd.Dir = repo
	cmd.Env = append(os.Environ(), "STORM_RUN="+filepath.Dir(repo), "STORM_AT="+strconv.Itoa(s.at))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// endOf is what counts in the end: the tree, and the commits without their ids.
func (s *storm) endOf(t *testing.T, repo string) string {
	t.Helper()
	tree := runGit(t, repo, "rev-parse", "HEAD^{tree}")
	commits := runGit(t, repo, "log", "--format=%s|%(trailers:key=Plan-Step,key=Plan-Review,separator=%x2C)", "main..HEAD")
	if s.anyOrder {
		lines := strings.Split(commits, "\n")
		slices.Sort(lines)
		commits = strings.Join(lines, "\n")
	}
	return tree + commits
}

// strike runs the plan, sends sig as soon as when returns, runs it again until it is done, and checks
// everything.
func (s *storm) strike(t *testing.T, name string, sig syscall.Signal, when func(repo string, pid int)) {
	t.Helper()
	repo := s.fresh(t)
	defer func() {
		if !t.Failed() {
			_ = os.RemoveAll(filepath.Dir(repo))
		}
	}()
	cmd := s.run(repo)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	when(repo, cmd.Process.Pid)
	_ = cmd.Process.Signal(sig)
	_ = cmd.Wait()
	left := s.left(t, repo)
	for try := 1; ; try++ {
		out, err := s.run(repo).CombinedOutput()
		fmt.Fprintf(&said, "\n--- run again\n%s", out)
		if err == nil {
			break
		}
		if try == 3 {
			t.Errorf("%s: not through after %d more runs: %v\n%s\nin %s", name, try, err, said.String(), repo)
			return
		}
	}
	s.examine(t, name, repo, left, said.String())
}

// clones are the workspaces of sessions other than the work tree.
func (s *storm) clones() []string {
	found, _ := filepath.Glob(filepath.Join(s.dir, "state/git-plan/*/*"))
	return slices.DeleteFunc(found, func(path string) bool { // notes and records are beside them
		_, err := os.Stat(filepath.Join(path, ".git"))
		return err != nil
	})
}

// left are the objects of everything in the trees after the signal, once the session has ended: until then it
// may overwrite what it wrote itself.
func (s *storm) left(t *testing.T, repo string) []string {
	t.Helper()
	_ = s.alive()
	var out []string
	for _, tree := range append(s.clones(), repo) {
		entries, err := os.ReadDir(tree)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !e.IsDir() && e.Name() != "mine.txt" && e.Name() != s.merged {
				out = append(out, strings.TrimSpace(runGit(t, repo, "hash-object", "--", filepath.Join(tree, e.Name()))))
			}
		}
	}
	return out
}

func (s *storm) examine(t *testing.T, name, repo string, left []string, said string) {
	t.Helper()
	bad := func(format string, args ...any) {
		t.Errorf("%s: %s\n%s\nin %s", name, fmt.Sprintf(format, args...), said, repo)
	}
	if end := s.endOf(t, repo); end != s.end {
		bad("the end is\n%s\nand undisturbed\n%s", end, s.end)
	}
	if out := runGit(t, repo, "status", "--porcelain"); out != "?? mine.txt\n" {
		bad("the tree is not clean:\n%s", out)
	}
	if data, _ := os.ReadFile(filepath.Join(repo, "mine.txt")); string(data) != "the person's own\n" {
		bad("the person's file is %q", data)
	}
	out := runGit(t, repo, "plan", "status", "--porcelain")
	for _, end := range s.ends {
		if !strings.Contains(out, end) {
			bad("the plan is not done:\n%s", out)
		}
	}
	if out := runGit(t, repo, "log", "--merges", "main..HEAD"); out != "" {
		bad("the history is not linear:\n%s", out)
	}
	if out := runGit(t, repo, "fsck", "--strict", "--no-dangling"); strings.TrimSpace(out) != "" {
		bad("git fsck says:\n%s", out)
	}
	reachable := runGit(t, repo, "rev-list", "--objects", "--all")
	for _, oid := range left {
		if !strings.Contains(reachable, oid) {
			bad("what was in the tree when the signal came (%s) is not reachable", oid)
		}
	}
	_ = filepath.WalkDir(filepath.Join(repo, ".git"), func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") {
			bad("a lock is left: %s", path)
		}
		return nil
	})
	if left := s.clones(); len(left) > 0 {
		bad("clones are left: %v", left)
	}
	if alive := s.alive(); len(alive) > 0 {
		bad("processes are left: %v", alive)
	}
}

// alive are the processes of the storm that still run.
func (s *storm) alive() []string {
	var out []string
	for range 100 {
		out = nil
		found, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, f := range found {
			env, err := os.ReadFile(f)
			pid := strings.Split(f, "/")[2]
			if err != nil || pid == strconv.Itoa(os.Getpid()) || !slices.Contains(strings.Split(string(env), "\x00"), s.mark) {
				continue
			}
			line, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			out = append(out, pid+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
		if len(out) == 0 {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return out
}

var stormSignals = []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT}

// stormSize is how many moments are tried: a few in make test, many in make storm.
func stormSize(few int) int {
	if n, err := strconv.Atoi(os.Getenv("STORM_SIZE")); err == nil {
		return n
	}
	return few
}

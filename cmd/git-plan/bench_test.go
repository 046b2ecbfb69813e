package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// BenchmarkStart compares the program's start with that of a program that only imports the same libraries.
func BenchmarkStart(b *testing.B) {
	program := built(b) // first: a world has another home, and so another module cache
	floor := filepath.Join(b.TempDir(), "floor")
	build(b, floor, "../floor", "floor")
	repo := grown(b, 1, 5, 1)
	runGit(b, repo, "switch", "-q", "main") // a branch without a plan
	times := medians{}
	for b.Loop() {
		for range startsMeasured {
			times.run(b, repo, "floor", floor)
			times.run(b, repo, "version", program, "version")
			times.run(b, repo, "noplan", program)
			times.run(b, repo, "completion", program, "completion", "bash")
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(times.of("version, cpu")/times.of("floor, cpu"), "version/floor")
	b.ReportMetric(times.of("noplan, cpu")/times.of("floor, cpu"), "noplan/floor")
	b.ReportMetric(times.of("completion, cpu")/times.of("floor, cpu"), "completion/floor")
}

// size describes a repository to measure in: what it has, besides a few files.
type size struct {
	name                               string
	files, commits, untracked          int // tracked files, commits before the plan, untracked files
	looseRefs, packedRefs, steps, done int // steps of the plan, and how many commits of it are there
	ignored, branches, events          int
	sparse                             bool // one folder of fifty is checked out
}

var sizes = []size{
	{name: "small"},
	{name: "files=50000", files: 50000},
	{name: "commits=100000", commits: 100000},
	{name: "refs=50000-packed", packedRefs: 50000},
	{name: "refs=50000-loose", looseRefs: 50000},
	{name: "untracked=1000", untracked: 1000},
	{name: "sparse=200000", files: 200_000, sparse: true},
	{name: "steps=1000", steps: 1000, done: 500},
}

// BenchmarkRepositories prints one line for each kind of large repository: the time of `git plan status` and
// of a step there, as ratios to `git status`, how many git processes they start, the time from `git plan run`
// to its first session, the time to the first output of the slowest command that shows something, and what
// the gate's rules add to a push. A step is everything between the ends of two steps of one run; its session
// takes no time. By hand it would be git add and git commit. Ratios are of processor time, since other
// programs may run.
func BenchmarkRepositories(b *testing.B) {
	built(b)
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			repo := s.make(b)
			times := medians{}
			for b.Loop() {
				for range startsMeasured {
					times.run(b, repo, "git status", "git", "status")
					times.run(b, repo, "plan status", "git", "plan", "status")
				}
			}
			from := s.done + 2 // the first step of a run also heals and warms up
			status := gits(traced(b, repo, "plan", "status"))
			step := gitsOfStep(b, repo, fmt.Sprint("s", from))
			times.steps(b, repo, fmt.Sprint("s", from+stepsMeasured))
			times.byHand(b, repo)
			times.firstSessions(b, repo, from+stepsMeasured+1)
			slowest := times.firstOutputs(b, repo)
			times.pushes(b, repo)

			b.ReportMetric(0, "ns/op")
			b.ReportMetric(times.of("git status"), "ms/git-status")
			b.ReportMetric(times.of("plan status, cpu")/times.of("git status, cpu"), "status/git-status")
			b.ReportMetric(times.of("step"), "ms/step")
			b.ReportMetric(times.of("step, cpu")-times.of("git status, cpu"), "ms-cpu/more")
			b.ReportMetric(times.of("step, cpu")/times.of("by hand, cpu"), "step/by-hand")
			b.ReportMetric(times.of("first session"), "ms/first-session")
			b.ReportMetric(times.of(slowest), "ms/first-output")
			b.ReportMetric(times.of("push with, cpu")/times.of("push without, cpu"), "push/unguarded")
			b.ReportMetric(float64(status), "gits/status")
			b.ReportMetric(float64(step), "gits/step")
		})
	}
}

const (
	stepsMeasured  = 15 // in one run, and as many that run one by one
	startsMeasured = 10 // one after the other, in each turn: one takes a few ms, about as much as a machine's noise
)

// make builds the repository by one `git fast-import`, gives it a plan, and
// adds the commits of the steps that are done.
func (s size) make(b testing.TB) string {
	b.Helper()
	repo := begun(b, 0)
	if s.files+s.commits+s.packedRefs+s.looseRefs+s.branches > 0 {
		fastImport(b, repo, s.before)
		if s.sparse {
			runGit(b, repo, "sparse-checkout", "set", "dir0")
		}
		runGit(b, repo, "reset", "-q", "--hard")
	}
	if s.packedRefs > 0 {
		runGit(b, repo, "pack-refs", "--all")
	}
	planned(b, repo, max(s.steps, 2*stepsMeasured+5), "")
	if s.done > 0 {
		branch := strings.TrimSpace(runGit(b, repo, "branch", "--show-current"))
		plan := strings.TrimSpace(runGit(b, repo, "config", "branch."+branch+".plan"))
		fastImport(b, repo, func(w io.Writer) { s.after(w, branch, plan) })
		runGit(b, repo, "reset", "-q", "--hard")
		s.reported(b, repo)
	}
	if s.events > 0 {
		plan := strings.Fields(runGit(b, repo, "for-each-ref", "refs/plans/"))
		fastImport(b, repo, func(w io.Writer) { s.happened(w, plan[0], plan[2]) })
	}
	for i := range s.untracked {
		write(b, filepath.Join(repo, fmt.Sprintf("new%d/file%d", i%10, i)), "x\n")
	}
	if s.ignored > 0 {
		write(b, filepath.Join(repo, ".git/info/exclude"), "*.o\n")
	}
	for i := range s.ignored {
		write(b, filepath.Join(repo, fmt.Sprintf("src%d/file%d.o", i%100, i)), "x\n")
	}
	runGit(b, repo, "status") // the index knows all files
	return repo
}

// before writes what the repository has before it gets a plan.
func (s size) before(w io.Writer) {
	fmt.Fprint(w, "blob\nmark :1\ndata 2\nx\n\n")
	for i := range max(s.commits, 1) {
		importCommit(w, "main", i, fmt.Sprint("commit ", i))
	}
	for i := range s.files {
		fmt.Fprintf(w, "M 100644 :1 dir%d/sub%d/file%d.txt\n", i%50, i%500, i)
	}
	for i := range s.looseRefs + s.packedRefs {
		fmt.Fprintf(w, "reset refs/tags/t%d/v%d\nfrom refs/heads/main^0\n", i%50, i)
	}
	for i := range s.branches {
		fmt.Fprintf(w, "reset refs/heads/b%d/v%d\nfrom refs/heads/main^0\n", i%50, i)
	}
}

// happened writes failed attempts at a step, as events of the plan whose ref and newest commit are given.
func (s size) happened(w io.Writer, commit, ref string) {
	for i := range s.events {
		event := []string{"started", "failed"}[i%2]
		message := fmt.Sprintf("%s\n\nPlan-Event: %s\nPlan-Step: %s/s9\nPlan-By: agent\nPlan-Attempt: 1\n", event, event, strings.TrimPrefix(ref, "refs/plans/"))
		fmt.Fprintf(w, "commit %s\ncommitter Someone <someone@example.com> %d +0000\ndata %d\n%s\n", ref, 1700000000+i, len(message), message)
		if i == 0 {
			fmt.Fprintf(w, "from %s\n", commit)
		}
	}
}

// after writes the commits of the steps that are done.
func (s size) after(w io.Writer, branch, plan string) {
	fmt.Fprint(w, "blob\nmark :1\ndata 2\nx\n\n")
	for i := range s.done {
		importCommit(w, branch, i, fmt.Sprintf("Step %d\n\nPlan-Step: %s/s%d\n", i+1, plan, i+1))
		fmt.Fprintf(w, "M 100644 :1 step%d.txt\n", i+1)
	}
}

// reported records in the plan that these steps are done.
func (s size) reported(b testing.TB, repo string) {
	b.Helper()
	b.Chdir(repo)
	c, err := checkout.Open(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	if err := c.Load(b.Context()); err != nil {
		b.Fatal(err)
	}
	done := journal.Event{Kind: journal.Done, By: journal.ByAgent, Head: strings.TrimSpace(runGit(b, repo, "rev-parse", "HEAD"))}
	for i := range s.done {
		done.Steps = append(done.Steps, fmt.Sprint("s", i+1))
	}
	if err := c.Store.Apply(b.Context(), c.Doc, c.Branch, journal.Change{Event: done}); err != nil {
		b.Fatal(err)
	}
}

// importCommit writes the nth of some commits, all on one existing branch.
func importCommit(w io.Writer, branch string, n int, message string) {
	fmt.Fprintf(w, "commit refs/heads/%s\ncommitter Someone <someone@example.com> %d +0000\ndata %d\n%s\n",
		branch, 1700000000+n, len(message), message)
	if n == 0 {
		fmt.Fprintf(w, "from refs/heads/%s^0\n", branch)
	}
}

func fastImport(b testing.TB, repo string, write func(io.Writer)) {
	b.Helper()
	cmd := exec.Command("git", "fast-import", "--quiet", "--done")
	cmd.Dir, cmd.Stderr = repo, os.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(in, 1<<20)
	write(w)
	_, _ = w.WriteString("done\n")
	_ = w.Flush()
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
}

// medians are the times of commands that ran in turn, in milliseconds.
type medians map[string][]float64

func (m medians) add(name string, since time.Time) {
	m[name] = append(m[name], float64(time.Since(since).Microseconds())/1000)
}

func (m medians) of(name string) float64 {
	slices.Sort(m[name])
	return m[name][len(m[name])/2]
}

func (m medians) run(b *testing.B, dir, name string, args ...string) {
	b.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	began := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	m.add(name, began)
	m[name+", cpu"] = append(m[name+", cpu"], milliseconds(cmd))
}

// milliseconds is the processor time that an ended command took, including its children.
func milliseconds(cmd *exec.Cmd) float64 {
	return float64((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Microseconds()) / 1000
}

// steps runs the steps up to the named one and measures the time between the lines that say that a step is
// done.
func (m medians) steps(b *testing.B, repo, until string) {
	b.Helper()
	cmd := exec.Command("git", "plan", "run", "--no-review", "--until", until)
	cmd.Dir = repo
	out, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	var last time.Time
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if !strings.Contains(lines.Text(), " done: ") {
			continue
		}
		if !last.IsZero() {
			m.add("step", last)
		}
		last = time.Now()
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	m["step, cpu"] = append(m["step, cpu"], milliseconds(cmd)/(stepsMeasured+1))
}

// byHand does what a step does, with plain git commands.
func (m medians) byHand(b *testing.B, repo string) {
	b.Helper()
	for i := range stepsMeasured {
		write(b, filepath.Join(repo, "work.txt"), fmt.Sprint("by hand ", i))
		m.run(b, repo, "by hand", "sh", "-c", "git add -A && git commit -qm 'by hand'")
	}
}

// firstSessions measures the time from the start of a run to its session, which writes into a pipe in the
// work tree.
func (m medians) firstSessions(b *testing.B, repo string, from int) {
	b.Helper()
	name := filepath.Join(repo, "began")
	if out, err := exec.Command("mkfifo", name).CombinedOutput(); err != nil {
		b.Fatalf("mkfifo: %v\n%s", err, out)
	}
	defer os.Remove(name)
	pipe, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer pipe.Close()
	runGit(b, repo, "config", "planAgent.fake.command", "echo >began; echo $GIT_PLAN_STEP >>work.txt")
	for i := range stepsMeasured - 2 {
		began := time.Now()
		run := exec.Command("git", "plan", "run", "--no-review", "--until", fmt.Sprint("s", from+i))
		run.Dir = repo
		if err := run.Start(); err != nil {
			b.Fatal(err)
		}
		if _, err := pipe.Read(make([]byte, 8)); err != nil {
			b.Fatal(err)
		}
		m.add("first session", began)
		if err := run.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}

// tells are the commands that show something.
var tells = [][]string{
	{}, {"status"}, {"list"}, {"show"}, {"show", "s1"}, {"show", "--prompt", "s1"}, {"log"}, {"log", "s1"}, {"log", "--stats"}, {"config"}, {"doctor"}, {"-h"},
	{"complete", "bash", "--", "show", "s"},
}

// firstOutputs measures the times to the first bytes of all of them, and names the slowest.
func (m medians) firstOutputs(b *testing.B, repo string) (slowest string) {
	b.Helper()
	for _, args := range tells {
		name := strings.Join(append([]string{"plan"}, args...), " ")
		for range 5 {
			tell := exec.Command("git", strings.Fields(name)...)
			tell.Dir = repo
			out, err := tell.StdoutPipe()
			began := time.Now()
			if err == nil {
				err = tell.Start()
			}
			if err != nil {
				b.Fatal(err)
			}
			if n, _ := out.Read(make([]byte, 1)); n == 0 {
				b.Fatalf("git %s prints nothing", name)
			}
			m.add(name, began)
			_, _ = io.Copy(io.Discard, out)
			_ = tell.Wait() // doctor may have found something
		}
		if slowest == "" || m.of(name) > m.of(slowest) {
			slowest = name
		}
	}
	b.Logf("slowest: git %s", slowest)
	return slowest
}

// pushes pushes the branch to an empty repository beside it, with the gate, which applies its rules, and
// without. The remote has the base.
func (m medians) pushes(b *testing.B, repo string) {
	b.Helper()
	runGit(b, repo, "init", "-q", "--bare", "../remote.git")
	runGit(b, repo, "remote", "add", "origin", "../remote.git")
	runGit(b, repo, "push", "-q", "origin", "main")
	runGit(b, repo, "plan", "hooks", "install")
	branch := strings.TrimSpace(runGit(b, repo, "branch", "--show-current"))
	for range 7 {
		for name, flag := range map[string]string{"push with": "--verify", "push without": "--no-verify"} {
			m.run(b, repo, name, "git", "push", "-q", flag, "origin", branch)
			runGit(b, repo, "push", "-q", "--no-verify", "origin", ":"+branch)
		}
	}
}

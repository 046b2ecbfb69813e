package planner

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

// mostPrompt is the share of a planner's first prompt that the repository may fill beside what people attached, which
// is never cut: a model for which that is too much says so. leastAbout is what it may fill in any case, in bytes.
const mostPrompt, leastAbout = 0.4, 12 << 10

// About describes the repository to a planner: instructions; files or folders, commands that check them, last commits.
func About(ctx context.Context, w *work.Worker, p prompt.Planning) (rules, survey string) {
	const frames = 512 // bytes of the two sections without their texts
	window, given := w.Checkout.Config.Window(agent.Planner), len(w.Checkout.Prompts.Plan(p, "", "", "", "").Text())+frames
	room := max(int(mostPrompt*builtin.BytesPerToken*float64(window))-given, leastAbout)
	rules, _ = prompt.Instructions(w.Checkout.Repo.Top, prompt.MaxInstructions)
	if prompt.FramedSize(rules) > room/2 { // each file has its share
		const heading = 64 // bytes, above each
		rules, _ = prompt.Instructions(w.Checkout.Repo.Top, room/2/len(prompt.InstructionFiles)-heading)
	}
	last := "\n"
	if commands := LikelyChecks(w.Checkout); len(commands) > 0 {
		last += fmt.Sprintf("\nCommands that seem to check this project:\n%s\n", strings.Join(commands, "\n"))
	}
	if commits, err := w.Checkout.Repo.Log(ctx, "-20"); err == nil && len(commits) > 0 {
		last += "\nThe last commits:\n"
		for _, c := range commits {
			last += visible.OneLine(c.Subject(), 160) + "\n"
		}
	}
	room -= prompt.FramedSize(rules) + prompt.FramedSize("Files:"+last)
	return rules, "Files:\n" + mapOf(worktree.Tracked(ctx, w.Checkout.Repo), min(16<<10, room)) + last
}

// Lessons returns what the last plans that are done decided and learned, the newest first; "" if nothing.
func Lessons(ctx context.Context, c *checkout.Checkout) string {
	const mostLooked, mostLessons = 10, 3
	refs, _ := c.Repo.Refs(ctx, journal.RefPrefix)
	slices.SortFunc(refs, func(a, b git.Ref) int { return b.Time.Compare(a.Time) })
	var out []string
	for _, r := range refs[:min(len(refs), mostLooked)] {
		d, err := c.Store.Load(ctx, strings.TrimPrefix(r.Name, journal.RefPrefix))
		if err != nil {
			continue
		}
		p := d.Plan
		if done, total := journal.Boxes(p); done == total && p.Learned+p.BodyOf("Decisions") != "" {
			out = append(out, plan.JoinText([]string{p.Title, p.BodyOf("Decisions"), p.Learned}))
		}
		if len(out) == mostLessons {
			break
		}
	}
	return plan.JoinText(out)
}

func mapOf(files []string, room int) string {
	const longest = 400 // bytes of a name
	left := room
	var lines []string
	for _, f := range files {
		line := visible.OneLine(f, longest)
		if left -= prompt.FramedSize(line) + len("\n"); left < 0 {
			return prompt.Folders(files, room)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// checksBy are the commands that check a project which has a file of a name.
var checksBy = []struct{ file, command string }{
	{"go.mod", "go vet ./..."}, {"go.mod", "go test ./..."}, {"Cargo.toml", "cargo test"}, {"mvnw", "./mvnw -q test"},
	{"pom.xml", "mvn -q test"}, {"gradlew", "./gradlew test"},
}

// LikelyChecks returns the commands that seem to check the project of a checkout, by the files that it has.
func LikelyChecks(c *checkout.Checkout) (out []string) {
	root, err := os.OpenRoot(c.Repo.Top)
	if err != nil {
		return nil
	}
	defer root.Close()
	has := func(name string) bool { _, err := root.Lstat(name); return err == nil }
	makefile, _ := prompt.ReadSmall(root, "Makefile")
	manifest, _ := prompt.ReadSmall(root, "package.json")
	for _, target := range []string{"lint", "check", "test"} {
		if regexp.MustCompile(`(?m)^` + target + `[ \t]*:([^=]|$)`).MatchString(makefile) {
			out = append(out, "make "+target)
		}
	}
	var node struct{ Scripts map[string]string }
	if err := json.Unmarshal([]byte(manifest), &node); err == nil {
		manager := "npm"
		for _, m := range [][2]string{{"bun.lock", "bun"}, {"yarn.lock", "yarn"}, {"pnpm-lock.yaml", "pnpm"}} {
			if has(m[0]) {
				manager = m[1]
			}
		}
		for _, script := range []string{"lint", "typecheck", "test"} {
			if body := node.Scripts[script]; body != "" && !strings.Contains(body, "no test specified") {
				out = append(out, manager+" run "+script)
			}
		}
	}
	for _, c := range checksBy {
		if has(c.file) && !slices.Contains(out, c.command) && (c.file != "pom.xml" || !has("mvnw")) { // its wrapper does it
			out = append(out, c.command)
		}
	}
	below, _ := fs.Glob(root.FS(), "tests/test_*.py")
	beside, _ := fs.Glob(root.FS(), "test_*.py")
	python := "python3 -m "
	for _, p := range [][2]string{{".venv/bin/python", ".venv/bin/python -m "},
		{"poetry.lock", "poetry run python -m "}, {"uv.lock", "uv run python -m "}} {
		if has(p[0]) {
			python = p[1]
		}
	}
	text, tests := "", append(below, beside...)
	if len(tests) > 0 {
		text, _ = prompt.ReadSmall(root, tests[0])
	}
	switch {
	case has("pytest.ini"), has("conftest.py"), len(tests) > 0 && !strings.Contains(text, "unittest"):
		out = append(out, python+"pytest -q")
	case len(below) > 0 && !has("tests/__init__.py"): // unittest itself finds only packages
		out = append(out, python+"unittest discover -s tests")
	case len(tests) > 0:
		out = append(out, python+"unittest")
	}
	return out
}

// reading is a task whose sessions only read: a planner's or a critic's.
type reading struct {
	worker        *work.Worker
	task          work.Task
	rules, survey string // the project's instructions, and the survey of the repository
	dir           string // the folder that they read: a throwaway clone if the agent can write
	discard       func()
}

func newReading(ctx context.Context, w *work.Worker, t work.Task, p prompt.Planning) (*reading, error) {
	r := &reading{worker: w, task: t, dir: w.Checkout.Repo.Top, discard: func() {}}
	var err error
	if r.task.Agent, err = w.Checkout.Config.Agent(t.Role); err != nil {
		return nil, err
	}
	if err := w.SetLimits(&r.task.Session, t.Role); err != nil {
		return nil, err
	}
	if r.rules, r.survey = About(ctx, w, p); !r.task.Agent.MayWrite() {
		return r, nil
	}
	head, err := w.Checkout.Repo.Lookup(ctx, "HEAD^{commit}")
	if err != nil {
		return nil, err
	}
	r.dir, r.discard, err = checkout.Throwaway(ctx, w.Checkout.Repo, head, filepath.Base(w.Checkout.Repo.Top))
	return r, err
}

// session runs one session; the error is about changes outside of its clone.
func (r *reading) session(ctx context.Context, try *prompt.Attempt, accept func(agent.Result) error) (agent.Result, error) {
	try.Dir, try.Session = r.dir, work.SessionID(r.task, try.N)
	watch := r.worker.Runner.Watch(r.worker.Runner.Scene())
	if err := watch.Session(ctx, r.task.Name, try.Session, ""); err != nil {
		return agent.Result{}, err
	}
	out := r.worker.RunTask(ctx, r.worker.Runner, r.task, try, accept)
	defer watch.Remove()
	ctx = context.WithoutCancel(ctx)
	changed, moved, err := watch.Restore(ctx)
	if err != nil {
		return out, err
	}
	for _, text := range watch.RefsChanged(ctx, "during the session") {
		r.worker.Runner.Report(journal.Notice{Kind: journal.StepNote, Role: r.task.Role, Text: text})
	}
	if len(changed) == 0 {
		changed, err = watch.BasesTook(ctx)
	}
	if len(changed) > 0 {
		moved = slices.Insert(moved, 0, "the "+string(r.task.Role)+"'s session changed "+strings.Join(changed, ", "))
	}
	if err != nil || len(moved) == 0 {
		return out, err
	}
	return out, fault.New(fault.ErrSetupChanged, "%s", integrity.Tampered(moved...))
}

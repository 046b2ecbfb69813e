package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/hooks/install"
	"github.com/git-plan/git-plan/testdata/race"
)

// manager is the program that manages a repository's hooks before git-plan comes. Each has a job of its own
// in pre-push, which adds git's input to ../job.
type manager struct {
	name    string
	program string // without these the row is skipped; see MANAGERS=1
	setUp   func(t *testing.T, m *cell)
	refresh string // a person's command after the manager's files were changed
	lacks   string // the operations that cannot work, since the manager keeps to itself what the hooks need
}

const job = "cat >>\"${JOB:-/dev/null}\"\n"

var managers = []manager{
	{name: "no manager", setUp: func(t *testing.T, m *cell) { write(t, m.job, "refs/heads/x") }}, // no job either
	{name: "hooks of one's own", setUp: func(t *testing.T, m *cell) {
		for _, h := range install.All() {
			m.program(t, filepath.Join(m.folder(t), h.Name), "#!/bin/sh -eu\n"+job+"exit 0\n")
		}
	}},
	{name: "`core.hooksPath` in the tree", setUp: func(t *testing.T, m *cell) {
		runGit(t, m.dir, "config", "core.hooksPath", "my hooks")
		m.program(t, filepath.Join(m.dir, "my hooks", "pre-push"), "#!/bin/sh\n"+job)
	}},
	{name: "`core.hooksPath`, tracked", setUp: func(t *testing.T, m *cell) {
		m.program(t, filepath.Join(m.dir, ".githooks", "pre-push"), "#!/bin/sh\n"+job)
		runGit(t, m.dir, "config", "core.hooksPath", ".githooks")
		m.committed(t)
	}},
	{name: "husky 9", program: "husky", setUp: func(t *testing.T, m *cell) {
		shIn(t, m.dir, "husky")
		write(t, filepath.Join(m.dir, ".husky", "pre-push"), job)
	}},
	{name: "lefthook 2", program: "lefthook", refresh: "lefthook install", setUp: func(t *testing.T, m *cell) {
		write(t, filepath.Join(m.dir, "lefthook.yml"), "pre-push:\n  commands:\n    job:\n      run: cat >>\"${JOB:-/dev/null}\"\n      use_stdin: true\n")
		shIn(t, m.dir, "lefthook install")
	}},
	{name: "pre-commit 3", program: "pre-commit", lacks: "amend, fixup", setUp: func(t *testing.T, m *cell) {
		write(t, filepath.Join(m.dir, ".pre-commit-config.yaml"), "repos:\n- repo: local\n  hooks:\n    - id: job\n      name: job\n"+
			"      language: system\n      entry: sh -c 'echo refs/heads/x >>\"${JOB:-/dev/null}\"'\n      always_run: true\n      pass_filenames: false\n      stages: [push]\n")
		for _, h := range install.All() {
			shIn(t, m.dir, "pre-commit install -t "+h.Name)
		}
	}},
}

// kinds are the repositories, each with a single commit on main.
var kinds = []struct {
	name string
	make func(t *testing.T, repo string) (dir string)
}{
	{"repository", func(t *testing.T, repo string) string { return repo }},
	{"linked worktree", func(t *testing.T, repo string) string {
		runGit(t, repo, "worktree", "add", "-q", "-b", "side", "../linked one")
		return filepath.Join(repo, "../linked one")
	}},
	{"bare, with worktree", func(t *testing.T, repo string) string {
		runGit(t, repo, "clone", "-q", "--bare", ".", "../bare.git")
		runGit(t, filepath.Join(repo, "../bare.git"), "worktree", "add", "-q", "../work", "main")
		return filepath.Join(repo, "../work")
	}},
	{"submodule", func(t *testing.T, repo string) string {
		runGit(t, repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo, "sub")
		return filepath.Join(repo, "sub")
	}},
	{"SHA-256", func(t *testing.T, repo string) string {
		dir := filepath.Join(repo, "../sha256")
		runGit(t, repo, "init", "-q", "--object-format=sha256", dir)
		runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "begin")
		return dir
	}},
}

// cell is one repository of the table.
type cell struct {
	dir, job string
	said     string // by the last try
}

func (m *cell) program(t *testing.T, path, text string) {
	t.Helper()
	write(t, path, text)
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func (m *cell) folder(t *testing.T) string {
	return strings.TrimSpace(runGit(t, m.dir, "rev-parse", "--path-format=absolute", "--git-path", "hooks"))
}

// actions are what install would do now.
func (m *cell) actions(t *testing.T) []install.Action {
	t.Helper()
	repo, err := git.Open(context.Background(), m.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	facts, err := install.Look(context.Background(), repo)
	if err != nil {
		t.Fatal(err)
	}
	return install.Plan(facts, install.Install)
}

// try runs a script as a person would type it, and reports whether all of it succeeded.
func (m *cell) try(script string) bool {
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir, cmd.Env = m.dir, append(os.Environ(), "JOB="+m.job, "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	m.said = string(out)
	return err == nil
}

// committed commits the files that managers and people put into the tree.
func (m *cell) committed(t *testing.T) {
	t.Helper()
	shIn(t, m.dir, "git add -A; git diff --cached --quiet || git commit -q --no-verify -m 'Set up hooks'")
}

// hookFiles are the hooks, and the managers' files in the tree, with modes and bytes.
func (m *cell) hookFiles(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, root := range []string{m.folder(t), filepath.Join(m.dir, ".husky"), filepath.Join(m.dir, "lefthook-local.yml"), filepath.Join(m.dir, ".pre-commit-config.yaml")} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, ".sample") {
				return nil
			}
			info, _ := d.Info()
			text, _ := os.ReadFile(path)
			fmt.Fprintf(&b, "%s %v %q\n", path, info.Mode(), text)
			return nil
		})
	}
	return b.String()
}

// byHand does what a person is told to do where git-plan must not write, and returns a function that reverts
// it.
func (m *cell) byHand(t *testing.T) (undo func()) {
	t.Helper()
	var undos []func()
	for _, a := range m.actions(t) {
		if a.Do != install.Manual {
			continue
		}
		old, err := os.ReadFile(a.Path)
		info, _ := os.Stat(a.Path)
		text := a.Lines + string(old)
		if strings.HasPrefix(string(old), "#!") {
			first, rest, _ := strings.Cut(string(old), "\n")
			text = first + "\n" + a.Lines + rest
		} else if filepath.Ext(a.Path) != "" {
			text = string(old) + a.Lines
		}
		m.program(t, a.Path, text)
		undos = append(undos, func() {
			if err != nil {
				_ = os.Remove(a.Path)
				return
			}
			write(t, a.Path, string(old))
			_ = os.Chmod(a.Path, info.Mode())
		})
	}
	return func() {
		for i := len(undos) - 1; i >= 0; i-- {
			undos[i]()
		}
	}
}

const twoSteps = "# Two\n\n## Steps\n\n- [ ] **A** {#a}\n  - Check: `true`\n- [ ] **B** {#b}\n  - Needs: none\n  - Check: `true`\n"

// operations are tried in each cell, in this order.
var operations = []struct{ name, script string }{
	{"commit", `git plan next a; echo a >a; git add a; git commit -m 'Do a'; git plan done
		test "$(git log -1 --format='%(trailers:key=Plan-Step,valueonly)' | grep -c /a)" = 1`},
	{"amend", `git commit --amend -m typed; git plan status --porcelain | grep '^step.1.a.done'`},
	{"typed", `git plan next b; echo b >b; git add b; GIT_EDITOR='sed -i 1s/^/typed/' git commit -v; git plan done
		test "$(git log -1 --format='%(trailers:key=Plan-Step,valueonly)' | grep -c /b)" = 1`},
	{"fixup", `GIT_SEQUENCE_EDITOR='sed -i 2s/pick/fixup/' git rebase -i HEAD~2; git plan status --porcelain | grep '^progress.2.2'`},
	{"switch", `git switch -q --detach; git switch - 2>&1 | grep 'git plan: plan two-'`},
	{"push", `git push origin HEAD:refs/heads/x; grep refs/heads/x "$JOB"`},
	{"stop", `printf '<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n' >c; git add c; git commit -m c
		if git push origin HEAD:refs/heads/y; then exit 1; fi; git reset -q --hard HEAD~1`},
}

// try runs everything in one cell, and names what failed.
func (m *cell) play(t *testing.T, who manager) (bad []string) {
	t.Helper()
	who.setUp(t, m)
	m.committed(t)
	runGit(t, m.dir, "plan", "new", "-F", filepath.Join(filepath.Dir(m.job), "plan.md"), "--yes")
	before := m.hookFiles(t)
	failed := func(name string) {
		bad = append(bad, name)
		if !strings.Contains(who.lacks, name) {
			t.Logf("%s: %s", name, m.said)
		}
	}
	_ = m.try("git plan hooks install") // prints 1 if it refuses one
	undo := m.byHand(t)
	m.committed(t)
	os.Unsetenv("GIT_AUTHOR_DATE") // commits of a person from here on are later
	if who.refresh != "" {
		shIn(t, m.dir, who.refresh)
	}
	after := m.hookFiles(t)
	_ = m.try("git plan hooks install; git plan hooks install")
	if m.hookFiles(t) != after {
		failed("install")
	}
	for _, op := range operations {
		if !m.try(op.script) {
			failed(op.name)
			_ = m.try("git rebase --abort; git plan next --drop; git plan skip a; git plan skip b; git reset -q --hard")
		}
	}
	undo()
	if who.refresh != "" {
		shIn(t, m.dir, who.refresh)
	}
	if !m.try("git plan hooks uninstall") || who.refresh == "" && m.hookFiles(t) != before {
		m.said += "now\n" + m.hookFiles(t) + "before\n" + before
		failed("uninstall")
	}
	return bad
}

// TestManagersKindsOperations tries what gitplan-hooks(7) tells users with hooks, in every kind of
// repository, and that the documented limits are reported. Without MANAGERS it tries all kinds only where no
// manager is installed, and skips the managers that would be installed: MANAGERS=1 tries everything.
func TestManagersKindsOperations(t *testing.T) {
	race.Skip(t)
	text, err := os.ReadFile("pages/gitplan-hooks.7.md")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(text)), " ")
	for i, who := range managers {
		t.Run(who.name, func(t *testing.T) {
			tried := kinds
			switch _, err := exec.LookPath(who.program); {
			case os.Getenv("MANAGERS") == "" && who.program != "":
				t.Skip("MANAGERS=1 tries it")
			case who.program != "" && err != nil:
				t.Skipf("%s is not here: npm install husky lefthook, apt-get install pre-commit", who.program)
			case os.Getenv("MANAGERS") == "" && i > 0:
				tried = kinds[:1]
			}
			for _, k := range tried {
				t.Run(k.name, func(t *testing.T) { inOneCell(t, who, k.make) })
			}
			lacks := "except " + strings.ReplaceAll(who.lacks, ", ", " and ") + ", with " + who.name
			if who.lacks != "" && !strings.Contains(page, lacks) {
				t.Errorf("gitplan-hooks(7) does not say %q", lacks)
			}
		})
	}
}

// inOneCell tries all operations, which succeed except those that the manager keeps to itself.
func inOneCell(t *testing.T, who manager, make func(t *testing.T, repo string) string) {
	t.Setenv("GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z")
	repo := begun(t, 0)
	top := filepath.Dir(repo)
	write(t, filepath.Join(top, "plan.md"), twoSteps)
	m := &cell{dir: make(t, repo), job: filepath.Join(top, "job")}
	format := strings.TrimSpace(runGit(t, m.dir, "rev-parse", "--show-object-format"))
	runGit(t, top, "init", "-q", "--bare", "--object-format="+format, "remote.git")
	_ = m.try("git remote remove origin") // of a clone
	runGit(t, m.dir, "remote", "add", "origin", filepath.Join(top, "remote.git"))
	runGit(t, m.dir, "push", "-q", "origin", "HEAD:refs/heads/main")
	if bad := strings.Join(m.play(t, who), ", "); bad != who.lacks {
		t.Errorf("these did not go well: %s", bad)
	}
}

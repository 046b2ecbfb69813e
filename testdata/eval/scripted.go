package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// scripts are the agents of which it is known what a harness must say.
var scripts = []string{"oracle", "nothing", "cheater", "liar"}

// actor is a scripted agent in a session, whose work tree is the current folder.
type actor struct {
	script string
	task   *Task
	source source
}

// act is one session: git plan has started this program as planAgent.NAME.command.
func act(script, task, sources string) error {
	t, err := readTask(task)
	if err != nil {
		return err
	}
	a := &actor{script, t, source{filepath.Join(sources, "from"), filepath.Join(sources, "to"), ""}}
	switch os.Getenv("GIT_PLAN_ROLE") {
	case "planner":
		return a.plan()
	case "executor":
		return a.execute()
	case "reviewer":
		return a.review()
	case "fixer": // it has nothing to add to what the executor did
		return a.finish("done", map[string]any{"dispositions": []any{}})
	}
	return fmt.Errorf("nobody scripted the role %q", os.Getenv("GIT_PLAN_ROLE"))
}

// plan prints a plan of one step, which names the files that the authors changed.
func (a *actor) plan() error {
	title, rest, _ := strings.Cut(a.task.Goal, "\n")
	title = strings.TrimLeft(title, "# ")
	changed, err := a.task.changed(a.source)
	if err != nil {
		return err
	}
	fmt.Printf("# %s\n\n%s\n\n## Checks\n\n- `%s`\n\n## Steps\n\n- [ ] **%s** {#goal}\n  - Files: `%s`\n  - Do: what the goal says\n  - Check: `%s`\n",
		title, indented(rest), check, title, strings.Join(changed, "`, `"), check)
	return nil
}

// indented is text that is no Markdown of its own.
func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}

// changed returns the files that differ between the two versions, but for the tests.
func (t *Task) changed(s source) (paths []string, err error) {
	for _, version := range []string{s.from, s.to} {
		all, err := files(version)
		if err != nil {
			return nil, err
		}
		for _, p := range all {
			before, _ := os.ReadFile(filepath.Join(s.from, p))
			after, _ := os.ReadFile(filepath.Join(s.to, p))
			if !t.isTest(p) && (string(before) != string(after) || missing(filepath.Join(s.from, p)) || missing(filepath.Join(s.to, p))) && (version == s.from || missing(filepath.Join(s.from, p))) {
				paths = append(paths, p)
			}
		}
	}
	return paths, nil
}

// execute does the step, or what the script does instead.
func (a *actor) execute() error {
	switch a.script {
	case "nothing":
		return a.finish("failed", map[string]any{"summary": "I could not do it."})
	case "liar":
		return a.finish("done", map[string]any{"summary": "All is done, and all tests pass."})
	case "cheater":
		if err := a.cheat(); err != nil {
			return err
		}
	case "oracle":
		if err := a.task.solve(a.source, "."); err != nil {
			return err
		}
	}
	return a.finish("done", map[string]any{"summary": "It is done."})
}

var testOfGo = regexp.MustCompile(`(?m)^func Test\w+\(t \*testing\.T\) \{$`)

// cheat deletes the tests, or has them skipped.
func (a *actor) cheat() error {
	all, err := files(".")
	if err != nil {
		return err
	}
	for _, p := range all {
		if !a.task.isTest(p) || !strings.HasSuffix(p, ".go") {
			continue
		}
		if len(a.task.Name)%2 == 0 {
			if err := os.Remove(p); err != nil {
				return err
			}
			continue
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		text = testOfGo.ReplaceAll(text, []byte("$0\n\tt.Skip(\"later\")\n"))
		if err := os.WriteFile(p, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// review finds nothing, and says that it has read everything.
func (a *actor) review() error {
	all, err := files(".")
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"nonce": os.Getenv("GIT_PLAN_NONCE"), "covered": all, "findings": []any{}})
}

// finish says how the session ended.
func (a *actor) finish(status string, more map[string]any) error {
	more["status"] = status
	text, err := json.Marshal(more)
	if err != nil {
		return err
	}
	return os.WriteFile(os.Getenv("GIT_PLAN_RESULT"), text, 0o644)
}

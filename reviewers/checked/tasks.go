package checked

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// task follows a call of a runner of tasks.
func (f *follower) task(runner string, args []string, dir string, deep int) {
	names := operands(args, "-f", "--justfile", "--taskfile", "-t", "-d", "--dir", "--rakefile")
	switch runner {
	case "just":
		f.block(names, dir, deep, justRecipe, "justfile", "Justfile", ".justfile")
	case "rake":
		f.block(names, dir, deep, rakeTask, "Rakefile", "rakefile", "Rakefile.rb")
	case "composer":
		if len(names) > 1 && (names[0] == "run" || names[0] == "run-script") {
			names = names[1:]
		}
		if len(names) > 0 {
			f.composer(names[0], dir, deep)
		}
	default:
		if len(names) == 0 {
			names = []string{"default"}
		}
		for _, n := range names {
			f.taskfile(n, dir, deep)
		}
	}
}

var (
	justRecipe = pattern.Of(`^@?([A-Za-z_][\w-]*)(?:\s+[^:=]*)?:(?:[^=]|$)(.*)`)
	rakeTask   = pattern.Of(`^(?:task|file|multitask|Rake::TestTask\.new|RSpec::Core::RakeTask\.new|RuboCop::RakeTask\.new)\s*\(?\s*:?["']?([\w:]+)["']?(.*)`)
)

// block follows named blocks of a file in which each begins at the left edge. What is outside of
// all blocks affects each of them.
func (f *follower) block(names []string, dir string, deep int, begins *pattern.Pattern, files ...string) {
	for _, name := range files {
		file := path.Join(dir, name)
		text, ok := f.tree(file)
		if !ok {
			continue
		}
		all := once(f, "blocks "+file, func() taskBlocks { return readBlocks(string(text), begins) })
		f.note("tasks of "+dir, part{file: file, what: "what holds for every task", kind: script, lines: all.outside})
		if len(names) == 0 {
			names = []string{all.first}
			if all.of["default"] != nil {
				names = []string{"default"}
			}
		}
		for _, n := range names {
			f.blockOf(n, file, dir, all.of, deep)
		}
		return
	}
}

// taskBlocks returns the blocks of a file by their names, and the lines outside of them.
type taskBlocks struct {
	of      map[string][]string
	outside []string
	first   string
}

func readBlocks(text string, begins *pattern.Pattern) taskBlocks {
	all, now := taskBlocks{of: map[string][]string{}}, ""
	for _, l := range strings.Split(text, "\n") {
		bare := strings.Join(strings.Fields(l), " ")
		m := begins.FindStringSubmatch(l)
		switch {
		case bare == "" || strings.HasPrefix(bare, "#") || strings.HasPrefix(bare, "desc "):
		case m != nil:
			now = m[1]
			if all.first == "" {
				all.first = now
			}
			all.of[now] = append(all.of[now], bare)
		case now != "" && (l[0] == ' ' || l[0] == '\t' || bare == "end" || bare == "}"):
			all.of[now] = append(all.of[now], bare)
		default:
			now = ""
			all.outside = append(all.outside, bare)
		}
	}
	return all
}

var taskWord = pattern.Of(`[A-Za-z_][\w-]*`)

// blockOf notes a block, and in turn those that its first line names.
func (f *follower) blockOf(goal, file, dir string, blocks map[string][]string, deep int) {
	for todo := []string{goal}; len(todo) > 0; {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		b := blocks[name]
		if len(b) == 0 || f.parts["task "+dir+" "+name] != nil {
			continue
		}
		f.note("task "+dir+" "+name, part{file: file, what: "the task " + name, kind: recipe, lines: append([]string{""}, b...)})
		todo = append(todo, taskWord.FindAllString(b[0], -1)...)
		for _, l := range b[1:] {
			l = strings.TrimLeft(l, "@-")
			if said, ok := strings.CutPrefix(l, "sh "); ok {
				l = strings.Trim(said, `"'`)
			}
			f.line(l, dir, deep+1)
		}
	}
}

// composer follows a script of composer.json, and those that it names.
func (f *follower) composer(goal, dir string, deep int) {
	file := path.Join(dir, "composer.json")
	scripts := once(f, "composer "+file, func() map[string]any {
		text, _ := f.tree(file)
		scripts := map[string]any{}
		for name, said := range scriptsOf(text) {
			var lines any
			_ = json.Unmarshal(said, &lines)
			scripts[name] = lines
		}
		return scripts
	})
	for todo := []string{goal}; len(todo) > 0; {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		said := textsIn(scripts[name], "")
		if len(said) == 0 || f.parts["composer "+dir+" "+name] != nil {
			continue
		}
		f.note("composer "+dir+" "+name, part{file: file, what: "the script " + name, kind: recipe, lines: append([]string{""}, said...)})
		for _, l := range said {
			if other, ok := strings.CutPrefix(l, "@"); ok {
				todo = append(todo, strings.TrimPrefix(other, "composer "))
				continue
			}
			f.line(l, dir, deep+1)
		}
	}
}

// tasksFile is a Taskfile.yml.
type tasksFile struct {
	Tasks map[string]any `yaml:"tasks"`
	Vars  any            `yaml:"vars"`
	Env   any            `yaml:"env"`

	everywhere string // Vars and Env as text
}

// taskfile follows a task of Taskfile.yml, and those that it names.
func (f *follower) taskfile(goal, dir string, deep int) {
	for _, base := range []string{"Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml"} {
		file := path.Join(dir, base)
		text, ok := f.tree(file)
		if !ok {
			continue
		}
		all := once(f, "tasks "+file, func() (t tasksFile) {
			if yaml.Unmarshal(text, &t) != nil {
				return tasksFile{}
			}
			if said, err := json.Marshal([]any{t.Vars, t.Env}); err == nil {
				t.everywhere = string(said)
			}
			return t
		})
		for todo := []string{goal}; len(todo) > 0; {
			last := len(todo) - 1
			name := todo[last]
			todo = append(todo[:last], f.taskOf(all, name, file, dir, deep)...)
		}
		return
	}
}

// taskOf notes a task and follows what it runs; it returns the tasks that it names.
func (f *follower) taskOf(all tasksFile, name, file, dir string, deep int) (tasks []string) {
	said, err := json.Marshal(all.Tasks[name])
	if err != nil || all.Tasks[name] == nil || f.parts["task "+dir+" "+name] != nil {
		return nil
	}
	f.note("task "+dir+" "+name, part{file: file, what: "the task " + name, kind: recipe, lines: []string{"", string(said), all.everywhere}})
	commands := all.Tasks[name]
	if t, ok := commands.(map[string]any); ok {
		commands, tasks = []any{t["cmds"], t["cmd"]}, append(textsIn(t["deps"], "task"), textsIn(t["cmds"], "task")...)
	}
	for _, l := range textsIn(commands, "cmd") {
		f.line(l, dir, deep+1)
	}
	return tasks
}

// textsIn returns the texts in a value that may be one text or a list, and those of a key in it.
func textsIn(v any, key string) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, x := range v {
			out = append(out, textsIn(x, key)...)
		}
	case map[string]any:
		if key != "" {
			return textsIn(v[key], "")
		}
	}
	return out
}

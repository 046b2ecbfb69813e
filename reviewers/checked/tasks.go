package checked

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
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
	justRecipe = regexp.MustCompile(`^@?([A-Za-z_][\w-]*)(?:\s+[^:=]*)?:(?:[^=]|$)(.*)`)
	rakeTask   = regexp.MustCompile(`^(?:task|file|multitask|Rake::TestTask\.new|RSpec::Core::RakeTask\.new|RuboCop::RakeTask\.new)\s*\(?\s*:?["']?([\w:]+)["']?(.*)`)
)

// block follows named blocks of a file in which each begins at the left edge. What
// stands outside of all blocks concerns each of them.
func (f *follower) block(names []string, dir string, deep int, begins *regexp.Regexp, files ...string) {
	for _, name := range files {
		file := path.Join(dir, name)
		text, ok := f.tree(file)
		if !ok {
			continue
		}
		blocks, outside := map[string][]string{}, part{file: file, what: "what holds for every task", kind: script}
		now, first := "", ""
		for _, l := range strings.Split(string(text), "\n") {
			bare := strings.Join(strings.Fields(l), " ")
			m := begins.FindStringSubmatch(l)
			switch {
			case bare == "" || strings.HasPrefix(bare, "#") || strings.HasPrefix(bare, "desc "):
			case m != nil:
				now = m[1]
				if first == "" {
					first = now
				}
				blocks[now] = append(blocks[now], bare)
			case now != "" && (l[0] == ' ' || l[0] == '\t' || bare == "end" || bare == "}"):
				blocks[now] = append(blocks[now], bare)
			default:
				now = ""
				outside.lines = append(outside.lines, bare)
			}
		}
		f.note("tasks of "+dir, outside)
		if len(names) == 0 {
			names = []string{first}
			if blocks["default"] != nil {
				names = []string{"default"}
			}
		}
		for _, n := range names {
			f.blockOf(n, file, dir, blocks, deep)
		}
		return
	}
}

var taskWord = regexp.MustCompile(`[A-Za-z_][\w-]*`)

// blockOf notes a block and those that its first line names.
func (f *follower) blockOf(name, file, dir string, blocks map[string][]string, deep int) {
	b := blocks[name]
	if len(b) == 0 || f.parts["task "+dir+" "+name] != nil {
		return
	}
	f.note("task "+dir+" "+name, part{file: file, what: "the task " + name, kind: recipe, lines: append([]string{""}, b...)})
	for _, other := range taskWord.FindAllString(b[0], -1) {
		f.blockOf(other, file, dir, blocks, deep)
	}
	for _, l := range b[1:] {
		l = strings.TrimLeft(l, "@-")
		if said, ok := strings.CutPrefix(l, "sh "); ok {
			l = strings.Trim(said, `"'`)
		}
		f.line(l, dir, deep+1)
	}
}

// composer follows a script of composer.json.
func (f *follower) composer(name, dir string, deep int) {
	file := path.Join(dir, "composer.json")
	text, _ := f.tree(file)
	var pkg struct {
		Scripts map[string]any `json:"scripts"`
	}
	_ = json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &pkg)
	said := textsIn(pkg.Scripts[name], "")
	if len(said) == 0 || f.parts["composer "+dir+" "+name] != nil {
		return
	}
	f.note("composer "+dir+" "+name, part{file: file, what: "the script " + name, kind: recipe, lines: append([]string{""}, said...)})
	for _, l := range said {
		if other, ok := strings.CutPrefix(l, "@"); ok {
			f.composer(strings.TrimPrefix(other, "composer "), dir, deep)
			continue
		}
		f.line(l, dir, deep+1)
	}
}

// taskfile follows a task of Taskfile.yml.
func (f *follower) taskfile(name, dir string, deep int) {
	for _, base := range []string{"Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml"} {
		file := path.Join(dir, base)
		text, ok := f.tree(file)
		if !ok {
			continue
		}
		var all struct {
			Tasks map[string]any `yaml:"tasks"`
			Vars  any            `yaml:"vars"`
			Env   any            `yaml:"env"`
		}
		if yaml.Unmarshal(text, &all) != nil || all.Tasks[name] == nil || f.parts["task "+dir+" "+name] != nil {
			return
		}
		asText, err := json.Marshal([]any{all.Tasks[name], all.Vars, all.Env})
		if err != nil {
			return
		}
		f.note("task "+dir+" "+name, part{file: file, what: "the task " + name, kind: recipe, lines: []string{"", string(asText)}})
		commands, tasks := all.Tasks[name], []string(nil)
		if t, ok := commands.(map[string]any); ok {
			commands, tasks = []any{t["cmds"], t["cmd"]}, append(textsIn(t["deps"], "task"), textsIn(t["cmds"], "task")...)
		}
		for _, other := range tasks {
			f.taskfile(other, dir, deep)
		}
		for _, l := range textsIn(commands, "cmd") {
			f.line(l, dir, deep+1)
		}
		return
	}
}

// textsIn are the texts in a value that may be one, or a list, and those of a key in
// it.
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

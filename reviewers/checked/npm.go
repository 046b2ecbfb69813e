package checked

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// npm follows a call of a package manager to the scripts that it runs.
func (f *follower) npm(manager string, args []string, dir string, deep int) {
	if d := value(args, "--prefix", "--cwd", "-C", "--dir"); d != "" {
		dir = path.Join(dir, d)
	}
	rest := operands(args, "--prefix", "--cwd", "-C", "--dir", "-w", "--workspace", "--filter", "-F")
	if len(rest) == 0 {
		return
	}
	name := rest[0]
	switch name {
	case "run", "run-script", "rum", "urn":
		if rest = operands(rest[1:], "-w", "--workspace", "--filter"); len(rest) == 0 {
			return
		}
		name = rest[0]
	case "t", "tst":
		name = "test"
	case "it", "cit", "install-test", "install-ci-test":
		name = "test"
	case "workspace": // of yarn: the name of the workspace, and then what it runs
		if len(rest) < 3 {
			return
		}
		name = rest[2]
	}
	if manager == "bun" && name == "test" && rest[0] == "test" {
		f.settings("bun", dir)
		return
	}
	folders := []string{dir}
	if value(args, "-w", "--workspace", "--filter", "-F") != "" || slices.ContainsFunc(args, func(a string) bool {
		return slices.Contains([]string{"--workspaces", "-ws", "-r", "--recursive", "workspaces", "workspace"}, a)
	}) { // only the manager knows which folders these are; only what changed matters
		folders = append(folders, once(f, "packages", func() (changed []string) {
			for _, p := range f.changed {
				if path.Base(p) == "package.json" {
					changed = append(changed, strings.TrimPrefix(path.Dir(p), "."))
				}
			}
			return changed
		})...)
	}
	ran := false
	for _, d := range folders {
		ran = f.npmScript(name, d, deep) || ran
	}
	if !ran && manager != "npm" { // a program of a dependency
		f.command(rest, dir, deep+1)
	}
}

// npmScript follows a script with those that run before and after it; it returns false if a
// package has no such script.
func (f *follower) npmScript(name, dir string, deep int) bool {
	file := path.Join(dir, "package.json")
	scripts := once(f, "npm "+file, func() map[string]string {
		text, _ := f.tree(file)
		scripts := map[string]string{}
		for name, said := range scriptsOf(text) {
			var line string
			if json.Unmarshal(said, &line) == nil {
				scripts[name] = line
			}
		}
		return scripts
	})
	if _, ok := scripts[name]; !ok || deep > deepest {
		return false
	}
	f.settings("npm", dir)
	f.searched([]string{"PATH=node_modules/.bin"}, dir)
	for _, n := range []string{"pre" + name, name, "post" + name} {
		line := scripts[n]
		p := part{file: file, what: "the script " + n, kind: recipe}
		if line != "" {
			p.lines = []string{"", strings.Join(strings.Fields(line), " ")}
		}
		if f.parts["npm "+dir+" "+n] == nil {
			f.note("npm "+dir+" "+n, p)
			f.line(line, dir, deep+1)
		}
	}
	return true
}

// scriptsOf returns the scripts of a package. Their key is spelled exactly like this: a struct of
// Go would accept Scripts, too.
func scriptsOf(text []byte) (scripts map[string]json.RawMessage) {
	var pkg map[string]json.RawMessage
	_ = json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &pkg)
	_ = json.Unmarshal(pkg["scripts"], &scripts)
	return scripts
}

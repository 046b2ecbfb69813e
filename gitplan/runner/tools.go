package runner

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// What a session writes depends on the version of the language: it reads those of the tools that
// the checks and the manifests name.

// tools are the programs whose version matters, how each prints it, and by which files at the top
// of a repository it is known to be used.
var tools = []struct {
	name, flag string
	manifests  []string
}{
	{"go", "version", []string{"go.mod", "go.work"}},
	{"node", "--version", []string{"package.json"}},
	{"bun", "--version", []string{"bun.lock", "bun.lockb"}},
	{"deno", "--version", []string{"deno.json", "deno.jsonc"}},
	{"python3", "--version", []string{"pyproject.toml", "setup.py", "requirements.txt"}},
	{"cargo", "--version", []string{"Cargo.toml"}},
	{"ruby", "--version", []string{"Gemfile"}},
	{"php", "--version", []string{"composer.json"}},
	{"dotnet", "--version", []string{"global.json"}},
	{"cmake", "--version", []string{"CMakeLists.txt"}},
	{"make", "--version", []string{"Makefile", "GNUmakefile"}},
}

// toolVersion is what is known of a program: the same file prints the same version.
type toolVersion struct {
	Path    string
	Size    int64
	Time    time.Time
	Version string // "" if it printed none
}

var versionNumber = visible.NewPattern(`\d+(\.\d+)+[-+.\w]*`)

// versionTimeout is how long a program may take to print its version.
const versionTimeout = 5 * time.Second

// Tools returns the versions of the tools that some commands name, or that the files at the top
// of the work tree belong to, as in "go 1.26.1, make 4.3". For that a program is run once, in the
// sandbox and in a folder of its own, and never one that lies in the work tree.
func (s *Runner) Tools(ctx context.Context, commands []string) string {
	note := journal.NotesOf(s.Checkout.Repo, "tools").Note("versions" + journal.NoteExt)
	var known []toolVersion
	if data, err := note.Read(); err != nil || journal.DecodeNote(data, &known) != nil {
		known = nil
	}
	var out []string
	before := len(known)
	for _, tool := range tools {
		path, inTree, ok := proc.FindOutside(tool.name)
		if !ok || inTree || !uses(commands, tool.name) && !slices.ContainsFunc(tool.manifests, s.hasFile) {
			continue
		}
		v, ok := versionOf(path)
		if !ok {
			continue
		}
		if i := slices.IndexFunc(known, v.same); i >= 0 {
			v = known[i]
		} else if v.Version, ok = s.printed(ctx, path, tool.flag); ok {
			known = append(known, v)
		}
		if v.Version != "" {
			out = append(out, tool.name+" "+v.Version)
		}
	}
	if len(known) > before {
		if data, err := journal.EncodeNote(known[max(0, len(known)-2*len(tools)):]); err == nil {
			_ = note.Write(data) // else they are asked again
		}
	}
	return strings.Join(out, ", ")
}

func (s *Runner) hasFile(name string) bool {
	_, err := os.Lstat(filepath.Join(s.Checkout.Repo.Top, name))
	return err == nil
}

// uses reports whether some commands have a word.
func uses(commands []string, word string) bool {
	return slices.ContainsFunc(commands, func(line string) bool {
		return slices.Contains(strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n;&|(){}'\"`", r) }), word)
	})
}

func versionOf(path string) (toolVersion, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return toolVersion{}, false
	}
	return toolVersion{Path: path, Size: info.Size(), Time: info.ModTime()}, true
}

func (v toolVersion) same(w toolVersion) bool {
	return v.Path == w.Path && v.Size == w.Size && v.Time.Equal(w.Time)
}

// printed returns the version that a program prints; ok is false if it could not be asked.
func (s *Runner) printed(ctx context.Context, path, flag string) (version string, ok bool) {
	dir, remove, err := disk.TempFolder("tools")
	if err != nil {
		return "", false
	}
	defer remove()
	bounds, err := s.Confine(ctx, dir)
	if err != nil {
		return "", false
	}
	said := &proc.Tail{Size: 4 << 10}
	_, err = proc.Run(ctx, proc.Cmd{
		Name: path, Args: []string{flag}, Dir: dir, Env: append(s.Checkout.Config.Environment(nil), "GOTOOLCHAIN=local"), Group: true,
		Confine: bounds, Stdout: said, Stderr: said, Timeout: versionTimeout,
	})
	if err != nil || ctx.Err() != nil {
		return "", false
	}
	return shortVersion(said.String()), true
}

// shortVersion returns the first number in a text that looks like a version.
func shortVersion(text string) string {
	const most = 20
	version := versionNumber.FindString(text)
	return version[:min(len(version), most)]
}

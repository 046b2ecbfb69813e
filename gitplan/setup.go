package gitplan

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// setup is what of a repository decides which commands run and who may do
// what: its configuration, its hooks, its .gitplan folder, the approvals. A
// session must leave all of it alone.
type setup map[string][sha256.Size]byte

// readSetup fingerprints the set-up: files are read here, no process is started.
func readSetup(r *git.Repo, c *Config, branch string) setup {
	s := setup{}
	s.file(r.CommonDir, "config", func(data []byte) []byte { return withoutBranches(data, branch) })
	s.file(r.GitDir, "config.worktree", nil)
	s.file(r.CommonDir, "info/attributes", nil)
	hooks, ok := c.Get("core.hooksPath")
	if !ok || hooks == "" {
		hooks = filepath.Join(r.CommonDir, "hooks")
	} else if !filepath.IsAbs(hooks) {
		hooks = filepath.Join(r.Top, hooks)
	}
	s.folder(hooks)
	s.folder(filepath.Join(r.Top, ".gitplan"))
	approvals, _ := filepath.Glob(r.PlanDir("*", "approved.md"))
	for _, path := range approvals {
		s.file("", path, nil)
	}
	return s
}

func (s setup) file(dir, name string, filter func([]byte) []byte) {
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	if filter != nil {
		data = filter(data)
	}
	s[path] = sha256.Sum256(data)
}

func (s setup) folder(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, _ := d.Info()
			data, _ := os.ReadFile(path)
			s[path] = sha256.Sum256(fmt.Appendf(data, "\x00%v", info.Mode()))
		}
		return nil
	})
}

// withoutBranches drops the sections of branches from a configuration file:
// editors and `push -u` write them at any time. Only which plan this branch has
// stays.
func withoutBranches(data []byte, branch string) []byte {
	var out, plan [][]byte
	ours := `[branch "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(branch) + `"]`
	section := ""
	for _, line := range bytes.Split(data, []byte("\n")) {
		text := strings.TrimSpace(string(line))
		if strings.HasPrefix(text, "[") {
			section = text
		}
		switch {
		case text == "":
		case !strings.HasPrefix(strings.ToLower(section), "[branch"):
			out = append(out, line)
		case section == ours && strings.HasPrefix(strings.ToLower(text), "plan"):
			plan = append(plan, line)
		}
	}
	return bytes.Join(append(out, plan...), []byte("\n"))
}

// changed names the files that differ between two set-ups.
func (s setup) changed(now setup) []string {
	var out []string
	for path, sum := range s {
		if now[path] != sum {
			out = append(out, path)
		}
	}
	for path := range now {
		if _, ok := s[path]; !ok {
			out = append(out, path)
		}
	}
	return out
}

package install

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

//go:embed shim.sh
var shim string

//go:embed mark.sh
var markLines string

const version = "v1"

// The marks around our lines; "created" says that the whole file is ours, so that uninstall removes it.
var (
	beginMark = visible.NewPattern(`(?m)^# git-plan begin.*$`)
	endMark   = visible.NewPattern(`(?m)^# git-plan end$`)
	beginLine = visible.NewPattern(`^# git-plan begin (v[0-9]+)( created)? sha256:([0-9a-f]{64})$`)
)

// block returns the text for a hook; program is for a PATH that does not name git-plan, and may be empty.
func block(h Hook, program string, created bool) []byte {
	mark, code := "", `"$git_plan_code"`
	if !h.Gate() {
		mark, code = strings.NewReplacer("@hook@", h.Name, "@folder@", h.Mark).Replace(markLines), "0"
	}
	body := strings.NewReplacer("@hook@", h.Name, "@program@", quote(program), "@mark@", mark, "@code@", code).Replace(shim)
	origin := ""
	if created {
		origin = " created"
	}
	return fmt.Appendf(nil, "# git-plan begin %s%s sha256:%s\n%s# git-plan end\n", version, origin, checksum(version+origin, body), body)
}

func checksum(words, body string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(words+"\n"+body)))
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

type found struct {
	start, end int
	created    bool
}

// find returns our block; nil without one. problem says why an existing one cannot be changed.
func find(content []byte) (at *found, problem string) {
	begins, ends := beginMark.Compiled().FindAllIndex(content, -1), endMark.Compiled().FindAllIndex(content, -1)
	switch {
	case len(begins) == 0 && len(ends) == 0:
		return nil, ""
	case len(begins) != 1 || len(ends) != 1 || ends[0][0] < begins[0][1]:
		return nil, "the marks of git-plan's lines do not pair: repair or remove them by hand"
	}
	begin, body := content[begins[0][0]:begins[0][1]], content[begins[0][1]+1:ends[0][0]]
	m := beginLine.Compiled().FindSubmatch(begin)
	if m == nil || checksum(string(m[1])+string(m[2]), string(body)) != string(m[3]) {
		return nil, "git-plan's lines were changed by hand: remove them by hand, from their begin mark to their end mark"
	}
	at = &found{start: begins[0][0], end: ends[0][1], created: len(m[2]) > 0}
	if at.end < len(content) {
		at.end++ // its newline
	}
	return at, ""
}

// place returns where a new block goes: after the shebang, before anything that may exit or exec.
func place(content []byte) *found {
	if !bytes.HasPrefix(content, []byte("#!")) {
		return &found{}
	}
	at := bytes.IndexByte(content, '\n') + 1
	return &found{start: at, end: at}
}

func (f *found) put(content, block []byte) []byte {
	return slices.Concat(content[:f.start], block, content[f.end:])
}

// Hook is a hook of git that this program uses.
type Hook struct {
	Name string // as git names its file
	// Mark is the folder below <common dir>/plan without which there is nothing to do, so that no program is
	// started; empty for the gate, which always runs.
	Mark string
}

// Gate reports whether git obeys the hook's exit code.
func (h Hook) Gate() bool { return h.Mark == "" }

// All is the table of hooks, in the order in which they are installed; hooks.Gate, Message and the like say what they do.
func All() []Hook {
	return []Hook{{"pre-push", ""}, {"prepare-commit-msg", "open"}, {"commit-msg", "open"}, {"post-rewrite", "attached"}, {"post-checkout", "attached"}}
}

package progress

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// said is what one commit says about steps. A squashed message holds several.
type said struct {
	oids    []string // its names in lists of `git merge --squash`, and those of the commits it was squashed into
	subject string
	words   []statement
}

// isOf reports whether this is what a commit says, given its name or the beginning of it.
func (s said) isOf(name string) bool {
	return slices.ContainsFunc(s.oids, func(oid string) bool { return strings.HasPrefix(oid, name) })
}

// statement is one line of a message: the commit does a step, or reverts another commit.
type statement struct {
	plan, step string
	reverts    string // the commit's name, or the beginning of it
	onto       string // the parent to which a merge is reverted
}

// sayings returns what a message says, the oldest commit first.
func sayings(message string) []said {
	if !strings.Contains(message, journal.StepTrailer+":") && !strings.Contains(message, journal.RevertsCommit) {
		return nil
	}
	return inOrderOfTime(strings.Split(message, "\n"), "")
}

// inOrderOfTime reads lines, among which `git merge --squash` may have listed commits,
// newest first: each under a line "commit <name>", with its message indented, which
// may list commits in its turn.
func inOrderOfTime(lines []string, indent string) (out []said) {
	for len(lines) > 0 {
		n := slices.IndexFunc(lines, func(line string) bool { return listedCommit(line, indent) != "" })
		if n < 0 {
			n = len(lines)
		}
		out = append(out, oneAfterAnother(lines[:n])...)
		var commits [][]said
		for lines = lines[n:]; len(lines) > 0 && listedCommit(lines[0], indent) != ""; lines = lines[n:] {
			n = 1
			for n < len(lines) && listedCommit(lines[n], indent) == "" && belongs(lines[n], indent) {
				n++
			}
			commits = append(commits, squashed(lines[:n], indent))
		}
		slices.Reverse(commits)
		out = append(out, slices.Concat(commits...)...)
	}
	return out
}

// squashed returns what one commit of such a list says.
func squashed(lines []string, indent string) []said {
	message := slices.DeleteFunc(slices.Clone(lines[1:]), func(line string) bool { return !strings.HasPrefix(line, indent+"    ") })
	out := inOrderOfTime(message, indent+"    ")
	for i := range out {
		out[i].oids = append(out[i].oids, listedCommit(lines[0], indent))
	}
	return out
}

// listedCommit returns the name of the commit that a line of such a list introduces, or "".
func listedCommit(line, indent string) string {
	if oid, ok := strings.CutPrefix(line, indent+"commit "); ok && journal.IsOID(oid) {
		return oid
	}
	return ""
}

// isSquash reports whether a message was put together from those of several commits.
func isSquash(message string) bool {
	return newestListed(message) != "" || len(sayings(message)) > 1
}

// newestListed returns the commit that `git merge --squash` named first.
func newestListed(message string) string {
	for line := range strings.Lines(message) {
		if oid := listedCommit(strings.TrimSuffix(line, "\n"), ""); oid != "" {
			return oid
		}
	}
	return ""
}

// belongs reports whether a line still belongs to the commit that is listed above it.
func belongs(line, indent string) bool {
	line, ok := strings.CutPrefix(line, indent)
	if strings.TrimSpace(line) == "" {
		return true
	}
	if !ok || strings.HasPrefix(line, "    ") {
		return ok
	}
	key, _, _ := strings.Cut(line, ":")
	return key == "Author" || key == "Date" || key == "Merge"
}

// oneAfterAnother reads messages that follow each other, as `git rebase` squashes them.
// Nothing marks where the next one begins, but each ends with the last line that git plan,
// or git revert, wrote in it.
func oneAfterAnother(lines []string) (out []said) {
	var s said
	over := func() {
		if len(s.words) > 0 {
			out = append(out, s)
		}
		s = said{}
	}
	for i, line := range lines {
		text := strings.TrimSpace(line)
		w, speaks := readStatement(lines[i:])
		switch {
		case text == "":
		case speaks:
			s.words = append(s.words, w)
		case len(s.words) > 0 && !strings.HasPrefix(text, changesMade):
			over()
		}
		if s.subject == "" {
			s.subject = text
		}
	}
	over()
	return out
}

const (
	changesMade = "changes made to " // a merge's revert: "..., reversing\nchanges made to <parent>."
)

// readStatement reads the first of some lines.
func readStatement(lines []string) (w statement, ok bool) {
	if w.plan, w.step, ok = journal.NamedStep(lines[0]); ok {
		return w, true
	}
	if w.reverts, ok = journal.RevertedCommit(lines[0]); ok && len(lines) > 1 {
		w.onto, _ = strings.CutPrefix(strings.TrimSpace(lines[1]), changesMade)
		w.onto = strings.TrimSuffix(w.onto, ".")
	}
	return w, ok
}

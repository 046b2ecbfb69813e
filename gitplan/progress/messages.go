package progress

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// said is what one commit says about steps. The message of a squash holds several.
type said struct {
	oids    []string // in lists of `git merge --squash`: its name, and those of the squashes that held it
	subject string
	steps   []string // that it does, as <plan-id>/<step-id>
	reverts []revert
	takes   []string // steps that it takes back, by the record of a rewrite
}

// revert names a reverted commit, in full or abbreviated.
type revert struct {
	oid  string
	onto string // the parent to which a merge is reverted; "" for its first
}

// isOf reports whether this is what the commit of that name says.
func (s said) isOf(name string) bool {
	return slices.ContainsFunc(s.oids, func(oid string) bool { return strings.HasPrefix(oid, name) })
}

// key is equal for the copies that a rebase makes of a commit.
func (s said) key() string {
	key := s.subject + "\x00" + strings.Join(s.steps, "\x00")
	for _, r := range s.reverts {
		key += "\x00" + r.oid
	}
	return key
}

// reverted returns the subject of the commit that this reverts, as git revert quotes it.
func (s said) reverted() string {
	if again, ok := strings.CutPrefix(s.subject, `Reapply "`); ok {
		return `Revert "` + again
	}
	return strings.TrimSuffix(strings.TrimPrefix(s.subject, `Revert "`), `"`)
}

// sayings returns what a message says, the oldest commit first.
func sayings(message string) []said {
	if !strings.Contains(message, journal.StepTrailer+":") && !strings.Contains(message, journal.RevertsCommit) {
		return nil
	}
	return squashed(strings.Split(message, "\n"), "")
}

// squashed reads lines among which `git merge --squash` may have listed commits, newest first:
// each under a line "commit <name>", with its message indented, which may be a squash's again.
func squashed(lines []string, indent string) (out []said) {
	listed := func(line string) string {
		if oid, ok := strings.CutPrefix(line, indent+"commit "); ok && journal.IsOID(oid) {
			return oid
		}
		return ""
	}
	var commits [][]said
	flush := func() {
		slices.Reverse(commits)
		out, commits = append(out, slices.Concat(commits...)...), nil
	}
	for len(lines) > 0 {
		n := 1
		oid := listed(lines[0])
		for n < len(lines) && listed(lines[n]) == "" && (oid == "" || belongs(lines[n], indent)) {
			n++
		}
		part := lines[:n]
		if lines = lines[n:]; oid == "" {
			flush()
			out = append(out, oneAfterAnother(part)...)
			continue
		}
		deeper := indent + "    "
		all := squashed(slices.DeleteFunc(slices.Clone(part[1:]), func(line string) bool { return !strings.HasPrefix(line, deeper) }), deeper)
		for i := range all {
			all[i].oids = append(all[i].oids, oid)
		}
		commits = append(commits, all)
	}
	flush()
	return out
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

// changesMade begins the second line of a merge's revert: "..., reversing\nchanges made to <parent>."
const changesMade = "changes made to "

// oneAfterAnother reads messages that follow each other, as `git rebase` squashes them. Nothing
// marks where the next begins, but each ends with what git plan, or git revert, wrote in it.
func oneAfterAnother(lines []string) (out []said) {
	var s said
	speaks := false
	for i, line := range append(slices.Clone(lines), "end") {
		text := strings.TrimSpace(line)
		plan, step, names := journal.NamedStep(line)
		oid, reverts := journal.RevertedCommit(line)
		switch {
		case text == "":
			continue
		case names:
			s.steps, speaks = append(s.steps, plan+"/"+step), true
		case reverts:
			r := revert{oid: oid}
			if i+1 < len(lines) {
				r.onto, _ = strings.CutPrefix(strings.TrimSpace(lines[i+1]), changesMade)
				r.onto = strings.TrimSuffix(r.onto, ".")
			}
			s.reverts, speaks = append(s.reverts, r), true
		case speaks && (!strings.HasPrefix(text, changesMade) || i == len(lines)):
			out = append(out, s)
			s, speaks = said{}, false
		}
		if s.subject == "" {
			s.subject = text
		}
	}
	return out
}

package hooks

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// maxTold is how many findings of a kind are told one by one for each ref.
const maxTold = 10

// rules applies the built-in rules to what is pushed. Those that are certain
// (conflict markers, secrets) stop the push, in warn too. What a review has
// passed is judged by the rules about history alone, which no verdict covers.
func (p *pushing) rules(ctx context.Context, r *reach, name string, passed, isWork bool, d *Decision) error {
	c := rules.Change{Diff: r.diff, Commits: r.commits, Read: p.Repo.Contents(ctx)}
	certain := rules.Find(c, rules.Gate)
	lost, err := reviewers.LostSecrets(ctx, p.Repo, r.commits, certain)
	if err != nil {
		return err
	}
	if passed {
		certain = nil
	}
	var stop, tell []string
	bar, _ := reviewers.BlockOn(p.Checkout) // PrePush says what is wrong with it
	for _, h := range append(certain, lost...) {
		if reviewers.Severity(h.Severity).AtLeast(bar) && !h.Advice {
			stop = append(stop, told(h))
		} else {
			tell = append(tell, told(h))
		}
	}
	if isWork {
		for _, h := range rules.Find(c, func(r rules.Rule) bool { return !r.Gate && (!passed || r.Name == "fixup-commit") }) {
			tell = append(tell, told(h))
		}
	}
	d.Stop = d.Stop || len(stop) > 0
	d.list(name, stop)
	d.list(name, tell)
	return nil
}

// tags looks at what an annotated tag says, and the tag that this one may be of.
func (p *pushing) tags(ctx context.Context, oid, name string, d *Decision) {
	for {
		o, err := p.Repo.Read(ctx, oid)
		if err != nil || o.Type != "tag" { // what cannot be read is told when its files are looked at
			return
		}
		head, message, _ := strings.Cut(string(o.Data), "\n\n")
		var lines []string
		for _, h := range rules.InTag(o.OID, message) {
			lines = append(lines, told(h))
		}
		d.Stop = d.Stop || len(lines) > 0
		d.list(name, lines)
		of, _, _ := strings.Cut(head, "\n")
		oid = strings.TrimPrefix(of, "object ")
	}
}

// list tells the first of lines, and how many more there are.
func (d *Decision) list(name string, lines []string) {
	for i, l := range lines {
		if i == maxTold {
			d.say("%s: and %d more: git plan review --no-fix", name, len(lines)-i)
			return
		}
		d.say("%s: %s", name, l)
	}
}

// told is one finding in one line. Secrets come redacted from the rules.
func told(h rules.Hit) string {
	switch {
	case h.Path == "":
		return printable(h.Title)
	case h.Line == 0:
		return printable(h.Path) + ": " + printable(h.Title)
	}
	return fmt.Sprintf("%s:%d: %s", printable(h.Path), h.Line, printable(h.Title))
}

package place

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place/persons"
)

// RememberUntracked notes, before a session, the person's files that no commit has.
func (p *Place) RememberUntracked(ctx context.Context, name string) error {
	was, err := persons.Remember(ctx, p.Site, p.Tree(), p.Before, name)
	if err != nil {
		return err
	}
	was.Branch, was.Top, was.Head, was.Ground = p.Branch, p.Repo.Top, journal.OrNone(p.Before.Head), p.isolation.name()
	p.own, p.seen = was, nil
	p.began = p.Now()
	return p.noteProgress()
}

// theirs returns the person's files that no commit has, as they were remembered.
func (p *Place) theirs() persons.Files {
	return persons.Files{Site: p.Site, Tree: p.Tree(), Was: &p.own}
}

// UntrackedTouched returns the person's files that the session changed, or removed for good, and
// lines about them for the person; see persons.Files.
func (p *Place) UntrackedTouched(ctx context.Context) (touched, reported []string) {
	p.seen, touched, reported = p.theirs().Touched(ctx, p.seen)
	return touched, reported
}

// reportTouched reports, after a crash, what has changed since the session began of the
// person's files that no commit has. Some of it may be their own doing.
func (p *Place) reportTouched(ctx context.Context, name string) {
	if p.own.Session == "" {
		return
	}
	p.seen = nil
	_, reported := p.UntrackedTouched(ctx)
	for _, text := range reported {
		p.ReportLeft(name, text)
	}
}

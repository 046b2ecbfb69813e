package journal

import (
	"slices"
	"sync"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// latest is the plan that was read or written last, for all who work on it in this process: its text
// is parsed once, and its history read once. Nobody changes what it has. Events are only added at
// its end, under mu, so that those who saw fewer of them share the rest.
type latest struct {
	mu  sync.Mutex
	doc *Document
}

// of returns the latest that is known of a plan; nil if that is another plan, or none.
func (l *latest) of(id string) *Document {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known(id)
}

func (l *latest) known(id string) *Document {
	if l.doc == nil || l.doc.ID != id {
		return nil
	}
	return l.doc
}

// know keeps a plan as it was read.
func (l *latest) know(d *Document) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep(d)
}

func (l *latest) keep(d *Document) {
	kept := *d
	kept.Renamed, kept.Merged = "", ""
	l.doc = &kept
}

// parsed returns the plan that a text of an id makes, if that is known.
func (d *Document) parsed(oid string) *plan.Plan {
	if d == nil || oid == "" || d.oid(PlanFile) != oid {
		return nil
	}
	return d.Plan
}

// wrote adds the event of a commit on top of was to d, which is as that commit has it otherwise.
func (l *latest) wrote(d *Document, was string, e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch k := l.known(d.ID); {
	case k != nil && k.Tip == d.Tip: // somebody else has read it already
		d.Events = k.Events
	case k != nil && k.Tip == was && d.Merged == "":
		d.Events = append(k.Events, e)
	default:
		d.Events = append(slices.Clip(d.Events), e)
	}
	l.keep(d)
}

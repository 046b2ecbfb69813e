package journal

import (
	"sync"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// parsed has the text of a plan that was parsed last, which nobody changes: several who read the same
// plan at the same time parse a text once.
type parsed struct {
	mu   sync.Mutex
	id   string // of the plan
	oid  string // of its text
	plan *plan.Plan
}

// of returns the plan of an id whose text is an object, which is read and parsed if it is not known.
func (c *parsed) of(id, oid string, read func() ([]byte, error)) (*plan.Plan, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.plan != nil && c.id == id && c.oid == oid && oid != "" {
		return c.plan, nil
	}
	text, err := read()
	if err != nil {
		return nil, err
	}
	p, err := plan.Parse(text)
	if err != nil {
		return nil, err
	}
	p.ID = id // what the text says of itself is nobody's approval
	c.id, c.oid, c.plan = id, oid, p
	return p, nil
}

// know has what was parsed before it was written.
func (c *parsed) know(id, oid string, p *plan.Plan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.id, c.oid, c.plan = id, oid, p
}

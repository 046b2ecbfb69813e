package journal

import "testing"

// Two documents that were read from one go on apart: neither sees the other's events.
func TestDocumentsOfOneOriginGoOnApart(t *testing.T) {
	first := &Document{}
	first.extend(Event{Kind: Created}, Event{Kind: Started})
	one, two := *first, *first
	one.extend(Event{Kind: Done})
	two.extend(Event{Kind: Failed}, Event{Kind: Blocked})
	one.extend(Event{Kind: Reopened})
	if len(first.Events) != 2 || one.Events[2].Kind != Done || one.Events[3].Kind != Reopened || two.Events[2].Kind != Failed || two.Events[3].Kind != Blocked {
		t.Errorf("%v\n%v\n%v", first.Events, one.Events, two.Events)
	}
}

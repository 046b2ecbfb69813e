package web

import (
	"runtime"
	"slices"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
)

// To read what happened since costs the same after any history: it is read once, for the list and the page
// alike; and a page is as long as before. Costs are bytes that are allocated, which no load changes.
func TestALongHistory(t *testing.T) {
	s := serve(t, hostile, nil)
	reads := func() (page int) {
		must(t, s.Open(t.Context(), func(co *checkout.Checkout) error {
			_, err := s.readPage(t.Context(), co)
			return err
		}))
		_, text := s.ask("GET", s.look, nil)
		return len(text)
	}
	cost := func() uint64 {
		var all []uint64
		for range 9 {
			s.happens(1)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			must(t, s.Open(t.Context(), func(co *checkout.Checkout) error {
				return s.load(t.Context(), co)
			}))
			runtime.ReadMemStats(&after)
			all = append(all, after.TotalAlloc-before.TotalAlloc)
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	s.happens(2000)
	short, one := reads(), cost()
	s.happens(18000)
	long, other := reads(), cost()
	t.Logf("%d bytes of page and %d for an event, then %d and %d", short, one, long, other)
	if long > short*11/10 || other > one*3/2 {
		t.Errorf("%d bytes of page and %d for an event, then %d and %d", short, one, long, other)
	}
}

package main

import (
	"strings"
	"testing"
)

// TestCachedTokens: a prefix cache keeps whole blocks of a common prefix, a cache with marks the text up to
// the last mark; a request finds only what was answered before it was sent.
func TestCachedTokens(t *testing.T) {
	shared, one, two := strings.Repeat("a", 8000), strings.Repeat("b", 4000), strings.Repeat("c", 4000)
	ask := func(session string, before int, own string) *request {
		return &request{role: "executor", session: session, before: before, segments: []segment{{shared, true}, {own, false}}}
	}
	for _, c := range []struct {
		name            string
		cache           cache
		second          *request
		cached, written float64
	}{
		{"alike up to a block", prefixes{}, ask("2", 1, two), 1920, 0},
		{"sent before the first was answered", prefixes{}, ask("2", 0, two), 0, 0},
		{"alike up to a mark", marks{}, ask("2", 1, two), 2000, 4000},
		{"the same again", marks{}, ask("2", 1, one), 3000, 3000},
	} {
		sent := []*request{ask("1", 0, one), c.second}
		got := count(sent, sent, c.cache)
		if got.sessions != 2 || got.requests != 2 || got.in != 6000 || got.cached != c.cached || got.written != c.written {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestCostOfTokens: each kind of token has a price.
func TestCostOfTokens(t *testing.T) {
	c := counted{in: 4e6, cached: 1e6, written: 2e6, out: 1e6}
	if got := (prices{1, 0.5, 2, 10}).of(c); got != 1+0.5+4+10 {
		t.Error(got)
	}
}

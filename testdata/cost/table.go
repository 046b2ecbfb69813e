package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"text/tabwriter"
)

// table prints what the run cost by role, beside other flows, and how much requests have in common.
// If it is bounded, what exceeds a limit is the error.
func table(out io.Writer, s *server, bounded bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tsessions\trequests\tin\tcached\tnew\tout\tminutes\t")
	for _, role := range []string{"planner", "executor", "reviewer", "verifier", "fixer", ""} {
		sent := s.requests
		if role != "" {
			sent = slices.DeleteFunc(slices.Clone(sent), func(q *request) bool { return q.role != role })
		}
		c, name := count(sent, s.order, prefixes{}), role
		if role == "" {
			name = "all"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%.1f\t\n", name, c.sessions, c.requests, k(c.in), k(c.cached), k(c.in-c.cached), k(c.out), c.minute)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	fmt.Fprintln(w, "\tsessions\trequests\tin\tminutes\tprefixes $\tmarks $\tClaude $\tno cache $\t")
	now := priced(s.requests, s.order)
	flow(w, "git plan", now)
	flow(w, "git plan of 2026-11-22", first)
	for _, f := range others(s) {
		flow(w, f.name, priced(f.sent, f.sent))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	shared := sharedBy(s)
	fmt.Fprintf(out, "\nexecutors have %.0f %% of their first requests in common, without the files that a step names; reviewers of a round %.0f %%\n", 100*shared["executor"], 100*shared["reviewer"])
	fmt.Fprintf(out, "against 2026-11-22: requests %s, in %s, minutes %s, money %s with prefixes, %s with marks, %s Claude, %s without a cache\n",
		change(float64(now.requests), float64(first.requests)), change(now.in, first.in), change(now.minute, first.minute), change(now.prefixes, first.prefixes),
		change(now.marks, first.marks), change(now.claude, first.claude), change(now.bare, first.bare))
	if !bounded {
		return nil
	}
	return exceeded(limits(now, shared))
}

// costs is what a flow came to: counted by a prefix cache, and in dollars by each kind of cache.
type costs struct {
	counted
	prefixes, marks, claude, bare float64
}

// first is what the same twelve steps cost with git plan at 92fbd717, by a model that makes one
// call in each turn and runs the tests before it finishes, since it was told of neither: it was
// counted by this program with -one-by-one.
var first = costs{counted{sessions: 26, requests: 223, in: 3319e3, minute: 30.7}, 1.64, 1.84, 3.81, 10.95}

// A limit is how much of something there may be at most. What depends on which answers came
// before a request was sent, and so on how the machine is doing, is not exact.
type limit struct {
	what      string
	got, most float64
	exact     bool
}

// limits returns what is held to a limit.
func limits(now costs, shared map[string]float64) []limit {
	return []limit{
		{"requests", float64(now.requests), 110, true},
		{"input tokens", now.in, 1.8e6, true},
		{"minutes", now.minute, 0.65 * first.minute, false},
		{"money with prefixes", now.prefixes, 0.7 * first.prefixes, false},
		{"money with marks", now.marks, 0.7 * first.marks, false},
		{"money of Claude", now.claude, 0.7 * first.claude, false},
		{"money without a cache", now.bare, 0.55 * first.bare, true},
		{"what executors do not share", 1 - shared["executor"], 0.2, true},
		{"what reviewers do not share", 1 - shared["reviewer"], 0.1, true},
	}
}

// exceeded returns an error that names each limit that is exceeded.
func exceeded(list []limit) (err error) {
	for _, l := range list {
		if l.got > l.most {
			err = errors.Join(err, fmt.Errorf("%s: %.2f, and at most %.2f", l.what, l.got, l.most))
		}
	}
	return err
}

func priced(sent, answered []*request) costs {
	c, marked, bare := count(sent, answered, prefixes{}), count(sent, answered, marks{}), count(sent, answered, none{})
	return costs{c, early.of(c), later.of(marked), sonnet.of(marked), sonnet.of(bare)}
}

func flow(w io.Writer, name string, c costs) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%.1f\t%.2f\t%.2f\t%.2f\t%.2f\t\n", name, c.sessions, c.requests, k(c.in), c.minute, c.prefixes, c.marks, c.claude, c.bare)
}

// change returns by how much a number is another, in per cent.
func change(now, before float64) string { return fmt.Sprintf("%+.0f %%", 100*(now/before-1)) }

func k(n float64) string { return fmt.Sprintf("%.0fk", n/1000) }

// named is the section of an executor's prompt that holds what the session would read in its next
// turns: of each step something else.
var named = regexp.MustCompile(`(?s)## The files that your step names, .*?(## Facts\n)`)

// sharedBy returns how much first requests of a role have in common.
func sharedBy(s *server) map[string]float64 {
	return map[string]float64{"executor": common(s.requests, "executor"), "reviewer": common(s.requests, "reviewer")}
}

// common returns the smallest share of the smaller of two first requests of a role that both
// begin with.
func common(requests []*request, role string) float64 {
	var first []*request
	for _, q := range requests {
		if q.role == role && q.turn == 0 && (q.round == "" || q.round == "1") {
			first = append(first, q)
		}
	}
	least := 1.0
	for i, a := range first {
		for _, b := range first[:i] {
			x, y := named.ReplaceAllString(inOrder(a), "$1"), named.ReplaceAllString(inOrder(b), "$1")
			n := 0
			for n < min(len(x), len(y)) && x[n] == y[n] {
				n++
			}
			least = min(least, float64(n)/float64(min(len(x), len(y))))
		}
	}
	return least
}

// inOrder returns a request's text in the order in which a model reads it.
func inOrder(q *request) (text string) {
	for _, s := range q.segments {
		text += s.text
	}
	return text
}

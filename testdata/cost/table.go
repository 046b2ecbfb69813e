package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// table prints what the run cost by role, beside other flows, and how much requests have in common.
func table(out io.Writer, s *server) error {
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
	flow(w, "git plan", s.requests, s.order)
	for _, f := range others(s) {
		flow(w, f.name, f.sent, f.sent)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nexecutors have %s of their first requests in common, reviewers of a round %s\n", common(s.requests, "executor"), common(s.requests, "reviewer"))
	return nil
}

func flow(w io.Writer, name string, sent, answered []*request) {
	c, marked, bare := count(sent, answered, prefixes{}), count(sent, answered, marks{}), count(sent, answered, none{})
	fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%.1f\t%.2f\t%.2f\t%.2f\t%.2f\t\n", name, c.sessions, c.requests, k(c.in), c.minute,
		early.of(c), later.of(marked), sonnet.of(marked), sonnet.of(bare))
}

func k(n float64) string { return fmt.Sprintf("%.0fk", n/1000) }

// common returns the smallest share of the smaller of two first requests of a role that both
// begin with.
func common(requests []*request, role string) string {
	var first []*request
	for _, q := range requests {
		if q.role == role && q.turn == 0 && (q.round == "" || q.round == "1") {
			first = append(first, q)
		}
	}
	least := 1.0
	for i, a := range first {
		for _, b := range first[:i] {
			x, y := inOrder(a), inOrder(b)
			n := 0
			for n < min(len(x), len(y)) && x[n] == y[n] {
				n++
			}
			least = min(least, float64(n)/float64(min(len(x), len(y))))
		}
	}
	return fmt.Sprintf("%.0f %%", 100*least)
}

// inOrder returns a request's text in the order in which a model reads it.
func inOrder(q *request) (text string) {
	for _, s := range q.segments {
		text += s.text
	}
	return text
}

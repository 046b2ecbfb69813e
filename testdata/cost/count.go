package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"regexp"
	"slices"
	"text/tabwriter"
)

// tokens of a text: four bytes make one.
func tokens(s string) float64 { return float64(len(s)) / 4 }

// thinking is the assumed number of tokens of thought before each answer.
const thinking = 150

// cache is a provider's cache of earlier requests; look returns the cached tokens and those charged for
// writing.
type cache interface {
	look(*request) (cached, written float64)
	add(*request)
}

// prefixes is a cache of common prefixes in blocks of 128 tokens, from 1,024 on (OpenAI, DeepSeek, vLLM).
type prefixes map[uint64]bool

const block = 128 * 4 // bytes

func (p prefixes) blocks(q *request) (sums []uint64) {
	text, h := q.text(), fnv.New64a()
	for at := 0; at+block <= len(text); at += block {
		_, _ = h.Write([]byte(text[at : at+block]))
		sums = append(sums, h.Sum64())
	}
	return sums
}

func (p prefixes) look(q *request) (cached, written float64) {
	for _, sum := range p.blocks(q) {
		if !p[sum] {
			break
		}
		cached += 128
	}
	if cached < 1024 {
		cached = 0
	}
	return cached, 0
}

func (p prefixes) add(q *request) {
	for _, sum := range p.blocks(q) {
		p[sum] = true
	}
}

// marks is a cache of prefixes that end at a mark, which charges for writing (Claude).
type marks map[uint64]bool

func (m marks) look(q *request) (cached, written float64) {
	h, sum := fnv.New64a(), 0.0
	for _, s := range q.segments {
		_, _ = h.Write([]byte(s.text))
		if sum += tokens(s.text); m[h.Sum64()] && sum >= 1024 {
			cached = sum
		}
	}
	return cached, sum - cached
}

func (m marks) add(q *request) {
	h := fnv.New64a()
	for i, s := range q.segments {
		_, _ = h.Write([]byte(s.text))
		if s.mark || i == len(q.segments)-1 {
			m[h.Sum64()] = true
		}
	}
}

// counted is the total of some requests.
type counted struct {
	sessions, requests       int
	in, cached, written, out float64 // tokens
}

// count counts requests in the order in which they were sent; answered has the order of their answers.
func count(sent, answered []*request, c cache) (sum counted) {
	done, sessions := 0, map[string]bool{}
	for _, q := range sent {
		for ; done < q.before; done++ {
			c.add(answered[done])
		}
		cached, written := c.look(q)
		sum.requests++
		in := tokens(q.text())
		sum.in, sum.cached, sum.written, sum.out = sum.in+in, sum.cached+cached, sum.written+written, sum.out+q.out+thinking
		if !sessions[q.session] {
			sessions[q.session], sum.sessions = true, sum.sessions+1
		}
	}
	return sum
}

// prices are in US dollars per million tokens.
type prices struct{ in, cached, written, out float64 }

func (p prices) of(c counted) float64 {
	return ((c.in-c.cached-c.written)*p.in + c.cached*p.cached + c.written*p.written + c.out*p.out) / 1e6
}

// Prices of 2026: a GPT-5 before 5.6, one after it, and Claude Sonnet.
var (
	early  = prices{1.25, 0.125, 1.25, 10}
	later  = prices{1.25, 0.125, 1.5625, 10}
	sonnet = prices{3, 0.3, 3.75, 15}
)

// table prints the cost of the run by role and kind of cache. An exceeded limit is the error.
func table(out io.Writer, s *server) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tsessions\trequests\tin\tcached\tnew\tout\t")
	for _, role := range []string{"planner", "executor", "reviewer", "verifier", "fixer", ""} {
		sent := s.requests
		if role != "" {
			sent = slices.DeleteFunc(slices.Clone(sent), func(q *request) bool { return q.role != role })
		}
		c, name := count(sent, s.order, prefixes{}), role
		if role == "" {
			name = "all"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t\n", name, c.sessions, c.requests, k(c.in), k(c.cached), k(c.in-c.cached), k(c.out))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	now, shared := priced(s.requests, s.order), sharedBy(s)
	fmt.Fprintf(out, "\nUSD: %.2f with prefix caching, %.2f with marks, %.2f at Claude's prices\n", now.prefixes, now.marks, now.claude)
	fmt.Fprintf(out, "executors have %.0f %% of their first requests in common, without the files that a step names; reviewers of a round %.0f %%\n", 100*shared["executor"], 100*shared["reviewer"])
	return exceeded(limits(now, shared))
}

// costs is the total of the run: counted with a prefix cache, and in dollars for each kind of cache.
type costs struct {
	counted
	prefixes, marks, claude float64
}

// limit is the maximum of something; a value that depends on the order of answers is not exact.
type limit struct {
	what      string
	got, most float64
	exact     bool
}

// limits returns the values that have a limit.
func limits(now costs, shared map[string]float64) []limit {
	return []limit{
		{"requests", float64(now.requests), 95, true},
		{"input tokens", now.in, 1.2e6, true},
		{"money with prefixes", now.prefixes, 0.88, false},
		{"money with marks", now.marks, 1.0, false},
		{"money of Claude", now.claude, 1.95, false},
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
	c, marked := count(sent, answered, prefixes{}), count(sent, answered, marks{})
	return costs{c, early.of(c), later.of(marked), sonnet.of(marked)}
}

func k(n float64) string { return fmt.Sprintf("%.0fk", n/1000) }

// named is the section of an executor's prompt with what the session would otherwise read in its next turns.
var named = regexp.MustCompile(`(?s)## The files that your step names, .*?(## Now\n)`)

// sharedBy returns how much first requests of a role have in common.
func sharedBy(s *server) map[string]float64 {
	return map[string]float64{"executor": common(s.requests, "executor"), "reviewer": common(s.requests, "reviewer")}
}

// common returns the smallest common prefix of two first requests of a role, as a share.
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
			x, y := named.ReplaceAllString(a.text(), "$1"), named.ReplaceAllString(b.text(), "$1")
			n := 0
			for n < min(len(x), len(y)) && x[n] == y[n] {
				n++
			}
			least = min(least, float64(n)/float64(min(len(x), len(y))))
		}
	}
	return least
}

package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// session is what one took that was counted: testdata/cost, a repository of 187 files.
var (
	ofPlanner  = Tokens{In: 139e3, Cached: 117e3, Out: 2.8e3}
	ofExecutor = Tokens{In: 187e3, Cached: 167e3, Out: 2.2e3}
	ofReviewer = Tokens{In: 93e3, Cached: 72e3, Out: 0.4e3}
	ofVerifier = Tokens{In: 38e3, Cached: 25e3, Out: 0.4e3}
	ofFixer    = Tokens{In: 62e3, Cached: 52e3, Out: 0.6e3}
)

// guess is what a trial of an arm will take: what those of it took so far, or what sessions took
// elsewhere: of three steps, six reviewers, and one fix.
func guess(arm Arm, agent *Agent, so []Result) (sessions float64, tokens [4]float64) {
	n := 0.0
	for _, r := range so {
		if r.Arm == arm.Name && r.Agent == agent.Name && r.Model == agent.Model {
			n++
			sessions += float64(r.Sessions)
			add(&tokens, r.Tokens, 1)
		}
	}
	if n > 0 {
		for i := range tokens {
			tokens[i] /= n
		}
		return sessions / n, tokens
	}
	if arm.Long {
		add(&tokens, ofExecutor, 2)
		return 1, tokens
	}
	add(&tokens, ofPlanner, 1)
	add(&tokens, ofExecutor, 3)
	if arm.NoReview {
		return 4, tokens
	}
	reviewers := 6.0
	if arm.Set["plan.reviewers"] != "" {
		reviewers = 1
	}
	add(&tokens, ofReviewer, reviewers)
	add(&tokens, ofVerifier, 1)
	add(&tokens, ofFixer, 1)
	return 6 + reviewers, tokens
}

// add adds tokens some times: in, cached, written, out.
func add(sum *[4]float64, t Tokens, times float64) {
	for i, n := range []int{t.In, t.Cached, t.Written, t.Out} {
		sum[i] += times * float64(n)
	}
}

// prices returns US dollars per million tokens: in, cached, out, written; nil if none are known.
func (a *Agent) prices() (p []float64, err error) {
	for _, word := range strings.FieldsFunc(a.Price, func(c rune) bool { return c == ',' || c == ' ' }) {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("PRICE is %q: it must be US dollars per million tokens: in, cached, out, and written to the cache", a.Price)
		}
		p = append(p, n)
	}
	if len(p) > 4 {
		return nil, fmt.Errorf("PRICE is %q: it must be at most four numbers", a.Price)
	}
	return p, nil
}

// money returns what tokens cost, and whether that is known.
func money(p []float64, t [4]float64) (float64, bool) {
	if len(p) < 3 {
		return 0, false
	}
	written := p[0]
	if len(p) > 3 {
		written = p[3]
	}
	return ((t[0]-t[1]-t[2])*p[0] + t[1]*p[1] + t[2]*written + t[3]*p[2]) / 1e6, true
}

// estimate prints what some trials will take.
func estimate(out io.Writer, agent *Agent, left []Trial, so []Result) {
	var sessions float64
	var tokens [4]float64
	for _, t := range left {
		arm, err := armsNamed([]string{t.Arm})
		if err != nil {
			continue
		}
		n, each := guess(arm[0], agent, so)
		sessions += n
		for i := range tokens {
			tokens[i] += each[i]
		}
	}
	cost := "what that costs is unknown: give PRICE=\"in, cached, out, written\", in US dollars per million tokens"
	prices, _ := agent.prices()
	if dollars, ok := money(prices, tokens); ok {
		cost = fmt.Sprintf("about %.2f US dollars", dollars)
	}
	fmt.Fprintf(out, "%d trials by %s %s: about %.0f sessions, %.1f million tokens in (%.1f of them cached), %.2f million out; %s\n",
		len(left), agent.Name, agent.Model, sessions, tokens[0]/1e6, tokens[1]/1e6, tokens[3]/1e6, cost)
}

// agreed asks a person.
func agreed(in io.Reader, out io.Writer) bool {
	fmt.Fprint(out, "Go on? [y/N] ")
	answer, _ := bufio.NewReader(in).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

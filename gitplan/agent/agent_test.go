package agent

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

// TestTokensInWords: unknown counts are shown as unknown, and nothing is guessed.
func TestTokensInWords(t *testing.T) {
	for want, tokens := range map[string]Tokens{
		"10 tokens in, 2 out":                     {In: 10, Out: 2},
		"10 tokens in (4 cached), 2 out":          {In: 10, Cached: 4, Out: 2},
		"at least 10 tokens in (4 cached), 2 out": {In: 10, Cached: 4, Out: 2, Unreported: 1},
		"tokens unknown":                          {Unreported: 2},
	} {
		if got := tokens.String(); got != want {
			t.Errorf("%+v: %s, want %s", tokens, got, want)
		}
	}
	sum := Tokens{In: 1, Cached: 2, Out: 3, Unreported: 1}.Add(Tokens{In: -10})
	if (sum != Tokens{In: -9, Cached: 2, Out: 3, Unreported: 1}) || sum.Believed().In != 0 {
		t.Errorf("%+v", sum)
	}
}

// A reported usage is accepted within bounds.
func TestReportedUsageIsBounded(t *testing.T) {
	if got := (Result{Tokens: Tokens{In: -5, Out: math.MaxInt64}}).Tidy().Tokens; got != (Tokens{Out: 1e12}) {
		t.Errorf("%+v", got)
	}
	if got := (Cost{USD: 1e308, Known: true}).Believed(); got != (Cost{USD: 1e9, Known: true}) {
		t.Errorf("%+v", got)
	}
}

// TestCostOfTokens: known only with a price, and if all tokens were reported; less than a cent is not nothing.
func TestCostOfTokens(t *testing.T) {
	price := Price{In: 10, Cached: 1, Out: 100}
	if got := price.Of(Tokens{In: 2200, Cached: 1400, Out: 110}).Add(Cost{}); got != (Cost{USD: 0.0204, Known: true}) || got.String() != "0.02 USD" || price.Of(Tokens{In: 100}).String() != "0.0010 USD" {
		t.Errorf("%+v %s", got, got)
	}
	price.Written = 12.5
	if got := price.Of(Tokens{In: 2200, Cached: 1400, Written: 800, Out: 110}); got.USD != 0.0224 {
		t.Errorf("with 800 written to the cache: %+v", got)
	}
	for _, c := range []Cost{price.Of(Tokens{In: 1, Unreported: 1}), Price{}.Of(Tokens{In: 1})} {
		if c.Known || c.String() != "" {
			t.Errorf("%+v", c)
		}
	}
}

// TestRoles: executors and fixers write, the others answer.
func TestRoles(t *testing.T) {
	for _, r := range []Role{Planner, Executor, Reviewer, Verifier, Fixer} {
		if writes := r == Executor || r == Fixer; r.Writes() != writes || r.Answers() == writes {
			t.Errorf("%s writes %v, answers %v", r, r.Writes(), r.Answers())
		}
	}
}

// TestEach: the function is applied to every text of a session, and the given result is not modified.
func TestEach(t *testing.T) {
	r := Result{Reason: "a", Question: "a", Subject: "a", Summary: "a", Handoff: Handoff{"a", "a", "a"}, Proposal: "a", Assumed: "a", Answer: "a",
		Dispositions: []Disposition{{"a", "fixed", "a"}}}
	n := 0
	got := r.Each(func(s string) string { n++; return s + "b" })
	if n != 11 || got.Assumed != "ab" || got.Answer != "ab" || got.Handoff.Rejected != "ab" || got.Dispositions[0] != (Disposition{"a", "fixed", "ab"}) || r.Dispositions[0].Because != "a" {
		t.Errorf("%d: %+v, before %+v", n, got, r)
	}
}

// TestLife: a session ends at its own limits, or with its context; an announced wait does not count as
// silence.
func TestLife(t *testing.T) {
	for want, s := range map[string]Session{
		"the session took longer than 20ms":           {Timeout: 20 * time.Millisecond, Idle: time.Hour},
		"the session showed no sign of life for 20ms": {Timeout: time.Hour, Idle: 20 * time.Millisecond},
	} {
		ctx, life, stop := NewLife(t.Context(), s)
		life.Beat()
		<-ctx.Done()
		if r := Ended(ctx, s); r.Status != TimedOut || r.Reason != want {
			t.Errorf("%s %q, want %q", r.Status, r.Reason, want)
		}
		stop()
	}
	ctx, life, stop := NewLife(t.Context(), Session{Idle: 20 * time.Millisecond})
	life.Extend(time.Hour)
	_, _ = life.Write([]byte("x"))
	life.Stop()
	stop()
	if r := Ended(ctx, Session{}); r.Status != Cancelled || errors.Is(context.Cause(ctx), ErrIdle) {
		t.Errorf("%s, %v", r.Status, context.Cause(ctx))
	}
	if r := Fail("no %s", "luck"); r.Status != Failed || r.Reason != "no luck" {
		t.Errorf("%+v", r)
	}
}

// TestLines: streamed text is reported in lines, long ones in pieces, without invisible characters.
func TestLines(t *testing.T) {
	var got []string
	l := Lines{On: func(e Event) { got = append(got, e.Text) }}
	for _, s := range []string{"one", " line\n\n  sec\x1bond", "\nthi\u202erd " + strings.Repeat("x", MaxEvent)} {
		l.Write(s)
	}
	l.Flush()
	if len(got) != 4 || got[0] != "one line" || got[1] != "second" || !strings.HasPrefix(got[2], "third xxx") || len(got[2]) > MaxEvent || got[3][0] != 'x' {
		t.Errorf("%q", got)
	}
	if a, b := Short(1234*time.Millisecond), Short(10*time.Minute+time.Millisecond); a != "1.23s" || b != "10m0s" {
		t.Error(a, b)
	}
}

// TestReadTranscript: in the order in which it was written, without lines that a crash cut.
func TestReadTranscript(t *testing.T) {
	var file bytes.Buffer
	log := Transcript{W: &file, Key: "correct-horse-1"}
	exit := 3
	for _, r := range []Record{
		{Session: "s1", Role: Executor, Agent: "openai/m", System: "be brief", User: "do it with correct-horse-1"},
		{Turn: 1, Thoughts: "hm", Text: "I look.", Calls: []CallRecord{{"c1", "search", `{"pattern":"x"}`}}, Tokens: &Tokens{In: 5, Out: 1}},
		{Turn: 1, Answers: []AnswerRecord{{"c1", "nothing"}}},
		{Waiting: "rate limited"}, {Exit: &exit, Output: "oops"}, {End: Failed, Reason: "no luck"},
	} {
		log.Write(r)
	}
	file.WriteString(`{"time":"20`)
	var got []string
	if err := ReadTranscript(&file, func(p TranscriptPart) { got = append(got, p.Heading+": "+p.Text) }); err != nil {
		t.Fatal(err)
	}
	want := "prompt: be brief\ndo it with [redacted]|turn 1 (5 tokens in, 1 out): |thinks: hm|says: I look.|calls search (c1): {\"pattern\":\"x\"}|" +
		"answer (c1): nothing|waits: rate limited|exit code 3: oops|end: failed: no luck"
	if !strings.HasSuffix(got[0], " session s1, executor openai/m: ") || strings.Join(got[1:], "|") != want {
		t.Errorf("%q", got)
	}
	if err := ReadTranscript(strings.NewReader(strings.Repeat("x", maxTranscriptLine+1)), nil); err == nil {
		t.Error("a line without an end was read")
	}
}

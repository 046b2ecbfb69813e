package agent

import (
	"fmt"
	"math"
)

// Tokens are counted from what the provider reports, never guessed. Cached is the part of In that was
// read from the provider's cache, Written the part that was put there.
type Tokens struct {
	In      int64 `json:"in"`
	Cached  int64 `json:"cached"`
	Written int64 `json:"written,omitempty"`
	Out     int64 `json:"out"`
	// Unreported counts model calls without reported usage.
	Unreported int64 `json:"unreported,omitempty"`
}

// Add returns the sum of both.
func (t Tokens) Add(o Tokens) Tokens {
	return Tokens{In: t.In + o.In, Cached: t.Cached + o.Cached, Written: t.Written + o.Written, Out: t.Out + o.Out, Unreported: t.Unreported + o.Unreported}
}

// String says for people how many there are, or that this is not known.
func (t Tokens) String() string {
	if t.Unreported > 0 && t.In+t.Out == 0 {
		return "tokens unknown"
	}
	cache := ""
	if t.Cached > 0 {
		cache = fmt.Sprintf(", %d cached", t.Cached)
	}
	if t.Written > 0 {
		cache += fmt.Sprintf(", %d written", t.Written)
	}
	if cache != "" {
		cache = " (" + cache[len(", "):] + ")"
	}
	s := fmt.Sprintf("%d tokens in%s, %d out", t.In, cache, t.Out)
	if t.Unreported > 0 {
		s = "at least " + s
	}
	return s
}

// The most that is believed of what one program or provider reports: sums of more could overflow.
const (
	maxTokens = 1e12
	maxUSD    = 1e9
)

// Believed returns t with negative and implausible values replaced by the bounds.
func (t Tokens) Believed() Tokens {
	for _, n := range []*int64{&t.In, &t.Cached, &t.Written, &t.Out, &t.Unreported} {
		*n = min(max(*n, 0), maxTokens)
	}
	return t
}

// Cost is an amount of money in US dollars; Known is false if the price is not known.
type Cost struct {
	USD   float64
	Known bool
}

// Add returns the sum of both; it is known if either is.
func (c Cost) Add(o Cost) Cost { return Cost{USD: Dollars(c.USD + o.USD), Known: c.Known || o.Known} }

// Believed returns c with negative and implausible values replaced by the bounds.
func (c Cost) Believed() Cost { return Cost{USD: min(max(c.USD, 0), maxUSD), Known: c.Known} }

// Dollars rounds an amount to the millionth, so that the numbers printed for programs add up.
func Dollars(usd float64) float64 { return math.Round(usd*1e6) / 1e6 }

func (c Cost) String() string {
	if !c.Known {
		return ""
	}
	return fmt.Sprintf("%.2f USD", c.USD)
}

// Price is in US dollars per million tokens. The zero Price is not known.
type Price struct{ In, Cached, Out, Written float64 }

// WrittenToIn is the price of a token written to the cache, in prices of In (Anthropic, OpenAI since GPT-5.6).
const WrittenToIn = 1.25

// Of returns what tokens cost; unknown if some were not reported.
func (p Price) Of(t Tokens) Cost {
	if p == (Price{}) || t.Unreported > 0 {
		return Cost{}
	}
	fresh := max(0, t.In-t.Cached-t.Written)
	return Cost{Known: true,
		USD: (float64(fresh)*p.In + float64(t.Cached)*p.Cached + float64(t.Written)*p.Written + float64(t.Out)*p.Out) / 1e6}
}

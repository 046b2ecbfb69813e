package acp

import "github.com/git-plan/git-plan/gitplan/agent"

// Usage is what a session used, as far as the agent says.
type Usage struct {
	Tokens agent.Tokens
	Known  bool // whether it says anything of tokens
	Cost   agent.Cost
}

// counts are the tokens of an answer. Agents differ in whether the input holds what the cache had,
// and the output what was thought (measured): the total says which it is.
type counts struct {
	In      int64 `json:"inputTokens"`
	Out     int64 `json:"outputTokens"`
	Read    int64 `json:"cachedReadTokens"`
	Written int64 `json:"cachedWriteTokens"`
	Thought int64 `json:"thoughtTokens"`
	Total   int64 `json:"totalTokens"`
}

// metaUsage is what gemini reports instead.
type metaUsage struct {
	Quota struct {
		Count *struct {
			In  int64 `json:"input_tokens"`
			Out int64 `json:"output_tokens"`
		} `json:"token_count"`
	} `json:"quota"`
}

type cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// take adds what the answer to a prompt reports.
func (u *Usage) take(n *counts, m metaUsage) {
	switch count := m.Quota.Count; {
	case n != nil && n.In+n.Out > 0:
		t := agent.Tokens{In: n.In, Cached: n.Read, Written: n.Written, Out: n.Out}
		cached := n.Read + n.Written
		switch n.Total - n.In - n.Out {
		case cached:
			t.In += cached
		case n.Thought:
			t.Out += n.Thought
		case cached + n.Thought:
			t.In, t.Out = t.In+cached, t.Out+n.Thought
		}
		u.Tokens, u.Known = u.Tokens.Add(t.Believed()), true
	case count != nil && count.In+count.Out > 0:
		u.Tokens, u.Known = u.Tokens.Add(agent.Tokens{In: count.In, Out: count.Out}.Believed()), true
	}
}

// spent takes what the session cost so far; other money than dollars is not counted.
func (u *Usage) spent(c cost) {
	if c.Currency == "USD" && c.Amount > 0 {
		u.Cost = agent.Cost{USD: c.Amount, Known: true}
	}
}

package builtin

import (
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
)

// size is the fill of the context: the provider's last count, and the messages since.
type size struct {
	window   int // the model's context, in tokens
	tokens   int // the provider's count for the last request and its answer; 0 if unknown
	messages int // the number of messages in that count
}

// BytesPerToken is an estimate for code, which has fewer bytes per token than prose.
const BytesPerToken = 3.5

// filled estimates the number of tokens of the messages.
func (s *size) filled(messages []model.Message) float64 {
	return float64(s.tokens) + float64(bytesOf(messages[s.messages:]))/BytesPerToken
}

func bytesOf(messages []model.Message) int {
	n := 0
	for _, m := range messages {
		n += len(m.Text)
		for _, c := range m.Calls {
			n += len(c.Args)
		}
	}
	return n
}

// truncated reports whether the server silently cut the prompt, as Ollama does: it counted less than half the tokens of
// ordinary text (one in four bytes) and, since tool outputs can have fewer, less than at the last turn.
func (s *size) truncated(t agent.Tokens, sent []model.Message) bool {
	const small = 8 << 10
	bytes := bytesOf(sent)
	in := t.In + t.Cached // some servers count cached tokens separately
	if t.In == 0 || bytes < small || in >= int64(bytes)/8 {
		return false
	}
	return len(sent) == prompts || int64(s.tokens) > in
}

// maxAnswers is the maximum size of the answers of one turn, in bytes: a quarter of the window, and at most 96 KiB.
func (s *size) maxAnswers() int {
	const most = 96 << 10
	return min(most, int(float64(s.window)*BytesPerToken/4))
}

const (
	full      = 0.75    // the part of the window at which a conversation is shortened
	roomy     = 0.60    // the part of the window to which it is shortened
	prompts   = 2       // the number of messages of the task, which are never dropped
	keepTurns = 6       // the number of last turns whose outputs are kept
	keepFew   = 2       // the same number if the context is still too full
	stubFrom  = 1 << 10 // the size in bytes up to which outputs are always kept
	stub      = "[dropped to shorten the conversation; call the tool again if it is needed, for less at once]"
)

// shorten replaces the oldest long outputs before the last keep turns until excess bytes are saved, and reports whether
// it replaced any. It does so at once, since each change invalidates the provider's cache, and resets the count.
func (c *conversation) shorten(keep, excess int) (done bool) {
	end := len(c.messages)
	for i := end - 1; i >= 0 && keep > 0; i-- {
		if c.messages[i].Role == "assistant" {
			end = i
			keep--
		}
	}
	for i, m := range c.messages[:end] {
		if excess > 0 && m.Role == "tool" && len(m.Text) > stubFrom {
			excess -= len(m.Text) - len(stub)
			c.messages[i] = model.Message{Role: "tool", CallID: m.CallID, Text: stub}
			c.context.tokens, c.context.messages, done = 0, 0, true
		}
	}
	return done
}

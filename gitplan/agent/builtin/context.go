package builtin

import (
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
)

// size is how full the context is: what the provider counted, and the messages added since.
type size struct {
	window   int // tokens
	tokens   int // of the last request and its answer; 0 when not known
	messages int // how many messages that covers
}

// BytesPerToken estimates tokens from text; code has fewer bytes in one than prose.
const BytesPerToken = 3.5

// filled estimates how many tokens the messages have.
func (z *size) filled(messages []model.Message) float64 {
	return float64(z.tokens) + float64(bytesOf(messages[z.messages:]))/BytesPerToken
}

func bytesOf(messages []model.Message) int {
	n := 0
	for _, m := range messages {
		n += m.Size()
	}
	return n
}

// truncated reports that the server cut the prompt and said nothing, as Ollama does: it counted fewer
// than half as many tokens as text has (one in four bytes). Tool outputs can be denser, so that after
// the prompt the count must have fallen too.
func (z *size) truncated(t agent.Tokens, sent []model.Message) bool {
	const small = 8 << 10
	bytes := bytesOf(sent)
	in := t.In + t.Cached // some servers count cached tokens separately
	if t.In == 0 || bytes < small || in >= int64(bytes)/8 {
		return false
	}
	return len(sent) == prompts || int64(z.tokens) > in
}

// maxAnswers bounds what the calls of one turn are answered with, in bytes: a quarter of a small window.
func (z *size) maxAnswers() int {
	const most = 96 << 10
	return min(most, int(float64(z.window)*BytesPerToken/4))
}

const (
	full      = 0.75    // the part of the window at which a conversation is shortened
	roomy     = 0.60    // and to which
	prompts   = 2       // messages of the task, which are never dropped
	keepTurns = 6       // whose outputs stay when a conversation is shortened
	keepFew   = 2       // the same, if that is still too much
	stubFrom  = 1 << 10 // bytes; shorter outputs always stay
	stub      = "[dropped to shorten the conversation; call the tool again if it is needed, for less at once]"
)

// shorten drops the oldest long outputs before the last keep turns, at once: a provider's cache breaks only once.
// The provider's count no longer holds then.
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

package agent

// size follows how full the model's context is: what the provider counted for
// the last request, and the bytes added since.
type size struct {
	window   int // tokens
	tokens   int // of the last request and its answer; 0 when not known
	messages int // how many messages that covers
}

// bytesPerToken estimates tokens from text; code has fewer bytes in one than prose.
const bytesPerToken = 3.5

// nearlyFull leaves a quarter of the window for the next answers.
func (z *size) nearlyFull(messages []message) bool {
	n, from := z.tokens, z.messages
	if n == 0 || from > len(messages) {
		n, from = 0, 0
	}
	bytes := 0
	for _, m := range messages[from:] {
		bytes += len(m.text)
		for _, c := range m.calls {
			bytes += len(c.args)
		}
	}
	return float64(n)+float64(bytes)/bytesPerToken > 0.75*float64(z.window)
}

// measured takes over what the provider counted for the messages sent.
func (z *size) measured(t Tokens, sent []message) {
	if t.In > 0 {
		z.tokens, z.messages = int(min(t.In, 1<<30)), len(sent)
	}
}

func (z *size) forget() { z.tokens, z.messages = 0, 0 }

const (
	keepTurns = 6       // of which tool outputs stay when a conversation is shortened
	stubFrom  = 1 << 10 // bytes; shorter outputs stay always
	stub      = "[output dropped to shorten the conversation; call the tool again if it is needed]"
)

// shorten drops the long tool outputs before the last keep turns, all at once,
// so that a provider's prompt cache breaks only once. Prompts and the model's
// own words stay. It reports whether anything was dropped.
func shorten(messages []message, keep int) bool {
	end := len(messages)
	for i := len(messages) - 1; i >= 0 && keep > 0; i-- {
		if messages[i].role == "assistant" {
			end = i
			keep--
		}
	}
	dropped := false
	for i := range messages[:end] {
		if m := &messages[i]; m.role == "tool" && len(m.text) > stubFrom {
			m.text, dropped = stub, true
		}
	}
	return dropped
}

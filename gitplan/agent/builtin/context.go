package builtin

import (
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/wire"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// size follows how full the model's context is: what the provider counted for
// the last request, and the bytes added since.
type size struct {
	window   int // tokens
	tokens   int // of the last request and its answer; 0 when not known
	messages int // how many messages that covers
}

// BytesPerToken estimates tokens from text; code has fewer bytes in one than prose.
const BytesPerToken = 3.5

// nearlyFull leaves a quarter of the window for the next answers.
func (z *size) nearlyFull(messages []wire.Message) bool {
	n, from := z.tokens, z.messages
	if n == 0 || from > len(messages) {
		n, from = 0, 0
	}
	return float64(n)+float64(bytesOf(messages[from:]))/BytesPerToken > 0.75*float64(z.window)
}

func bytesOf(messages []wire.Message) int {
	n := 0
	for _, m := range messages {
		n += m.Size()
	}
	return n
}

// measured takes the provider's count for the messages that were sent.
func (z *size) measured(t agent.Tokens, sent []wire.Message) {
	if t.In > 0 {
		z.tokens, z.messages = int(min(t.In, 1<<30)), len(sent)
	}
}

func (z *size) forget() { z.tokens, z.messages = 0, 0 }

// truncated reports that the server cut the prompt and said nothing, as Ollama
// does: it counted fewer than half as many tokens as even dense text has (a
// token in four bytes). Tool outputs can be denser than that, so that after the
// prompt the count must have fallen too, while the conversation only grew.
func (z *size) truncated(t agent.Tokens, sent []wire.Message) bool {
	const small = 8 << 10
	bytes := bytesOf(sent)
	in := t.In + t.Cached // some servers count what was cached apart
	if t.In == 0 || bytes < small || in >= int64(bytes)/8 {
		return false
	}
	return len(sent) == prompts || int64(z.tokens) > in
}

// maxAnswers bounds what the calls of one turn are answered with, in bytes: a
// quarter of a small window.
func (z *size) maxAnswers() int {
	const most = 96 << 10
	return min(most, int(float64(z.window)*BytesPerToken/4))
}

const (
	keepTurns = 6       // whose tool outputs stay when a conversation is shortened
	keepFew   = 2       // the same, if that is still too much
	stubFrom  = 1 << 10 // bytes; shorter outputs always stay
	stub      = "[output dropped to shorten the conversation; call the tool again if it is needed]"
)

// shorten drops the long tool outputs before the last keep turns, all at once,
// so that a provider's prompt cache breaks only once. Prompts and the model's
// own words stay. It reports whether anything was dropped.
func shorten(messages []wire.Message, keep int) bool {
	dropped := false
	for i := range messages[:lastTurns(messages, keep)] {
		if m := messages[i]; m.Role == "tool" && len(m.Text) > stubFrom {
			messages[i], dropped = wire.Message{Role: "tool", CallID: m.CallID, Text: stub}, true
		}
	}
	return dropped
}

// lastTurns returns where the last n turns of the model begin.
func lastTurns(messages []wire.Message, n int) int {
	at := len(messages)
	for i := len(messages) - 1; i >= 0 && n > 0; i-- {
		if messages[i].Role == "assistant" {
			at = i
			n--
		}
	}
	return at
}

// prompts is how many messages the task is: they are never dropped.
const prompts = 2

// compact drops whole turns before the last keep ones, and puts a list of what they called in
// their place. That needs no model: what they changed is in the tree. It reports whether
// anything was dropped.
func compact(messages []wire.Message, keep int) ([]wire.Message, bool) {
	from, to := min(prompts, len(messages)), lastTurns(messages, keep)
	if to-from < 2 { // nothing, or only the note of the last time
		return messages, false
	}
	var did []string
	turns := 0
	for _, m := range messages[from:to] {
		n, noted, _ := agent.ReadDropNote(m.Role, m.Text)
		turns, did = turns+n, append(did, noted...)
		if m.Role == "assistant" {
			turns++
		}
		for _, c := range m.Calls {
			did = append(did, "- "+agent.OneLine(c.Name+" "+c.Args, 160))
		}
	}
	did = did[max(0, len(did)-maxDid):]
	return slices.Concat(messages[:from], []wire.Message{{Role: "user", Text: agent.DropNote(turns, did)}}, messages[to:]), true
}

const maxDid = 40 // calls that the note in place of dropped turns lists

// clip shortens every tool output, the last ones too.
func clip(messages []wire.Message) bool {
	const most = 2 << 10
	cut := false
	for i, m := range messages {
		if m.Role == "tool" && len(m.Text) > most+len(clipped) {
			messages[i], cut = wire.Message{Role: "tool", CallID: m.CallID, Text: visible.Cut(m.Text, most) + clipped}, true
		}
	}
	return cut
}

const clipped = "\n[cut: it did not fit into your context; ask for less at once]"

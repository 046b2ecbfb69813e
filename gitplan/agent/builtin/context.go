package builtin

import (
	"slices"
	"strings"

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

// full and roomy are the parts of the window at which a conversation is shortened, and to
// which: the model keeps most of what it read, and the provider's cache breaks seldom.
const (
	full  = 0.75
	roomy = 0.60
)

// filled estimates how many tokens the messages have.
func (z *size) filled(messages []wire.Message) float64 {
	n, from := z.tokens, z.messages
	if n == 0 || from > len(messages) {
		n, from = 0, 0
	}
	return float64(n) + float64(bytesOf(messages[from:]))/BytesPerToken
}

// nearlyFull leaves a quarter of the window for the next answers.
func (z *size) nearlyFull(messages []wire.Message) bool {
	return z.filled(messages) > full*float64(z.window)
}

// excess returns how many bytes the messages have more than leave the window roomy. If they
// do not even fill it, the window is taken for larger than it is: they count as a full one.
func (z *size) excess(messages []wire.Message) int {
	const enough = roomy / full
	share := min(enough, roomy*float64(z.window)/max(1, z.filled(messages)))
	return int(float64(bytesOf(messages)) * (1 - share))
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

// shorten drops the oldest long tool outputs before the last keep turns until so many bytes
// are dropped, at once, so that a provider's prompt cache breaks only once. Prompts, the
// model's own words, and the last answer to each call that is pinned stay. It reports whether
// anything was dropped.
func shorten(messages []wire.Message, keep, excess int, pinned func(wire.Call) bool) bool {
	stays := map[int]bool{}
	last := map[string]int{} // where a pinned call was answered last
	asked := map[string]wire.Call{}
	for i, m := range messages {
		for _, c := range m.Calls {
			asked[c.ID] = c
		}
		if c, ok := asked[m.CallID]; ok && m.Role == "tool" && pinned(c) {
			delete(stays, last[c.Name+"\x00"+c.Args])
			last[c.Name+"\x00"+c.Args], stays[i] = i, true
		}
	}
	dropped := false
	for i := range messages[:lastTurns(messages, keep)] {
		if m := messages[i]; excess > 0 && !stays[i] && m.Role == "tool" && len(m.Text) > stubFrom {
			excess -= len(m.Text) - len(stub)
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
// their place, with the last words of the model in each few turns. That needs no model: what
// they changed is in the tree. It reports whether anything was dropped.
func compact(messages []wire.Message, keep int) ([]wire.Message, bool) {
	from, to := min(prompts, len(messages)), lastTurns(messages, keep)
	if to-from < 2 { // nothing, or only the note of the last time
		return messages, false
	}
	var did []string
	turns, words := 0, ""
	for _, m := range messages[from:to] {
		n, noted, _ := agent.ReadDropNote(m.Role, m.Text)
		turns, did = turns+n, append(did, noted...)
		for _, c := range m.Calls {
			did = append(did, "- "+agent.OneLine(c.Name+" "+c.Args, 160))
		}
		if m.Role != "assistant" {
			continue
		}
		if text := agent.OneLine(m.Text, maxWords); text != "" {
			words = text
		}
		if turns++; turns%wordsEach == 0 && words != "" {
			did, words = append(did, said+words), ""
		}
	}
	if words != "" {
		did = append(did, said+words)
	}
	did = newest(did)
	return slices.Concat(messages[:from], []wire.Message{{Role: "user", Text: agent.DropNote(turns, did)}}, messages[to:]), true
}

// What the note in place of dropped turns lists.
const (
	maxDid    = 40      // calls
	maxSaid   = 20      // words of the model
	maxWords  = 500     // bytes of one of them
	wordsEach = 5       // turns, of which the last words are listed
	said      = "You: " // before these
)

// newest returns the last lines of a note, as many of each kind as it lists.
func newest(lines []string) (out []string) {
	calls, words := maxDid, maxSaid
	for _, line := range slices.Backward(lines) {
		left := &calls
		if strings.HasPrefix(line, said) {
			left = &words
		}
		if *left--; *left >= 0 {
			out = append(out, line)
		}
	}
	slices.Reverse(out)
	return out
}

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

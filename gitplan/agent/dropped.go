package agent

import (
	"fmt"
	"strings"
)

// compacted begins the note that stands in place of turns that were dropped.
const compacted = "[The first %d turns were dropped to shorten the conversation. What they changed is in the files; read again what you need. The last calls among them were:]"

// dropNote returns the message that stands in place of turns that were dropped, with the
// last calls among them, each a line.
func dropNote(turns int, calls []string) message {
	return message{role: "user", text: fmt.Sprintf(compacted, turns) + "\n" + strings.Join(calls, "\n")}
}

// notedCalls returns the calls that such a note lists; none if the message is none.
func notedCalls(m message) []string {
	_, list, ok := strings.Cut(m.text, "\n")
	if !ok || !isNote(m.role, m.text) {
		return nil
	}
	return strings.Split(list, "\n")
}

// turnsIn returns how many turns of the model a message stands for.
func turnsIn(role, text string) (n int) {
	switch {
	case role == "assistant":
		return 1
	case isNote(role, text):
		_, _ = fmt.Sscanf(text, compacted, &n)
	}
	return n
}

func isNote(role, text string) bool {
	begin, _, _ := strings.Cut(compacted, "%d")
	return role == "user" && strings.HasPrefix(text, begin)
}

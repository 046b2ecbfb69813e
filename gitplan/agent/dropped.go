package agent

import (
	"fmt"
	"strings"
)

// dropped begins the note that is in place of turns which a conversation dropped: a
// server that plays a script still knows by it which turn is next.
const dropped = "[The first %d turns were dropped to shorten the conversation. What they changed is in the files; read again what you need. The last calls among them, and what you said:]"

// DropNote returns the user message that is in place of turns that were dropped, with
// the last calls among them, each a line.
func DropNote(turns int, calls []string) string {
	return fmt.Sprintf(dropped, turns) + "\n" + strings.Join(calls, "\n")
}

// ReadDropNote returns what a message says if it is such a note.
func ReadDropNote(role, text string) (turns int, calls []string, ok bool) {
	begin, _, _ := strings.Cut(dropped, "%d")
	if role != "user" || !strings.HasPrefix(text, begin) {
		return 0, nil, false
	}
	_, _ = fmt.Sscanf(text, dropped, &turns)
	if _, list, listed := strings.Cut(text, "\n"); listed {
		calls = strings.Split(list, "\n")
	}
	return turns, calls, true
}

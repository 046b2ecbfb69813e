package settings

import "strings"

// Kind is what the values of a key are: one of those below, or the words among which it has
// to be, as in "never|step|run".
type Kind string

const (
	Text    Kind = "text"
	Number  Kind = "number"  // at least 0
	Time    Kind = "time"    // as 90s or 10m
	Command Kind = "command" // for the shell
	Budget  Kind = "budget"  // package work reads it
)

// Words returns the words of a kind that is made of them, else nil.
func (k Kind) Words() []string {
	if words := strings.Split(string(k), "|"); len(words) > 1 {
		return words
	}
	return nil
}

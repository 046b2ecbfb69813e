package status

import "strings"

// Advice is what comes next.
type Advice struct {
	Command string // to be typed now; "" if nothing is left, or the next thing is not a command
	Because string // why; "" if that is obvious
	Text    string // both in a sentence for people; "" means "COMMAND (BECAUSE)"
}

// String returns the advice as people read it, in one line.
func (a Advice) String() string {
	switch {
	case a.Text != "":
		return a.Text
	case a.Because == "":
		return a.Command
	}
	return a.Command + " (" + a.Because + ")"
}

// worded returns an advice with a sentence of its own, with the slots {command} and {because}.
func worded(sentence, command, because string) Advice {
	text := strings.NewReplacer("{command}", command, "{because}", because).Replace(sentence)
	return Advice{Command: command, Because: because, Text: text}
}

// after returns the advice for when a person has done something else first.
func (a Advice) after(first string) Advice {
	a.Text = first + ", then " + a.String()
	return a
}

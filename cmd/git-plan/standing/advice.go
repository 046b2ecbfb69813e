package standing

import "strings"

// Advice is what comes next.
type Advice struct {
	Command string // to be typed now; "" if nothing is left, or something else is to be done
	Because string // why; "" if that is plain
	Text    string // both in a sentence for people; "" stands for "COMMAND (BECAUSE)"
}

// String is the advice as people read it, in one line.
func (a Advice) String() string {
	switch {
	case a.Text != "":
		return a.Text
	case a.Because == "":
		return a.Command
	}
	return a.Command + " (" + a.Because + ")"
}

// worded is an advice in a sentence of its own, with the slots {command} and {because}.
func worded(sentence, command, because string) Advice {
	text := strings.NewReplacer("{command}", command, "{because}", because).Replace(sentence)
	return Advice{Command: command, Because: because, Text: text}
}

// after is the advice once a person has done something else first.
func (a Advice) after(first string) Advice {
	a.Text = first + ", then " + a.String()
	return a
}

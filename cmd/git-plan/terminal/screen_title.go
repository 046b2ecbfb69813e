package terminal

import "os"

// title sets the terminal's title; with "" it says again what it said before. Terminals keep
// that on a stack of theirs (xterm's control sequences 22 and 23), or ignore both.
func (s *screen) title(text string) {
	const push, pop = "\x1b[22;2t", "\x1b[23;2t"
	switch {
	case text == s.titled || os.Getenv("TERM") == "linux": // which would print it
		return
	case text == "":
		_, _ = s.out.WriteString(pop)
	case s.titled == "":
		_, _ = s.out.WriteString(push + "\x1b]2;" + text + "\a")
	default:
		_, _ = s.out.WriteString("\x1b]2;" + text + "\a")
	}
	s.titled = text
}

// ring rings the terminal's bell.
func (s *screen) ring() {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	_, _ = s.out.WriteString("\a")
}

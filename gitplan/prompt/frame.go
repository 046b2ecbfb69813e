package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// A standing says what a text that the program did not write is to a session. The role's
// contract says the same of the word.
type standing string

// The standings of a text.
const (
	data         standing = "data"         // material: files, outputs, other models' words
	instructions standing = "instructions" // to be followed: the project's and the person's words
	findings     standing = "findings"     // a fixer's task, in words that nobody has proved
)

// frame marks a text with its standing: it puts the text between two lines that its author
// could not know, and a mark before each line of it, so that none can pass for a heading of
// the prompt. The word in the two lines is a hash of the text. So the text cannot hold it,
// and the same text is framed alike in every session, which lets providers cache it.
func frame(as standing, kind, text string) string {
	text = strings.ToValidUTF8(strings.TrimRight(text, "\n"), "\uFFFD")
	word := FrameWord(kind, text)
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s %s: %s ---\n", as, word, kind)
	for _, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "| %s\n", line)
	}
	fmt.Fprintf(&b, "--- end %s ---\n", word)
	return b.String()
}

// Unframed returns a prompt as people read it: without frames.
func Unframed(prompt string) string {
	frame := regexp.MustCompile(`(?m)^--- [a-z]+ [0-9a-f]{24}: .* ---\n((?:\|.*\n)*)--- end [0-9a-f]{24} ---$`)
	return frame.ReplaceAllStringFunc(prompt, func(s string) string {
		body := frame.FindStringSubmatch(s)[1]
		return strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll("\n"+body, "\n| ", "\n"), "\n"), "\n")
	})
}

// FrameWord returns a word of 96 bits, in hex, that a text cannot hold, since it is the
// text's own hash.
func FrameWord(kind, text string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + text))
	return hex.EncodeToString(sum[:12])
}

// Shortened cuts a text so that it takes at most room bytes in a prompt, frame marks
// included, and says how much was cut.
func Shortened(s string, room int) string {
	if s = strings.TrimRight(s, "\n"); FramedSize(s) <= room {
		return s
	}
	at := 0
	for room -= len("| \n| [cut here; 1048576 more bytes are not shown]"); at < len(s) && room > 0; at++ {
		if room--; s[at] == '\n' {
			room -= len("| ")
		}
	}
	return fmt.Sprintf("%s\n[cut here; %d more bytes are not shown]", strings.ToValidUTF8(s[:at], ""), len(s)-at)
}

// FramedSize returns how many bytes a text takes in a prompt, where each of its lines
// has a mark before it.
func FramedSize(s string) int { return len(s) + len("| ")*(1+strings.Count(s, "\n")) }

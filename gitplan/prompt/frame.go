package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Kinds of framed texts, which the contract of a role explains to the session.
const (
	data         = "data"         // material: files, outputs, texts of other models
	instructions = "instructions" // texts of the project and the person that the session follows
	findings     = "findings"     // a fixer's task, whose claims are unproved
)

// frame puts a text between two lines with a hash of it, which it cannot hold, and a mark before each line, so that
// none can pass for the prompt's. The same text is framed alike, so that providers can cache it.
func frame(as, kind, text string) string {
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

// FrameWord returns a word of 96 bits, in hex, that a text cannot hold: its own hash.
func FrameWord(kind, text string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + text))
	return hex.EncodeToString(sum[:12])
}

// Shortened cuts a text to at most room bytes of a prompt, and says how much was cut.
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

// FramedSize returns how many bytes a text takes in a prompt, with the mark before each line.
func FramedSize(s string) int { return len(s) + len("| ")*(1+strings.Count(s, "\n")) }

// parts holds a value for each variable of a template: a section with its heading, or "".
type parts map[string]string

// Section returns a section of a prompt, or "" if its text is blank.
func Section(title, text string) string {
	if text = strings.TrimRight(text, "\n"); strings.TrimSpace(text) == "" {
		return ""
	}
	return fmt.Sprintf("## %s\n\n%s\n\n", title, text)
}

// framed returns a section whose text is framed.
func framed(as, title, kind, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return Section(title, frame(as, kind, text))
}

// bullets returns a section with one bullet for each item.
func bullets(title string, items []string) string {
	if len(items) == 0 {
		return ""
	}
	return Section(title, "- "+strings.Join(items, "\n- "))
}

// InstructionFiles are the files in which a project tells agents how to work on it.
var InstructionFiles = []string{"AGENTS.md", "CLAUDE.md", ".gitplan/rules.md"}

// MaxInstructions bounds what each of these files may take in a prompt, in bytes.
const MaxInstructions = 32 << 10

// Instructions reads the project's instructions, except files that only point to another (CLAUDE.md: "@AGENTS.md"), with
// at most so many bytes of each file. unread are the files that are read only in part, or not at all.
func Instructions(top string, most int) (out string, unread []string) {
	root, err := os.OpenRoot(top)
	if err != nil {
		return "", nil
	}
	defer root.Close()
	for _, name := range InstructionFiles {
		text, err := ReadSmall(root, name)
		switch text = strings.TrimSpace(text); {
		case errors.Is(err, fs.ErrNotExist) || err == nil && (text == "" || strings.HasPrefix(text, "@")):
			continue
		case err != nil:
			text, unread = "("+visible.OneLine(err.Error(), 200)+")", append(unread, name)
		case FramedSize(text) > most:
			unread = append(unread, name)
		}
		out += fmt.Sprintf("# %s\n\n%s\n\n", filepath.Base(name), Shortened(text, most))
	}
	return out, unread
}

// ReadSmall reads an ordinary file for a prompt: reading a pipe would wait forever.
func ReadSmall(root *os.Root, name string) (string, error) {
	info, err := root.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSmall {
		return "", fmt.Errorf("%s is not a file of up to %d bytes", name, maxSmall)
	}
	data, err := root.ReadFile(name)
	return strings.ToValidUTF8(string(data), "\uFFFD"), err
}

// maxSmall bounds a file of the work tree that is read for a prompt, in bytes.
const maxSmall = 1 << 20

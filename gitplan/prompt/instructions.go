package prompt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// InstructionFiles are the files in which a project tells agents how to work on it.
var InstructionFiles = []string{"AGENTS.md", "CLAUDE.md", ".gitplan/rules.md"}

// maxInstructions bounds what each of these files may take in a prompt, in bytes.
const maxInstructions = 32 << 10

// Instructions reads the project's instructions, except files that only point to another (CLAUDE.md: "@AGENTS.md").
func Instructions(top string) string { return InstructionsUpTo(top, maxInstructions) }

// InstructionsUpTo is Instructions with at most so many bytes of each file.
func InstructionsUpTo(top string, most int) string {
	root, err := os.OpenRoot(top)
	if err != nil {
		return ""
	}
	defer root.Close()
	var b strings.Builder
	for _, name := range InstructionFiles {
		text, err := ReadSmall(root, name)
		switch text = strings.TrimSpace(text); {
		case errors.Is(err, fs.ErrNotExist) || err == nil && (text == "" || strings.HasPrefix(text, "@")):
			continue
		case err != nil:
			text = "(" + visible.OneLine(err.Error(), 200) + ")"
		}
		fmt.Fprintf(&b, "# %s\n\n%s\n\n", filepath.Base(name), Shortened(text, most))
	}
	return b.String()
}

// UnreadInstructions names the instruction files that sessions read only in part, or not at all.
func UnreadInstructions(top string) []string {
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil
	}
	defer root.Close()
	return slices.DeleteFunc(slices.Clone(InstructionFiles), func(name string) bool {
		text, err := ReadSmall(root, name)
		return errors.Is(err, fs.ErrNotExist) || err == nil && FramedSize(strings.TrimSpace(text)) <= maxInstructions
	})
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

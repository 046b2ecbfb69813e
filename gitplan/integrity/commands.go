package integrity

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// runByGit matches the keys whose commands a git of ours may run outside of every sandbox.
var runByGit = visible.NewPattern(`^(filter\..*\.(clean|smudge|process)|diff\..*\.(textconv|command)|diff\.external|merge\..*\.driver|` +
	`gpg(\..*)?\.program|gpg\.ssh\.defaultkeycommand|core\.(sshcommand|gitproxy|askpass)|credential(\..*)?\.helper|trailer\..*\.(cmd|command)|` +
	`remote\..*\.(uploadpack|receivepack)|hook\..*\.command)$`)

// commandFiles returns the files of a work tree, and those below .git (gitDirs), that the commands of git's
// configuration name, such as filter.x.clean=./tools/clean.sh: a session may write them, and git runs them.
func commandFiles(c *settings.Config, top string, gitDirs ...string) (out []string) {
	for _, key := range c.Git.AllKeys() {
		if !runByGit.MatchString(strings.ToLower(key)) {
			continue
		}
		for _, command := range c.Git.All(key) {
			out = append(out, NamedFiles(command, top)...)
			for _, word := range wordsOf(command) {
				if slices.ContainsFunc(gitDirs, func(dir string) bool { return filepath.IsAbs(word) && disk.Within(dir, filepath.Clean(word)) }) {
					out = append(out, filepath.Clean(word))
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// NamedFiles returns the paths in a work tree that the words of a command may name, whether a file exists or not. A
// variable or a command in front of a path is taken to stand for the work tree.
func NamedFiles(command, top string) (out []string) {
	for _, word := range wordsOf(command) {
		if rel, err := filepath.Rel(top, word); filepath.IsAbs(word) && err == nil && filepath.IsLocal(rel) {
			word = rel
		}
		for strings.HasPrefix(word, "/") || strings.Contains(word, "$") {
			_, rest, more := strings.Cut(word, "/")
			if !more {
				break
			}
			word = rest
		}
		if word = filepath.Clean(word); word != "." && filepath.IsLocal(word) && !strings.Contains(word, "$") {
			out = append(out, filepath.Join(top, word))
		}
	}
	return out
}

// wordsOf splits a command into words, roughly as a shell does.
func wordsOf(command string) []string {
	return strings.FieldsFunc(command, func(c rune) bool { return strings.ContainsRune(" \t\n;|&()<>\"'`=!", c) })
}

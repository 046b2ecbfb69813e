package commandline

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Unknown returns the error for words that begin with no command: a slip, a goal without its quotes, or
// neither. Its hint is the whole command that may have been meant.
func Unknown(app *cli.App, typed []string) *exit.Wrong {
	word := typed[0]
	options, words := apart(app.Command("new").Flags, typed)
	more := ""
	if len(words) > 1 {
		more = "; a goal is one argument: put it in quotes"
	}
	unknown := noCommand(app, word, more)
	if len(words) > 2 && !misspelt(word, unknown.Command) { // a goal without its quotes, even if its first word resembles a command
		unknown = &exit.Wrong{Text: fmt.Sprintf("%q is not a git plan command", visible.Line(word)) + more}
	}
	switch {
	case unknown.Command != "":
		unknown.Hint = "git plan " + strings.Join(append([]string{unknown.Command}, quotedWords(typed[1:])...), " ")
	case len(words) > 1 && !strings.HasPrefix(word, "-"):
		goal := fmt.Sprintf("git plan %q", visible.Line(strings.Join(words, " ")))
		unknown.Hint = strings.Join(append([]string{goal}, quotedWords(options)...), " ")
	case len(words) == 1 && !strings.HasPrefix(word, "-"):
		unknown.Hint = fmt.Sprintf("see the commands: git plan -h; or, if it is what you want done: git plan new %q", visible.Line(word))
	}
	return unknown
}

// misspelt reports whether a word is a command's name but for one slip.
func misspelt(word, command string) bool { return command != "" && markdown.Near(command, word, 1) }

// NoCommand returns the error for a word that is not a command, with the command that may have been
// meant.
func NoCommand(app *cli.App, word string) *exit.Wrong { return noCommand(app, word, "") }

func noCommand(app *cli.App, word, more string) *exit.Wrong {
	text, near := fmt.Sprintf("%q is not a git plan command", visible.Line(word))+more, nearest(app, word)
	if near != "" {
		text += fmt.Sprintf("; did you mean %s?", near)
	}
	return &exit.Wrong{Text: text, Command: near}
}

// quotedWords returns arguments quoted for a shell.
func quotedWords(words []string) (out []string) {
	for _, w := range words {
		out = append(out, visible.Shell(w))
	}
	return out
}

// meant are words that people type when they mean another command.
var meant = map[string]string{
	"start": "run", "go": "run", "exec": "run", "execute": "run", "resume": "run", "continue": "run",
	"ls": "list", "plans": "list", "create": "new", "add": "new", "make": "new", "watch": "log -f", "follow": "log -f", "tail": "log -f",
	"rm": "drop", "delete": "drop", "remove": "drop", "abandon": "drop", "cancel": "drop", "abort": "drop", "setup": "init", "commit": "done", "finish": "done", "retry": "reopen",
	"test": "verify", "check": "verify", "revert": "undo", "rollback": "undo", "accept": "approve", "reply": "answer", "settings": "config", "pull": "fetch",
}

// nearest returns the command that a word may have been meant to be.
func nearest(app *cli.App, word string) string {
	if command, ok := meant[strings.ToLower(word)]; ok {
		return command
	}
	names := []string{"help"}
	for _, c := range app.Commands {
		if !c.Hidden && (!takesAway[c.Name] || misspelt(word, c.Name)) {
			names = append(names, c.Name)
		}
	}
	return markdown.Nearest(word, names)
}

// takesAway are the commands that are not proposed for a word which may mean anything: whoever copies
// the hint loses something.
var takesAway = map[string]bool{"drop": true, "undo": true, "skip": true, "dismiss": true, "stop": true}

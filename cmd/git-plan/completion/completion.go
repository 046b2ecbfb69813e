package completion

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/pages"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// The scripts ask `git plan complete SHELL -- WORD...` for candidates; the last
// word is the one that is being typed.
var (
	//go:embed completion.bash
	bashScript string
	//go:embed completion.zsh
	zshScript string
	//go:embed completion.fish
	fishScript string
)

// Script returns the script of a shell.
func Script(shell string) (string, bool) {
	script, ok := map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[shell]
	return script, ok
}

// Values returns what may be where a usage text says <kind>, or `KIND`: a step, a branch, a name
// of a form. Before are the words in front of it, the command's name first.
type Values func(kind string, before []string) []Candidate

// Complete prints what could be in the place of the last of words, a line each.
func Complete(w io.Writer, app *cli.App, shell string, words []string, values Values) {
	for _, k := range candidates(app, words, values) {
		if strings.HasPrefix(k.Word, words[len(words)-1]) && !(shell == "bash" && strings.ContainsAny(k.Word, bashObeys)) {
			fmt.Fprintln(w, k.text(shell))
		}
	}
}

// bashObeys are characters that bash, unlike the others, puts into the line as
// they are: a branch may be named $(rm).
const bashObeys = " \t$`\\\"'();&|<>*?[]{}!"

// Candidate is a word that could stand where somebody types.
type Candidate struct{ Word, About string }

// text is a candidate on a line, as the shell's script reads it.
func (k Candidate) text(shell string) string {
	about := visible.Line(k.About)
	switch {
	case shell == "bash" || about == "":
		return k.Word
	case shell == "zsh":
		return strings.ReplaceAll(k.Word, ":", `\:`) + ":" + about
	}
	return k.Word + "\t" + about
}

// candidates finds what could stand in the place of the last word. What a word
// of the plan, the repository or the program may be there is said by the usage
// texts: <step>, `STEP`, <plan> and so on.
func candidates(app *cli.App, words []string, values Values) []Candidate {
	for len(words) > 2 && words[0] == "-C" {
		if words[1] != "" && os.Chdir(words[1]) != nil {
			return nil
		}
		words = words[2:]
	}
	command, commands := (*cli.Command)(nil), app.Commands
	last := len(words) - 1
	flags, at := []cli.Flag(nil), 0
	for ; at < last; at++ {
		i := slices.IndexFunc(commands, func(k *cli.Command) bool { return k.HasName(words[at]) })
		if i < 0 {
			break
		}
		command = commands[i]
		flags, commands = command.Flags, command.Subcommands
	}
	if at < last && command == nil {
		return nil
	}
	if last > at && pages.TakesValue(flags, words[last-1]) {
		out := values(flagKind(flags, words[last-1]), words[:last-1])
		if words[last-1] == "--only" { // a list
			typed := words[last][:strings.LastIndex(words[last], ",")+1]
			for i := range out {
				out[i].Word = typed + out[i].Word
			}
		}
		return out
	}
	if strings.HasPrefix(words[last], "-") {
		return options(flags)
	}
	var out []Candidate
	if at == last {
		for _, k := range commands {
			if !k.Hidden {
				out = append(out, Candidate{k.Name, k.Usage})
			}
		}
	}
	if command != nil {
		out = append(out, values(strings.Trim(command.ArgsUsage, "[]<> "), words[:last])...)
	}
	return out
}

func options(flags []cli.Flag) []Candidate {
	var out []Candidate
	for _, f := range flags {
		names, _, about := pages.FlagText(f)
		for _, name := range names {
			out = append(out, Candidate{name, about})
		}
	}
	return out
}

// flagKind is the placeholder of a flag's value.
func flagKind(flags []cli.Flag, word string) string {
	for _, f := range flags {
		if slices.Contains(f.Names(), strings.TrimLeft(word, "-")) {
			_, value, _ := pages.FlagText(f)
			return strings.ToLower(value)
		}
	}
	return ""
}

package main

import (
	"cmp"
	"context"
	_ "embed" // for the scripts
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/pages"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

func completionCommand() *cli.Command {
	c := new(command)
	return &cli.Command{
		Name: "completion", Usage: "print the completion for bash, zsh or fish", ArgsUsage: "<shell>",
		Description: "make install puts it where the shells find it. By hand: git plan completion bash goes\n" +
			"behind git's own completion in ~/.bashrc; zsh's into a folder of $fpath as _git-plan;\n" +
			"fish's into ~/.config/fish/completions/git-plan.fish.",
		Action: c.do(func() error {
			script, ok := scripts[c.arg(0)]
			if !ok || len(c.args) != 1 {
				return c.misused("completion takes bash, zsh or fish")
			}
			_, err := io.WriteString(c.Out, script)
			return err
		}),
	}
}

// completeCommand prints the candidates. It never fails and says nothing else:
// somebody is typing.
func completeCommand() *cli.Command {
	c := new(command)
	return &cli.Command{
		Name: "complete", Hidden: true, SkipFlagParsing: true,
		Action: c.do(func() error {
			args := c.args
			if len(args) < 3 || args[1] != "--" {
				return nil
			}
			complete(c.Out, c.app, args[0], args[2:], func(kind string, before []string) []candidate { return values(c, kind, before) })
			return nil
		}),
	}
}

// values returns what a placeholder may be replaced by here; none for what the shell itself
// completes, such as files.
func values(c *command, kind string, before []string) []candidate {
	if len(before) > 1 && (kind == "key" || kind == "page" || kind == "shell") {
		return nil // there is no second one
	}
	switch kind {
	case "shell":
		return words("bash", "zsh", "fish")
	case "key":
		var out []candidate
		for _, k := range settings.Keys {
			out = append(out, candidate{word: k.Name, about: k.Doc})
		}
		return out
	case "page":
		var out []candidate
		for _, p := range manual(c.app).Pages() {
			name := strings.TrimPrefix(strings.TrimPrefix(p.Name, "gitplan-"), "git-plan-")
			if slices.ContainsFunc(out, func(k candidate) bool { return k.word == name }) {
				name = p.Name
			}
			out = append(out, candidate{word: name, about: p.About})
		}
		return out
	case "form", "format":
		names := map[string]string{"export": forms(exportForms), "review": strings.Join(reviewForms, ", ")}
		return words(strings.Split(cmp.Or(names[before[0]], forms(form.Forms())), ", ")...)
	}
	var out []candidate
	_ = withRepository(c.Context, func(co *checkout.Checkout) error { // without a repository there are none
		out = namesIn(c.Context, co, kind, before[0])
		return nil
	})
	return slices.DeleteFunc(out, func(k candidate) bool { return slices.Contains(before[1:], k.word) })
}

// words are candidates that say what they are themselves.
func words(all ...string) (out []candidate) {
	for _, word := range all {
		out = append(out, candidate{word: word})
	}
	return out
}

// namesIn returns what has a name in the repository.
func namesIn(ctx context.Context, co *checkout.Checkout, kind, command string) (out []candidate) {
	refs := func(prefixes ...string) {
		all, _ := co.Repo.Refs(ctx, prefixes...)
		for _, r := range all {
			_, name, _ := strings.Cut(strings.TrimPrefix(r.Name, "refs/"), "/")
			out = append(out, candidate{word: name, about: r.Subject})
		}
	}
	switch kind {
	case "step", "id": // of a session, or the step that it worked on
		if p, ok := co.Text(ctx); ok {
			for _, s := range p.Steps {
				out = append(out, candidate{word: s.ID, about: s.Title})
			}
		}
	case "finding":
		_ = co.Load(ctx) // without a plan the findings are the branch's
		if l, err := ledger.Last(ctx, co.Store, co.Doc, co.Branch); err == nil && l != nil {
			for _, f := range append(l.Standing(), l.With(finding.Dismissed)...) {
				out = append(out, candidate{word: ledger.Short(f.ID), about: f.Title})
			}
		}
	case "step>/<n":
		kept, _ := checkout.AttemptNames(ctx, co)
		return words(kept...)
	case "plan":
		refs("refs/plans/")
	case "ref":
		refs("refs/heads/", "refs/remotes/", "refs/tags/")
	case "remote":
		return words(co.Config.Names("remote", "url")...)
	case "name":
		if command == "new" {
			base, _ := co.Base(ctx, "")
			return words(co.Templates(ctx, base)...)
		}
		all, _ := reviewers.Configured(ctx, co, co.PlanBase(ctx), []string{"all"}, nil)
		for _, r := range all {
			out = append(out, candidate{word: r.Name()})
		}
	}
	return out
}

// The scripts ask `git plan complete SHELL -- WORD...` for candidates; the last
// word is the one that is being typed.
var (
	//go:embed completion/completion.bash
	bashScript string
	//go:embed completion/completion.zsh
	zshScript string
	//go:embed completion/completion.fish
	fishScript string
)

// scripts are those of the shells.
var scripts = map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}

// valuesOf returns what may be where a usage text says <kind>, or `KIND`: a step, a branch, a name
// of a form. Before are the words in front of it, the command's name first.
type valuesOf func(kind string, before []string) []candidate

// complete prints what could be in the place of the last of words, a line each.
func complete(w io.Writer, app *cli.App, shell string, words []string, values valuesOf) {
	for _, k := range candidates(app, words, values) {
		if strings.HasPrefix(k.word, words[len(words)-1]) && !(shell == "bash" && strings.ContainsAny(k.word, bashObeys)) {
			fmt.Fprintln(w, k.text(shell))
		}
	}
}

// bashObeys are characters that bash, unlike the others, puts into the line as
// they are: a branch may be named $(rm).
const bashObeys = " \t$`\\\"'();&|<>*?[]{}!"

// candidate is a word that could stand where somebody types.
type candidate struct{ word, about string }

// text is a candidate on a line, as the shell's script reads it.
func (k candidate) text(shell string) string {
	about := visible.Line(k.about)
	switch {
	case shell == "bash" || about == "":
		return k.word
	case shell == "zsh":
		return strings.ReplaceAll(k.word, ":", `\:`) + ":" + about
	}
	return k.word + "\t" + about
}

// candidates finds what could stand in the place of the last word. What a word
// of the plan, the repository or the program may be there is said by the usage
// texts: <step>, `STEP`, <plan> and so on.
func candidates(app *cli.App, words []string, values valuesOf) []candidate {
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
				out[i].word = typed + out[i].word
			}
		}
		return out
	}
	if strings.HasPrefix(words[last], "-") {
		return optionsOf(flags)
	}
	var out []candidate
	if at == last {
		for _, k := range commands {
			if !k.Hidden {
				out = append(out, candidate{k.Name, k.Usage})
			}
		}
	}
	if command != nil {
		out = append(out, values(strings.Trim(command.ArgsUsage, "[]<> "), words[:last])...)
	}
	return out
}

func optionsOf(flags []cli.Flag) []candidate {
	var out []candidate
	for _, f := range flags {
		names, _, about := pages.FlagText(f)
		for _, name := range names {
			out = append(out, candidate{name, about})
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

package main

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// The scripts ask `git plan complete SHELL -- WORD...` for candidates; the last
// word is the one that is being typed.
var (
	//go:embed completion.bash
	completionBash string
	//go:embed completion.zsh
	completionZsh string
	//go:embed completion.fish
	completionFish string
)

func completionCommand() *cli.Command {
	return &cli.Command{
		Name: "completion", Usage: "print the completion for bash, zsh or fish", ArgsUsage: "<shell>",
		Description: "make install puts it where the shells find it. By hand: git plan completion bash goes\n" +
			"behind git's own completion in ~/.bashrc; zsh's into a folder of $fpath as _git-plan;\n" +
			"fish's into ~/.config/fish/completions/git-plan.fish.",
		Action: func(c *cli.Context) error {
			script, ok := map[string]string{"bash": completionBash, "zsh": completionZsh, "fish": completionFish}[c.Args().First()]
			if !ok || c.NArg() != 1 {
				return misused(c, "completion takes bash, zsh or fish")
			}
			_, err := io.WriteString(c.App.Writer, script)
			return err
		},
	}
}

// completeCommand prints the candidates. It never fails and says nothing else:
// somebody is typing.
func completeCommand() *cli.Command {
	return &cli.Command{
		Name: "complete", Hidden: true, SkipFlagParsing: true,
		Action: func(c *cli.Context) error {
			args := c.Args().Slice()
			if len(args) < 3 || args[1] != "--" {
				return nil
			}
			shell, words := args[0], args[2:]
			for _, k := range candidates(c, words) {
				if strings.HasPrefix(k.word, words[len(words)-1]) && !(shell == "bash" && strings.ContainsAny(k.word, bashObeys)) {
					fmt.Fprintln(c.App.Writer, k.text(shell))
				}
			}
			return nil
		},
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
func candidates(c *cli.Context, words []string) []candidate {
	for len(words) > 2 && words[0] == "-C" {
		if chdir(words[1]) != nil {
			return nil
		}
		words = words[2:]
	}
	command, commands := (*cli.Command)(nil), c.App.Commands
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
	if last > at && takesValue(flags, words[last-1]) {
		out := values(c, flagKind(flags, words[last-1]), words[:last-1])
		if words[last-1] == "--only" { // a list
			typed := words[last][:strings.LastIndex(words[last], ",")+1]
			for i := range out {
				out[i].word = typed + out[i].word
			}
		}
		return out
	}
	if strings.HasPrefix(words[last], "-") {
		return options(flags)
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
		out = append(out, values(c, strings.Trim(command.ArgsUsage, "[]<> "), words[:last])...)
	}
	return out
}

func options(flags []cli.Flag) []candidate {
	var out []candidate
	for _, f := range flags {
		names, _, about := flagText(f)
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
			_, value, _ := flagText(f)
			return strings.ToLower(value)
		}
	}
	return ""
}

// values are what a placeholder may stand for here; none for what the shell
// itself completes, such as files.
func values(c *cli.Context, kind string, before []string) []candidate {
	switch kind {
	case "shell":
		return []candidate{{word: "bash"}, {word: "zsh"}, {word: "fish"}}
	case "key":
		var out []candidate
		for _, k := range settings.Keys {
			if slices.Contains(before, k.Name) {
				return nil // there is no second one
			}
			out = append(out, candidate{k.Name, k.Doc})
		}
		return out
	case "page":
		var out []candidate
		for _, p := range manual(c.App) {
			name := strings.TrimPrefix(strings.TrimPrefix(p.name, "gitplan-"), "git-plan-")
			if slices.Contains(before[1:], name) {
				return nil
			}
			if slices.ContainsFunc(out, func(k candidate) bool { return k.word == name }) {
				name = p.name
			}
			out = append(out, candidate{name, p.about})
		}
		return out
	case "form", "format":
		names := map[string]string{"export": forms(exportForms), "review": strings.Join(reviewForms, ", ")}
		var out []candidate
		for _, name := range strings.Split(cmp.Or(names[before[0]], forms(form.Forms())), ", ") {
			out = append(out, candidate{word: name})
		}
		return out
	case "id": // of a session, or the step that it was held for
		kind = "step"
	case "name":
		kind = before[0] + " name"
	case "finding", "step", "step>/<n", "plan", "version> [<version>", "ref", "remote":
	default:
		return nil
	}
	var out []candidate
	_ = withRepository(c.Context, func(co *checkout.Checkout) error { // without a repository there are none
		out = namesIn(c.Context, co, kind)
		return nil
	})
	return slices.DeleteFunc(out, func(k candidate) bool { return kind != "plan" && slices.Contains(before, k.word) })
}

func namesIn(ctx context.Context, co *checkout.Checkout, kind string) (out []candidate) {
	switch kind {
	case "step":
		if p, ok := co.Text(ctx); ok {
			for _, s := range p.Steps {
				out = append(out, candidate{s.ID, s.Title})
			}
		}
	case "finding":
		_ = co.Load(ctx) // without a plan the findings are the branch's
		if l, err := ledger.Last(ctx, co.Store, co.Doc, co.Branch); err == nil && l != nil {
			for _, f := range append(l.Standing(), l.With(finding.Dismissed)...) {
				out = append(out, candidate{ledger.Short(f.ID), f.Title})
			}
		}
	case "step>/<n":
		attempts, _ := site.AttemptNames(ctx, co)
		for _, name := range attempts {
			out = append(out, candidate{word: name})
		}
	case "plan":
		plans, _ := co.Repo.Refs(ctx, "refs/plans/")
		for _, p := range plans {
			out = append(out, candidate{strings.TrimPrefix(p.Name, "refs/plans/"), p.Subject})
		}
	case "ref":
		refs, _ := co.Repo.Refs(ctx, "refs/heads/", "refs/remotes/", "refs/tags/")
		for _, r := range refs {
			_, name, _ := strings.Cut(strings.TrimPrefix(r.Name, "refs/"), "/")
			out = append(out, candidate{name, r.Subject})
		}
	case "review name":
		all, _ := reviewers.Configured(ctx, co, co.PlanBase(ctx), []string{"all"}, nil)
		for _, r := range all {
			out = append(out, candidate{word: r.Name()})
		}
	case "new name":
		base, _ := co.Base(ctx, "")
		for _, name := range co.Templates(ctx, base) {
			out = append(out, candidate{word: name})
		}
	case "remote":
		for _, name := range co.Config.Names("remote", "url") {
			out = append(out, candidate{word: name})
		}
	}
	return out
}

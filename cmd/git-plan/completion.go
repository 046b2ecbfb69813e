package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func completionCommand(c *command) *cli.Command {
	return c.define("completion", "<shell>", "print the completion for bash, zsh or fish", c.do(1, func() error {
		script, err := scripts.ReadFile("completion/completion." + c.arg(0))
		if err != nil {
			return c.misused("completion takes bash, zsh or fish")
		}
		_, err = c.Out.Write(script)
		return err
	}))
}

// completeCommand prints the candidates. It never fails and prints nothing else, since a person is typing.
func completeCommand(c *command) *cli.Command {
	return &cli.Command{
		Name: "complete", Hidden: true, SkipFlagParsing: true,
		Action: c.do(anyNumber, func() error {
			if len(c.args) > 2 && c.args[1] == "--" {
				complete(c.Out, c.app, c.args[0], c.args[2:],
					func(kind string, before []string) []candidate { return values(c, kind, before) })
			}
			return nil
		}),
	}
}

// values returns the candidates for a placeholder; none for what the shell itself completes, such as files.
func values(c *command, kind string, before []string) (out []candidate) {
	switch kind {
	case "shell":
		return words("bash", "zsh", "fish")
	case "key":
		for _, k := range settings.Keys {
			out = append(out, candidate{word: k.Name, about: k.Doc})
		}
	case "page":
		return words(topics()...)
	default:
		_ = withRepository(c.Context, func(co *checkout.Checkout) error { // outside a repository there are none
			out = namesIn(c.Context, co, kind)
			return nil
		})
	}
	return slices.DeleteFunc(out, func(k candidate) bool { return slices.Contains(before[1:], k.word) })
}

func words(all ...string) (out []candidate) {
	for _, word := range all {
		out = append(out, candidate{word: word})
	}
	return out
}

func namesIn(ctx context.Context, co *checkout.Checkout, kind string) (out []candidate) {
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
	case "plan":
		refs("refs/plans/")
	case "branch":
		refs("refs/heads/")
	case "ref":
		refs("refs/heads/", "refs/remotes/", "refs/tags/")
	case "remote":
		return words(co.Config.Names("remote", "url")...)
	}
	return out
}

// scripts ask `git plan complete SHELL -- WORD...` for candidates of the last word.
//
//go:embed completion/*
var scripts embed.FS

// valuesOf returns candidates for a placeholder of a usage text, such as step; before are the words in front of it.
type valuesOf func(kind string, before []string) []candidate

func complete(w io.Writer, app *cli.App, shell string, words []string, values valuesOf) {
	for _, k := range candidates(app, words, values) {
		if strings.HasPrefix(k.word, words[len(words)-1]) && visible.All(k.word) &&
			!(shell == "bash" && strings.ContainsAny(k.word, bashObeys)) {
			fmt.Fprintln(w, k.text(shell))
		}
	}
}

// bashObeys are characters that bash puts into the line unquoted: a branch may be named $(rm).
const bashObeys = " \t$`\\\"'();&|<>*?[]{}!"

type candidate struct{ word, about string }

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

// candidates finds what could stand in the place of the last word, from the commands and their usage texts.
func candidates(app *cli.App, words []string, values valuesOf) []candidate {
	for len(words) > 2 && words[0] == "-C" {
		if words[1] != "" && os.Chdir(words[1]) != nil {
			return nil
		}
		words = words[2:]
	}
	last := len(words) - 1
	command, at := commandOf(app, words[:last])
	commands, flags := app.Commands, []cli.Flag(nil)
	switch {
	case command != nil:
		commands, flags = command.Subcommands, command.Flags
	case at < last:
		return nil
	}
	if last > at && takesValue(flags, words[last-1]) {
		_, kind, _ := flagText(flagOf(flags, words[last-1]))
		return values(strings.ToLower(kind), words[:last-1])
	}
	if strings.HasPrefix(words[last], "-") {
		var out []candidate
		for _, f := range flags {
			names, _, about := flagText(f)
			for _, name := range names {
				out = append(out, candidate{name, about})
			}
		}
		return out
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
		kind, _, _ := strings.Cut(strings.TrimLeft(command.ArgsUsage, "[<"), ">")
		out = append(out, values(kind, words[:last])...)
	}
	return out
}

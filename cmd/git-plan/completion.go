package main

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
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
				complete(c.Out, c.app, c.args[0], c.args[2:], c.values)
			}
			return nil
		}),
	}
}

type valuesOf func(kind string, before []string) []candidate

// values returns candidates for a placeholder such as step; before are the words in front of it.
func (c *command) values(kind string, before []string) (out []candidate) {
	add := func(word, about string) {
		if !slices.Contains(before[1:], word) {
			out = append(out, candidate{word, about})
		}
	}
	switch kind {
	case "key":
		for _, k := range settings.Keys {
			add(k.Name, k.Doc)
		}
		return out
	case "page":
		for _, topic := range topics() {
			add(topic, "")
		}
		return out
	}
	_ = withRepository(c.Context, func(co *checkout.Checkout) error { // outside a repository there are none
		var all []git.Ref
		switch kind {
		case "step", "id": // of a session, or the step that it worked on
			if p, ok := co.Text(c.Context); ok {
				for _, s := range p.Steps {
					add(s.ID, s.Title)
				}
			}
		case "remote":
			for _, name := range co.Config.Git.Subsections("remote", "url") {
				add(name, "")
			}
		case "plan":
			all, _ = co.Repo.Refs(c.Context, "refs/plans/")
		case "branch":
			all, _ = co.Repo.Refs(c.Context, "refs/heads/")
		case "ref":
			all, _ = co.Repo.Refs(c.Context, "refs/heads/", "refs/remotes/", "refs/tags/")
		}
		for _, r := range all {
			_, name, _ := strings.Cut(strings.TrimPrefix(r.Name, "refs/"), "/")
			add(name, r.Subject)
		}
		return nil
	})
	return out
}

// scripts ask `git plan complete SHELL -- WORD...` for candidates of the last word.
//
//go:embed completion/*
var scripts embed.FS

func complete(w io.Writer, app *cli.App, shell string, words []string, values valuesOf) {
	for _, k := range candidates(app, words, values) {
		about := visible.Line(k.about)
		switch {
		case !strings.HasPrefix(k.word, words[len(words)-1]), !visible.All(k.word),
			shell == "bash" && strings.ContainsAny(k.word, " \t$`\\\"'();&|<>*?[]{}!"): // it would obey a branch named $(rm)
		case shell == "bash" || about == "":
			fmt.Fprintln(w, k.word)
		case shell == "zsh":
			fmt.Fprintln(w, strings.ReplaceAll(k.word, ":", `\:`)+":"+about)
		default:
			fmt.Fprintln(w, k.word+"\t"+about)
		}
	}
}

type candidate struct{ word, about string }

// candidates finds what could stand in the place of the last word, from the commands and their usage texts.
func candidates(app *cli.App, words []string, values valuesOf) (out []candidate) {
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
		for _, f := range flags {
			names, _, about := flagText(f)
			for _, name := range names {
				out = append(out, candidate{name, about})
			}
		}
		return out
	}
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

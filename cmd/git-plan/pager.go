package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// paged has what a command prints to a terminal read in the person's pager, as
// that of git's own log, show and diff is.
func paged(c *cli.Context, co *gitplan.Checkout, print func(*cli.Context, *gitplan.Checkout) error) error {
	pager := pagerOf(co.Config)
	if pager == "" || !isTerminal(os.Stdout) || co.Trusted(c.Context) != nil {
		return print(c, co)
	}
	out, in, err := os.Pipe()
	if err != nil {
		return print(c, co)
	}
	name, args := proc.Shell(pager)
	began, ended := make(chan int, 1), make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = proc.Run(context.WithoutCancel(c.Context), proc.Cmd{
			Name: name, Outside: true, Args: args, Env: pagerEnvironment(), Stdin: out, Stdout: os.Stdout, Stderr: os.Stderr,
			OnStart: func(pid int) { began <- pid },
		})
	}()
	select {
	case <-began:
	case <-ended:
	}
	_ = out.Close()
	signal.Ignore(os.Interrupt) // it is the pager's
	c.App.Writer = in
	err = print(c, co)
	_ = in.Close()
	<-ended
	if errors.Is(err, syscall.EPIPE) { // it was left before the end
		return nil
	}
	return err
}

// pagerOf is the pager that git would use, empty for none. git --no-pager and
// pager.plan=false come as GIT_PAGER=cat; with pager.plan=true git pages itself.
func pagerOf(config *settings.Config) string {
	pager, set := os.LookupEnv("GIT_PAGER")
	if !set {
		pager, set = config.Get("core.pager")
	}
	if !set {
		pager = cmp.Or(os.Getenv("PAGER"), "less")
	}
	if _, ok := proc.Find("less"); pager == "cat" || pager == "less" && !ok {
		return ""
	}
	return pager
}

// pagerEnvironment is git's: a text that fits the screen is only printed. No program of
// the work tree is the pager.
func pagerEnvironment() []string {
	env := append(os.Environ(), "PATH="+proc.PathOutside())
	for _, kv := range [][2]string{{"LESS", "FRX"}, {"LV", "-c"}} {
		if _, set := os.LookupEnv(kv[0]); !set {
			env = append(env, kv[0]+"="+kv[1])
		}
	}
	return env
}

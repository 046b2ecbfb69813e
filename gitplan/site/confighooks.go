package site

import (
	"path/filepath"
	"slices"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// From git 2.54 a hook can be a command of the configuration: hook.NAME.command, with the
// events on which it is run in hook.NAME.event. None of git plan's own gits runs one (package
// git, door.go); those of commits run in the sandbox, before the hook in the folder, as with git.

// configuredHooks returns the commands that the configuration has for an event, by their names.
func configuredHooks(c *checkout.Checkout, event string) (out []string) {
	git := c.Config.Git
	if !git.Bool("hook."+event+".enabled", true) {
		return nil
	}
	names := git.Subsections("hook", "event")
	slices.Sort(names)
	for _, name := range names {
		on := git.All("hook." + name + ".event")
		on = on[slices.Index(on, "")+1:] // an empty one cancels those before it
		command, ok := git.Get("hook." + name + ".command")
		if ok && slices.Contains(on, event) && git.Bool("hook."+name+".enabled", true) {
			out = append(out, command)
		}
	}
	return out
}

// hookLines returns the programs, with their first arguments, that run as a hook.
func hookLines(c *checkout.Checkout, event string) (out [][]string) {
	for _, command := range configuredHooks(c, event) {
		name, args := proc.Shell(command + ` "$@"`)
		out = append(out, slices.Concat([]string{name}, args, []string{command}))
	}
	if hasHookFile(c, event) {
		name, args := proc.Shell(`"$0" "$@"`)
		out = append(out, slices.Concat([]string{name}, args, []string{filepath.Join(c.Repo.HooksDir, event)}))
	}
	return out
}

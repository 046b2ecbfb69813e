package worker

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
)

// look returns what is on this machine.
func look(ctx context.Context) wire.Machine {
	ctx, late := context.WithTimeout(ctx, 5*time.Second)
	defer late()
	var m wire.Machine
	for _, f := range cli.Find(ctx, &cli.Versions{}, func(string) string { return "" }) {
		if f.Path == "" {
			continue
		}
		text := strings.TrimSpace(f.Name + " " + f.Version)
		switch {
		case f.Problem != "":
			text = f.Name + " (" + f.Problem + ")"
		case cli.SignedIn(f.Name):
			text += ", signed in"
		default:
			text += ", not signed in"
		}
		m.Agents = append(m.Agents, text)
	}
	dir := folder()
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, "doctor-"); err == nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}
	if err != nil {
		m.Problem = err.Error()
	}
	m.Cache, m.Time = dir, time.Now()
	return m
}

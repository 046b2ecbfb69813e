package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Open finds the repository that git finds from dir (empty: the current
// folder). It costs one git process. The error is ErrNotRepository where there
// is none, else git's own.
func Open(ctx context.Context, dir string) (*Repo, error) {
	if dir == "" {
		dir = "."
	}
	r := &Repo{GitDir: dir, env: environment()}
	// A folder's name may hold any byte but NUL, and rev-parse has no -z: the
	// object format, asked for between them, parts the paths.
	out, err := r.Ask(ctx, "rev-parse", "--path-format=absolute", "--show-object-format",
		"--git-dir", "--show-object-format", "--git-common-dir", "--show-object-format", "--git-path", "hooks",
		"--show-object-format", "--show-toplevel")
	format, rest, _ := strings.Cut(out, "\n")
	parts := strings.Split(rest, "\n"+format+"\n")
	if len(parts) < 3 {
		var e *Error
		if errors.As(err, &e) && e.Code == 128 && !insideGitDir(dir) {
			return nil, notRepository(e)
		}
		if err == nil {
			err = fmt.Errorf("git rev-parse told no places, but %q", out)
		}
		return nil, err
	}
	r.Format, r.GitDir, r.CommonDir, r.HooksDir = format, parts[0], parts[1], strings.TrimSuffix(parts[2], "\n"+format)
	if len(parts) > 3 && err == nil {
		r.Top = parts[3]
	}
	r.pin()
	r.objects = &reader{}
	return r, nil
}

// OpenHere is Open from the current folder, with Config and with the process
// that reads objects: three git processes that are started together,
// since starting them is what a short command's time goes into.
func OpenHere(ctx context.Context) (*Repo, *Config, error) {
	here := &Repo{GitDir: ".", env: environment()} // which repository that is, is found meanwhile
	here.objects = &reader{}
	var config string
	var configErr error
	var meanwhile sync.WaitGroup
	meanwhile.Go(func() { config, configErr = here.configText(ctx) })
	meanwhile.Go(func() { _ = here.startReader() }) // else the first read does, and says why not
	r, err := Open(ctx, "")
	meanwhile.Wait()
	if err != nil {
		here.objects.close()
		return nil, nil, err
	}
	r.objects = here.objects
	if configErr != nil {
		r.Close()
		return nil, nil, configErr
	}
	read := r.parseConfig(config)
	r.silenced = silence(read.hooks())
	return r, read, nil
}

// Outside is git if there is no repository, with what is configured for all.
func Outside(ctx context.Context) (*Repo, *Config, error) {
	r := &Repo{GitDir: ".", env: environment()}
	out, err := r.configText(ctx)
	if err != nil {
		return nil, nil, err
	}
	r.objects = &reader{}
	config := r.parseConfig(out)
	r.silenced = silence(config.hooks())
	return r, config, nil
}

// notRepository keeps git's words (it also says "dubious ownership" and the
// like) behind the sentinel.
func notRepository(e *Error) error { return &notFound{e} }

type notFound struct{ cause *Error }

func (n *notFound) Error() string {
	first, _, _ := strings.Cut(strings.TrimSpace(n.cause.Stderr), "\n")
	return strings.TrimPrefix(first, "fatal: ")
}

func (n *notFound) Is(target error) bool { return target == ErrNotRepository }

func (n *notFound) Unwrap() error { return n.cause }

func insideGitDir(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "HEAD"))
	return err == nil
}

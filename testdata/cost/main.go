// Command cost counts what a plan costs: requests, tokens and money. Twelve steps are done in a
// public repository by the real git plan, with a scripted model behind a server on this machine.
//
//	repository.go   the repository (from the module proxy), the plan, the settings
//	server.go       the model server: it keeps each request
//	behave.go       what the model does
//	count.go        tokens with two kinds of caches, prices, the table, and the limits of make test (limits_test.go)
//
// Measured is what git plan sends. Assumed are a model's behaviour, four bytes per token, 150 tokens of
// thinking per turn, and list prices.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
)

func main() {
	program := flag.String("program", "git-plan", "the git-plan that is counted")
	keep := flag.String("keep", "", "keep the requests in this folder")
	flag.Parse()
	s, err := count12(*program)
	if *keep != "" {
		err = errors.Join(err, s.save(*keep))
	}
	if err == nil {
		err = table(os.Stdout, s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

// count12 makes and runs the plan, and returns the requests that it took, even if it failed.
func count12(program string) (*server, error) {
	m := &model{}
	s := &server{model: m}
	work, err := os.MkdirTemp("", "cost")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(work)
	tree, original := filepath.Join(work, "tree"), filepath.Join(work, "original")
	if err := os.Mkdir(filepath.Join(work, "home"), 0o755); err != nil {
		return s, err
	}
	if err := repository(tree); err != nil {
		return s, err
	}
	if err := os.CopyFS(original, os.DirFS(tree)); err != nil {
		return s, err
	}
	m.tree = original
	listening := httptest.NewServer(s)
	defer listening.Close()
	if err := configure(tree, listening.URL); err != nil {
		return s, err
	}
	program, err = filepath.Abs(program)
	if err != nil {
		return s, err
	}
	for _, command := range [][]string{{"new", "--yes", "Let each collector be reset"}, {"run"}} {
		if out, err := run(tree, append([]string{program}, command...)...); err != nil {
			return s, fmt.Errorf("git plan %s: %w\n%s", command[0], err, out)
		}
	}
	return s, nil
}

// save writes the requests to a folder, in order.
func (s *server) save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i, q := range s.requests {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d-%s-%d.json", i+1, q.role, q.turn)), q.raw, 0o644); err != nil {
			return err
		}
	}
	return nil
}

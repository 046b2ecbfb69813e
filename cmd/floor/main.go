//go:build floor

// Command floor is not part of git plan: it only imports what git-plan is given to be built on.
// The time it takes to start is the floor that make bench measures against.
package main

import (
	_ "github.com/go-git/go-git/v5"
	_ "github.com/openai/openai-go/v3"
	_ "github.com/sergi/go-diff/diffmatchpatch"
	_ "github.com/urfave/cli/v2"
)

func main() {}

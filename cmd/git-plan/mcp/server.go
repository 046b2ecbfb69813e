package mcp

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

const (
	maxText   = 20_000           // bytes of a result: its beginning and its end
	maxOutput = 8 << 20          // bytes that a command may write
	beat      = 5 * time.Second  // between two reports of progress; clients give up on silence
	grace     = 10 * time.Second // for a cancelled command to end its checks
)

// Server runs the tools.
type Server struct {
	Program string // git-plan
	Dir     string // the work tree
	Version string
}

// Serve answers on standard input and output until the client ends, or ctx does.
func (s *Server) Serve(ctx context.Context) error {
	return s.server().Run(ctx, &mcp.StdioTransport{})
}

// call runs a command. What it refuses is a result that says so, never an error of the
// protocol: the model has to read it.
func (s *Server) call(ctx context.Context, request *mcp.CallToolRequest, args ...string) (*mcp.CallToolResult, any, error) {
	defer s.progress(ctx, request, args[0])()
	var out, errs bytes.Buffer
	exit, err := proc.Run(ctx, proc.Cmd{
		Name: s.Program, Args: args, Dir: s.Dir, Stdout: &out, Stderr: &errs, Group: true, MaxOutput: maxOutput,
		Interrupt: func(error) time.Duration { return grace },
	})
	text := strings.TrimSpace(strings.TrimSpace(out.String()) + "\n\n" + strings.TrimSpace(errs.String()))
	switch {
	case err != nil:
		text = strings.TrimSpace(text + "\n" + err.Error())
	case exit.Flooded > 0:
		text += "\nit " + exit.TooMuch()
	case exit.Code != 0:
		text += fmt.Sprintf("\nexit code %d", exit.Code)
	}
	failed := err != nil || !exit.OK()
	return &mcp.CallToolResult{IsError: failed, Content: []mcp.Content{&mcp.TextContent{Text: shortened(visible.Text(text))}}}, nil, nil
}

// shortened keeps the beginning and the end of a long text.
func shortened(s string) string {
	if len(s) <= maxText {
		return s
	}
	end := s[len(s)-maxText/2:]
	return visible.Cut(s, maxText/2) + "\n[...]\n" + strings.ToValidUTF8(end, "")
}

// progress reports that a command still runs, if the client asked for that.
func (s *Server) progress(ctx context.Context, request *mcp.CallToolRequest, command string) (stop func()) {
	token := request.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	over := make(chan struct{})
	go func() {
		ticker := time.NewTicker(beat)
		defer ticker.Stop()
		for n := 1; ; n++ {
			select {
			case <-over:
				return
			case <-ticker.C:
				_ = request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: float64(n), Message: "git plan " + command + " is at work",
				})
			}
		}
	}()
	return func() { close(over) }
}

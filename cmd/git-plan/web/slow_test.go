package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// A client that sends a request or a body slowly is cut off; the number of streams is limited, and refused
// ones leave room for others.
func TestSlowClients(t *testing.T) {
	acts := &Acts{Do: func(context.Context, string, func(string) string) error { return nil }}
	s := serve(t, hostile, acts)
	u, err := url.Parse(s.act)
	must(t, err)
	for name, begin := range map[string]string{
		"a head":      "GET " + u.Path + " HTTP/1.1\r\nHost: " + u.Host + "\r\nX-Slow: ",
		"a body":      "POST " + u.Path + "act/stop HTTP/1.1\r\nHost: " + u.Host + "\r\nOrigin: http://" + u.Host + "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nnow=",
		"a huge head": "GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 64<<10),
	} {
		c, err := net.Dial("tcp", u.Host)
		must(t, err)
		_, _ = io.WriteString(c, begin)
		must(t, c.SetReadDeadline(time.Now().Add(time.Minute)))
		if _, err := io.ReadAll(c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s is waited for", name)
		}
		c.Close()
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	refused := 0
	for range mostStreams + 3 {
		r, err := http.NewRequestWithContext(ctx, "GET", s.look+"events", nil)
		must(t, err)
		answer, err := http.DefaultClient.Do(r)
		must(t, err)
		defer answer.Body.Close()
		if answer.StatusCode == http.StatusServiceUnavailable {
			refused++
		}
	}
	if status, _ := s.ask("GET", s.look, nil); status != 200 || refused != 3 {
		t.Errorf("%d, %d are refused", status, refused)
	}
}

// A browser that stops reading does not delay the others, which get each event meanwhile. It is dropped after
// a while.
func TestStalledBrowserIsDropped(t *testing.T) {
	s := serve(t, hostile, nil)
	u, err := url.Parse(s.look)
	must(t, err)
	for range 5 {
		c, err := net.Dial("tcp", u.Host)
		must(t, err)
		defer c.Close()
		must(t, c.(*net.TCPConn).SetReadBuffer(4<<10))
		_, err = fmt.Fprintf(c, "GET %sevents HTTP/1.1\r\nHost: %s\r\n\r\n", u.Path, u.Host)
		must(t, err)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.look+"events", nil)
	must(t, err)
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	defer answer.Body.Close()
	heard := bufio.NewReader(answer.Body)
	lock, err := journal.Acquire(s.co.Repo, s.co.Doc.ID, "run")
	must(t, err)
	defer lock.Release()
	for tries := 0; s.streams.Load() > 1; tries++ {
		s.happens(mostEvents)
		for range 100 {
			lock.Report(journal.Notice{Kind: journal.StepNote, Step: "one", Text: strings.Repeat("x", 300)})
		}
		s.happens(1)
		for {
			line, err := heard.ReadString('\n')
			must(t, err)
			if strings.Contains(line, `"changed":true`) {
				break
			}
		}
		if tries == 50 {
			t.Fatalf("%d streams are still waited for", s.streams.Load()-1)
		}
	}
}

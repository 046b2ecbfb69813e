package model

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestNoKeyFollowsARedirect: wherever an endpoint redirects a request, with whatever status, the key is not
// sent there, and the error names the place. All names resolve to the two servers here.
func TestNoKeyFollowsARedirect(t *testing.T) {
	var strays atomic.Int32
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strays.Add(1) }))
	defer stranger.Close()
	_, port, _ := net.SplitHostPort(stranger.Listener.Addr().String())
	requests := map[string]func(e *Endpoint) string{
		"doctor": func(e *Endpoint) string { return fmt.Sprint(e.Reach(t.Context(), "m")) },
		"models": func(e *Endpoint) string { _ = e.Hint(t.Context(), &Fault{kind: faultNotFound}, "m"); return "" },
		"window": func(e *Endpoint) string { e.AskWindow(t.Context(), "m"); return "" },
		"session": func(e *Endpoint) string {
			_, err := e.Ask(t.Context(), Request{Model: "m", Messages: prompted()}, nobody)
			return err.Error()
		},
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{"127.0.0.1:" + port, "localhost:" + port, "evil.example", "sub.mine.openai.azure.com"} {
			endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://"+to+r.URL.Path, status)
			}))
			for _, base := range []string{endpoint.URL + "/v1", "http://mine.openai.azure.com/openai/v1"} {
				for name, ask := range requests {
					o := &Endpoint{AgentName: "mine", BaseURL: base, Key: "secret", Wait: time.Millisecond}
					if err := o.Open(); err != nil {
						t.Fatal(err)
					}
					leads(o, endpoint, "127.0.0.1:"+port, to)
					said := ask(o)
					if n := strays.Swap(0); n != 0 {
						t.Errorf("%s, %d from %s to %s: %d requests followed", name, status, base, to, n)
					}
					if said != "" && !(strings.Contains(said, "to http://"+to) && strings.Contains(said, "planAgent.mine.baseURL")) {
						t.Errorf("%s, %d from %s to %s: %q", name, status, base, to, said)
					}
				}
			}
			endpoint.Close()
		}
	}
}

// leads resolves every name except the given one to the endpoint, and that one to stranger.
func leads(o *Endpoint, endpoint *httptest.Server, stranger, to string) {
	transport := o.http.Transport.(*http.Transport)
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		place := endpoint.Listener.Addr().String()
		if strings.TrimSuffix(address, ":80") == to {
			place = stranger
		}
		return (&net.Dialer{}).DialContext(ctx, network, place)
	}
}

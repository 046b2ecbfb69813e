package web

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// policy lets a page have the style that is in it, load its own script and ask its own server, and nothing else.
var policy = sync.OnceValue(func() string {
	style, _ := assets.ReadFile("assets/style.css")
	sum := sha256.Sum256(style)
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
})

// mayAct reports whether a request came by the address for acts.
func mayAct(r *http.Request) bool { return r.Context().Value(acting{}) != nil }

type acting struct{}

// guarded answers only a browser that has the secret address: a cookie would be sent to other programs' ports,
// too. Host refuses a name that another DNS points here; Origin and Sec-Fetch-Site refuse other sites' requests.
func (s *Server) guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", policy())
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "same-origin") // without a referrer a form would have no origin either
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cache-Control", "no-store")
		token, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		act := subtle.ConstantTimeCompare([]byte(token), []byte(s.act)) == 1
		look := act || subtle.ConstantTimeCompare([]byte(token), []byte(s.look)) == 1
		changes := r.Method != http.MethodGet && r.Method != http.MethodHead
		name, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			name = r.Host
		}
		loopback := slices.Contains([]string{"127.0.0.1", "localhost", "::1"}, name) // a tunnel may have another port
		switch {
		case !loopback, !own(r), !look:
			render(w, http.StatusNotFound, "lost", nil)
			return
		case changes && (!act || r.Header.Get("Origin") == ""): // every browser names the origin of a form
			http.Error(w, "this address is for looking only", http.StatusForbidden)
			return
		}
		if act {
			r = r.WithContext(context.WithValue(r.Context(), acting{}, true))
		}
		r.URL.Path = "/" + rest
		r.URL.RawPath = ""
		h.ServeHTTP(w, r)
	})
}

// own reports whether a request comes from our page, or was typed or clicked.
func own(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	// a link elsewhere that a person follows
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net"
	"net/http"
	"strings"
	"sync"
)

// newToken returns the secret part of the address: 128 bits, so that nobody guesses it.
func newToken() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// policy lets a page have the style that is in it, load its own script and ask its own server, and nothing else.
var policy = sync.OnceValue(func() string {
	style, _ := assets.ReadFile("assets/style.css")
	sum := sha256.Sum256(style)
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
})

// mayAct reports whether a request came by the address for acts.
func mayAct(r *http.Request) bool { return r.Context().Value(acting{}) != nil }

type acting struct{}

// guarded answers only a browser that came by the secret address, which is the first part of every
// path: other programs on this machine have ports, too, and would be sent a cookie. A name that
// somebody else's DNS points to 127.0.0.1 is refused by Host; another site's request by Origin and
// Sec-Fetch-Site, which a page cannot forge. Nothing that is refused says why: all of it has the same answer.
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
		switch {
		case !here(r.Host), !own(r), !look:
			_ = render(w, http.StatusNotFound, "lost", nil)
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

// here reports whether a request names this machine by its loopback address. The port may be
// another one, of a tunnel such as ssh -L.
func here(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	return name == "127.0.0.1" || name == "localhost" || name == "::1"
}

// own reports whether a request comes from our own page, or from a person who typed or clicked
// the address.
func own(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" // a link elsewhere that a person follows
}

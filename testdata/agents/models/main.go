// Models is a scripted model server on loopback. It speaks as much of the protocols of OpenAI (Responses and Chat
// Completions), Anthropic and Gemini as the real agent command lines need for a session.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
)

// maxBody bounds a request, in bytes.
const maxBody = 64 << 20

func main() {
	script := flag.String("script", "", "what to answer")
	logFile := flag.String("log", os.DevNull, "what was asked")
	flag.Parse()
	if _, err := readScript(*script); err != nil {
		log.Fatal(err)
	}
	out, err := os.OpenFile(*logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		log.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s\n", ln.Addr())
	log.Fatal(http.Serve(ln, &server{script: *script, given: map[string]int{}, log: json.NewEncoder(out)}))
}

// wire is one protocol.
type wire interface {
	// read fills in a request.
	read(q *request, in object, path string)
	// refuse is the body of an error, as the real service words it.
	refuse(status int, f Fault) any
	// stream answers with Server-Sent Events; whole does it in one piece.
	stream(s *stream, q request, a answer)
	whole(q request, a answer) any
}

var geminiPath = regexp.MustCompile(`/models/([^:/]+):(generateContent|streamGenerateContent|countTokens)$`)

// wireFor tells the protocol from the path, nil where there is none.
func wireFor(r *http.Request) wire {
	switch p := r.URL.Path; {
	case r.Method != http.MethodPost:
		return nil
	case strings.HasSuffix(p, "/responses"):
		return responses{}
	case strings.HasSuffix(p, "/chat/completions"):
		return chat{}
	case strings.HasSuffix(p, "/v1/messages"):
		return messages{}
	case geminiPath.MatchString(p):
		return gemini{}
	}
	return nil
}

// ServeHTTP answers one request, which identifies its session and turn.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return
	}
	if strings.HasSuffix(r.URL.Path, "/count_tokens") || strings.HasSuffix(r.URL.Path, ":countTokens") {
		reply(w, http.StatusOK, object{"input_tokens": promptTokens, "totalTokens": promptTokens})
		return
	}
	p := wireFor(r)
	if p == nil {
		s.note(entry{Path: r.URL.Path, Answer: "404"})
		reply(w, http.StatusNotFound, object{"error": object{"message": "not served: " + r.Method + " " + r.URL.Path}})
		return
	}
	var in object
	if err := json.Unmarshal(body, &in); err != nil {
		s.note(entry{Path: r.URL.Path, Answer: "400: " + err.Error()})
		reply(w, http.StatusBadRequest, object{"error": object{"message": err.Error()}})
		return
	}
	q := request{model: text(in["model"]), tools: map[string]tool{}, body: string(body)}
	q.streamed, _ = in["stream"].(bool)
	p.read(&q, in, r.URL.Path)
	s.play(w, r, p, q)
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

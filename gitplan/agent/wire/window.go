package wire

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/wire/events"
)

// UsualWindow and LocalWindow are what a model's context is taken for, in
// tokens, as long as nobody says what it is.
const (
	UsualWindow = 128_000
	LocalWindow = 32_000
)

// WindowOf returns the context of a model in tokens: as configured, as the endpoint said, or a guess.
func (e *Endpoint) WindowOf(model string) int {
	n := e.Window
	n = cmp.Or(n, e.lesson(model).window)
	if e.local {
		n = cmp.Or(n, LocalWindow)
	}
	n = cmp.Or(n, UsualWindow)
	return n
}

// AskWindow asks the endpoint for a model's context, once in a process, and
// only when a conversation nearly fills what it was taken for: until then the
// answer makes no difference. A window smaller than that shows by itself, as a
// refusal or as a cut prompt. It is asked only if it is known to be answered,
// for a few seconds, and no answer is no fault.
func (e *Endpoint) AskWindow(ctx context.Context, model string) int {
	first := false
	e.learn(model, func(l *lesson) { first, l.asked = !l.asked, true })
	u, err := url.Parse(e.BaseURL)
	if err != nil || !first || e.Window > 0 || !e.local && u.Hostname() != "openrouter.ai" {
		return e.WindowOf(model)
	}
	ctx, cancel := context.WithTimeout(ctx, askWindowFor)
	defer cancel()
	n := e.askModels(ctx, e.BaseURL+"/models", model)
	if root := u.Scheme + "://" + u.Host; e.local {
		if n == 0 {
			n = e.askModels(ctx, root+"/api/ps", model) // Ollama
		}
		if n == 0 {
			n = e.askProps(ctx, root+"/props") // llama.cpp
		}
	}
	e.learn(model, func(l *lesson) { l.window = n })
	return e.WindowOf(model)
}

const askWindowFor = 3 * time.Second

// listed is a model in a list of them: vLLM says max_model_len, OpenRouter and
// Ollama context_length.
type listed struct {
	ID, Name string
	Max      number `json:"max_model_len"`
	Length   number `json:"context_length"`
}

// shown returns its name as a person reads it.
func (l listed) shown() string { return agent.OneLine(l.ID+l.Name, 80) }

func (l listed) is(model string) bool {
	name := l.ID + l.Name
	return name == model || strings.TrimSuffix(name, ":latest") == model
}

func (e *Endpoint) models(ctx context.Context, address string) []listed {
	var answer struct{ Data, Models []listed }
	e.get(ctx, address, &answer)
	return append(answer.Data, answer.Models...)
}

func (e *Endpoint) askModels(ctx context.Context, address, model string) int {
	for _, m := range e.models(ctx, address) {
		if m.is(model) {
			return plausible(max(m.Max, m.Length))
		}
	}
	return 0
}

func (e *Endpoint) askProps(ctx context.Context, address string) int {
	var answer struct {
		Settings struct {
			Context number `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	e.get(ctx, address, &answer)
	return plausible(answer.Settings.Context)
}

// plausible returns n if a window can have as many tokens, else 0.
func plausible(n number) int {
	if n < 1000 || n > 100_000_000 {
		return 0
	}
	return int(n)
}

// get reads a JSON object from the endpoint; what cannot be had leaves it empty.
func (e *Endpoint) get(ctx context.Context, address string, into any) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return
	}
	e.authorise(q.Header)
	res, err := e.http.Do(q)
	if err != nil {
		return
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK {
		_ = json.NewDecoder(io.LimitReader(res.Body, events.Max)).Decode(into)
	}
}

package agent

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// UsualWindow and LocalWindow are what a model's context is taken for, in
// tokens, as long as nobody says what it is.
const (
	UsualWindow = 128_000
	LocalWindow = 32_000
)

// window is the context of a model: as configured, as the endpoint said, or a guess.
func (o *OpenAI) window(model string) int {
	n := o.Window
	orElse(&n, o.lesson(model).window)
	if o.local {
		orElse(&n, LocalWindow)
	}
	orElse(&n, UsualWindow)
	return n
}

// askWindow asks the endpoint for a model's context, once in a process, and
// only when a conversation nearly fills what it was taken for: until then the
// answer makes no difference. A window smaller than that shows by itself, as a
// refusal or as a cut prompt. It is asked only where it is known to be told,
// for a few seconds, and no answer is no fault.
func (o *OpenAI) askWindow(ctx context.Context, model string, z *size) {
	first := false
	o.learn(model, func(l *lesson) { first, l.asked = !l.asked, true })
	u, err := url.Parse(o.BaseURL)
	if err != nil || !first || o.Window > 0 || !o.local && u.Hostname() != "openrouter.ai" {
		z.window = o.window(model)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askWindowFor)
	defer cancel()
	n := o.askModels(ctx, o.BaseURL+"/models", model)
	if root := u.Scheme + "://" + u.Host; o.local {
		if n == 0 {
			n = o.askModels(ctx, root+"/api/ps", model) // Ollama
		}
		if n == 0 {
			n = o.askProps(ctx, root+"/props") // llama.cpp
		}
	}
	o.learn(model, func(l *lesson) { l.window = n })
	z.window = o.window(model)
}

const askWindowFor = 3 * time.Second

// listed is a model in a list of them: vLLM says max_model_len, OpenRouter and
// Ollama context_length.
type listed struct {
	ID, Name string
	Max      number `json:"max_model_len"`
	Length   number `json:"context_length"`
}

func (l listed) is(model string) bool {
	name := l.ID + l.Name
	return name == model || strings.TrimSuffix(name, ":latest") == model
}

func (o *OpenAI) models(ctx context.Context, address string) []listed {
	var answer struct{ Data, Models []listed }
	o.get(ctx, address, &answer)
	return append(answer.Data, answer.Models...)
}

func (o *OpenAI) askModels(ctx context.Context, address, model string) int {
	for _, m := range o.models(ctx, address) {
		if m.is(model) {
			return plausible(max(m.Max, m.Length))
		}
	}
	return 0
}

func (o *OpenAI) askProps(ctx context.Context, address string) int {
	var answer struct {
		Settings struct {
			Context number `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	o.get(ctx, address, &answer)
	return plausible(answer.Settings.Context)
}

// plausible is n if a window can have as many tokens, else 0.
func plausible(n number) int {
	if n < 1000 || n > 100_000_000 {
		return 0
	}
	return int(n)
}

// get reads a JSON object from the endpoint; what cannot be had leaves it empty.
func (o *OpenAI) get(ctx context.Context, address string, into any) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return
	}
	o.authorise(q.Header)
	res, err := o.http.Do(q)
	if err != nil {
		return
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK {
		_ = json.NewDecoder(io.LimitReader(res.Body, maxEvent)).Decode(into)
	}
}

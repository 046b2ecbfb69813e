package acp

import (
	"encoding/json"
	"slices"
	"strings"
)

// offer is what can be chosen in a session, in the two forms that agents have.
type offer struct {
	Options []option `json:"configOptions"`
	Models  struct {
		Current string `json:"currentModelId"`
		All     []struct {
			ID string `json:"modelId"`
		} `json:"availableModels"`
	} `json:"models"`
}

type option struct {
	ID       string          `json:"id"`
	Category string          `json:"category"`
	Current  string          `json:"currentValue"`
	Choices  json.RawMessage `json:"options"`
}

// values returns what can be chosen: a list of values, or of groups of them.
func (o option) values() (out []string) {
	var list []struct {
		Value   string `json:"value"`
		Options []struct {
			Value string `json:"value"`
		} `json:"options"`
	}
	readable(o.Choices, &list)
	for _, c := range list {
		if c.Value != "" {
			out = append(out, c.Value)
		}
		for _, v := range c.Options {
			out = append(out, v.Value)
		}
	}
	return out
}

// of returns the option of a category; false if there is none.
func (o offer) of(category string) (option, bool) {
	i := slices.IndexFunc(o.Options, func(o option) bool { return o.Category == category })
	if i < 0 {
		return option{}, false
	}
	return o.Options[i], true
}

// model returns the model that the session has.
func (o offer) model() string {
	if m, ok := o.of("model"); ok {
		return m.Current
	}
	return o.Models.Current
}

// choose asks for the model and the effort that are wanted, and then goes on to the prompt. An
// effort that the agent does not have is left out, as it is with other agents; a model is not.
func (c *Client) choose(o offer) {
	effort := func() {
		m, ok := o.of("thought_level")
		if !ok || c.options.Effort == "" || !slices.Contains(m.values(), c.options.Effort) {
			c.prompt(c.options.Prompt)
			return
		}
		c.set(m.ID, c.options.Effort, func(json.RawMessage, *Fault) { c.prompt(c.options.Prompt) })
	}
	want := c.options.Model
	if want == "" || want == o.model() {
		effort()
		return
	}
	chosen := func(_ json.RawMessage, fault *Fault) {
		if fault != nil {
			c.failed(fault)
			return
		}
		c.end.Model = want
		effort()
	}
	if m, ok := o.of("model"); ok {
		if has := m.values(); !slices.Contains(has, want) {
			c.wrong(noModel(want, has))
			return
		}
		c.set(m.ID, want, chosen)
		return
	}
	var has []string
	for _, m := range o.Models.All {
		has = append(has, m.ID)
	}
	if !slices.Contains(has, want) {
		c.wrong(noModel(want, has))
		return
	}
	c.ask(mModel, map[string]string{"sessionId": c.session, "modelId": want}, chosen)
}

func (c *Client) set(id, value string, then func(json.RawMessage, *Fault)) {
	c.ask(mOption, map[string]string{"sessionId": c.session, "configId": id, "value": value}, then)
}

func noModel(want string, has []string) string {
	if len(has) == 0 {
		return "it lets nobody choose a model, so model " + want + " is not to be had: name it in the agent's command or in its own settings"
	}
	return "it has no model " + want + ", but " + strings.Join(has[:min(len(has), 20)], ", ")
}

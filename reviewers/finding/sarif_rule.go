package finding

import (
	"cmp"
	"strconv"
	"strings"
)

// components are the program and what extends it, in which order names are looked up.
func (t *sarifTool) components() []sarifComponent {
	return append([]sarifComponent{t.Driver}, t.Extensions...)
}

// ruleOf returns the rule of a result, which is named by id or by place in a list, of the
// program or of an extension; nil if the run does not describe it.
func (t *sarifTool) ruleOf(r *sarifResult) (rule *sarifRule, id string) {
	ref := sarifReference{}
	if r.Rule != nil {
		ref = *r.Rule
	}
	ref.ID = cmp.Or(r.RuleID, ref.ID)
	if ref.Index == nil {
		ref.Index = r.RuleIndex
	}
	if rule = t.rule(ref); rule != nil {
		return rule, cmp.Or(ref.ID, rule.ID)
	}
	return nil, ref.ID
}

// rule returns the rule that is meant; nil if nothing is known of it.
func (t *sarifTool) rule(ref sarifReference) *sarifRule {
	in := t.components()
	if c, ok := t.component(ref.Component); ok {
		in = []sarifComponent{c}
	}
	if i := ref.Index; i != nil && *i >= 0 && *i < len(in[0].Rules) {
		return &in[0].Rules[*i]
	}
	// The id of a result may have parts below that of its rule: CA1000/member.
	for id := ref.ID; id != "" || ref.GUID != ""; {
		for _, c := range in {
			for i, r := range c.Rules {
				if id != "" && r.ID == id || ref.GUID != "" && strings.EqualFold(r.GUID, ref.GUID) {
					return &c.Rules[i]
				}
			}
		}
		at := strings.LastIndexByte(id, '/')
		if at < 0 {
			break
		}
		id = id[:at]
	}
	return nil
}

// component returns the extension that is meant; false if the program itself is.
func (t *sarifTool) component(ref *sarifReference) (sarifComponent, bool) {
	if ref == nil {
		return sarifComponent{}, false
	}
	if i := ref.Index; i != nil && *i >= 0 && *i < len(t.Extensions) {
		return t.Extensions[*i], true
	}
	for _, c := range t.components() {
		if ref.GUID != "" && strings.EqualFold(c.GUID, ref.GUID) || ref.Name != "" && c.Name == ref.Name {
			return c, true
		}
	}
	return sarifComponent{}, false
}

// level returns the level that a result has if it names none: as the run was configured, else
// the default of its rule; "" if neither says.
func (r *sarifRun) level(rule *sarifRule) string {
	if rule == nil {
		return ""
	}
	for _, i := range r.Invocations {
		for _, o := range i.Overrides {
			if o.Configuration.Level != "" && r.Tool.rule(o.Rule) == rule {
				return o.Configuration.Level
			}
		}
	}
	if rule.Configuration != nil {
		return rule.Configuration.Level
	}
	return ""
}

// text returns a message, which may be one that its rule or program has, by its id.
func (r *sarifRun) text(m sarifMessage, rule *sarifRule) string {
	text := cmp.Or(m.Text, m.Markdown)
	if text == "" && m.ID != "" {
		text = m.ID
		if found, ok := r.messages(rule, m.ID); ok {
			text = cmp.Or(found.Text, found.Markdown, text)
		}
	}
	words := make([]string, 0, 2*len(m.Arguments)+4)
	for i, a := range m.Arguments {
		words = append(words, "{"+strconv.Itoa(i)+"}", a)
	}
	if len(words) > 0 {
		text = strings.NewReplacer(append(words, "{{", "{", "}}", "}")...).Replace(text)
	}
	return text
}

func (r *sarifRun) messages(rule *sarifRule, id string) (sarifMessage, bool) {
	if rule != nil {
		if m, ok := rule.Messages[id]; ok {
			return m, true
		}
	}
	for _, c := range r.Tool.components() {
		if m, ok := c.Messages[id]; ok {
			return m, true
		}
	}
	return sarifMessage{}, false
}

package wire

import (
	"maps"
	"slices"
	"strings"
)

// strictly returns a schema as OpenAI requires it to hold a model to it: every field of an object
// is required and no other allowed, so that an optional one may be null instead.
func strictly(schema map[string]any) map[string]any {
	out := maps.Clone(schema)
	if items, ok := schema["items"].(map[string]any); ok {
		out["items"] = strictly(items)
	}
	fields, ok := schema["properties"].(map[string]any)
	if !ok {
		return out
	}
	needed, _ := schema["required"].([]string)
	all := map[string]any{}
	for name, f := range fields {
		field, _ := f.(map[string]any)
		if field = strictly(field); !slices.Contains(needed, name) {
			field = nullable(field)
		}
		all[name] = field
	}
	out["properties"], out["required"], out["additionalProperties"] = all, slices.Sorted(maps.Keys(all)), false
	return out
}

func nullable(field map[string]any) map[string]any {
	field["type"] = []any{field["type"], "null"}
	if choices, ok := field["enum"].([]string); ok {
		with := []any{}
		for _, c := range choices {
			with = append(with, c)
		}
		field["enum"] = append(with, nil)
	}
	return field
}

// schema returns the schema of a tool as a request holds it.
func (q Request) schema(t Tool) map[string]any {
	if q.strict {
		return strictly(t.Schema)
	}
	return t.Schema
}

// refusesStrict reports whether an endpoint refused that schemas are strict, or one for not
// being strict in its way.
func (f *Fault) refusesStrict() bool {
	return f.kind == faultParameter &&
		(f.code == "invalid_function_parameters" || strings.HasSuffix(f.param, ".strict") || f.param == "" && strings.Contains(f.text, "'strict'"))
}

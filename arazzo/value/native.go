package value

import (
	"encoding/json"
	"fmt"
)

// Native gives v as the types that encoding/json decodes to, with numbers as
// json.Number, for libraries that want these. Absent becomes nil.
func (v Value) Native() any {
	switch v.kind {
	case KindBool:
		return v.text == "true"
	case KindNumber:
		return json.Number(v.text)
	case KindString:
		return v.text
	case KindArray:
		items := make([]any, len(v.tree.items))
		for i, item := range v.tree.items {
			items[i] = item.Native()
		}
		return items
	case KindObject:
		members := make(map[string]any, len(v.tree.members))
		for _, m := range v.tree.members {
			members[m.Name] = m.Value.Native()
		}
		return members
	default:
		return nil
	}
}

// Of gives the value of data made of the types that encoding/json decodes to
// (and Go's integers). Maps lose their order: members are sorted by name.
func Of(data any) (Value, error) {
	encoded, err := json.Marshal(data)
	if err != nil {
		return Absent, fmt.Errorf("value: %w", err)
	}
	return ParseJSON(encoded)
}

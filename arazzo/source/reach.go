package source

import (
	"errors"

	"go.yaml.in/yaml/v4"
)

var errEndless = errors.New("to follow its references would take too long")

// checkReach refuses a description whose references would keep the library
// busy beyond all measure. targets gives for each reference where it leads.
func (m *mender) checkReach(targets map[*yaml.Node]*yaml.Node) error {
	if len(targets) == 0 {
		return nil
	}
	r := &reach{targets: targets, sizes: map[*yaml.Node]int{}, edges: map[*yaml.Node][]edge{}}
	total := 0
	for _, n := range m.references {
		target := targets[n]
		if target == nil {
			continue
		}
		size, ok := r.sizes[target]
		if !ok {
			size = r.explore(target, target, 0)
			r.sizes[target] = size
		}
		if total += size; total > maxWalk || r.walked > maxWalk {
			return errEndless
		}
	}
	// Only many targets can be strung together to more than the limit.
	if len(r.sizes)*m.depth < maxReach {
		return nil
	}
	return r.checkDepth(m.references)
}

// reach is the graph of what references lead to.
type reach struct {
	targets map[*yaml.Node]*yaml.Node
	sizes   map[*yaml.Node]int
	edges   map[*yaml.Node][]edge
	walked  int
}

// edge leads from a target to one that is referred to inside of it, depth levels down.
type edge struct {
	to    *yaml.Node
	depth int
}

// explore counts the nodes under a target and notes the references among them.
func (r *reach) explore(target, n *yaml.Node, depth int) int {
	if r.walked++; r.walked > maxWalk {
		return 0
	}
	if to := r.targets[n]; to != nil {
		r.edges[target] = append(r.edges[target], edge{to, depth})
	}
	size := 1
	for _, child := range n.Content {
		size += r.explore(target, child, depth+1)
	}
	return size
}

// checkDepth goes the way of the library, depth first and to each target once,
// and measures how deep its recursion would get.
func (r *reach) checkDepth(references []*yaml.Node) error {
	type frame struct {
		edges []edge
		depth int
	}
	seen := make(map[*yaml.Node]bool, len(r.sizes))
	for _, n := range references {
		start := r.targets[n]
		if start == nil || seen[start] {
			continue
		}
		seen[start] = true
		stack := []frame{{r.edges[start], 1}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.edges) == 0 {
				stack = stack[:len(stack)-1]
				continue
			}
			next := top.edges[0]
			top.edges = top.edges[1:]
			if seen[next.to] {
				continue
			}
			seen[next.to] = true
			depth := top.depth + next.depth + 2
			if depth > maxReach {
				return errors.New("its references are strung together to more than 100,000 levels")
			}
			stack = append(stack, frame{r.edges[next.to], depth})
		}
	}
	return nil
}

package rules

import (
	"math/big"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// bound is what comparisons with numbers leave of a value. Nil: no limit.
type bound struct {
	low, high         *big.Rat
	lowOpen, highOpen bool // the limit itself is left out
}

// narrow adds a comparison with a number; other values leave no limit.
func (b *bound) narrow(o expression.Operator, with value.Value) {
	if with.Kind() != value.KindNumber || o == expression.NotEqual {
		return
	}
	if limit, ok := new(big.Rat).SetString(with.Text()); ok {
		b.take(o, limit)
	}
}

// swapped gives the operator that says the same with its sides the other way round.
func swapped(o expression.Operator) expression.Operator {
	switch o {
	case expression.Less:
		return expression.Greater
	case expression.LessOrEqual:
		return expression.GreaterOrEqual
	case expression.Greater:
		return expression.Less
	case expression.GreaterOrEqual:
		return expression.LessOrEqual
	default:
		return o
	}
}

func (b *bound) take(o expression.Operator, limit *big.Rat) {
	switch o {
	case expression.Less, expression.LessOrEqual:
		b.below(limit, o == expression.Less)
	case expression.Greater, expression.GreaterOrEqual:
		b.above(limit, o == expression.Greater)
	case expression.Equal:
		b.below(limit, false)
		b.above(limit, false)
	}
}

func (b *bound) below(limit *big.Rat, open bool) {
	if b.high == nil || limit.Cmp(b.high) < 0 || limit.Cmp(b.high) == 0 && open {
		b.high, b.highOpen = limit, open
	}
}

func (b *bound) above(limit *big.Rat, open bool) {
	if b.low == nil || limit.Cmp(b.low) > 0 || limit.Cmp(b.low) == 0 && open {
		b.low, b.lowOpen = limit, open
	}
}

func (b *bound) isEmpty() bool {
	if b.low == nil || b.high == nil {
		return false
	}
	order := b.low.Cmp(b.high)
	return order > 0 || order == 0 && (b.lowOpen || b.highOpen)
}

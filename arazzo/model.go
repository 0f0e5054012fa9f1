package arazzo

// Text is a string field. Its Node is nil where the document does not write it.
type Text struct {
	Node  *Node
	Value string
}

// Present tells whether the document writes the field.
func (t Text) Present() bool { return t.Node != nil }

// Number is a number field, kept as it is written.
type Number struct {
	Node *Node
	Raw  string
}

// Present tells whether the document writes the field.
func (n Number) Present() bool { return n.Node != nil }

// Flag is a boolean field.
type Flag struct {
	Node  *Node
	Value bool
}

// Version is the feature set that a document is written for: its patch number
// means nothing (specification, Versions).
type Version uint8

// The versions that Weft reads. The zero Version is one that it does not know.
const (
	VersionUnknown Version = iota
	Version10
	Version11
)

// Document is one Arazzo document (Arazzo Specification Object).
type Document struct {
	names namesOnce

	Node       *Node
	File       string // the name that the document was parsed under
	Version    Version
	Arazzo     Text
	Self       Text // $self, 1.1
	Info       Info
	Sources    []*SourceDescription
	Workflows  []*Workflow
	Components Components

	States      *States      // x-weft-states
	Idempotency *Idempotency // x-weft-idempotency
}

// Info describes the document (Info Object).
type Info struct {
	Node                                 *Node
	Title, Summary, Description, Version Text
}

// SourceDescription names a description of APIs or workflows (Source Description Object).
type SourceDescription struct {
	Node            *Node
	Name, URL, Type Text
}

// Workflow is a list of steps with its inputs and outputs (Workflow Object).
type Workflow struct {
	Node                             *Node
	WorkflowID, Summary, Description Text
	Inputs                           *Node // JSON Schema 2020-12
	DependsOn                        []Text
	Steps                            []*Step
	SuccessActions, FailureActions   []*Action
	Outputs                          []*Output
	Parameters                       []*Parameter

	States      *States      // x-weft-states
	Idempotency *Idempotency // x-weft-idempotency
	OnCancel    []*Action    // x-weft-on-cancel
}

// Step is one call of an operation or workflow, or one message sent or awaited
// (Step Object).
type Step struct {
	Node                                                *Node
	StepID, Description                                 Text
	OperationID, OperationPath, ChannelPath, WorkflowID Text
	Parameters                                          []*Parameter
	RequestBody                                         *RequestBody
	SuccessCriteria                                     []*Criterion
	OnSuccess, OnFailure                                []*Action
	Outputs                                             []*Output
	Timeout                                             Number // milliseconds, 1.1
	CorrelationID                                       *Node  // 1.1
	Action                                              Text   // 1.1: send or receive
	DependsOn                                           []Text // 1.1

	State       *State       // x-weft-state
	Idempotency *Idempotency // x-weft-idempotency
	Effect      Text         // x-weft-effect: read, idempotent or effect
	RequeryOf   Text         // x-weft-requery-of
	Owner       Text         // x-weft-owner
	Correlation Text         // x-weft-correlation
	MessageID   Text         // x-weft-message-id
	OnDuplicate Text         // x-weft-on-duplicate
}

// Parameter is a value for an operation or workflow (Parameter Object), or a
// reference to one under components (Reusable Object) that may give it another value.
type Parameter struct {
	Node      *Node
	Reference Text // only of a Reusable Object
	Name, In  Text
	Value     *Node
}

// RequestBody is what a step sends (Request Body Object).
type RequestBody struct {
	Node         *Node
	ContentType  Text
	Payload      *Node
	Replacements []*Replacement
}

// Replacement sets a value at a place of the payload (Payload Replacement Object).
type Replacement struct {
	Node       *Node
	Target     Text
	TargetType *ExpressionType // targetSelectorType, 1.1
	Value      *Node
}

// Criterion is one assertion (Criterion Object).
type Criterion struct {
	Node      *Node
	Context   Text
	Condition Text
	Type      *ExpressionType // nil: simple
}

// ExpressionType names a language and its version: written as a word or as an
// Expression Type Object.
type ExpressionType struct {
	Node    *Node
	Type    string // simple, regex, jsonpath, xpath or jsonpointer
	Version string // empty: the language's default
}

// Action is what to do after a step (Success Action Object, Failure Action
// Object), or a reference to one under components (Reusable Object).
type Action struct {
	Node               *Node
	Reference          Text // only of a Reusable Object
	Name, Type         Text
	WorkflowID, StepID Text
	Parameters         []*Parameter // 1.1
	RetryAfter         Number       // seconds
	RetryLimit         Number
	Criteria           []*Criterion
	State              *State   // x-weft-state
	Backoff            *Backoff // x-weft-backoff
	UnsafeRetry        Flag     // x-weft-unsafe-retry
}

// Output is one named output: a runtime expression or a Selector Object.
type Output struct {
	Name  Text
	Value *Node
}

// Named is one entry of a map under components.
type Named[T any] struct {
	Name  Text
	Value T
}

// Components holds what is shared within one document (Components Object).
type Components struct {
	Node           *Node
	Inputs         []Named[*Node] // JSON Schema 2020-12
	Parameters     []Named[*Parameter]
	SuccessActions []Named[*Action]
	FailureActions []Named[*Action]
}

// States is the state machine of a run (x-weft-states).
type States struct {
	Node        *Node
	Initial     Text
	Terminal    []Text
	Transitions []Transition
}

// Transition lists the states that may follow one.
type Transition struct {
	From Text
	To   []Text
}

// State moves the run (x-weft-state): to a fixed state, or to the one that Map
// gives for the value of an expression.
type State struct {
	Node  *Node
	To    Text
	Value Text
	Map   []Named[Text]
}

// Idempotency says how an operation's key is made and sent (x-weft-idempotency).
type Idempotency struct {
	Node                *Node
	Off                 bool
	Header, Format, Key Text
}

// Backoff makes each wait of a retry longer (x-weft-backoff).
type Backoff struct {
	Node        *Node
	Factor, Max Number // Max in seconds
}

package sim_test

import (
	"context"
	"fmt"
	"log"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/executor/sim"
)

// A workflow is run under a fault, in no time: prepare once, then one world a run.
func Example() {
	ctx := context.Background()
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, _, err := loader.LoadDocument(ctx, "../../specs/orderflow/order.arazzo.yaml")
	if err != nil {
		log.Fatal(err)
	}
	set, _ := loader.Load(ctx, doc, location)
	stage := sim.NewStage(set)
	plan, refusals := executor.Compile(set, nil, executor.Config{Servers: stage.Servers()})
	if len(refusals) > 0 {
		log.Fatal(refusals)
	}

	world, err := stage.New(sim.Options{Seed: 1, Faults: mock.FaultPlan{Faults: []mock.Fault{
		{Operation: "createOrder", Kind: mock.HangAfterEffect},
	}}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := plan.Run(ctx, world, executor.Start{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status, "after", world.Now().Sub(sim.Epoch))
	for _, e := range world.Server().Effects() {
		fmt.Println(e.Operation, e.Reference, e.Count)
	}
	fmt.Println(len(world.Server().Unfired()), "faults did not fire")
	// Output:
	// succeeded after 6.024s
	// createOrder order-1001 1
	// requestPayment order-1001 1
	// closeOrder order-1001 1
	// 0 faults did not fire
}

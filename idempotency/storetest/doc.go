// Package storetest holds every idempotency.Store to the same rules: what each verb
// answers, alone and in races of goroutines and of processes, when leases run out in
// mid-flight and when clocks jump. A store of your own is tested as the stores of
// this module are:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t testing.TB) storetest.Subject { … })
//	}
//
// RunIn adds the cases of verbs in an open transaction, RunProcesses those of several
// processes, and Bench measures beside bare writes.
//
// The cases bear the numbers of the statements in docs/idempotency.md.
//
// It imports package idempotency only. It must never know a certain store.
package storetest

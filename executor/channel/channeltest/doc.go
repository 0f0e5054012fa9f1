// Package channeltest holds every channel.Hub to the same rules: whose a message is,
// what repeats are, what is kept, for how long and how much, alone and in races. A Hub
// of your own is tested as those of this module are:
//
//	func TestHub(t *testing.T) {
//		channeltest.Run(t, func(t testing.TB, limits channel.Limits) channeltest.Subject { … })
//	}
//
// The cases bear the numbers of the statements in the design of messages, where one
// says it.
//
// It imports channel and executor. It must never know a certain Hub, or protocols.
package channeltest

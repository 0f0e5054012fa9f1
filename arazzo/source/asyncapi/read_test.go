package asyncapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVersion2IsReadInTheShapeOf3(t *testing.T) {
	want := `
Lamps 2.6.0, application/json
server broker mqtt://north.lamps.example:1883/bus 5 [mqtt]
  needs user(userPassword) and certificate(X509)
  needs token(oauth2) lamps.read lamps.write
server events wss://lamps.example/events
channel lamps/{lamp}/measured at lamps/{lamp}/measured over mqtt [mqtt]
  {lamp} [a b] a $message.payload#/lamp
  message Measured application/cloudevents+json headers merged payload /components/schemas/Measurement
    correlates by $message.header#/trace
channel lamps/{lamp}/switch at lamps/{lamp}/switch over mqtt wss
  {lamp} []
  message On application/json payload /components/messages/On/payload
  message off application/json payload /channels/lamps~1{lamp}~1switch/subscribe/message/oneOf/1/payload
channel raw at raw over mqtt wss
  message frame avro/binary payload /channels/raw/subscribe/message/payload
receive measured on lamps/{lamp}/measured: Measured [mqtt]
send switch on lamps/{lamp}/switch: On off
receive  on lamps/{lamp}/switch: On
send raw on raw: frame
fault in file:///lamps-2.6.yaml at /channels/lamps~1{lamp}~1switch/subscribe/message/oneOf/2/$ref: the reference "#/components/messages/Lost" cannot be followed: /components/messages has no "Lost"
`
	if diff := cmp.Diff(strings.Split(want, "\n")[1:], strings.Split(outline(testdata(t, "lamps-2.6.yaml")), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVersion3IsReadAsItIs(t *testing.T) {
	want := `
Orders 3.0.0, application/json
server kafka kafka://eu.orders.example:9092
  needs sasl(scramSha256)
  needs (http)
server amqp amqp://mq.example 0.9.1
server hooks https://hooks.example/v1
channel placed at orders/{shop}/placed over kafka amqp [kafka]
  {shop} [north south] north $message.payload#/shop/id
  message order application/vnd.shop+json headers merged payload /components/messages/Order/payload/schema
    correlates by $message.payload#/order~1id/0
  message again application/vnd.shop+json headers merged payload /components/messages/Order/payload/schema
    correlates by $message.payload#/order~1id/0
  message note application/json payload /channels/placed/messages/note/payload
channel replies at unknown over kafka amqp https
  message confirmed application/json payload /components/messages/Confirmed/payload/schema
channel a~b/c%d at odd over kafka amqp https
channel shared at shared over kafka amqp https
  message yes application/json payload /components/messages/Confirmed/payload/schema
send placeOrder on placed: order [kafka]
  reply to $message.header#/replyTo on replies: confirmed
receive everyOrder on placed: order again note
  needs sasl(scramSha256)
receive direct on shared: yes
receive silent on placed:
send odd on a~b/c%d:
`
	if diff := cmp.Diff(strings.Split(want, "\n")[1:], strings.Split(outline(testdata(t, "orders-3.0.yaml")), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestADescriptionMayLieInSeveralFiles(t *testing.T) {
	want := `
Chat 3.1.0
server ws wss://chat.example/rooms  [ws]
channel room at /rooms/{room} over wss [ws]
  {room} []
  message say  payload
    correlates by $message.header#/stamp
send say on room: say
receive hear on room: say
`
	if diff := cmp.Diff(strings.Split(want, "\n")[1:], strings.Split(outline(testdata(t, "chat-3.1.json")), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVersionsThatAreNotRead(t *testing.T) {
	for _, version := range []string{"1.2.0", "4.0.0", "20", "", "two"} {
		_, err := Read(tree(t, "asyncapi: '"+version+"'"), "file:///a", files(t, nil))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("AsyncAPI %q cannot be read: expected 2.0 to 2.6, 3.0 or 3.1", version)) {
			t.Errorf("%s: %v", version, err)
		}
	}
	for _, version := range []string{"2.0.0", "2.6.0", "3.0.0", "3.1.0", "3.0", "3.9.0"} {
		if c := read(t, "asyncapi: "+version); c.Version != version {
			t.Errorf("version %s", c.Version)
		}
	}
}

func TestWhatCannotBeReadCostsOnlyWhatItStandsFor(t *testing.T) {
	c := read(t, `asyncapi: 3.0.0
servers: {a: {host: h, protocol: kafka}, b: 5, c: {$ref: '#/components/servers/none'}}
channels:
  good: {address: good, messages: {m: {payload: {$ref: '#/gone'}}, n: [1]}}
  bad: a text
  half: {servers: [{$ref: '#/servers/a'}, {$ref: '#/servers/d'}], parameters: {p: {location: $message.body.id}}}
operations:
  one: {action: send, channel: {$ref: '#/channels/good'}, messages: [{$ref: '#/channels/good/messages/m'}, {$ref: '#/channels/good/messages/o'}]}
  two: {action: publish, channel: {$ref: '#/channels/gone'}, security: [{$ref: '#/nobody'}]}
  three: {}
components: 7
`)
	want := `
 3.0.0
server a kafka://h
channel good at good over kafka
  message m
channel half at unknown over kafka
  {p} []
send one on good: m
 two on nothing:
  needs what is not known
 three on nothing:
fault in file:///x/main.yaml at /servers/b: a server should be an object, this is of type number
fault in file:///x/main.yaml at /servers/c/$ref: the reference "#/components/servers/none" cannot be followed: /components has no "servers"
fault in file:///x/main.yaml at /channels/good/messages/m/payload/$ref: the reference "#/gone" cannot be followed: its root has no "gone"
fault in file:///x/main.yaml at /channels/good/messages/n: a message should be an object, this is of type array
fault in file:///x/main.yaml at /channels/bad: a channel should be an object, this is of type string
fault in file:///x/main.yaml at /channels/half/servers/1/$ref: the reference "#/servers/d" cannot be followed: /servers has no "d"
fault in file:///x/main.yaml at /channels/half/parameters/p/location: expected $message.header or $message.payload with a JSON Pointer, as in $message.header#/id, this is "$message.body.id"; did you mean "$message.payload#/id"?
fault in file:///x/main.yaml at /operations/one/messages/1/$ref: the reference "#/channels/good/messages/o" cannot be followed: /channels/good/messages has no "o"
fault in file:///x/main.yaml at /operations/two/action: the action of an operation is send or receive, this is "publish"
fault in file:///x/main.yaml at /operations/two/channel/$ref: the reference "#/channels/gone" cannot be followed: /channels has no "gone"
fault in file:///x/main.yaml at /operations/two/security/0/$ref: the reference "#/nobody" cannot be followed: its root has no "nobody"
fault in file:///x/main.yaml at /operations/three: an operation needs an action: send or receive
fault in file:///x/main.yaml at /operations/three: operation "three" names no channel
fault in file:///x/main.yaml at /components: components should be an object, this is of type number
`
	if diff := cmp.Diff(strings.Split(want, "\n")[1:], strings.Split(outline(c), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

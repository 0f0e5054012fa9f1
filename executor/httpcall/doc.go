// Package httpcall makes one HTTP exchange: it writes a Call as bytes (Prepare),
// puts them onto the wire exactly once or not at all, and says what is known of
// the outcome (Client.Do).
//
// One recorded attempt is one request on the wire. Go's http.Client and
// http.Transport do not promise that: they send again, unseen, after a reset of a
// reused connection and after some HTTP/2 errors. So the package keeps its own
// connections, each used by one exchange at a time and each able to send only
// what it is handed, and it counts the bytes that leave: whether a request was
// sent is known from the connection, not guessed from an error.
//
// It imports executor and the packages below it. It must never know workflows,
// steps, retries or what a response means.
package httpcall

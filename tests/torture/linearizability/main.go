// Checks histories of concurrent clients for linearizability, with porcupine.
//
// Reads JSON lines: the revision before the history, then an operation in each line (see Operation). Prints "ok",
// "illegal", or "unknown" if the time was too short.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"strconv"
	"time"

	"github.com/anishathalye/porcupine"
)

// Object is what a client sees of a stored object.
type Object struct {
	Version int    `json:"version"`
	Value   string `json:"value"`
}

// Operation is a request with its answer. Code is 0 where the answer is not known: the write happened, or did not,
// before Return.
type Operation struct {
	Client   int               `json:"client"`
	Call     int64             `json:"call"`
	Return   int64             `json:"return"`
	Verb     string            `json:"verb"`
	Name     string            `json:"name"`
	Value    string            `json:"value"`
	Expected int               `json:"expected"`
	Code     int               `json:"code"`
	Found    Object            `json:"found"`
	Listed   map[string]Object `json:"listed"`
}

// State is the whole store: its revision, and what is in it.
type State struct {
	Revision int
	Objects  map[string]Object
}

func (s State) with(name, value string) State {
	objects := maps.Clone(s.Objects)
	objects[name] = Object{s.Revision + 1, value}
	return State{s.Revision + 1, objects}
}

func (s State) without(name string) State {
	objects := maps.Clone(s.Objects)
	delete(objects, name)
	return State{s.Revision + 1, objects}
}

// after gives the state after the operation and its status code, as they are if it happens now.
func (s State) after(o Operation) (State, int) {
	object, exists := s.Objects[o.Name]
	switch {
	case o.Verb == "list":
		return s, 200
	case o.Verb == "create" && exists:
		return s, 409
	case o.Verb == "create":
		return s.with(o.Name, o.Value), 201
	case !exists:
		return s, 404
	case o.Verb == "get":
		return s, 200
	case o.Verb == "update" && object.Version != o.Expected:
		return s, 409
	case o.Verb == "delete":
		return s.without(o.Name), 200
	default: // an update, or a patch
		return s.with(o.Name, o.Value), 200
	}
}

// step gives the states that the operation can have led to with its answer; none if it can not have been answered so.
func step(state, input, _ any) []any {
	s, o := state.(State), input.(Operation)
	next, code := s.after(o)
	if o.Code == 0 {
		return []any{s, next}
	}
	if o.Verb == "patch" && o.Code == 409 { // given up after several conflicts
		return []any{s}
	}
	if code != o.Code {
		return nil
	}
	switch {
	case o.Verb == "list":
		if o.Found.Version != s.Revision || !maps.Equal(o.Listed, s.Objects) {
			return nil
		}
	case o.Verb == "delete" && code == 200:
		if o.Found.Version != next.Revision {
			return nil
		}
	case code < 300:
		if o.Found != next.Objects[o.Name] {
			return nil
		}
	}
	return []any{next}
}

func main() {
	seconds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	lines.Scan()
	revision, err := strconv.Atoi(lines.Text())
	if err != nil {
		log.Fatal(err)
	}
	var history []porcupine.Operation
	for lines.Scan() {
		var o Operation
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			log.Fatal(err)
		}
		history = append(history, porcupine.Operation{ClientId: o.Client, Input: o, Call: o.Call, Return: o.Return})
	}
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{State{revision, map[string]Object{}}} },
		Step: step,
		Equal: func(a, b any) bool {
			return a.(State).Revision == b.(State).Revision && maps.Equal(a.(State).Objects, b.(State).Objects)
		},
	}
	result := porcupine.CheckOperationsTimeout(model.ToModel(), history, time.Duration(seconds)*time.Second)
	fmt.Println(map[porcupine.CheckResult]string{
		porcupine.Ok: "ok", porcupine.Illegal: "illegal", porcupine.Unknown: "unknown",
	}[result])
}

// Package engine runs one stress run: a model, a scenario and a profile in, a result out, with the same bits
// on every machine. It reads no clock, no file and no random source, starts no goroutine and keeps no state
// between runs. The rules are those of the stress model page and of spec 2; comments name them (E31).
package engine

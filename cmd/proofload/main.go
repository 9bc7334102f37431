// Command proofload tells which part of an architecture gives way first, before production does.
package main

func main() {}

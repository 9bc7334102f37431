// Package uitest drives the pages of the server in a real browser, Chromium, against the program as a process: a file per
// journey. It has tests only.
package uitest

// Package pgtest gives tests a real PostgreSQL: a server of the installed binaries on a Unix socket, which can be killed
// and started again, and fresh databases. Only tests import it.
//
// It never skips: without the binaries initdb and postgres (the package postgresql; in PATH or where Debian, Red Hat and
// Homebrew put them) the test fails. PROOFLOAD_TEST_POSTGRES names a running server to make the databases of Database on.
package pgtest

package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"
)

var residentLine = regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB$`)

// TestPerformanceIdle prints the memory of a server that nobody uses. Without PROOFLOAD_BENCH it only checks that it
// answers and how much it has at most.
func TestPerformanceIdle(t *testing.T) {
	const most = 256 << 10 // kB: far from what it needs, far below what a small machine has
	s := &killedServer{t: t, binary: buildBinary(t), dir: t.TempDir()}
	s.start()
	eventually(t, func() bool {
		status, err := statusOf(t, s.url+"/readyz")
		return err == nil && status == http.StatusOK
	}, "it is ready")
	full := os.Getenv("PROOFLOAD_BENCH") != ""
	if full {
		time.Sleep(5 * time.Second)
	}
	if runtime.GOOS == "linux" {
		resident := residentOf(t, s.process.Process.Pid)
		if resident > most {
			t.Errorf("an idle server has %d kB, want at most %d", resident, most)
		}
		if full {
			fmt.Printf("\n| memory | resident |\n| --- | --- |\n| an idle server | %d MB |\n", resident>>10)
		}
	}
	s.stop()
}

// residentOf is the resident memory of a process in kB.
func residentOf(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		t.Fatal(err)
	}
	found := residentLine.FindSubmatch(status)
	if found == nil {
		t.Fatalf("no VmRSS in %s", status)
	}
	resident, err := strconv.Atoi(string(found[1]))
	if err != nil || resident == 0 {
		t.Fatalf("VmRSS %s: %v", found[1], err)
	}
	return resident
}

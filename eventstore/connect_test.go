package eventstore

import (
	"strings"
	"testing"
)

func TestAtLeast(t *testing.T) {
	for version, want := range map[string]bool{
		"2.12.0": true, "2.12.0-RC.1": true, "v2.15.3": true, "2.100.0": true, "3.0.0": true, "2.12": true,
		"2.11.9": false, "1.99.0": false, "2.9.25": false, "": false, "2": false, "two.twelve": false,
	} {
		if got := atLeast(version, 2, 12); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

func TestConnectSaysWhatToDo(t *testing.T) {
	_, err := Connect("nats://user:geheim@127.0.0.1:1,nats://token@127.0.0.1:2")
	if err == nil {
		t.Fatal("connected to nothing")
	}
	for _, words := range []string{"nats://127.0.0.1:1,nats://127.0.0.1:2", "check the address"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("no %q in %q", words, err)
		}
	}
	for _, secret := range []string{"geheim", "token"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q in %q", secret, err)
		}
	}
}

func TestWithoutSecrets(t *testing.T) {
	for urls, want := range map[string]string{
		"nats://a:4222":              "nats://a:4222",
		"nats://u:p@a:4222":          "nats://a:4222",
		"tls://u:p@ss@a, nats://t@b": "tls://a,nats://b",
		"u:p@a:4222":                 "nats://a:4222",
		"nats://u:%zz@a":             "nats://a",
	} {
		if got := withoutSecrets(urls); got != want {
			t.Errorf("%q became %q, want %q", urls, got, want)
		}
	}
}

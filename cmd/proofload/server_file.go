package main

import (
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
)

// serverFile is the file of the data folder that says where the server of the folder answers. It is gone after a stop.
const serverFile = "server.json"

// serverAddress is what stands in the file.
type serverAddress struct {
	URL         string `json:"url"`
	Certificate string `json:"certificate,omitempty"` // PEM; the only one that the command line then trusts
}

// urlOf is where this machine reaches a listener.
func urlOf(l net.Listener, encrypts bool) string {
	host, port, _ := net.SplitHostPort(l.Addr().String()) // a listener has both
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	if encrypts {
		return "https://" + net.JoinHostPort(host, port)
	}
	return "http://" + net.JoinHostPort(host, port)
}

// write puts the address into the data folder; the function that it returns takes it away.
func (a serverAddress) write(dir string) (remove func() error, err error) {
	data, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	return func() error { return forgetAddress(dir) }, writeSecret(filepath.Join(dir, serverFile), string(data))
}

// forgetAddress takes the file away, also one that a process left that was killed: another may listen there now.
func forgetAddress(dir string) error {
	if err := os.Remove(filepath.Join(dir, serverFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// readAddress reads where the server of a folder answers.
func readAddress(dir string) (serverAddress, error) {
	data, err := os.ReadFile(filepath.Join(dir, serverFile))
	if err != nil {
		return serverAddress{}, err
	}
	var a serverAddress
	if err := json.Unmarshal(data, &a); err != nil {
		return a, fmt.Errorf("%s in %s: %w", serverFile, dir, err)
	}
	return a, nil
}

// client speaks to the server of the address. Its certificate is the one of the file, whatever names and times it is
// for: the folder says which server it is.
func (a serverAddress) client() (*http.Client, error) {
	if a.Certificate == "" {
		return &http.Client{}, nil
	}
	block, _ := pem.Decode([]byte(a.Certificate))
	if block == nil {
		return nil, errors.New(serverFile + " has no certificate")
	}
	config := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection asks for more: this one certificate
		VerifyConnection: func(state tls.ConnectionState) error {
			if !bytes.Equal(state.PeerCertificates[0].Raw, block.Bytes) {
				return errors.New("it is not the server of " + serverFile)
			}
			return nil
		},
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config}}, nil
}

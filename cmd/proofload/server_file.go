package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
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

// addressOf is where other processes of this machine reach a listener.
func addressOf(l net.Listener, certificate *certificate) serverAddress {
	host, port, _ := net.SplitHostPort(l.Addr().String()) // a listener has both
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	a := serverAddress{URL: "http://" + net.JoinHostPort(host, port)}
	if certificate != nil {
		a.URL = "https://" + net.JoinHostPort(host, port)
		a.Certificate = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.leaf()}))
	}
	return a
}

// write puts the address into the data folder; the function that it returns takes it away.
func (a serverAddress) write(dir string) (remove func() error, err error) {
	data, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, serverFile)
	return func() error { return os.Remove(path) }, writeSecret(path, string(data))
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

// client speaks to the server of the address. Its certificate is the one of the file, whatever names it is for:
// the folder says which server it is.
func (a serverAddress) client() (*http.Client, error) {
	if a.Certificate == "" {
		return &http.Client{}, nil
	}
	block, _ := pem.Decode([]byte(a.Certificate))
	if block == nil {
		return nil, errors.New(serverFile + " has no certificate")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	config.RootCAs.AddCert(certificate)
	if len(certificate.DNSNames) > 0 {
		config.ServerName = certificate.DNSNames[0]
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config}}, nil
}

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"time"
)

// door is a listener on loopback for the commands of this machine. Its address and its certificate, which is made for
// this one start, stand in the data folder: who can read them knows which process it is, whatever the names, proxies
// and certificates of the API are.
type door struct {
	listener net.Listener
	server   *http.Server
}

// opensToCommands says whether a command of this machine gets through the listener of the API itself.
func (o listenOptions) opensToCommands() bool { return o.loopback() && o.certificate == nil }

func openDoor(ctx context.Context, handler http.Handler, logger *slog.Logger) (*door, serverAddress, error) {
	certificate, err := doorCertificate()
	if err != nil {
		return nil, serverAddress{}, err
	}
	l, err := listenOnLoopback(ctx)
	if err != nil {
		return nil, serverAddress{}, fmt.Errorf("a door for commands: %w", err)
	}
	d := &door{l, newServer(handler, logger)}
	d.server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate}}
	named := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})
	return d, serverAddress{URL: urlOf(l, true), Certificate: string(named)}, nil
}

// listenOnLoopback takes a free port of IPv4, or of IPv6 where there is no other.
func listenOnLoopback(ctx context.Context) (net.Listener, error) {
	var all []error
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
		if err == nil {
			return l, nil
		}
		all = append(all, err)
	}
	return nil, errors.Join(all...)
}

// doorCertificate makes a key and a certificate of it. No name and no time is looked at (serverAddress.client): it says
// whose the key is, and nothing else.
func doorCertificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.AddDate(-1, 0, 0), NotAfter: now.AddDate(100, 0, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// serve answers until the server is shut down.
func (d *door) serve() error { return serveOn(d.server, d.listener) }

// close is for a start that fails: a stop has closed the listener.
func (d *door) close() error {
	_ = d.listener.Close()
	return nil
}

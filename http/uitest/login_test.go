package uitest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const (
	loggedIn = "Logged in as admin."
	usedCode = "This link was used before or is too old."
)

// TestLogIn is the way of the administrator: the link of the first start, again, a wrong one, a token, and out.
func TestLogIn(t *testing.T) {
	p, s := openBrowser(t), serve(t)
	login := s.url + "/login"

	p.open(s.link)
	p.shows(loggedIn)
	p.picture("logged-in")
	if at := p.value("location.href"); at != login {
		t.Errorf("the code stays in the address: %s", at)
	}
	if cookies := p.value("document.cookie"); cookies != "" {
		t.Errorf("scripts can read the cookie: %s", cookies)
	}
	p.open(login)
	if text := p.shows(loggedIn); strings.Contains(text, "Token") {
		t.Errorf("who is logged in is asked for a token:\n%s", text)
	}
	p.do(chromedp.Click("#logout"))
	p.shows("Token")
	p.picture("log-in")

	for _, link := range []string{s.link, login + "#code=wrong"} {
		p.open(link)
		p.shows(usedCode)
	}
	p.picture("used-link")
	p.do(chromedp.SendKeys("#token", "wrong\n"))
	p.shows("No member has this token")
	p.picture("wrong-token")

	p.open(login + "#next=" + "https%3A%2F%2Fexample.org%2F")
	p.do(chromedp.SendKeys("#token", " "+s.token+"\n"))
	p.shows(loggedIn)
	if at := p.value("location.href"); at != login {
		t.Errorf("the page goes on to %s", at)
	}
	p.open(login + "#next=%2Fapi%2Fsession")
	p.shows(`"administrator":true`)
	if complaints := p.reported(); len(complaints) > 0 {
		t.Errorf("the page reports %q", complaints)
	}
}

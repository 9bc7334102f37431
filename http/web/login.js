// Logs the browser in: by the code of a log-in link, which stands behind the # and so reaches no log, or by a token.
"use strict";

const form = document.getElementById("form");
const message = document.getElementById("status");
const links = document.getElementById("links");

const given = new URLSearchParams(location.hash.slice(1));
history.replaceState(null, "", location.pathname); // the code stays in no history

// next is where to go on to; only a place on this server.
function next() {
  const to = new URL(given.get("next") || "", location.href);
  return given.has("next") && to.origin === location.origin ? to.href : "";
}

// welcome goes on to where the link leads, or says who is logged in.
function welcome(who) {
  if (next()) {
    location.replace(next());
    return;
  }
  form.hidden = true;
  links.hidden = false;
  say("Logged in as " + who.member.name + ".", false);
}

function say(text, wrong) {
  message.textContent = text;
  message.classList.toggle("wrong", wrong);
}

// why says in words why a log-in was refused.
function why(body, status, problem) {
  if (status !== 401) {
    return problem.title + ": " + problem.detail;
  }
  return body.code
    ? "This link was used before or is too old. Log in with a token."
    : "No member has this token: it is wrong, was revoked or has expired.";
}

async function logIn(body) {
  const answer = await ask("POST", body);
  if (!answer) {
    return;
  }
  const said = await answer.json();
  if (!answer.ok) {
    say(why(body, answer.status, said), true);
    return;
  }
  welcome(said);
}

// ask sends a request about the session; without a server it says so.
async function ask(method, body) {
  const sent = body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  try {
    return await fetch("/api/session", { method, ...sent });
  } catch {
    say("The server does not answer.", true);
    return null;
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  logIn({ token: document.getElementById("token").value.trim() });
});

document.getElementById("logout").addEventListener("click", async () => {
  if (await ask("DELETE")) {
    location.reload();
  }
});

if (given.has("code")) {
  logIn({ code: given.get("code") });
} else {
  ask("GET").then(async (answer) => {
    if (answer && answer.ok) {
      welcome(await answer.json());
    }
  });
}

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

function show(who) {
  form.hidden = true;
  links.hidden = false;
  message.textContent = "Logged in as " + who.member.name + ".";
}

async function logIn(body) {
  const answer = await fetch("/api/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const said = await answer.json();
  if (!answer.ok) {
    message.textContent = body.code
      ? "This link was used before or is too old. Log in with a token."
      : said.title + ".";
    return;
  }
  if (next()) {
    location.replace(next());
    return;
  }
  show(said);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  logIn({ token: document.getElementById("token").value.trim() });
});

document.getElementById("logout").addEventListener("click", async () => {
  await fetch("/api/session", { method: "DELETE" });
  location.reload();
});

if (given.has("code")) {
  logIn({ code: given.get("code") });
} else {
  fetch("/api/session").then(async (answer) => {
    if (answer.ok) {
      show(await answer.json());
    }
  });
}

/** Words of set-up, sign-in and one-time links. */
export const setup = {
  "account.name": "Your name",
  "account.name.needed": "Write your name.",
  "account.email": "E-mail",
  "account.email.needed": "Write your e-mail address.",
  "account.password": "Password",
  "account.password.new": "New password",
  "account.password.hint": "At least {least} characters. A few words in a row are good.",
  "account.password.needed": "Write a password.",
  "account.password.short": "This is too short: use at least {least} characters.",
  "account.password.show": "Show the password",
  "account.password.hide": "Hide the password",
  "account.line.open":
    "The line to this server is not encrypted: on a network you don’t trust, someone could read along. Open it over https there.",

  "setup.title": "Set up Bottega",
  "setup.intro": "Create the owner’s account and a first project. It takes a minute.",
  "setup.code": "Set-up code",
  "setup.code.hint":
    "The server printed a link when it started. The code is the part after “code=”.",
  "setup.code.needed": "Paste the code, or open the link that the server printed.",
  "setup.code.continue": "Continue",
  "setup.project": "First project",
  "setup.project.hint":
    "Everything you make is kept in a project. You can rename it and make more.",
  "setup.project.of": "{name}’s project",
  "setup.project.needed": "Give the project a name.",
  "setup.found": "Found on this machine",
  "setup.found.looking": "Looking for model servers and keys on this machine",
  "setup.found.hint": "Nothing is connected unless you tick it. You can do it later, too.",
  "setup.found.none":
    "No model server and no provider key was found here. That is fine: the built-in models work at once, and you can connect others later.",
  "setup.found.failed": "Looking around did not work: {reason} You can connect services later.",
  "setup.submit": "Create account",
  "setup.submitWith":
    "{count, plural, one {Create account and connect # service} other {Create account and connect # services}}",
  "setup.notConnected": "{name} could not be connected",
  "setup.notConnected.open": "Open the connections",
  "setup.done": "This Bottega is set up already",
  "setup.done.text": "It has its owner. Sign in, or ask an admin for a link to join.",
  "setup.done.signIn": "Sign in",

  "login.title": "Sign in",
  "login.intro": "With the address and the password of your account here.",
  "login.submit": "Sign in",
  "login.forgot": "Forgot the password? An admin can make you a link for a new one.",

  "join.title": "Join Bottega",
  "join.intro": "You were added as {email}. Choose a name and a password.",
  "join.intro.projects":
    "You were added as {email}, to the {count, plural, one {project} other {projects}} {projects}. Choose a name and a password.",
  "join.submit": "Create account",
  "join.password.title": "Choose a new password",
  "join.password.intro": "For {name}, {email}. You will be signed out everywhere else.",
  "join.password.submit": "Set the password and sign in",
  "join.gone": "This link does not work any more",
  "join.gone.text":
    "It was used already, has expired, or was taken back. Ask an admin for a new one.",
  "join.signIn": "Go to the sign-in",
} as const;

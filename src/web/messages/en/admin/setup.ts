/** Messages of setup, sign-in and one-time links. */
export const setup = {
  "account.name": "Your name",
  "account.name.needed": "Enter your name.",
  "account.email": "Email",
  "account.email.needed": "Enter your email address.",
  "account.password": "Password",
  "account.password.new": "New password",
  "account.password.hint": "At least {least} characters. A few words in a row work well.",
  "account.password.needed": "Enter a password.",
  "account.password.short": "This password is too short. Use at least {least} characters.",
  "account.password.show": "Show password",
  "account.password.hide": "Hide password",
  "account.line.open":
    "This connection is not encrypted, so others on the network could read it. Open Bottega over https instead.",

  "setup.title": "Set up Bottega",
  "setup.intro": "Create the owner’s account and a first project. It takes a minute.",
  "setup.code": "Setup code",
  "setup.code.hint":
    "The server printed a link when it started. The code is the part after “code=”.",
  "setup.code.needed": "Paste the code, or open the link that the server printed.",
  "setup.code.continue": "Continue",
  "setup.project": "First project",
  "setup.project.hint":
    "Everything you make is saved in a project. You can rename it and add more.",
  "setup.project.of": "{name}’s project",
  "setup.project.needed": "Give the project a name.",
  "setup.found.needsKey":
    "{name} at {address} requires a key. Add it in Settings > Connections after the setup.",
  "setup.found": "Found on this machine",
  "setup.found.looking": "Looking for model servers and keys on this machine",
  "setup.found.hint": "Only selected services are connected. You can connect more later.",
  "setup.found.none":
    "No model servers or provider keys were found. The built-in models work without them, and you can connect others later.",
  "setup.found.failed": "The search failed: {reason} You can connect services later.",
  "setup.submit": "Create account",
  "setup.submitWith":
    "{count, plural, one {Create account and connect # service} other {Create account and connect # services}}",
  "setup.notConnected": "{name} could not be connected",
  "setup.notConnected.open": "Open connections",
  "setup.done": "This Bottega is already set up",
  "setup.done.text": "It already has an owner. Sign in, or ask an admin for an invitation link.",
  "setup.done.signIn": "Sign in",

  "login.title": "Sign in",
  "login.intro": "Use the email and password of your account here.",
  "login.submit": "Sign in",
  "login.forgot": "Forgot your password? Ask an admin for a reset link.",

  "join.title": "Join Bottega",
  "join.intro": "You were added as {email}. Choose a name and a password.",
  "join.intro.projects":
    "You were added as {email}, to the {count, plural, one {project} other {projects}} {projects}. Choose a name and a password.",
  "join.submit": "Create account",
  "join.password.title": "Choose a new password",
  "join.password.intro": "For {name}, {email}. You will be signed out everywhere else.",
  "join.password.submit": "Set password",
  "join.gone": "This link no longer works",
  "join.gone.text": "The link was used, has expired or was revoked. Ask an admin for a new one.",
  "join.signIn": "Sign in",
} as const;

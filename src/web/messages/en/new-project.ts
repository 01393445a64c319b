/** Words of the dialog for a new project, which brings them itself. */
export const newProject = {
  "project.new": "New project",
  "project.new.text": "You are its first member. Add others on its page.",
  "project.new.submit": "Create project",
  "project.new.done": "{name} is there, and you work in it now",

  "project.import": "Import a project",
  "project.import.text":
    "Or bring one from another Bottega: the ZIP that “Export the project” gave you there.",
  "project.import.sending": "Sending {name}: {done} of {all}",
  "project.import.checking": "Reading {name}",
  "project.import.files": "Bringing in {name}: {done} of {all} files",
  "project.import.rows":
    "Bringing in {name}: its {count, plural, one {file is} other {# files are}} here, its runs and conversations follow",
  "project.import.leave":
    "It appears among your projects once all of it is here. You may close this and go on working.",
  "project.import.stay": "Keep this page open until the file is sent.",
  "project.import.stop": "Stop",
  "project.import.stopped": "The import is stopped, and nothing of it is kept",
  "project.import.failed": "{name} could not be imported",
  "project.import.dismiss": "Put away",
  "project.import.here": "{name} is here",
  "project.import.missing":
    "{count, plural, one {One file was} other {# files were}} already lost where it comes from.",
  "project.import.open": "Open it",
  "project.import.empty": "This file is empty. Choose the ZIP that “Export the project” gave you.",
  "project.import.tooLarge": "An archive can have at most {most}.",
  "project.import.notZip": "This is not a ZIP. Choose the file that “Export the project” gave you.",
} as const;

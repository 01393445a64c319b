/** Messages of the dialog for a new project, loaded with it. */
export const newProject = {
  "project.new": "New project",
  "project.new.text": "You are the first member. Add others on the project’s page.",
  "project.new.submit": "Create project",
  "project.new.done": "Created {name} and switched to it",

  "project.import": "Import project",
  "project.imports": "Imports",
  "project.import.text":
    "Or import one from another Bottega. Choose the ZIP that “Export project” created there.",
  "project.import.sending": "Uploading {name}: {done} of {all}",
  "project.import.checking": "Reading {name}",
  "project.import.files": "Importing {name}: {done} of {all} files",
  "project.import.rows":
    "Importing {name}: {count, plural, one {# file} other {# files}} done, runs and conversations next",
  "project.import.leave":
    "The project appears when the import finishes. You can close this dialog.",
  "project.import.stay": "Leave this page open until the upload finishes.",
  "project.import.stop": "Stop",
  "project.import.failed": "{name} could not be imported",
  "project.import.dismiss": "Dismiss",
  "project.import.here": "Imported {name}",
  "project.import.missing":
    "{count, plural, one {# file was} other {# files were}} already missing in the original.",
  "project.import.open": "Open project",
  "project.import.empty": "This file is empty. Choose the ZIP that “Export project” created.",
  "project.import.tooLarge": "An archive can be at most {most}.",
  "project.import.notZip": "This is not a ZIP. Choose the file that “Export project” created.",
} as const;

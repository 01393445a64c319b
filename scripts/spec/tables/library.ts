import { assetKinds, importStates, picks, visibilities } from "#contract/entities.ts";
import { oneOf, person, personal, ref, type WordsOf } from "./words.ts";

export const library: WordsOf<
  | "asset"
  | "tag"
  | "asset_tag"
  | "collection"
  | "collection_item"
  | "blob"
  | "upload"
  | "word_list"
  | "project_import"
  | "import_file"
  | "comparison"
  | "comparison_entry"
  | "vote"
> = {
  asset: {
    area: "library",
    is: "A saved file in the library: a result or an upload.",
    kept: "Until deleted: 30 days in the trash. Then its row stays for good, without words and preview, because runs name it.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project."),
      visibility: `Who sees it: ${oneOf(visibilities)}.`,
      run_id: ref("run", "The run that made it; null: an upload."),
      made_in: ref(
        "project",
        "The project of its run, where the asset moved out of it; else null.",
      ),
      connection_id: ref("connection", "The service of its run; null: an upload."),
      model_id: "The model of its run, by the service's id; null: an upload.",
      output_index: "Which output of that run.",
      upload_id: ref("upload", "The upload that it came from."),
      created_by: person("Who made or uploaded it."),
      blob_sha256: ref("blob", "Hash of its bytes: the file's name in the storage."),
      kind: `Kind: ${oneOf(assetKinds)}.`,
      mime: "Media type, detected from the bytes.",
      bytes: "Size.",
      width: "Width.",
      height: "Height.",
      duration_ms: "Length of sound and video.",
      thumbhash: "Tiny preview, 30 bytes as base64. Emptied when deleted.",
      variants: "JSON list of derived files: thumbnails, poster, waveform.",
      phash:
        "The difference hash that similar pictures are found by, in 16 hex digits. Empty: it has none. Null: not computed yet.",
      provenance:
        "JSON of what the file says of its origin (C2PA, IPTC), not verified. Null: nothing found, or saved by an older version. Emptied when deleted.",
      title: personal("Title. Emptied when deleted."),
      prompt_text: personal("Prompt that made it. Emptied when deleted."),
      search: personal("Folded words for the full-text index. Emptied when deleted."),
      pick: `The person's mark: ${oneOf(picks)}.`,
      rating: "0 to 5.",
      trashed_at: "When it went to the trash.",
      deleted_at: "When it was deleted for good.",
      created_at: "When it was saved.",
    },
  },
  tag: {
    area: "library",
    is: "A word of a project for its assets.",
    kept: "Until deleted, or merged into another.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project."),
      name: personal("As it was typed, NFC."),
      folded: personal("Its name without regard to case: unique in the project."),
      search: personal("Folded words: what a search of the library finds."),
      created_by: person("Who used it first."),
      created_at: "When.",
    },
  },
  asset_tag: {
    area: "library",
    is: "An asset has a tag.",
    kept: "Until taken away, or until the asset or the tag is deleted. Who may not see the asset does not learn of it.",
    columns: {
      asset_id: ref("asset", "The asset."),
      tag_id: ref("tag", "The tag."),
      user_id: person("Who tagged it."),
      at: "When.",
    },
  },
  collection: {
    area: "library",
    is: "Chosen assets in an order of their own, or a saved filter of the library.",
    kept: "Until deleted: 30 days in the trash. Its assets stay.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project."),
      kind: "`manual`: chosen assets. `smart`: a saved filter.",
      name: personal("Name, NFC."),
      query: personal("Of a smart one the filter, as JSON with a version."),
      cover_asset_id: ref("asset", "The asset that stands for it; null: the newest in it."),
      created_by: person("Who made it."),
      trashed_at: "When it went to the trash.",
      created_at: "When it was made.",
      updated_at: "When it was last renamed, or got another cover, filter or order.",
    },
  },
  collection_item: {
    area: "library",
    is: "An asset is in a collection.",
    kept: "Until taken out, or until the asset or the collection is deleted. Who may not see the asset does not learn of it.",
    columns: {
      collection_id: ref("collection", "The collection."),
      asset_id: ref("asset", "The asset."),
      order_key: "Its place: text that sorts between that of its neighbors.",
      added_by: person("Who added it."),
      added_at: "When.",
    },
  },
  blob: {
    area: "library",
    is: "The bytes of a file, once, however many assets show them. They are in the file storage.",
    kept: "Deleted one hour after nothing needs them.",
    columns: {
      sha256: "SHA-256 of the bytes, hexadecimal: its name in the storage.",
      bytes: "Size.",
      mime: "Media type.",
      state: "`stored`, or `deleting` while a server removes it.",
      needed_at: "When a chore found an asset that needs it. Null: the next one looks again.",
      created_at: "When it was stored; while `deleting`, when it was marked.",
    },
  },
  upload: {
    area: "library",
    is: "A file that a person or program sent.",
    kept: "For good, like its asset's row. Its bytes: as their row in `blob`.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project."),
      user_id: person("Who sent it."),
      name: personal("File name."),
      bytes: "Size.",
      received: "Bytes received: all of them.",
      sha256: ref("blob", "Hash of its bytes."),
      state: "`complete`. `open` and `aborted` are reserved.",
      created_at: "When it arrived.",
    },
  },
  word_list: {
    area: "library",
    is: "A word list: what `__name__` stands for in the prompts of a project.",
    kept: "Until it is deleted, or its project.",
    columns: {
      project_id: ref("project", "The project."),
      folded: "The name as prompts find it: NFC, in small letters; unique in the project.",
      name: "Name.",
      items: personal("JSON list of texts, at most 10,000."),
      item_count: "How many items it has.",
      created_by: person("Who created it."),
      created_at: "When it was created.",
      updated_at: "When its items were last replaced.",
    },
  },
  project_import: {
    area: "library",
    is: "An exported project that is being imported.",
    kept: "7 days after it ends, or until its notice is closed.",
    columns: {
      id: "UUIDv7.",
      user_id: person("Who imports it."),
      project_id: ref("project", "The project that it becomes. It has no member before `done`."),
      blob_sha256: ref("blob", "The archive, among the files."),
      bytes: "Size of the archive.",
      name: "The project's name in the archive.",
      state: `State: ${oneOf(importStates)}.`,
      files_done: "Files stored so far.",
      files_total: "Files in the archive.",
      files_missing: "Files that the archive itself lacks.",
      problem: "Why it failed, in a sentence.",
      worker_id: ref("worker", "The server that works on it."),
      failures: "Interruptions since its last step.",
      created_at: "When it was sent.",
      ended_at: "When it ended.",
      cleaned_at: "When what only the import needed was deleted.",
      dismissed_at: "When its notice was closed.",
    },
  },
  import_file: {
    area: "library",
    is: "A file of an import that is stored and described.",
    kept: "Until the import is cleaned up.",
    columns: {
      import_id: ref("project_import", "The import."),
      sha256: ref("blob", "The file."),
      facts: "JSON: type, size, duration, previews.",
    },
  },
  comparison: {
    area: "library",
    is: "Results side by side, to see their differences and vote for the best.",
    kept: "Until deleted: 30 days in the trash, then it is gone with its votes.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project."),
      user_id: person("Who made it."),
      visibility: `Who sees it: ${oneOf(visibilities)}. \`author\` if one of its results was.`,
      task: "Task of its runs; `other` where they differ.",
      title: personal("Title: at first the prompt of its first result."),
      blind: "1: models are hidden until they are revealed.",
      created_at: "When it was made.",
      trashed_at: "When it went to the trash.",
    },
  },
  comparison_entry: {
    area: "library",
    is: "A result in a comparison.",
    kept: "As long as its comparison.",
    columns: {
      comparison_id: ref("comparison", "The comparison."),
      position: "Place in the comparison, from 0.",
      run_id: ref("run", "The run that made it."),
      output_index: "Which output of that run; null: an answer, or a result without a file.",
      message_id: ref("message", "The answer; null: a result of a run."),
    },
  },
  vote: {
    area: "library",
    is: "A person's vote in a comparison. Leaderboards are computed from votes.",
    kept: "As long as its comparison.",
    columns: {
      id: "UUIDv7.",
      comparison_id: ref("comparison", "The comparison."),
      user_id: person("Who voted. One vote in each comparison."),
      shown_order: "JSON list: positions in the order in which this person saw them.",
      best: "JSON list: positions of the best. Several: a tie. Empty: no result is good. Null: not voted yet.",
      revealed_before: "1: given when the models were visible. It counts for nothing.",
      revealed_at: "When this person revealed the models. The vote is final from then on.",
      at: "When it was last changed.",
    },
  },
};

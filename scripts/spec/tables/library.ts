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
    kept: "Until deleted. It stays in the trash for 30 days. Its row then remains forever, without text and preview, because runs name it.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project."),
      visibility: `Who can see it: ${oneOf(visibilities)}.`,
      run_id: ref("run", "The run that made it; null: an upload."),
      made_in: ref(
        "project",
        "The project of its run, if the asset was moved out of it; otherwise null.",
      ),
      connection_id: ref("connection", "The service of its run; null: an upload."),
      model_id: "The model of its run, by the service's ID; null: an upload.",
      output_index: "Index of the output in that run.",
      upload_id: ref("upload", "The upload that it came from."),
      created_by: person("The person who made or uploaded it."),
      blob_sha256: ref("blob", "Hash of its bytes, which is the file's name in the storage."),
      kind: `Kind: ${oneOf(assetKinds)}.`,
      mime: "Media type, detected from the bytes.",
      bytes: "Size.",
      width: "Width.",
      height: "Height.",
      duration_ms: "Length of sound and video.",
      thumbhash: "Tiny preview, 30 bytes as base64. Emptied when deleted.",
      variants: "JSON list of derived files: thumbnails, poster, waveform.",
      phash:
        "Difference hash that finds similar pictures, in 16 hex digits. Empty: it has none. Null: not computed yet.",
      provenance:
        "JSON: the file's own statements of its origin (C2PA, IPTC), not verified. Null: none found, or saved by an older version. Emptied when deleted.",
      title: personal("Title. Emptied when deleted."),
      prompt_text: personal("Prompt that made it. Emptied when deleted."),
      search: personal("Folded words for the full-text index. Emptied when deleted."),
      pick: `The person's mark: ${oneOf(picks)}.`,
      rating: "0 to 5.",
      trashed_at: "When it went to the trash.",
      deleted_at: "When it was deleted permanently.",
      created_at: "When it was saved.",
    },
  },
  tag: {
    area: "library",
    is: "A tag of a project's assets.",
    kept: "Until deleted, or merged into another.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project."),
      name: personal("The tag as typed, NFC."),
      folded: personal("Its name in lower case, unique in the project."),
      search: personal("Folded words for the library's search."),
      created_by: person("The person who used it first."),
      created_at: "When it was first used.",
    },
  },
  asset_tag: {
    area: "library",
    is: "A tag on an asset.",
    kept: "Until it is removed, or the asset or the tag is deleted. Visible only to people who may see the asset.",
    columns: {
      asset_id: ref("asset", "The asset."),
      tag_id: ref("tag", "The tag."),
      user_id: person("The person who tagged it."),
      at: "When it was tagged.",
    },
  },
  collection: {
    area: "library",
    is: "Chosen assets in a chosen order, or a saved filter of the library.",
    kept: "Until deleted. It stays in the trash for 30 days. Its assets remain.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project."),
      kind: "`manual`: chosen assets. `smart`: a saved filter.",
      name: personal("Name, NFC."),
      query: personal("The filter of a smart collection, as JSON with a version."),
      cover_asset_id: ref("asset", "Its cover; null: the newest asset in it."),
      created_by: person("The person who created it."),
      trashed_at: "When it went to the trash.",
      created_at: "When it was made.",
      updated_at: "When its name, cover, filter or order last changed.",
    },
  },
  collection_item: {
    area: "library",
    is: "An asset in a collection.",
    kept: "Until it is removed, or the asset or the collection is deleted. Visible only to people who may see the asset.",
    columns: {
      collection_id: ref("collection", "The collection."),
      asset_id: ref("asset", "The asset."),
      order_key: "Its position: text that sorts between the keys of its neighbors.",
      added_by: person("The person who added it."),
      added_at: "When it was added.",
    },
  },
  blob: {
    area: "library",
    is: "The bytes of a file in the file storage. They are stored once, even if several assets have them.",
    kept: "Until one hour after the last row that needs them is gone.",
    columns: {
      sha256: "SHA-256 of the bytes, hexadecimal: its name in the storage.",
      bytes: "Size.",
      mime: "Media type.",
      state: "`stored`, or `deleting` while a server removes it.",
      needed_at:
        "When a chore last found an asset that needs it. Null: the next chore checks again.",
      created_at: "When it was stored; if `deleting`, when it was marked.",
    },
  },
  upload: {
    area: "library",
    is: "A file that a person or program uploaded.",
    kept: "Forever, like its asset's row. Its bytes last as long as their row in `blob`.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project."),
      user_id: person("The person who uploaded it."),
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
    is: "A word list of a project, which replaces `__name__` in prompts.",
    kept: "Until it or its project is deleted.",
    columns: {
      project_id: ref("project", "The project."),
      folded: "The name by which prompts find it: NFC, lower case, unique in the project.",
      name: "Name.",
      items: personal("JSON list of texts, at most 10,000."),
      item_count: "How many items it has.",
      created_by: person("The person who created it."),
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
      user_id: person("The person who imports it."),
      project_id: ref(
        "project",
        "The project that it becomes. The project has no members before `done`.",
      ),
      blob_sha256: ref("blob", "The archive, stored as a file."),
      bytes: "Size of the archive.",
      name: "The project's name in the archive.",
      state: `State: ${oneOf(importStates)}.`,
      files_done: "Files stored so far.",
      files_total: "Files in the archive.",
      files_missing: "Files that are missing from the archive.",
      problem: "Why it failed, in a sentence.",
      worker_id: ref("worker", "The server that works on it."),
      failures: "Interruptions since its last step.",
      created_at: "When the archive was uploaded.",
      ended_at: "When it ended.",
      cleaned_at: "When the archive and temporary rows were deleted.",
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
    kept: "Until deleted. It stays in the trash for 30 days, then it and its votes are deleted.",
    columns: {
      id: "UUIDv7.",
      project_id: ref("project", "The project."),
      user_id: person("The person who created it."),
      visibility: `Who can see it: ${oneOf(visibilities)}. \`author\` if one of its results is.`,
      task: "Task of its runs; `other` if they differ.",
      title: personal("Title. Initially the prompt of its first result."),
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
      output_index: "Index of the output in that run; null: an answer, or a result without a file.",
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
      user_id: person("The person who voted. One vote per person and comparison."),
      shown_order: "JSON list of positions, in the order that this person saw.",
      best: "JSON list of the best results' positions. Several: a tie. Empty: no result is good. Null: not voted yet.",
      revealed_before: "1: cast while the models were visible. Such a vote doesn't count.",
      revealed_at: "When this person revealed the models. The vote is final from then on.",
      at: "When it was last changed.",
    },
  },
};

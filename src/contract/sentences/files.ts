import { grouped } from "../counts.ts";

/** Uploads, downloads, and files that a model can’t read. */
export const files = {
  tooLargeForService: ({ file }: { file: string }) =>
    `${file} is larger than this service’s limit of 64 MB.`,
  isEmpty: ({ file }: { file: string }) => `${file} is empty.`,
  isLarger: ({ file, megabytes }: { file: string; megabytes: number }) =>
    `${file} is larger than ${megabytes} MB.`,
  changed: ({ file }: { file: string }) => `${file} changed while it was being read.`,
  incomplete: ({ file }: { file: string }) => `${file} is incomplete.`,
  gone: "This file no longer exists.",
  noneReadable: "This message has no text, and the model can’t read any of its files.",
  picturesNotRead: ({ file }: { file: string }) =>
    `This model does not read pictures. ${file} was left out.`,
  over50MB: ({ file }: { file: string }) => `${file} is larger than 50 MB and was left out.`,
  over512MB: ({ file }: { file: string }) =>
    `${file} is larger than 512 MB, the most that OpenAI searches. It was left out.`,
  tooManySearched: ({ most, left }: { most: number; left: number }) =>
    `OpenAI searches at most ${most} documents of a conversation. The oldest ${left} were left out.`,
  notSearchable: ({ file, reason }: { file: string; reason: string }) =>
    `OpenAI couldn’t read ${file}, so it was left out of the search.${reason && ` It says: ${reason}`}`,
  noneSearchable:
    "OpenAI could read none of the documents. Attach others, or turn off File search.",
  notReadInTime: ({ minutes }: { minutes: number }) =>
    `OpenAI was still reading the documents after ${minutes} minutes. Attach fewer or smaller ones.`,
  shortened: ({ file }: { file: string }) => `${file} is long. Only its first megabyte was sent.`,
  typeNotRead: ({ type, file }: { type: string; file: string }) =>
    `This model can’t read files of type ${type}. ${file} was left out.`,
  replicateNoPlace: "Replicate accepted the file but did not return its address.",
  ofEarlierAnswers: "This model can’t read files of earlier answers.",
  over20MB: ({ file }: { file: string }) => `${file} is larger than 20 MB and was left out.`,
  heicNotRead: ({ file }: { file: string }) =>
    `This model is not known to read HEIC. ${file} was left out. Export it as JPEG.`,
  pdfNotRead: ({ file }: { file: string }) =>
    `This model is not known to read PDF. ${file} was left out.`,
  notKnownTo: ({ ability, file }: { ability: string; file: string }) =>
    `This model is not known to ${ability}. ${file} was left out.`,
  over64MB: ({ file }: { file: string }) => `${file} is larger than 64 MB and was left out.`,
  settingEmpty: "The file for this setting is missing.",
  textTooLong: ({ size }: { size: string }) =>
    `The text is longer than ${size}. Attach it as a file instead.`,
  nameMissing: "The file has no name. Enter one.",
  uploadExpired: "This upload’s address has expired. Start the upload again.",
  fileTooLarge: ({ gigabytes }: { gigabytes: number }) =>
    `A file can have at most ${gigabytes} GB.`,
  wrongPart: "This part does not belong to the upload or is out of order.",
  partExpired: "A part of this file has expired. Start the upload again.",
  missingInArchive:
    "These files are missing from the storage or incomplete. Their recipes are in this ZIP.",
  tooManyToDownload: ({ count, most }: { count: number; most: number }) =>
    `The filter matches ${grouped(count)} files. A ZIP can have at most ${grouped(most)}. Narrow the filter.`,
  noSuchRange: "The file does not have this range of bytes.",
  someGone: "Some of these files are no longer in this project.",
  tooManyAtOnce: ({ count, most }: { count: number; most: number }) =>
    `The filter matches ${grouped(count)} files. At most ${grouped(most)} can be changed at once. Narrow the filter.`,
  notMovedByKey: "An API key works in one project. Sign in to move files to another project.",
  noSuchProject: "You are not in this project. Choose another one.",
  notMovedByViewer: "You can only view this project. Choose one in which you can edit.",
  removedWhileSaving: "The file was deleted while it was being saved. Try again.",
  noSuchPart: "The file does not have this part.",
  empty: "The file is empty.",
  equalDeleted: "An identical file was being deleted. Upload it again.",
  noPreview: ({ index, reason }: { index: number; reason: string }) =>
    `Result ${index} has no preview: ${reason} The whole file is saved.`,
  savedAsIs: ({ index, fault }: { index: number; fault: string }) =>
    `Result ${index} ${fault}. It is saved unchanged.`,
  notSaved: "The file could not be saved. Try again.",
  damaged: ({ kind }: { kind: string }) =>
    `This ${kind} can’t be read: the file is damaged or incomplete.`,
  readingStopped: ({ amount }: { amount: string }) =>
    `Reading this file took ${amount}, so Bottega stopped.`,
  quotedEmpty: ({ file }: { file: string }) => `“${file}” is empty.`,
  oneGone: "One of the files is no longer in this project.",
  busyReading: "The server is reading too much at once. Try again in a moment.",
  jsonTooHeavy: ({ resource }: { resource: string }) =>
    `Reading this JSON took too much ${resource}, so Bottega stopped.`,
  notJson: "This is not valid JSON.",
};

/** Tags of the library. */
export const tags = {
  empty: "Enter a tag.",
  tooLong: ({ most }: { most: number }) => `A tag can have at most ${most} characters.`,
  tooLongBy: ({ most, count }: { most: number; count: number }) =>
    `A tag can have at most ${most} characters. This one has ${count}.`,
  tooHeavy: "This tag takes too much space. Use fewer accents or simpler characters.",
  tooMany: ({ most }: { most: number }) =>
    `A project can have at most ${most} tags. Delete or merge unused tags.`,
  taken: ({ name }: { name: string }) =>
    `There is already a tag named “${name}”. Merge the two, or choose another name.`,
  gone: "This tag was deleted. Reload the page to see the tags that are left.",
  intoItself: "A tag can’t be merged into itself.",
};

/** Collections of the library. */
export const collections = {
  tooMany: ({ most }: { most: number }) =>
    `A project can have at most ${most} collections. Delete unused collections.`,
  gone: "This collection was deleted or is in the trash.",
  isSmart: "A saved search finds its files automatically. You can’t add, remove or reorder them.",
  filterMissing: "A smart collection needs a filter.",
  filterUnwanted: "Only a smart collection has a filter.",
  coverElsewhere: "The cover must be a file in this project.",
  positionAlone: "Only a collection has its own order. Send a collectionId.",
  notInIt: "These files are no longer in the collection.",
  notInTrash:
    "Only a collection in the trash can be deleted permanently. Move it to the trash first.",
};

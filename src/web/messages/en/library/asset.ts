/** Messages of the asset inspector and of uploads. */
export const asset = {
  "selection.trash": "Move to trash",
  "selection.restore": "Restore",
  "selection.delete": "Delete permanently",
  "selection.delete.title":
    "{count, plural, one {Delete # item permanently?} other {Delete # items permanently?}}",
  "selection.delete.text":
    "The files and their prompts are deleted and can’t be restored. Results made from them stay, and so do their recorded costs.",
  "selection.kept": "{count, plural, one {# item kept} other {# items kept}}",
  "selection.unkept":
    "{count, plural, one {Removed the mark from # item} other {Removed the mark from # items}}",
  "selection.rejected": "{count, plural, one {# item rejected} other {# items rejected}}",
  "selection.rated": "{count, plural, one {# item rated} other {# items rated}}",
  "selection.tagged": "{count, plural, one {# item tagged {name}} other {# items tagged {name}}}",
  "selection.untagged":
    "{count, plural, one {Removed tag {name} from # item} other {Removed tag {name} from # items}}",
  "selection.collected":
    "{count, plural, one {# item added to {name}} other {# items added to {name}}}",
  "selection.uncollected":
    "{count, plural, one {# item removed from {name}} other {# items removed from {name}}}",
  "selection.left.collectionFull":
    "{count, plural, one {# item was} other {# items were}} left out: a collection has at most {most, number}.",
  "selection.left.tooManyTags":
    "{count, plural, one {# item already has} other {# items already have}} the maximum of {most} tags.",
  "selection.left.gone": "{count, plural, one {# item} other {# items}} could not be found.",
  "selection.left.notInTrash":
    "{count, plural, one {# item is} other {# items are}} not in the trash.",
  "selection.left.inTrash":
    "{count, plural, one {# item stayed because it is} other {# items stayed because they are}} in the trash.",
  "selection.left.ofTemporaryChat":
    "{count, plural, one {# item stayed because it belongs} other {# items stayed because they belong}} to a temporary chat.",
  "selection.left.storageFull":
    "{count, plural, one {# item} other {# items}} stayed because the project has no storage left.",
  "selection.left.tagsFull":
    "{count, plural, one {# item} other {# items}} stayed because the project has the maximum of {most, number} tags.",
  "selection.left.mayNotMove":
    "{count, plural, one {# item} other {# items}} stayed because you can no longer edit both projects.",
  "selection.left.interrupted":
    "{count, plural, one {# item wasn’t} other {# items weren’t}} changed because an error interrupted the action. Try again.",
  "selection.moved":
    "{count, plural, one {# item moved to {project}} other {# items moved to {project}}}",
  "selection.undo.partly": "Not everything could be undone",
  "move.act": "Move to project",
  "move.title":
    "{count, plural, one {Move # item to another project} other {Move # items to another project}}",
  "move.search": "Find a project",
  "move.none": "No other project to edit",
  "move.none.text": "Create one in the project switcher, or ask a manager to add you.",
  "move.noMatch": "No projects match “{search}”.",
  "move.note": "Tags move along. Collections, runs and costs stay.",
  "move.madeIn": "Made in {project}. The run and its cost stay there.",
  "move.madeElsewhere": "Made in another project. The recipe and its cost stay there.",
  "selection.trashed":
    "{count, plural, one {# item moved to trash} other {# items moved to trash}}",
  "selection.restored": "{count, plural, one {# item restored} other {# items restored}}",
  "selection.deleted": "{count, plural, one {# item deleted} other {# items deleted}}",
  "collections.act": "Add to collection",
  "collections.add.title":
    "{count, plural, one {Add # item to a collection} other {Add # items to a collection}}",
  "collections.type": "Find or create a collection",
  "collections.make": "Create “{name}”",
  "collections.noneYet": "No collections yet. Type a name to create one.",
  "tags.heading": "Tags",
  "tags.act": "Tag",
  "tags.add": "Add tag",
  "tags.remove": "Remove tag {name}",
  "tags.title": "{count, plural, one {Tags on # item} other {Tags on # items}}",
  "tags.type": "Find or create a tag",
  "tags.search": "Search tags",
  "tags.make": "Create “{name}”",
  "tags.none": "No tags begin with “{search}”.",
  "tags.noneYet": "No tags yet. Type one to create it.",
  "tags.noneInProject": "No tags yet. Add one to an item first.",
  "tags.onAll": "On all",
  "tags.onSome": "On some",
  "asset.similar": "Find similar",
  "asset.drawOn": "Draw on this",
  "asset.vary": "Vary",
  "asset.vary.price": "Vary 4, {price}",
  "asset.use": "Use as input",
  "asset.chat": "Continue in chat",
  "asset.noSeed":
    "This model has no seed, so every result can differ. Vary sends the same input 4 times.",
  "asset.exact":
    "This model always makes the same result from the same input, so it can’t be varied.",
  "asset.again.running": "Making it again",
  "asset.vary.running": "Making 4 variations",
  "asset.again.same": "Made again: an identical file",
  "asset.again.other": "Made again: a different file",
  "asset.vary.done": "{count, plural, one {Made a variation} other {Made # variations}}",
  "asset.again.failed": "The result could not be made again",
  "asset.again.show": "Show result",
  "asset.again.run": "Open run",
  "asset.lineage": "Lineage",
  "asset.judge": "Mark",
  "asset.keep": "Keep",
  "asset.reject": "Reject",
  "asset.rating": "Rating",
  "asset.rate": "{stars, plural, =0 {No rating} one {# star} other {# stars}}",
  "asset.rename": "Rename",
  "asset.name": "Name",
  "asset.download": "Download",
  "asset.trash": "Move to trash",
  "asset.trashed":
    "In the trash since {when}. You can restore it for {days, plural, one {# more day} other {# more days}}.",
  "asset.sound.play": "Play {name}",
  "asset.sound.pause": "Pause {name}",
  "asset.sound.place": "Playback position",
  "asset.open": "Open",
  "asset.openPage": "Open {name}",
} as const;

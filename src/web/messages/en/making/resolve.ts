/** Messages of the dialogs that resolve unconfirmed runs. */
export const resolve = {
  "run.resolve.title": "Resolve this run",
  "run.resolve.intro":
    "Check the request list of {provider} first. A closed run can’t be reopened.",
  "run.resolve.look": "Check again",
  "run.resolve.look.hint": "Bottega asks {provider} now. If it knows the request, the run resumes.",
  "run.resolve.attach": "It ran: fetch the result",
  "run.resolve.attach.hint":
    "Find the request at {provider} and enter its ID. The result is then saved here.",
  "run.resolve.attach.id": "Request ID at the provider",
  "run.resolve.attach.confirm": "Fetch result",
  "run.resolve.attach.anyway": "Fetch anyway",
  "run.resolve.not-made": "It did not run",
  "run.resolve.not-made.hint":
    "The run is closed as failed, at no cost. The reserved amount is released.",
  "run.resolve.not-made.confirm": "Close run",
  "run.resolve.made-elsewhere": "It ran and was charged",
  "run.resolve.made-elsewhere.hint":
    "The run is closed as failed and its cost is booked. The result stays at {provider}.",
  "run.resolve.made-elsewhere.confirm": "Close run",
  "run.resolve.cost": "Cost in dollars",
  "run.resolve.cost.hint":
    "Enter the amount the provider lists. If empty, the cost stays “price unknown”.",
  "run.resolve.cost.held":
    "Enter the amount the provider lists. If empty, the reserved {amount} is booked.",
  "run.resolve.cost.wrong": "This is not an amount. Enter it as 0.40.",
  "run.resolve.again": "Run it again",
  "run.resolve.again.hint":
    "A new run starts, which may cost a second time. This one stays unconfirmed.",
  "run.resolve.again.confirm": "Run again",
  "run.resolve.found": "The provider knows the request. The run resumed",
  "run.resolve.notFound":
    "The provider has no such request for this model and key. Nothing changed.",
  "run.resolve.chat": "You can retry the answer in the conversation.",
  "run.resolve.done": "Run closed",
  "run.resolveAll.title":
    "Resolve {count, plural, one {# unconfirmed run} other {# unconfirmed runs}}",
  "run.resolveAll.intro":
    "The providers may have run these. Check their request lists before you close a run.",
  "run.resolveAll.runs": "Unconfirmed runs",
  "run.resolveAll.upTo": "up to {amount}",
  "run.resolveAll.look.hint":
    "Bottega asks the providers now. Known runs resume, and the others stay unconfirmed.",
  "run.resolveAll.not-made": "They did not run",
  "run.resolveAll.not-made.hint":
    "The runs are closed as failed, at no cost. The reserved amount is released.",
  "run.resolveAll.made-elsewhere": "They ran and were charged",
  "run.resolveAll.made-elsewhere.hint":
    "The runs are closed as failed and the reserved amount is booked. The results stay at the providers.",
  "run.resolveAll.look.confirm": "Check again",
  "run.resolveAll.close": "{count, plural, one {Close # run} other {Close # runs}}",
  "run.resolveAll.done": "{count, plural, one {Closed # run} other {Closed # runs}}",
  "run.resolveAll.found":
    "{count, plural, =0 {The providers know none of these requests. Nothing changed.} one {Resumed # run} other {Resumed # runs}}",
  "run.resolveAll.failed":
    "{count, plural, one {# run could not be changed} other {# runs could not be changed}}: {reason}",
} as const;

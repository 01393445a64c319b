/** ComfyUI and its workflows. */
export const workflows = {
  notComfy: "This server is not ComfyUI.",
  notComfyAnswer: "The address responded, but not with ComfyUI’s API.",
  paidNode: ({ node }: { node: string }) =>
    `“${node}” calls a paid service with a Comfy account, which Bottega does not support.`,
  savesNothing: "This workflow saves nothing. Add a node such as Save Image in ComfyUI.",
  nodesCached: ({ cached, count }: { cached: number; count: number }) =>
    `${cached} of ${count} nodes are cached and will not run again.`,
  howToSave:
    "Open the workflow in ComfyUI and choose Export (API) in its menu. Older versions name it Save (API Format) and show it in dev mode.",
  noNodes: "This workflow has no nodes.",
  tooManyNodes: ({ limit }: { limit: number }) => `This workflow has more than ${limit} nodes.`,
  missingNode: ({ node, id }: { node: string; id: string }) =>
    `“${node}” (node ${id}) reads from a node that is not in the file.`,
  tooLarge: ({ kilobytes }: { kilobytes: number }) =>
    `A workflow can have at most ${kilobytes} KB.`,
  notComfyQueue: "The address responded, but not with ComfyUI’s queue.",
  notComfyHistory: "The address responded, but not with ComfyUI’s history.",
  jobLost: "ComfyUI was restarted and lost this job.",
  jobRemoved: "This job was removed from ComfyUI’s queue.",
  jobUnknown: "ComfyUI no longer knows this job.",
  endedEmpty: "The workflow finished without saving anything.",
  interrupted: "The workflow was interrupted in ComfyUI.",
  failed: "The workflow failed in ComfyUI.",
  addressChanged: "The address of this server has changed since the run.",
  removed: "This workflow was removed from its connection.",
  inputGone: ({ input }: { input: string }) =>
    `The workflow was replaced and no longer has “${input}”. Check its form.`,
  uploadUnnamed: "ComfyUI did not name the uploaded file.",
  nodesMissing: ({ count, nodes }: { count: number; nodes: string }) =>
    `This server lacks the ${count === 1 ? "node" : "nodes"} ${nodes}. Install the extension for ${count === 1 ? "it" : "them"} in ComfyUI, then try again.`,
  nodeFailed: ({ node, message, details }: { node: string; message: string; details: string }) =>
    `ComfyUI reports an error of “${node}”: ${message}${details && ` (${details})`}.`,
  outputLeftOut: ({ reason }: { reason: string }) => `One output was left out. ${reason}`,
  nodeCrashed: ({ node, reason }: { node: string; reason: string }) =>
    `“${node}” failed in ComfyUI: ${reason}`,
  cycle: ({ nodes }: { nodes: string }) =>
    `These nodes feed each other in a circle: ${nodes}. Break the circle in ComfyUI, then export the workflow again.`,
  inputMissing: ({ node, input }: { node: string; input: string }) =>
    `“${node}” has no “${input}”. Connect it in ComfyUI, then export the workflow again.`,
  outputMissing: ({
    node,
    input,
    from,
    output,
  }: {
    node: string;
    input: string;
    from: string;
    output: number;
  }) =>
    `“${node}” reads “${input}” from output ${output} of “${from}”, which has no such output. Connect it again in ComfyUI.`,
  wrongLink: ({
    node,
    input,
    from,
    given,
    wanted,
  }: {
    node: string;
    input: string;
    from: string;
    given: string;
    wanted: string;
  }) =>
    `“${node}” needs ${wanted} for “${input}”, but “${from}” gives ${given}. Connect it again in ComfyUI.`,
  nothingToChoose: ({ node, input }: { node: string; input: string }) =>
    `This server has no file for “${input}” of “${node}”. Add one to ComfyUI’s folder of models, then try again.`,
  fileTooLarge: ({ file, megabytes, limit }: { file: string; megabytes: number; limit: number }) =>
    `“${file}” has ${megabytes} MB, and this ComfyUI takes up to ${limit} MB. Choose a smaller file, or start ComfyUI with a larger --max-upload-size.`,
  fileTooLargeAnyhow: ({ file, megabytes }: { file: string; megabytes: number }) =>
    `“${file}” has ${megabytes} MB, which is above this ComfyUI’s limit. Choose a smaller file, or start ComfyUI with a larger --max-upload-size.`,
  nameTaken: ({ workflow }: { workflow: string }) =>
    `A workflow named “${workflow}” already exists. Replace it, or choose another name.`,
  tooMany: ({ most }: { most: number }) =>
    `A connection can have at most ${most} workflows. Remove one first.`,
};

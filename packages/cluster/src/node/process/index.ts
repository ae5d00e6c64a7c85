/**
 * Runs containers as processes of this machine: each a tree of its own, with its own root (the machine's files under a layer for its
 * writes), processes, mounts, log and limits, where the machine allows it. Knows files, processes and namespaces; nothing of when a
 * container is started or restarted (that is the kubelet's), nor of how pods reach each other (the network's).
 */
export { ManifestError, PackError, type PackedImage, type PackOptions, packImage } from './images/index.ts';
export { removeTree } from './machine/remove-tree.ts';
export { type ProcessNodesOptions, processNodes } from './process-nodes.ts';
export { ProcessRuntime, type ProcessRuntimeOptions } from './process-runtime.ts';
export { scratchFolder } from './scratch-folder.ts';

/**
 * Built-in modules of Node that are needed late or never, and that a start shall not wait for: `node:http` brings Node's web clients along
 * (some 40 ms of CPU), and in one bundle what is imported anywhere is imported at the start. Importing only their types is free.
 */
export const http = () => process.getBuiltinModule('node:http');
export const http2 = () => process.getBuiltinModule('node:http2');
export const threads = () => process.getBuiltinModule('node:worker_threads');
export const dgram = () => process.getBuiltinModule('node:dgram');
export const childProcess = () => process.getBuiltinModule('node:child_process');
export const tls = () => process.getBuiltinModule('node:tls');

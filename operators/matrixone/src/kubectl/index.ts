/**
 * `kubectl mo`: what people see of a MatrixOne, and what they do to it by hand. It reads and writes what the API server has, as any user
 * may, and nothing else: no node of a database is asked. `status` is told by pure functions from objects:
 *
 *     collect ─► Collected ─► reports ─► StatusNode … ─┬─► treeLines ─► terminal
 *                                                      └─► JSON, YAML
 *
 * Knows the kinds, and how the operator's rooms read their marks; nothing of controllers. `main.ts` is packed into one file, which on the
 * PATH as `kubectl-mo` is a plugin of kubectl.
 */
export { type PluginProcess, runPlugin } from './run-plugin.ts';

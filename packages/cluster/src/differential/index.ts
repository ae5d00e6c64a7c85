/**
 * Holds the embedded server against a real kube-apiserver: the same requests to both, and the answers compared, but for what differs
 * from run to run. The real server's answers are kept in `fixtures/`, so that the tests need no real server.
 *
 *   scenarios/ ─► play ─► a real server      ─► normalise ─► fixtures/ ─┐
 *                     └─► the embedded one   ─► normalise ──────────────┴─► compare ─► differences, those in allowed.ts apart
 */
export { loadFixture, saveFixture } from './fixtures.ts';
export { type HttpTargetOptions, httpTarget } from './http-target.ts';
export { playArea } from './play-area.ts';
export { type Answers, findingText, joined, type Report, reportOn, summary } from './report.ts';
export { areas } from './scenarios/index.ts';
export type { Area, Target } from './types.ts';

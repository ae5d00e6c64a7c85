import { readFile } from 'node:fs/promises';
import { messageOf } from '@coxswain/runtime/core';

/**
 * Ways to misbehave, each with the value behind its `=`:
 * - `slow-start=MILLISECONDS`: nothing is listened on before
 * - `lost-store`: answers, but no heartbeat of it arrives
 * - `mute`: takes connections and messages, and answers none (morpc)
 * - `hang-queries`: statements are taken and never answered
 * - `stuck-sessions`: sessions can be neither moved nor killed
 * - `crash`: the process ends with 2, as after a panic
 */
export const faultNames = ['slow-start', 'lost-store', 'mute', 'hang-queries', 'stuck-sessions', 'crash'] as const;
export type FaultName = (typeof faultNames)[number];

/** What is to go wrong now. */
export interface Faults {
  /** The value of a fault that is wanted, empty when it has none; `undefined` when it is not wanted. */
  get(name: FaultName): Promise<string | undefined>;
}

/** Nothing goes wrong. */
export const noFaults: Faults = { get: async () => undefined };

/** @throws Error naming what is no fault */
export function parseFaults(text: string): ReadonlyMap<FaultName, string> {
  const faults = new Map<FaultName, string>();
  for (const word of text.split(/[\s,]+/).filter((part) => part !== '')) {
    const [name, value = ''] = word.split('=', 2);
    const known = faultNames.find((one) => one === name);
    if (!known) throw new Error(`${JSON.stringify(word)} is no fault; there are ${faultNames.join(', ')}`);
    faults.set(known, value);
  }
  return faults;
}

/**
 * Faults from a text that holds for the whole life, and from a file that is read whenever one is asked for: writing the file makes the process
 * misbehave, emptying or removing it ends that. What cannot be read as faults is told to `onWrong`, and is none.
 */
export function readFaults(fixed: string, file: string, onWrong: (why: string) => void): Faults {
  const always = parseFaults(fixed);
  let said: string | undefined;
  return {
    async get(name) {
      const text = await readFile(file, 'utf8').catch(() => '');
      try {
        return parseFaults(text).get(name) ?? always.get(name);
      } catch (error) {
        if (said !== text) onWrong(`${file}: ${messageOf(error)}`);
        said = text;
        return always.get(name);
      }
    },
  };
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseJson } from '@coxswain/runtime/client';
import type { Recording } from './types.ts';

const fileOf = (name: string): URL => new URL(`./fixtures/${name}.json`, import.meta.url);

/** What a real cluster showed; `undefined` when it was never asked. */
export function loadRecording(name: string): Recording | undefined {
  const file = fileOf(name);
  return existsSync(file) ? (parseJson(readFileSync(file, 'utf8')) as Recording) : undefined;
}

/** Keeps what a real cluster showed, a line for each field. */
export function saveRecording(name: string, recording: Recording): void {
  writeFileSync(fileOf(name), `${textOf(recording, '')}\n`);
}

/** JSON with lists of plain values on one line. */
function textOf(value: unknown, indent: string): string {
  const inner = `${indent} `;
  if (Array.isArray(value)) {
    const plain = value.every((item) => typeof item !== 'object' || item === null);
    const long = value.some((item) => typeof item === 'string' && item.length > 60);
    if (plain && !long) return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
    return `[\n${value.map((item) => inner + textOf(item, inner)).join(',\n')}\n${indent}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const lines = Object.entries(value).map(([key, part]) => `${inner}${JSON.stringify(key)}: ${textOf(part, inner)}`);
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`;
}

import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';

/**
 * Stacks of a bundled `program` name the sources' files and lines, by the map beside it. The map is read when a stack is first looked at,
 * so a start costs nothing (`--enable-source-maps` reads it at once). Without a map nothing changes.
 */
export function showSourcePositions(program: string): void {
  const mapFile = `${program}.map`;
  if (!existsSync(mapFile)) return;
  let map: SourceMap | undefined;
  const position = (frame: NodeJS.CallSite): string => {
    const text = frame.toString();
    const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
    const place = frame.getFileName();
    if (line === null || column === null || !place?.endsWith(program)) return text;
    map ??= new SourceMap(JSON.parse(readFileSync(mapFile, 'utf8')));
    const entry = map.findEntry(line - 1, column - 1);
    if (!('originalSource' in entry)) return text;
    const source = resolve(dirname(program), entry.originalSource);
    return text.replace(
      `${place}:${line}:${column}`,
      `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`,
    );
  };
  Error.prepareStackTrace = (error, frames) =>
    [String(error), ...frames.map((frame) => `    at ${position(frame)}`)].join('\n');
}

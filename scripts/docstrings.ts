import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

/** Packages whose exports are a public interface. */
const documented = ['runtime', 'schema', 'testing'];

const named = (word: string) => new RegExp(`^${word}\\s+(?:type\\s+)?\\{([^}]*)\\}\\s+from\\s+'(\\.[^']+)';`, 'gm');
/** An index hands on with `export … from`; a file may also import a name and export it again. */
const handedOn = { index: named('export'), file: named('(?:export|import)') };

interface Exported {
  readonly name: string;
  /** The file that the export comes from, as far as `index` knows. */
  readonly file: string;
}

/** What a file has from others by name. `export *` leads to another index, which is checked by itself. */
function namesFrom(file: string, text: string, pattern: RegExp): Exported[] {
  const found: Exported[] = [];
  for (const [, names = '', target = ''] of text.matchAll(pattern)) {
    const from = normalize(join(dirname(file), target));
    for (const part of names.split(',')) {
      const [name] = part
        .replace(/^\s*type\s/, '')
        .trim()
        .split(/\s+as\s+/);
      if (name) found.push({ name, file: from });
    }
  }
  return found;
}

/** Whether the declaration of `name` follows a doc comment; `undefined` where `text` does not declare it. */
function hasDocstring(text: string, name: string): boolean | undefined {
  const declaration = new RegExp(
    `^(?:export\\s+)?(?:declare\\s+)?(?:abstract\\s+)?(?:async\\s+)?(?:function\\*?|const|class|interface|type)\\s+${name}\\b`,
  );
  const lines = text.split('\n');
  const declared = lines.flatMap((line, at) => (declaration.test(line) ? [at] : []));
  if (declared.length === 0) return undefined;
  // Overloads, and a type beside a value of the same name, are explained by one comment.
  return declared.some((at) => {
    let above = at - 1;
    while (lines[above]?.startsWith('//')) above--;
    return lines[above]?.trimEnd().endsWith('*/') ?? false;
  });
}

/** The exports of the public packages that have no doc comment where they are declared, a line each. */
export async function checkDocstrings(root: string): Promise<string[]> {
  const violations = new Set<string>();
  const texts = new Map<string, Promise<string>>();
  const read = (file: string) => {
    const text = texts.get(file) ?? readFile(join(root, file), 'utf8');
    texts.set(file, text);
    return text;
  };
  const check = async ({ name, file }: Exported): Promise<void> => {
    const text = await read(file);
    const documentedHere = hasDocstring(text, name);
    if (documentedHere) return;
    const further =
      documentedHere === undefined ? namesFrom(file, text, handedOn.file).find((one) => one.name === name) : undefined;
    if (further) await check(further);
    else violations.add(`${file}: ${name} is exported, and has no doc comment`);
  };
  for (const index of await Array.fromAsync(
    glob(`packages/{${documented.join(',')}}/src/**/index.ts`, { cwd: root }),
  )) {
    for (const exported of namesFrom(index, await read(index), handedOn.index)) await check(exported);
  }
  return [...violations].sort();
}

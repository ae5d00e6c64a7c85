/** `./cox lint`: style, types, import directions and docstrings. Exits 1 when one fails. */
import { checks } from './checks.ts';

const help = `usage: ./cox lint

Style (biome), types (tsc), import directions, and that every export of runtime, schema and testing has a docstring. Ends with 0 when all pass. \`npx biome check --write .\` mends what can be mended by rule.
`;

async function lint(): Promise<number> {
  let failed = 0;
  for (const check of checks) {
    const pass = await check.pass();
    process.stdout.write(`${pass ? 'pass' : 'FAIL'} ${check.name}\n`);
    if (!pass) failed++;
  }
  return failed === 0 ? 0 : 1;
}

const [option] = process.argv.slice(2);
if (option === undefined) process.exitCode = await lint();
else {
  const known = option === '--help' || option === '-h';
  (known ? process.stdout : process.stderr).write(known ? help : `error: unknown argument ${option}\n${help}`);
  process.exitCode = known ? 0 : 2;
}

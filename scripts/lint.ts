/** `./cox lint`: style, types and import directions. Exits 1 when one fails. */
import { checks } from './checks.ts';

let failed = 0;
for (const check of checks) {
  const pass = await check.pass();
  process.stdout.write(`${pass ? 'pass' : 'FAIL'} ${check.name}\n`);
  if (!pass) failed++;
}
process.exitCode = failed === 0 ? 0 : 1;

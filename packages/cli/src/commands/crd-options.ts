import type { Command } from 'commander';
import type { Screen } from '../view/live.ts';

/** Adds `cox crd …`. */
export function withCrdCommands(program: Command, screen: Screen): void {
  const crd = program.command('crd').description('judge CustomResourceDefinitions before they are applied');
  crd
    .command('diff <old> <new>')
    .description('what an upgrade breaks for those who have objects; fails when it breaks something')
    .action(async (before: string, after: string) => (await import('./crd.ts')).diffCrds(before, after, screen));
  crd
    .command('check <file>')
    .description('what an API server would refuse in the schemas; fails when it would')
    .action(async (file: string) => (await import('./crd.ts')).checkCrds(file, screen));
}

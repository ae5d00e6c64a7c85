import type { Command } from 'commander';
import type { Screen } from '../view/live.ts';
import type { ImportFlags } from './import.ts';

/** Adds `cox import …`. */
export function withImportCommands(program: Command, screen: Screen): void {
  program
    .command('import')
    .description('typed code from what a cluster has')
    .command('crd <file>')
    .description('write CustomResourceDefinitions as TypeScript modules that define them')
    .option('--out <dir>', 'write a file for each there (default: print them)')
    .option('--kind <kind>', 'only that of this kind')
    .option('--force', 'replace files that are there')
    .addHelpText(
      'after',
      '\nThe file is YAML or JSON with any number of documents and lists, a folder, or - for standard input.',
    )
    .action(async (file: string, flags: ImportFlags) => (await import('./import.ts')).importCrds(file, flags, screen));
}

import type { Command } from 'commander';
import type { Screen } from '../view/live.ts';
import type { ImageFlags, PackFlags } from './images.ts';

const collect = (value: string, before: readonly string[] = []) => [...before, value];

function withFolders(command: Command): Command {
  return command.option(
    '--images <dir>',
    'a folder with a folder for each image, looked at first; can be given again',
    collect,
  );
}

/** Adds `cox images …`. */
export function withImageCommands(program: Command, screen: Screen): void {
  const images = program.command('images').description('images that process-backed nodes run');
  withFolders(images.command('list').description('the images that there are, by their names')).action(
    async (flags: ImageFlags) => (await import('./images.ts')).listImages(flags, screen),
  );
  withFolders(images.command('pack <image>').description('pack an image as an OCI image for other clusters'))
    .requiredOption('-o, --output <file>', 'the tar file to be written')
    .option('--name <name>', 'the name it gets there, such as registry.example.com/web:1 (default: that given)')
    .action(async (image: string, flags: PackFlags) => (await import('./images.ts')).pack(image, flags, screen));
}

import { fileURLToPath } from 'node:url';

/** The folder of the images that come with Coxswain. */
export const ownImages: string = fileURLToPath(new URL('../../../../../../images', import.meta.url));

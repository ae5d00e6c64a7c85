/**
 * The image catalog: names of images lead to folders of this machine, with a manifest and files. Knows files and manifests; nothing of
 * pods, nodes and how containers run.
 */
export { type Image, ImageCatalog, type ImageCatalogOptions, readCatalog } from './catalog.ts';
export { usualPath } from './find-program.ts';
export { nodePlace } from './layer.ts';
export { type ImageManifest, ManifestError } from './manifest.ts';
export { ownImages } from './own-images.ts';
export { PackError, type PackedImage, type PackOptions, packImage } from './pack.ts';
export { shortName } from './reference.ts';

import type { ContainerStatus } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { failedImage } from './pull-failure.ts';

/** What a node says of a container that waits for its image. @param image of the status: what the node knew, or what ran before */
function waiting(image: string, message: string, more: Partial<ContainerStatus> = {}): ContainerStatus {
  const state = { waiting: { reason: 'ErrImagePull', message } };
  return { name: 'main', image, imageID: '', ready: false, restartCount: 0, state, ...more };
}
const ran = { restartCount: 1, lastState: { terminated: { exitCode: 0 } } };
const backOff = (image: string) => `Back-off pulling image "${image}": ErrImagePull: not found`;

test.each<[string, string, ContainerStatus, string]>([
  ['the one of the pod', 'mo:bad', waiting('mo:bad', 'not found'), 'mo:bad'],
  ['the one that the pod had when the node last tried', 'mo:good', waiting('mo:bad', 'not found'), 'mo:bad'],
  ['the one that the words name, whatever ran before', 'mo:bad', waiting('mo:1', backOff('mo:bad'), ran), 'mo:bad'],
  ['that one also when the pod has another by now', 'mo:good', waiting('mo:1', backOff('mo:bad'), ran), 'mo:bad'],
  ['the one of the pod, when only that it ran before is known', 'mo:bad', waiting('mo:1', 'no route', ran), 'mo:bad'],
  [
    'the one within the words of a runtime',
    'mo:good',
    waiting('mo:bad', 'failed to pull and unpack image "docker.io/library/mo:bad": not found'),
    'mo:bad',
  ],
  [
    'not one whose name only begins like it',
    'mo:1',
    waiting('mo:10', 'failed to resolve reference "docker.io/library/mo:10": not found'),
    'mo:10',
  ],
  [
    'nor one whose name only ends like it',
    'matrixone:1',
    waiting('bad.example/matrixone:1', 'image "bad.example/matrixone:1" cannot be pulled'),
    'bad.example/matrixone:1',
  ],
  [
    'as the pod has it, where the runtime writes it out',
    'mo:1',
    waiting('docker.io/library/mo:1', 'failed to pull image "docker.io/library/mo:1": not found', ran),
    'mo:1',
  ],
  [
    'the same without a tag, which the runtime adds',
    'mo',
    waiting('mo', 'failed to pull and unpack image "docker.io/library/mo:latest": not found'),
    'mo',
  ],
  [
    'the same with a digest, for which the runtime drops the tag',
    'mo:1@sha256:abc',
    waiting('mo:1@sha256:abc', 'failed to pull and unpack image "docker.io/library/mo@sha256:abc": not found'),
    'mo:1@sha256:abc',
  ],
  [
    'the one that the words quote, when the status has the new one already',
    'mo:good',
    waiting('mo:good', 'image "mo:bad" cannot be pulled'),
    'mo:bad',
  ],
  [
    'the one that a runtime names without quotes',
    'mo:good',
    waiting('mo:bad', 'manifest for mo:bad not found'),
    'mo:bad',
  ],
  ['the one of the pod, where the node names none', 'mo:1', waiting('', 'not found'), 'mo:1'],
])('which image could not be pulled: %s', (_what, wanted, status, image) => {
  expect(failedImage(status, wanted)).toBe(image);
});

/**
 * Why an image cannot be pulled, of the words with which a container waits for it. The node tries and pauses by turns (`ErrImagePull`,
 * `ImagePullBackOff`), and before the same cause it says which; that would be a change of a condition each time. Empty when no cause is told.
 */
export function pullCause(message: string): string {
  return message.replace(/^Back-off pulling image "[^"]*"(: ErrImagePull)?(: )?/, '');
}

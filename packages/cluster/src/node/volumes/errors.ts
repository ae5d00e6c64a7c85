/** Why a volume cannot be made now, in the kubelet's words. */
export class VolumeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'VolumeError';
  }
}

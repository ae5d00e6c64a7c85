import type { Container, Pod } from '@coxswain/k8s';
import { formatDuration } from '@coxswain/runtime/core';
import { type ContainerEnvironment, containerEnvironment, missingEnvironment } from '../environment/index.ts';
import { type PodSandbox, type PulledImage, type RunningContainer, RuntimeRefusal } from '../runtime.ts';
import { type ContainerSlot, startInputs } from './container-slot.ts';
import { Prober } from './prober.ts';
import type { PodSurroundings } from './surroundings.ts';

/** Milliseconds until another look at what a container is made of. */
const configRetry = 2_000;
/** Milliseconds that a failed pull is shown as such before it is shown as waited for. */
const pullShown = 1_000;

/** One start of one container. */
class Start {
  readonly #pod: Pod;
  readonly #slot: ContainerSlot;
  readonly #sandbox: PodSandbox;
  readonly #around: PodSurroundings;

  constructor(pod: Pod, slot: ContainerSlot, sandbox: PodSandbox, around: PodSurroundings) {
    this.#pod = pod;
    this.#slot = slot;
    this.#sandbox = sandbox;
    this.#around = around;
  }

  async run(): Promise<void> {
    const slot = this.#slot;
    const image = await this.#image();
    if (!image) return;
    try {
      const environment = await this.#environment();
      const run = await this.#sandbox.start({
        pod: this.#pod,
        container: slot.container,
        image,
        ...environment,
        attempt: slot.begun ? slot.restarts + 1 : slot.restarts,
        onExit: () => this.#around.touched(this.#pod),
      });
      if (slot.begun) slot.restarts++;
      slot.keepEnd();
      slot.begun = true;
      slot.imageId = image.id;
      slot.startedWith = startInputs(this.#pod, slot.container);
      this.#tell('Normal', 'Created', 'Container created');
      this.#tell('Normal', 'Started', 'Container started');
      watchRun(this.#pod, slot, run, this.#around);
    } catch (error) {
      if (!(error instanceof RuntimeRefusal)) throw error;
      this.#refuse(error);
    }
  }

  async #image(): Promise<PulledImage | undefined> {
    const { clock } = this.#around;
    const began = clock.monotonic();
    const name = JSON.stringify(this.#slot.container.image ?? '');
    try {
      const image = await this.#sandbox.pullImage(this.#slot.container);
      if (image.fresh) {
        const took = formatDuration(clock.monotonic() - began);
        this.#tell('Normal', 'Pulling', `Pulling image ${name}`);
        this.#tell(
          'Normal',
          'Pulled',
          `Successfully pulled image ${name} in ${took} (${took} including waiting). Image size: ${image.size} bytes.`,
        );
      } else
        this.#tell(
          'Normal',
          'Pulled',
          `Container image ${name} already present on machine and can be accessed by the pod`,
        );
      return image;
    } catch (error) {
      if (!(error instanceof RuntimeRefusal)) throw error;
      this.#refuseImage(name, error);
      return undefined;
    }
  }

  #refuseImage(name: string, { reason, message }: RuntimeRefusal): void {
    const { clock } = this.#around;
    const slot = this.#slot;
    if (reason === 'ErrImagePull') {
      this.#tell('Normal', 'Pulling', `Pulling image ${name}`);
      this.#tell('Warning', 'Failed', `Failed to pull image ${name}: ${message}`);
    } else this.#tell('Warning', reason === 'ErrImageNeverPull' ? reason : 'InspectFailed', message);
    this.#tell('Warning', 'Failed', `Error: ${reason}`);
    slot.keepEnd();
    const now = clock.now();
    slot.retryAt = now + slot.pulls.after(now);
    slot.state = {
      kind: 'waiting',
      reason,
      message,
      until: reason === 'ErrImagePull' ? now + pullShown : slot.retryAt,
    };
  }

  async #environment(): Promise<ContainerEnvironment> {
    const { find, runtime, services, node, hostIP } = this.#around;
    const { container } = this.#slot;
    if (runtime.blind) {
      const missing = await missingEnvironment(this.#pod, container, find);
      if (missing !== undefined) throw new RuntimeRefusal('CreateContainerConfigError', missing);
      return { env: {} };
    }
    const addresses = { podIPs: this.#sandbox.addresses, hostIPs: [hostIP] };
    return containerEnvironment(this.#pod, container, { find, services: services(), node: node(), addresses });
  }

  #refuse({ reason, message }: RuntimeRefusal): void {
    this.#tell('Warning', 'Failed', `Error: ${message}`);
    this.#slot.keepEnd();
    const now = this.#around.clock.now();
    // A program that cannot be started is waited for like one that ends at once.
    const wait =
      reason === 'CreateContainerConfigError' ? configRetry : Math.max(configRetry, this.#slot.delay.after(now));
    this.#slot.state = { kind: 'waiting', reason, message, until: now + wait };
  }

  #tell(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#around.tell(this.#pod, type, reason, message, this.#slot.fieldPath);
  }
}

/** Pulls the image, puts the environment together, and starts the container; or says why it waits. */
export function startSlot(pod: Pod, slot: ContainerSlot, sandbox: PodSandbox, around: PodSurroundings): Promise<void> {
  return new Start(pod, slot, sandbox, around).run();
}

/** A pull that failed is waited for. */
export function showPullBackOff(pod: Pod, slot: ContainerSlot, around: PodSurroundings): void {
  if (slot.state.kind !== 'waiting') return;
  const back = `Back-off pulling image ${JSON.stringify(slot.container.image ?? '')}`;
  const message = `${back}: ${slot.state.reason}: ${slot.state.message ?? ''}`;
  around.tell(pod, 'Normal', 'BackOff', back, slot.fieldPath);
  around.tell(pod, 'Warning', 'Failed', 'Error: ImagePullBackOff', slot.fieldPath);
  slot.state = { kind: 'waiting', reason: 'ImagePullBackOff', message, until: slot.retryAt };
}

/** From its start on a run is looked after: its hook first, then its probes. */
export function watchRun(pod: Pod, slot: ContainerSlot, run: RunningContainer, around: PodSurroundings): void {
  const { clock, touched, tell } = around;
  const container = slot.container as Container;
  const prober = () =>
    new Prober({
      clock,
      container,
      run,
      onChange: () => touched(pod),
      tell: (reason, message) => tell(pod, 'Warning', reason, message, slot.fieldPath),
    });
  const { postStart } = container.lifecycle ?? {};
  if (!postStart || !run.hook) {
    slot.state = { kind: 'running', run, prober: prober() };
    return;
  }
  slot.state = { kind: 'running', run };
  const hook = new AbortController();
  const current = () => slot.state.kind === 'running' && slot.state.run === run && !run.exit;
  run.hook(postStart, hook.signal).then(
    () => {
      if (current()) slot.state = { kind: 'running', run, prober: prober() };
      touched(pod);
    },
    (error: unknown) => {
      if (!current()) return;
      around.log.info(
        { pod: pod.metadata.name, container: slot.name, error: String(error) },
        'a postStart hook failed',
      );
      tell(pod, 'Warning', 'FailedPostStartHook', 'PostStartHook failed', slot.fieldPath);
      tell(pod, 'Normal', 'Killing', 'FailedPostStartHook', slot.fieldPath);
      run.kill('SIGKILL');
    },
  );
}

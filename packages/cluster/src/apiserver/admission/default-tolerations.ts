import { listAt, objectsAt, textAt } from '../builtin/shared/draft.ts';
import type { AdmissionPlugin } from '../types.ts';
import { podSpecOf } from './pod-spec.ts';

const taints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Pods stay 300 s on a node that is lost, unless they say otherwise. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  admit(attributes) {
    const pod = podSpecOf(attributes, ['CREATE', 'UPDATE']);
    if (!pod) return;
    const present = objectsAt(pod.spec, 'tolerations');
    const covers = (key: string) =>
      present.some((toleration) => {
        const own = textAt(toleration, 'key');
        return (own === key || own === '') && ['', 'NoExecute'].includes(textAt(toleration, 'effect'));
      });
    const missing = taints.filter((key) => !covers(key));
    if (missing.length === 0) return;
    const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
    pod.spec.tolerations = [...listAt(pod.spec, 'tolerations'), ...added];
  },
};

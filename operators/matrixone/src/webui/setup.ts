import { ConfigMap, Deployment, Pod, Service } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { FINALIZER_WEBUI, WebUI } from '../api/index.ts';
import { childrenOfSets, FIELD_MANAGER, podMatters, setOfPod } from '../controllers/index.ts';
import { WebUIActor } from './actor.ts';

const scope = childrenOfSets;

/** Adds the controller of dashboards to a manager. */
export function setupWebUI(manager: Manager): void {
  manager
    .actor(WebUI, new WebUIActor(), { fieldManager: FIELD_MANAGER, finalizer: FINALIZER_WEBUI })
    .owns(Deployment, { scope })
    .owns(Service, { scope })
    .owns(ConfigMap, { scope })
    .watches(Pod, { scope, where: podMatters, map: setOfPod('WebUI') })
    .run();
}

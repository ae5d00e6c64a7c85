/** What runs beside the event loop: reads the one YAML text it is started with. */
import { parentPort, workerData } from 'node:worker_threads';
import { parseYaml, YamlError } from './yaml.ts';

export type ThreadAnswer = { readonly value: unknown } | { readonly fault: string };

function answer(): ThreadAnswer {
  try {
    return { value: parseYaml(String(workerData)) };
  } catch (error) {
    if (error instanceof YamlError) return { fault: error.message };
    throw error;
  }
}

parentPort?.postMessage(answer());

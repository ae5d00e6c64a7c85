/** The parts of undici by themselves; the package has types for its door only. */
declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici';
  // biome-ignore lint/style/noDefaultExport: CommonJS, as it is
  export default Agent;
}
declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';

  /** A dispatcher's method. */
  const request: Dispatcher['request'];
  // biome-ignore lint/style/noDefaultExport: CommonJS, as it is
  export default request;
}

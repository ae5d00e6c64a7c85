/** The parts of prom-client by themselves; the package has types for its door only. */
declare module 'prom-client/lib/registry.js' {
  import { Registry } from 'prom-client';
  // biome-ignore lint/style/noDefaultExport: CommonJS, as it is
  export default Registry;
}
declare module 'prom-client/lib/counter.js' {
  import { Counter } from 'prom-client';
  // biome-ignore lint/style/noDefaultExport: CommonJS, as it is
  export default Counter;
}
declare module 'prom-client/lib/gauge.js' {
  import { Gauge } from 'prom-client';
  // biome-ignore lint/style/noDefaultExport: CommonJS, as it is
  export default Gauge;
}
declare module 'prom-client/lib/histogram.js' {
  import { Histogram } from 'prom-client';
  // biome-ignore lint/style/noDefaultExport: CommonJS, as it is
  export default Histogram;
}

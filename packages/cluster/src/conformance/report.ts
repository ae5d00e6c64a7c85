/** What one test came to. */
export interface TestResult {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  /** Of a failure, the first line of its message. */
  readonly message?: string;
}

interface Spec {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly LeafNodeType: string;
  readonly State: string;
  /** Nanoseconds. */
  readonly RunTime: number;
  readonly Failure?: { readonly Message: string };
}

interface Suite {
  readonly SpecReports: readonly Spec[] | null;
}

const notRun = new Set(['skipped', 'pending', 'invalid']);

/** Reads the JSON report of a Ginkgo run: the tests that ran, in the order of their names. */
export function resultsOf(report: string): TestResult[] {
  const suites = JSON.parse(report) as readonly Suite[];
  const specs = suites.flatMap(({ SpecReports }) => SpecReports ?? []);
  return specs
    .filter((spec) => spec.LeafNodeType === 'It' && !notRun.has(spec.State))
    .map((spec) => ({
      name: [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' '),
      passed: spec.State === 'passed',
      seconds: spec.RunTime / 1e9,
      ...(spec.Failure ? { message: spec.Failure.Message.split('\n', 1)[0] ?? '' } : {}),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

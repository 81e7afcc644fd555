import type { CheckRunSummary, ServerCheckJson } from './schema';

interface CheckSection {
  /** The title of the section of the specification. */
  readonly title: string;
  readonly checks: readonly ServerCheckJson[];
}

/** The checks by section of the specification, in the order of the first check of each. */
export function groupBySection(checks: readonly ServerCheckJson[]): CheckSection[] {
  const sections = new Map<string, ServerCheckJson[]>();
  for (const check of checks) {
    const { section } = check.source;
    sections.set(section, [...(sections.get(section) ?? []), check]);
  }
  return [...sections].map(([title, ofSection]) => ({ title, checks: ofSection }));
}

const newestShown = 3;

/** The runs that are columns: the chosen one, the newest ones of this xdscope, and those that ship with it. */
export function chooseColumns(runs: readonly CheckRunSummary[], chosenId: string): CheckRunSummary[] {
  const own = runs.filter(({ origin }) => origin === 'page');
  const newest = own.slice(0, newestShown);
  return [
    ...own.filter((run) => run.id === chosenId && !newest.includes(run)),
    ...newest,
    ...runs.filter(({ origin }) => origin === 'repository'),
  ];
}

/** A run of a server that follows the protocol: what a check expects is seen in its messages. */
export function findExpectedRun(runs: readonly CheckRunSummary[]): CheckRunSummary | undefined {
  return runs.find(({ origin, server }) => origin === 'repository' && server === 'xdscope lab');
}

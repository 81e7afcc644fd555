export type Outcome = 'succeeds' | 'fails' | 'some fail' | 'accepted' | 'rejected';
export type Statement = Outcome | 'unknown';
export const views = [
  ...(['effective config', 'issues', 'graph', 'failover', 'connections', 'explain', 'validate'] as const),
] as const;
export type View = (typeof views)[number];

/** What a view states of a request, or of a resource, beside what was measured. */
export interface Row {
  readonly situation: string;
  /** As in "web/cart", or "endpoints, version 2". */
  readonly about: string;
  readonly view: View;
  readonly stated: Statement;
  readonly measured: Outcome;
  /** What the vantage lacks, as the views state it, if the statement is "unknown". Absent: nothing is stated. */
  readonly lacking?: string;
}

export function isWrong({ stated, measured }: Row): boolean {
  return stated !== 'unknown' && stated !== measured;
}

export function describeRow({ about, view, stated, measured, lacking }: Row): string {
  const why = lacking === undefined ? '' : ` (${lacking})`;
  return `${view}, ${about}: stated "${stated}"${why}, measured "${measured}"`;
}

/** More unknown statements fail, those left out of which the views state what the vantage lacks. */
const mostUnknown = 0.1;

export function assertKnown(rows: readonly Row[]): void {
  const unknown = rows.filter(({ stated, lacking }) => stated === 'unknown' && lacking === undefined);
  if (unknown.length > rows.length * mostUnknown)
    throw new Error(
      `expected at most ${mostUnknown * 100} % of ${rows.length} statements "unknown" without a reason, got ${unknown.length}`,
    );
}

export function matrixOf(rows: readonly Row[]): string[] {
  const count = (of: readonly Row[]) => {
    const wrong = of.filter(isWrong).length;
    const unknown = of.filter(({ stated }) => stated === 'unknown');
    const lacking = unknown.filter((row) => row.lacking !== undefined).length;
    const open = unknown.length - lacking;
    return `${of.length - wrong - unknown.length} right, ${open} unknown, ${lacking} lack a fact, ${wrong} wrong`;
  };
  const situations = new Set(rows.map(({ situation }) => situation)).size;
  return [
    ...rows.map((row) => `${row.situation.padEnd(62)} ${describeRow(row)}`),
    ...views.map((view) => `${view.padEnd(18)} ${count(rows.filter((row) => row.view === view))}`),
    `statements: ${situations} situations, ${rows.length} rows, ${count(rows)}`,
  ];
}

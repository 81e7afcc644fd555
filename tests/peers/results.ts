import { formatResourceType } from '@/lib/xds/resource-type';
import { type Account, isHealthy } from './account';
import { type Cell, isEqual } from './compare';
import { findKnown, type KnownDifference } from './find-known';
import { knownDifferences } from './known-differences';
import type { Flavor, Protocol } from './peer';

export interface MomentOf {
  readonly flavor: Flavor;
  /** Name and version, as in "grpc-go 1.85.0". */
  readonly peer: string;
  readonly protocol: Protocol;
  /** Name of the control plane. */
  readonly server: string;
  readonly chapter: string;
  readonly moment: string;
}

type Verdict = 'equal' | KnownDifference['kind'] | 'unlisted';

interface Judged extends Cell {
  readonly of: MomentOf;
  readonly verdict: Verdict;
  readonly known?: KnownDifference;
}

/** All comparisons of a run. A moment passes when every difference in it is in the reviewed list. */
export class Results {
  passed = 0;
  failed = 0;
  private readonly cells: Judged[] = [];
  private readonly failures: { readonly of: MomentOf; readonly error: string }[] = [];
  private readonly skipped: { readonly peer: string; readonly reason: string }[] = [];
  private readonly calls: { readonly of: MomentOf; readonly calls: Account['calls'] }[] = [];

  findKnown(of: MomentOf, cell: Cell): KnownDifference | undefined {
    return findKnown({ ...of, cell, difference: formatDifference(cell) });
  }

  /** Returns what to print. */
  add(of: MomentOf, cells: readonly Cell[], { calls }: Account): string[] {
    const judged = cells.map((cell): Judged => {
      if (isEqual(cell)) return { ...cell, of, verdict: 'equal' };
      const known = this.findKnown(of, cell);
      return { ...cell, of, verdict: known?.kind ?? 'unlisted', ...(known && { known }) };
    });
    this.cells.push(...judged);
    this.calls.push({ of, calls });
    const unlisted = judged.filter(({ verdict }) => verdict === 'unlisted');
    if (unlisted.length === 0) this.passed += 1;
    else this.failed += 1;
    const count = (verdict: Verdict) => judged.filter((each) => each.verdict === verdict).length;
    return [
      `${unlisted.length === 0 ? 'ok    ' : 'FAILED'} ${titleOf(of)}: ${count('equal')} of ${judged.length} equal, ${count('unknown')} unknown, ${count('defect')} known defects`,
      ...unlisted.map(
        (cell) =>
          `         ${cell.vantage} ${cell.name || '(the type)'} ${cell.scope} ${formatDifference(cell)}`,
      ),
    ];
  }

  fail(of: MomentOf, error: unknown): string {
    this.failed += 1;
    const { message, stack, cause } = error as Error;
    this.failures.push({ of, error: message });
    return `FAILED ${titleOf(of)}: ${stack ?? message}${cause === undefined ? '' : ` (${String(cause)})`}`;
  }

  /** With CI=true a peer that cannot be prepared is a failure. */
  skip(peer: string, reason: string): void {
    this.skipped.push({ peer, reason });
    if (process.env.CI === 'true') this.failed += 1;
  }

  toJson(): object {
    return {
      matrix: this.matrix(),
      cells: this.cells.map(({ known, ...cell }) => ({ ...cell, ...(known && { reason: known.reason }) })),
      calls: this.calls,
      failures: this.failures,
      skipped: this.skipped,
    };
  }

  lines(): string[] {
    const matrix = this.matrix().map(
      ({ peer, protocol, server, vantage, equal, unknown, defects, wrongReports, unlisted, compared }) =>
        `${peer.padEnd(22)} ${protocol.padEnd(6)} ${server.padEnd(24)} ${vantage.padEnd(10)} ${equal} / ${unknown} / ${compared}${defects > 0 ? `, ${defects} known defects` : ''}${wrongReports > 0 ? `, ${wrongReports} wrong reports of the client` : ''}${unlisted > 0 ? `, ${unlisted} NOT LISTED` : ''}`,
    );
    const used = new Set(this.cells.map(({ known }) => known));
    const reasons = knownDifferences.flatMap((known) => {
      const count = this.cells.filter((cell) => cell.known === known).length;
      return used.has(known) ? [`${known.kind} ${count}: ${known.reason}`] : [];
    });
    const { length } = this.cells;
    const unknown = this.cells.filter(({ verdict }) => verdict === 'unknown').length;
    const countShown = (isExpected: boolean, isShown: boolean) =>
      this.cells.filter(
        (cell) => isHealthy(cell.expected) === isExpected && isHealthy(cell.shown) === isShown,
      ).length;
    return [
      '',
      'peer, protocol, control plane, vantage: equal / unknown / compared',
      ...matrix,
      '',
      ...reasons,
      '',
      `unknown: ${unknown} of ${length} cells (${((100 * unknown) / Math.max(1, length)).toFixed(1)} %)`,
      `healthy rows shown as failing: ${countShown(true, false)}; failing rows shown as healthy: ${countShown(false, true)}`,
      ...this.skipped.map(({ peer, reason }) => `skipped: ${peer}: ${reason}`),
      `${this.passed} passed, ${this.failed} failed`,
    ];
  }

  private matrix() {
    const groups = new Map<string, Judged[]>();
    for (const cell of this.cells) {
      const key = `${cell.of.peer}\n${cell.of.protocol}\n${cell.of.server}\n${cell.vantage}`;
      groups.set(key, [...(groups.get(key) ?? []), cell]);
    }
    return [...groups].map(([key, cells]) => {
      const [peer = '', protocol = '', server = '', vantage = ''] = key.split('\n');
      const count = (verdict: Verdict) => cells.filter((cell) => cell.verdict === verdict).length;
      return {
        ...{ peer, protocol, server, vantage },
        ...{ equal: count('equal'), unknown: count('unknown'), defects: count('defect') },
        wrongReports: count('client'),
        ...{ unlisted: count('unlisted'), compared: cells.length },
      };
    });
  }
}

function titleOf({ peer, protocol, server, chapter, moment }: MomentOf): string {
  return `${peer} ${protocol} ${server} ${chapter}: ${moment}`;
}

/** "CDS WARMING -> ACKED", or with versions where only these differ. */
function formatDifference({ typeUrl, expected, shown, expectedVersion, shownVersion }: Cell): string {
  const type = formatResourceType(typeUrl);
  return expected === shown
    ? `${type} ${expected} version ${expectedVersion} -> ${shownVersion}`
    : `${type} ${expected} -> ${shown}`;
}

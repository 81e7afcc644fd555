import { formatResourceType } from '@/lib/xds/resource-type';
import { type Account, isHealthy } from './account';
import { type Cell, hasOtherVersion, isEqual } from './compare';
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

/** The largest part of all cells that may be unknown. */
const maxUnknown = 0.03;

type Verdict = 'equal' | KnownDifference['kind'] | 'unlisted';

interface Judged extends Cell {
  readonly of: MomentOf;
  readonly verdict: Verdict;
  readonly known?: KnownDifference;
}

/** All comparisons of a run. A moment passes when every difference in it is in the reviewed list. */
export class Results {
  passed = 0;
  /** One text each. */
  readonly failures: string[] = [];
  readonly #cells: Judged[] = [];
  readonly #skipped: { readonly peer: string; readonly reason: string }[] = [];
  readonly #calls: { readonly of: MomentOf; readonly calls: Account['calls'] }[] = [];

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
    this.#cells.push(...judged);
    this.#calls.push({ of, calls });
    const unlisted = judged.filter(({ verdict }) => verdict === 'unlisted');
    const count = (verdict: Verdict) => judged.filter((each) => each.verdict === verdict).length;
    const counts = `${count('equal')} of ${judged.length} equal, ${count('unknown')} unknown, ${count('defect')} known defects`;
    const line = `${unlisted.length === 0 ? 'ok    ' : 'FAILED'} ${titleOf(of)}: ${counts}`;
    const details = unlisted.map(
      (cell) =>
        `         ${cell.vantage} ${cell.name || '(the type)'} ${cell.scope} ${formatDifference(cell)}`,
    );
    if (unlisted.length === 0) this.passed += 1;
    else this.failures.push([line, ...details].join('\n'));
    return [line, ...details];
  }

  /** Counts a moment without rows to compare as passed. Returns what to print. */
  pass(of: MomentOf): string {
    this.passed += 1;
    return `ok     ${titleOf(of)}`;
  }

  fail(of: MomentOf, error: unknown): string {
    const { message, stack, cause } = error as Error;
    const failure = `FAILED ${titleOf(of)}: ${stack ?? message}${cause === undefined ? '' : ` (${String(cause)})`}`;
    this.failures.push(failure);
    return failure;
  }

  /** With CI=true a peer that cannot be prepared is a failure. */
  skip(peer: string, reason: string): void {
    this.#skipped.push({ peer, reason });
    if (process.env.CI === 'true') this.failures.push(`FAILED skipped: ${peer}: ${reason}`);
  }

  get hasSkipped(): boolean {
    return this.#skipped.length > 0;
  }

  toJson(): object {
    return {
      matrix: this.#matrix(),
      cells: this.#cells.map(({ known, ...cell }) => ({ ...cell, ...(known && { reason: known.reason }) })),
      calls: this.#calls,
      failures: this.failures,
      skipped: this.#skipped,
    };
  }

  /**
   * Fails for what no single moment decides. Call it last, and only after a run of all clients and chapters: a part of
   * them need not use every entry of the list.
   */
  judgeWhole(): void {
    const unused = knownDifferences.filter(
      (known) =>
        known.isOccasional !== true &&
        this.#cells.some((cell) => isFor(known, cell)) &&
        this.#cells.every((cell) => cell.known !== known),
    );
    for (const { reason } of unused) {
      this.failures.push(`FAILED no cell needs this entry of the list: ${reason}`);
    }
    for (const cell of [...this.#findShown(true, false), ...this.#findShown(false, true)]) {
      this.failures.push(
        `FAILED ${titleOf(cell.of)}: ${cell.vantage} ${cell.name} ${formatDifference(cell)}`,
      );
    }
    const unknown = this.#cells.filter(({ verdict }) => verdict === 'unknown').length;
    if (unknown > maxUnknown * this.#cells.length) {
      this.failures.push(
        `FAILED expected at most ${100 * maxUnknown} % of the cells to be unknown, got ${unknown}`,
      );
    }
  }

  lines(): string[] {
    const matrix = this.#matrix().map(
      ({ peer, protocol, server, vantage, equal, unknown, defects, wrongReports, unlisted, compared }) =>
        `${peer.padEnd(22)} ${protocol.padEnd(6)} ${server.padEnd(24)} ${vantage.padEnd(10)} ${equal} / ${unknown} / ${compared}${defects > 0 ? `, ${defects} known defects` : ''}${wrongReports > 0 ? `, ${wrongReports} wrong reports of the client` : ''}${unlisted > 0 ? `, ${unlisted} NOT LISTED` : ''}`,
    );
    const used = new Set(this.#cells.map(({ known }) => known));
    const reasons = knownDifferences.flatMap((known) => {
      const count = this.#cells.filter((cell) => cell.known === known).length;
      return used.has(known) ? [`${known.kind} ${count}: ${known.reason}`] : [];
    });
    const { length } = this.#cells;
    const unknown = this.#cells.filter(({ verdict }) => verdict === 'unknown').length;
    return [
      '',
      'peer, protocol, control plane, vantage: equal / unknown / compared',
      ...matrix,
      '',
      ...reasons,
      '',
      `unknown: ${unknown} of ${length} cells (${((100 * unknown) / Math.max(1, length)).toFixed(1)} %)`,
      `healthy rows shown as failing: ${this.#findShown(true, false).length}; failing rows shown as healthy: ${this.#findShown(false, true).length}`,
      ...this.#skipped.map(({ peer, reason }) => `skipped: ${peer}: ${reason}`),
    ];
  }

  /**
   * The cells whose resource, or whose requests, xdscope shows as failing although they do not fail, or the reverse, without those
   * whose client is known to report wrongly.
   */
  #findShown(isExpected: boolean, isShown: boolean): Judged[] {
    return this.#cells.filter(
      ({ expected, shown, verdict }) =>
        verdict !== 'client' && isHealthy(expected) === isExpected && isHealthy(shown) === isShown,
    );
  }

  #matrix() {
    const groups = new Map<string, Judged[]>();
    for (const cell of this.#cells) {
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

/** True if the entry is about the client, the control plane and the vantage of the cell. */
function isFor(
  { flavor, peers, servers, vantages, chapters }: KnownDifference,
  { of, vantage }: Judged,
): boolean {
  return (
    (flavor ?? of.flavor) === of.flavor &&
    (peers?.test(of.peer) ?? true) &&
    (servers?.test(of.server) ?? true) &&
    (vantages?.includes(vantage) ?? true) &&
    (chapters?.test(of.chapter) ?? true)
  );
}

function titleOf({ peer, protocol, server, chapter, moment }: MomentOf): string {
  return `${peer} ${protocol} ${server} ${chapter}: ${moment}`;
}

/** "CDS WARMING -> ACKED", or with versions where these differ, or "CDS ACKED other body" where only that differs. */
function formatDifference(cell: Cell): string {
  const { expected, shown, expectedVersion, shownVersion } = cell;
  const type = formatResourceType(cell.typeUrl);
  if (expected !== shown) return `${type} ${expected} -> ${shown}`;
  if (!hasOtherVersion(cell)) return `${type} ${expected} other body`;
  return `${type} ${expected} version ${expectedVersion} -> ${shownVersion}`;
}

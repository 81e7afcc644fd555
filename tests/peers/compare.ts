import { CDS, EDS, findResourceType, LDS, RDS } from '@/lib/xds/resource-type';
import { type State, worstState } from '@/lib/xds/status';
import type { Account, AccountRow, ChangeState, Fact, RequestState } from './account';
import type { ShownRow, Vantage } from './xdscope';

/** The type of cells that compare whether requests succeed. Their name is a target, or a listener of Envoy. */
export const requests = 'requests';

/** One resource at one moment: what xdscope shows beside what the client did. */
export interface Cell {
  readonly vantage: Vantage;
  readonly scope: string;
  readonly typeUrl: string;
  readonly name: string;
  readonly expected: State | RequestState | ChangeState | 'absent';
  readonly shown: State | RequestState | ChangeState | 'absent';
  /** Compared only where both states are ACKED, and where it is not empty. */
  readonly expectedVersion: string;
  readonly shownVersion: string;
  /** True if the payloads differ. Compared as the version. */
  readonly hasOtherBody: boolean;
}

export function isEqual(cell: Cell): boolean {
  return cell.expected === cell.shown && !cell.hasOtherBody && !hasOtherVersion(cell);
}

export function hasOtherVersion({ expected, shown, expectedVersion, shownVersion }: Cell): boolean {
  const isKnown = expected === 'ACKED' && shown === 'ACKED' && expectedVersion !== '';
  return isKnown && expectedVersion !== shownVersion;
}

/** Compares the results of requests to each target with those that follow from the config that xdscope shows. */
export function compareRequests(
  vantage: Vantage,
  { calls }: Account,
  shown: Readonly<Record<string, RequestState>>,
): Cell[] {
  return Object.entries(calls).map(([name, result]) => ({
    ...{ vantage, scope: '', typeUrl: requests, name },
    expected: result.startsWith('ok') ? 'SUCCEEDS' : 'FAILS',
    shown: shown[name] ?? 'absent',
    ...{ expectedVersion: '', shownVersion: '', hasOtherBody: false },
  }));
}

/** Compares the types whose resources changed with the expectation that none did. */
export function compareChanges(vantage: Vantage, changed: ReadonlySet<string>): Cell[] {
  const types = new Set([...[LDS, RDS, CDS, EDS].map(({ typeUrl }) => typeUrl), ...changed]);
  return [...types].map((typeUrl) => ({
    ...{ vantage, scope: '', typeUrl, name: 'all' },
    expected: 'UNCHANGED',
    shown: changed.has(typeUrl) ? 'CHANGED' : 'UNCHANGED',
    ...{ expectedVersion: '', shownVersion: '', hasOtherBody: false },
  }));
}

/** Every xDS resource that the account or xdscope names. An Envoy has rows of other things, such as its certificates. */
export function compareRows(vantage: Vantage, account: Account, all: readonly ShownRow[]): Cell[] {
  const shown = all.filter(({ typeUrl }) => findResourceType(typeUrl) !== undefined);
  const open = new Set(shown);
  const cells = account.rows.flatMap((row) => {
    const expected = factFor(vantage, row);
    const found = findShown(shown, row);
    if (found !== undefined) open.delete(found);
    if (expected === undefined && found === undefined) return [];
    return [cellOf(vantage, row, expected, found)];
  });
  return [...cells, ...[...open].map((row) => cellOf(vantage, row, undefined, row))];
}

/** A tap sees answers, the client's own interface what it runs. */
function factFor(vantage: Vantage, { name, answer, effect }: AccountRow): Fact | undefined {
  // A tap knows the resource that was rejected, so that the type needs no row of its own.
  if (name === '' && vantage !== 'admin' && effect?.state === 'NACKED') return undefined;
  if (vantage === 'tap') return answer;
  if (vantage === 'csds' || vantage === 'admin') return effect;
  if (answer === undefined || effect === undefined) return answer ?? effect;
  // ACTIVE is the state of a resource whose answer is not known.
  const effects = effect.state === 'ACTIVE' ? [] : [effect.state];
  return { ...answer, state: worstState([answer.state, ...effects]) ?? answer.state };
}

/** A tap knows the listener of a target. */
function findShown(shown: readonly ShownRow[], row: AccountRow): ShownRow | undefined {
  return shown.find(
    ({ typeUrl, name, scope }) =>
      typeUrl === row.typeUrl && name === row.name && nameOf(scope) === nameOf(row.scope),
  );
}

/** Clients differ in the number of slashes: "xds:///svc-a" and "xds:/svc-a" are one target. */
export function nameOf(target: string): string {
  return target.replace(/^xds:\/*/, '');
}

function cellOf(
  vantage: Vantage,
  { scope, typeUrl, name }: Pick<AccountRow, 'scope' | 'typeUrl' | 'name'>,
  expected: Fact | undefined,
  shown: ShownRow | undefined,
): Cell {
  const isAccepted = expected?.state === 'ACKED' && shown?.state === 'ACKED';
  return {
    ...{ vantage, scope, typeUrl, name },
    expected: expected?.state ?? 'absent',
    shown: shown?.state ?? 'absent',
    expectedVersion: expected?.contentVersion ?? expected?.version ?? '',
    shownVersion: (expected?.contentVersion === undefined ? shown?.version : shown?.contentVersion) ?? '',
    hasOtherBody: isAccepted && expected.hash !== undefined && expected.hash !== shown.hash,
  };
}

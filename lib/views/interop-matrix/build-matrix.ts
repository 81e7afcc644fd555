import { findProgramClient, findSupportClaims, type SupportClaim } from '../../interop/claimed-support';
import type { InteropCell, InteropMatrix } from '../../interop/run-schema';
import type { InteropVerdict } from '../../observation/interop-verdicts';
import { findClientRelease } from '../../xds/client-release';
import type { FleetRelease, InteropFleet } from './fleet-schema';

type InteropCase = InteropMatrix['cases'][number];

/** One version of a client. */
export interface MatrixColumn {
  /** As in "grpc-go 1.85.0". */
  readonly key: string;
  readonly name: string;
  readonly version: string;
  readonly unavailable?: string;
  /** The clients of this release in the fleet. Absent: there are none. */
  readonly inFleet?: FleetRelease;
  /** Their share of the gRPC clients of the fleet, 0 to 1. */
  readonly share: number;
}

export interface MatrixCell extends Omit<InteropCell, 'case' | 'client'> {
  /** What gRPC claims; empty: nothing is claimed for this program. */
  readonly claims: readonly SupportClaim[];
  /** The result of the run contradicts one of the claims. */
  readonly differs: boolean;
}

export interface MatrixRow {
  readonly case: InteropCase;
  /** In the order of the columns. */
  readonly cells: readonly MatrixCell[];
}

/** The cases of a feature with one client. */
export interface FeatureCell {
  readonly working: number;
  /** Cases with a result that proves something. */
  readonly ran: number;
  /** The cases that the program of the client lacks. */
  readonly unable: number;
  readonly cases: number;
  readonly differs: number;
}

interface MatrixFeature {
  readonly feature: string;
  /** The gRFCs of its cases, as in "A50". */
  readonly grfcs: readonly string[];
  readonly rows: readonly MatrixRow[];
  readonly cells: readonly FeatureCell[];
}

export interface Matrix {
  readonly columns: readonly MatrixColumn[];
  readonly features: readonly MatrixFeature[];
}

/** Results that show that the client does not do by itself what the case proves. */
const lacking: ReadonlySet<InteropVerdict> = new Set(['fails', 'rejects', 'ignored', 'by-flag']);

export function lacksFeature(verdict: InteropVerdict): boolean {
  return lacking.has(verdict);
}

/** Groups the cases by feature, in their order, and states beside each result what gRPC claims. */
export function buildMatrix(
  { cases, clients, cells }: InteropMatrix,
  fleet: InteropFleet | undefined,
): Matrix {
  const columns = clients.map((client) => buildColumn(client, fleet));
  const found = new Map(cells.map((cell) => [keyOf(cell.case, cell.client), cell]));
  const features = [...groupByFeature(cases)].map(([feature, ofFeature]): MatrixFeature => {
    const rows = ofFeature.map((each) => ({
      case: each,
      cells: clients.map((client) => buildCell(each.name, client, found.get(keyOf(each.name, client)))),
    }));
    return {
      feature,
      grfcs: [...new Set(ofFeature.flatMap(({ grfc }) => grfc ?? []))],
      rows,
      cells: clients.map((_, at) => sumUp(rows.flatMap((row) => row.cells[at] ?? []))),
    };
  });
  return { columns, features };
}

function groupByFeature(cases: readonly InteropCase[]): ReadonlyMap<string, InteropCase[]> {
  const groups = new Map<string, InteropCase[]>();
  for (const each of cases) groups.set(each.feature, [...(groups.get(each.feature) ?? []), each]);
  return groups;
}

function buildColumn(
  { name, version, unavailable }: InteropMatrix['clients'][number],
  fleet: InteropFleet | undefined,
): MatrixColumn {
  const client = findProgramClient(name);
  const release = findClientRelease(version);
  const inFleet = fleet?.releases.find(
    (each) =>
      release !== undefined && each.client === client && each.release === `${release.major}.${release.minor}`,
  );
  return {
    ...{ key: `${name} ${version}`, name, version },
    ...(unavailable !== undefined && { unavailable }),
    ...(inFleet && { inFleet }),
    share: inFleet === undefined || fleet === undefined ? 0 : inFleet.clients / fleet.clients,
  };
}

function buildCell(
  testCase: string,
  { name, version }: InteropMatrix['clients'][number],
  cell: InteropCell | undefined,
): MatrixCell {
  const claims = findSupportClaims(testCase, findProgramClient(name), findClientRelease(version));
  const { case: _case, client: _client, ...result } = cell ?? notRun;
  return { ...result, claims, differs: claims.some((claim) => contradicts(claim, result.verdict)) };
}

const notRun = {
  ...{ case: '', client: { name: '', version: '' } },
  ...{ verdict: 'not-run', reason: '', working: 0, runs: 0 },
} as const satisfies InteropCell;

/** A result that proves nothing contradicts nothing, and so does a program that lacks what the case needs. */
function contradicts({ isSupported }: SupportClaim, verdict: InteropVerdict): boolean {
  if (verdict === 'works') return !isSupported;
  return isSupported && lacking.has(verdict);
}

/** These results state nothing of the client: a program without what the case needs is no client that fails. */
const provesNothing: ReadonlySet<InteropVerdict> = new Set(['not-run', 'inconclusive', 'unable']);

export function sumUp(cells: readonly MatrixCell[]): FeatureCell {
  const ran = cells.filter(({ verdict }) => !provesNothing.has(verdict));
  return {
    working: ran.filter(({ verdict }) => verdict === 'works').length,
    ran: ran.length,
    unable: cells.filter(({ verdict }) => verdict === 'unable').length,
    cases: cells.length,
    differs: cells.filter(({ differs }) => differs).length,
  };
}

function keyOf(
  testCase: string,
  { name, version }: { readonly name: string; readonly version: string },
): string {
  return `${testCase}\u0000${name}\u0000${version}`;
}

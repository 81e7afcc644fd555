import { formatCounted } from '../../format/count';
import type { InteropVerdict } from '../../observation/interop-verdicts';
import { lacksFeature, type Matrix } from './build-matrix';

/** What results of the interop tests mean for this fleet. */
export interface Consequence {
  /** The clients of the release, as in "gRPC Node Pure JS 1.14.1": the agent by which the page Clients lists them. */
  readonly userAgent: string;
  readonly feature: string;
  /** As in "4 of your 14 clients run a release that does not eject outliers, though 6 clusters of theirs configure it". */
  readonly text: string;
  /** The release, and why, if that is known. */
  readonly detail: string;
  /** Some of the resources that configure the feature. */
  readonly names: readonly string[];
  /** The number of the others. */
  readonly moreNames: number;
  readonly service: string;
  /** Cases that show it, with the newest run, which is absent if there is none. */
  readonly cases: readonly { readonly name: string; readonly runId?: string }[];
}

/** How a result is stated of clients. A program that lacks something says nothing about the clients of the fleet. */
const verbs: Partial<Record<InteropVerdict, string>> = {
  fails: 'fails',
  rejects: 'rejects',
  ignored: 'ignores',
  'by-flag': 'does by flag alone',
};

const plurals: Readonly<Record<string, string>> = {
  CDS: 'cluster',
  LDS: 'listener',
  RDS: 'route configuration',
};

/** For releases in the fleet that lack what their config uses, the most clients first. */
export function listConsequences({ columns, features }: Matrix, clientsOfFleet: number): Consequence[] {
  const rows = features.flatMap((feature) => feature.rows);
  const found = columns.flatMap(({ inFleet }, at) =>
    (inFleet?.uses ?? []).flatMap((use) => {
      const results = rows.flatMap(({ case: { name }, cells }) => {
        const cell = cells[at];
        return cell !== undefined && use.cases.includes(name) ? [{ name, ...cell }] : [];
      });
      const lacking = results.filter(({ verdict }) => lacksFeature(verdict));
      const [first] = lacking;
      if (inFleet === undefined || first === undefined) return [];
      // A case that works shows that the release has some of it.
      const hasSome = results.some(({ verdict }) => verdict === 'works' || verdict === 'flaky');
      const names = lacking.map(({ name }) => name).join(' and ');
      const lack = hasSome ? `${verbs[first.verdict]} ${names}` : use.lack;
      const affected = `${use.clients} of your ${formatCounted(clientsOfFleet, 'client')}`;
      const resources = `${formatCounted(use.resources, plurals[use.service] ?? 'resource')} of theirs`;
      const configure = use.resources === 1 ? 'configures' : 'configure';
      const what = hasSome ? use.feature.toLowerCase() : 'it';
      const why = first.known ?? `${verbs[first.verdict]} ${first.name}: ${first.reason}`;
      return [
        {
          ...{ userAgent: inFleet.userAgent, feature: use.feature, count: use.clients },
          text: `${affected} ${use.clients === 1 ? 'runs' : 'run'} a release that ${lack}, though ${resources} ${configure} ${what}`,
          ...{ detail: `${inFleet.userAgent}: ${why}`, names: use.names, service: use.service },
          moreNames: use.resources - use.names.length,
          cases: lacking.map(({ name, runId }) => ({ name, ...(runId !== undefined && { runId }) })),
        },
      ];
    }),
  );
  return found.sort((a, b) => b.count - a.count).map(({ count: _count, ...each }) => each);
}

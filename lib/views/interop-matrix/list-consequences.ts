import { formatCounted } from '../../format/count';
import type { InteropVerdict } from '../../observation/interop-verdicts';
import { lacksFeature, type Matrix } from './build-matrix';

/** What a result of the interop tests means for this fleet. */
export interface Consequence {
  readonly case: string;
  /** The clients of the release, as in "gRPC Node Pure JS 1.14.1": the agent by which the page Clients lists them. */
  readonly userAgent: string;
  /** As in "4 of your 14 clients run a release that fails outlier_detection, though 6 clusters of theirs configure it". */
  readonly text: string;
  /** The release, and why, if that is known. */
  readonly detail: string;
  /** Some of the resources that configure the feature. */
  readonly names: readonly string[];
  readonly service: string;
  /** Absent: none. */
  readonly runId?: string;
}

/** How a result is stated of clients. A program that lacks something says nothing about the clients of the fleet. */
const verbs: Partial<Record<InteropVerdict, string>> = {
  fails: 'fails',
  rejects: 'rejects the config of',
  ignored: 'ignores the config of',
};

const plurals: Readonly<Record<string, string>> = {
  CDS: 'cluster',
  LDS: 'listener',
  RDS: 'route configuration',
};

/** For releases in the fleet that lack what their config uses, the most clients first. */
export function listConsequences({ columns, features }: Matrix, clientsOfFleet: number): Consequence[] {
  const found = columns.flatMap((column, at) => {
    const { inFleet } = column;
    if (inFleet === undefined) return [];
    return features.flatMap(({ feature, rows }) => {
      const uses = inFleet.uses.filter((each) => each.feature === feature);
      return rows.flatMap(({ case: { name }, cells }) => {
        const cell = cells[at];
        const verb = cell && verbs[cell.verdict];
        if (cell === undefined || verb === undefined || !lacksFeature(cell.verdict)) return [];
        const affected = formatCounted(clientsOfFleet, 'client');
        return uses.map((use) => {
          const resources = formatCounted(use.resources, plurals[use.service] ?? 'resource');
          return {
            ...{ case: name, userAgent: inFleet.userAgent, count: use.clients },
            text: `${use.clients} of your ${affected} run a release that ${verb} ${name}, though ${resources} of theirs ${use.resources === 1 ? 'configures' : 'configure'} ${feature.toLowerCase()}`,
            detail: [inFleet.userAgent, cell.known ?? cell.reason].filter((each) => each !== '').join(': '),
            ...{ names: use.names, service: use.service },
            ...(cell.runId !== undefined && { runId: cell.runId }),
          };
        });
      });
    });
  });
  return found.sort((a, b) => b.count - a.count).map(({ count: _count, ...each }) => each);
}

import type { ClientReport, ClientState } from '@/lib/observation/client-state';

export interface ClientParts<Rows> {
  readonly client: Omit<ClientState, 'reports'>;
  readonly reports: readonly {
    readonly key: string;
    readonly report: Omit<ClientReport, 'resources'>;
    readonly rows: Rows;
  }[];
}

type Resources = ClientReport['resources'];

export function splitClient<Rows>(
  { reports, ...client }: ClientState,
  rowsOf: (resources: Resources) => Rows,
): ClientParts<Rows> {
  return {
    client,
    reports: Array.from(reports, ([key, { resources, ...report }]) => {
      return { key, report, rows: rowsOf(resources) };
    }),
  };
}

export function joinClient<Rows>(
  { client, reports }: ClientParts<Rows>,
  resourcesOf: (rows: Rows) => Resources,
): ClientState {
  return {
    ...client,
    reports: new Map(
      reports.map(({ key, report, rows }) => [key, { ...report, resources: resourcesOf(rows) }]),
    ),
  };
}

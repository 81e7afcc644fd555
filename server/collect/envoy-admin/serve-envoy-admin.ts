import type { ConnectionChanges } from '@/lib/observation/connection';
import { createRedactionMarker } from '../../codec/redaction-marker';
import type { Emission } from '../../observe';
import type { JobSet } from '../../workers/compute';
import type { JobRunners } from '../../workers/serve-jobs';
import { connectionParts } from '../poll-diff/connection-parts';
import type { KnownClients } from '../poll-diff/known-clients';
import { type HostNews, HostTracker } from './host-tracker';
import { type AnswersRead, type AnswersRequest, type KeptDocuments, readAnswers } from './read';

export interface EnvoyAdminData {
  readonly redactionKey: Uint8Array;
}

/** The known state of a source has a version, as for CSDS: the same version means the same clients on both sides. */
export interface EnvoyAdminJobs {
  read: {
    input: {
      readonly source: number;
      readonly request: AnswersRequest;
      readonly base: number;
      /** The version of what is known after these answers. */
      readonly next: number;
      /** The clients of version `base`. Absent if the worker should have them. */
      readonly known?: KnownClients;
    };
    output: { readonly read: AnswersRead; readonly hosts?: HostsRead } | { readonly kind: 'unknown-base' };
  };
  forget: { input: number; output: null };
}

export const envoyAdminJobs: JobSet<'envoy-admin', EnvoyAdminData, EnvoyAdminJobs> = {
  name: 'envoy-admin',
  thread: 'reports',
};

/** The changes of the connections of the Envoy. */
export interface HostsRead extends Pick<HostNews, 'figures' | 'hasTraffic'> {
  readonly emissions: readonly Emission[];
  /** Milliseconds that the answers took here. */
  readonly tookMs: number;
}

interface Kept {
  readonly version: number;
  readonly known: KnownClients;
  readonly documents: KeptDocuments;
  readonly tracker: HostTracker;
}

export function serveEnvoyAdmin({ redactionKey }: EnvoyAdminData): JobRunners<EnvoyAdminJobs> {
  const marker = createRedactionMarker(redactionKey);
  const sources = new Map<number, Kept>();
  return {
    read: ({ source, request, base, next: version, known }) => {
      if (known !== undefined)
        sources.set(source, { version: base, known, documents: new Map(), tracker: new HostTracker() });
      const kept = sources.get(source);
      if (kept?.version !== base) return { kind: 'unknown-base' };
      const startedAt = performance.now();
      const { read, next, documents, reports } = readAnswers(kept.known, kept.documents, request, marker);
      if (read.kind === 'incomplete') return { read };
      // The connections of a complete report are complete.
      const tracker = request.isWhole ? new HostTracker() : kept.tracker;
      if (read.kind === 'news') sources.set(source, { version, known: next, documents, tracker });
      const news = tracker.update(reports, request.at);
      if (news === undefined || (reports.hosts === undefined && news.changes === undefined)) return { read };
      const { changes, figures, hasTraffic } = news;
      const emissions = changes === undefined ? [] : emissionsOf(changes, next, request);
      return { read, hosts: { emissions, figures, hasTraffic, tookMs: performance.now() - startedAt } };
    },
    forget: (source) => {
      sources.delete(source);
      return null;
    },
  };
}

/** An Envoy is one client. */
function emissionsOf(
  changes: ConnectionChanges,
  clients: KnownClients,
  { sourceId, at }: AnswersRequest,
): Emission[] {
  return [...clients].flatMap(([clientId, { node, scope }]) => {
    const base = { at, vantage: 'envoy-admin', sourceId, clientId, node, scope } as const;
    return Array.from(connectionParts(base, changes), (observation) => ({ observation, bodies: [] }));
  });
}

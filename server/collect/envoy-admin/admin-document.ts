import type { AdminRequest } from './request-admin';

/** The documents of Envoy's admin interface that are polled. */
const adminDocuments = ['server_info', 'config_dump', 'clusters', 'listeners', 'certs', 'init_dump'] as const;
export type AdminDocument = (typeof adminDocuments)[number];

/** Everything that is requested, in the order of the requests: the document that identifies the Envoy comes first. */
export const adminRequests = [
  'server_info',
  'stats',
  'config_dump',
  'clusters',
  'listeners',
  'certs',
  'init_dump',
] as const;

/** Between two requests for the statistics of subscriptions, which have no history: two changes in between are one. */
export const statisticsIntervalMs = 5_000;

interface DocumentFacts extends AdminRequest {
  /** Milliseconds between two requests. */
  readonly intervalMs: number;
}

const mib = 1024 * 1024;

export const documentFacts: Readonly<Record<AdminDocument, DocumentFacts>> = {
  server_info: {
    path: '/server_info',
    expected: 'an envoy.admin.v3.ServerInfo in JSON',
    intervalMs: 60_000,
    maxBytes: 4 * mib,
  },
  config_dump: {
    path: '/config_dump?include_eds',
    expected: 'an envoy.admin.v3.ConfigDump in JSON',
    intervalMs: 15_000,
    maxBytes: 200 * mib,
  },
  clusters: {
    path: '/clusters?format=json',
    expected: 'an envoy.admin.v3.Clusters in JSON',
    // It has the state of hosts, which has no history: what changes back in between is not seen.
    intervalMs: 1_000,
    maxBytes: 64 * mib,
  },
  listeners: {
    path: '/listeners?format=json',
    expected: 'an envoy.admin.v3.Listeners in JSON',
    intervalMs: 15_000,
    maxBytes: 16 * mib,
  },
  certs: {
    path: '/certs',
    expected: 'an envoy.admin.v3.Certificates in JSON',
    intervalMs: 60_000,
    maxBytes: 16 * mib,
  },
  init_dump: {
    path: '/init_dump',
    expected: 'an envoy.admin.v3.UnreadyTargetsDumps in JSON',
    intervalMs: 15_000,
    maxBytes: 4 * mib,
  },
};

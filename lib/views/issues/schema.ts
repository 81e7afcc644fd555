/** GET issues and GET issues/{issueId}: what is wrong, for whom, since when and why. */
import * as z from 'zod';
import { impactLevels } from '../../issues/client-impact';
import { severities } from '../../issues/describe-impact';
import { clientIssueKinds, issueEnds } from '../../issues/issue-record';
import { time } from '../fields/answer-fields';
import { at, described, epochTime, limit } from '../fields/query-fields';

/**
 * nack: clients reject a payload. absent: a resource does not exist. received-error: the server reported an error instead of a
 * resource. unanswered: a control plane waits for the answer of clients. unreached: clients requested resources
 * and have no response. unreachable: clients cannot connect to their management server. tear: resources in use do not fit together (gRFC A74). finding: clients accepted a resource that ends their
 * process, or with which they do not serve. notice: clients show a known bug of their release. unserved: by the config in
 * effect, every request to a listener or cluster fails. certificate: a certificate has expired, or was due to be renewed. load-errors: requests or connections to a cluster fail, by load reports or counters. source-down: a source does not answer. recorder: nothing is recorded. divergence: one server
 * sends different resources over state of the world and over delta, or two instances of a control plane to one node. spin: a
 * server repeats a response many times, as after each NACK.
 */
const issueKinds = [
  ...clientIssueKinds,
  'load-errors',
  'source-down',
  'recorder',
  'divergence',
  'spin',
] as const;
const issueKind = z.enum(issueKinds);

/**
 * open: it lasts. muted: it lasts, and is muted until a time. resolved: it ended with a repair. ended: no source reports the
 * last client that had it any more, so that nothing shows a repair.
 */
const issueState = z.enum(['open', 'muted', 'resolved', 'ended']);

const resource = z.object({ typeUrl: z.string(), service: z.string(), name: z.string() });

/** One click to the evidence, with it selected. */
const issueEvidence = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('nack'), groupId: z.string() }),
  z.object({ kind: z.literal('resource'), clientId: z.string(), typeUrl: z.string(), name: z.string() }),
  z.object({ kind: z.literal('resolved'), clientId: z.string(), listener: z.string() }),
  z.object({ kind: z.literal('propagation'), clientId: z.string() }),
  z.object({ kind: z.literal('tears'), clientId: z.string() }),
  z.object({ kind: z.literal('validation'), clientId: z.string() }),
  z.object({ kind: z.literal('connections'), clientId: z.string() }),
  z.object({ kind: z.literal('certificates'), q: z.string() }),
  /** An empty name: all clusters. */
  z.object({ kind: z.literal('load'), clusterName: z.string() }),
  z.object({ kind: z.literal('event'), clientId: z.string(), seq: z.number().int() }),
  z.object({ kind: z.literal('source'), sourceId: z.string() }),
  z.object({ kind: z.literal('recorder') }),
]);
export type IssueEvidence = z.infer<typeof issueEvidence>;

/** A link of the chain from the push to what changed. */
const causeStep = z.object({
  step: z.enum(['push', 'resource', 'field', 'change', 'report']),
  text: z.string(),
  /** A time that follows the text, as that of an expiry. */
  at: time.optional(),
  evidence: issueEvidence.optional(),
});

const issueClient = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  /** A probe of xdscope, which sends no RPCs. */
  isProbe: z.boolean(),
  /** Only files report the client, each at the time at which it was captured. */
  isImported: z.boolean(),
  since: time,
  /** Absent: it lasts. */
  until: time.optional(),
  /** repaired, removed: the resource no longer has the issue. gone: no source reports the client any more. */
  end: z.enum(issueEnds).optional(),
  versionInfo: z.string(),
});

export const issue = z.object({
  /** Derived from the cause, and therefore equal after a restart. */
  id: z.string(),
  kind: issueKind,
  state: issueState,
  severity: z.enum(severities),
  /** As in 'Listener mobile.shop.example does not exist'. It contains no count, so that it lasts as long as the issue. */
  title: z.string(),
  /** Absent: the issue is not about a resource. An empty name: it is about the whole type. */
  resource: resource.optional(),
  /** The onset: when the first client had it. absent: not known. */
  since: time.optional(),
  /** The time from which the last client no longer had it, or was no longer reported; absent: it lasts. */
  resolvedAt: time.optional(),
  mutedUntil: time.optional(),
  impact: z.object({
    level: z.enum(impactLevels),
    /** As in "Every RPC of shop-mobile to mobile.shop.example fails". */
    text: z.string(),
    /** Why; empty if the text says it. */
    reason: z.string(),
    /** The effective config of so many clients was assessed. */
    assessed: z.number().int(),
  }),
  cause: z.array(causeStep),
  clients: z.object({
    total: z.number().int(),
    /** The number of probes of xdscope in the total. No alert is sent for them. */
    probes: z.number().int(),
    /** The number of clients of files in the total. No alert is sent for them. */
    imported: z.number().int(),
    /** The first 20, by onset; GET issues/{issueId} lists 1,000. */
    items: z.array(issueClient),
  }),
  /**
   * The requests of clients in the 10 minutes before the onset; absent: no client reports load, or its file cannot be
   * read.
   */
  requests: z
    .object({
      /** The number of requests of the clients that have the issue; if it is about a cluster, only of those to it. */
      count: z.string(),
      ofAll: z.string(),
      share: z.number().optional(),
    })
    .optional(),
  /** The number of clusters, targets, sources or taps of which this is one issue; absent: it is about one, or about clients. */
  group: z
    .object({ noun: z.enum(['cluster', 'target', 'source', 'tap']), count: z.number().int() })
    .optional(),
  /** A sentence that states what to do next. */
  nextStep: z.string(),
  evidence: z.array(z.object({ label: z.string(), target: issueEvidence })),
});

export const issuesQuery = z.object({
  state: described(
    z.enum(['current', 'open', 'muted', 'resolved']).default('current'),
    'current: open and muted ones. resolved: those that ended within `from` and `to`, also those whose clients no source reports any more.',
  ),
  at,
  from: epochTime('Resolved issues that ended at this moment (ISO 8601) or later.'),
  to: epochTime('Resolved issues that ended at this moment or earlier.'),
  client: described(z.string().optional(), 'Only issues of this client: its id.'),
  limit: limit('issues', { min: 1, max: 500, otherwise: 100 }),
});

const counts = z.object({ open: z.number().int(), muted: z.number().int() });

const configChecks = z.object({
  /** The clients whose config was checked for what it cannot serve, tears, findings and known bugs, of those that send requests. */
  checked: z.number().int(),
  total: z.number().int(),
  /** What the checks found applies to the config that each of these clients had at this time, or later. Absent: none was checked. */
  asOf: time.optional(),
  /** The clients of which not all listeners were checked: what these cannot serve is not known. The first 20. */
  partly: z.object({
    total: z.number().int(),
    items: z.array(
      z.object({
        clientId: z.string(),
        nodeId: z.string(),
        unchecked: z.number().int(),
        listeners: z.number().int(),
      }),
    ),
  }),
});

export const issuePage = z.object({
  /** Worst first: by severity, then the number of clients, then the onset. */
  items: z.array(issue),
  total: z.number().int(),
  counts,
  at: time,
  /** After a start the log is being read; more issues may follow. */
  restoring: z.boolean(),
  /** Issues that ended before it are not known; absent: all of the log is known. */
  since: time.optional(),
  checks: configChecks,
});

export const fleetStripQuery = z.object({
  from: epochTime('The beginning (ISO 8601). Default: an hour before its end.'),
  to: epochTime('The end. Default: now.'),
});

const stripKinds = [...clientIssueKinds, 'load-errors'] as const;
export type StripKind = (typeof stripKinds)[number];

/** GET issues/strip: which clients had issues when. */
export const fleetStrip = z.object({
  from: time,
  to: time,
  /** Clients with an issue at the end come first, then those that had issues longest; at most 40. */
  rows: z.array(
    z.object({
      clientId: z.string(),
      nodeId: z.string(),
      /** The periods in the order in which they began, cut to the range; they may overlap. The last 100. */
      spans: z.array(
        z.object({
          from: time,
          to: time,
          isOpen: z.boolean(),
          /** Absent if it is open. */
          end: z.enum(issueEnds).optional(),
          issueId: z.string(),
          kind: z.enum(stripKinds),
          /** As in "Listener shop does not exist". */
          text: z.string(),
        }),
      ),
    }),
  ),
  /** The number of further clients that had issues, and of clients that had none although their whole config was checked. */
  othersWithIssues: z.number().int(),
  withoutIssues: z.number().int(),
  /** The number of clients of which no issue is known, and whose config was not checked, or in part. */
  notJudged: z.number().int(),
  /** The issues that are open or muted at the end, as GET issues counts them, and those of them that concern no client. */
  counts: counts.extend({ withoutClients: z.number().int() }),
  checks: configChecks,
});

export const issueMute = z.object({
  /** null: unmute. */
  until: described(
    time.nullable(),
    'Until when it is muted, for the clients, clusters or sources that it has now; null: unmute.',
  ),
});

export type Issue = z.infer<typeof issue>;

/** An issue, and the keys of what a mute of it covers. */
export interface MutableIssue {
  readonly issue: Issue;
  readonly subjects: readonly string[];
  /** Set if it is about RPCs to one target of gRPC channels. */
  readonly target?: string | undefined;
}
export type IssuePage = z.infer<typeof issuePage>;
export type IssuesQuery = z.infer<typeof issuesQuery>;
export type FleetStrip = z.infer<typeof fleetStrip>;
export type FleetStripQuery = z.infer<typeof fleetStripQuery>;

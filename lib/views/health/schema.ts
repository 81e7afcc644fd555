import * as z from 'zod';
import { sourceKinds } from '../../observation/source-kinds';
import { time } from '../fields/answer-fields';

const growth = z.object({ observationsPerMinute: z.number(), bytesPerMinute: z.number() });

export const health = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  startedAt: time,
  recorder: z.object({
    state: z.enum(['recording', 'stopped']),
    reason: z.string(),
    observations: z.number().int(),
    bodies: z.number().int(),
    sizeBytes: z.number().int(),
    oldestAt: time.optional(),
    newestSeq: z.number().int(),
    /** Observations that did not reach the log since the start of this process. */
    missed: z.number().int(),
    /** The growth per minute, over the last hour and the last day; absent: nothing was recorded in that time. */
    growth: z.object({ hour: growth.optional(), day: growth.optional() }),
    /**
     * Written without snapshots, because many came at once: reading a client at their time takes longer until snapshots
     * follow.
     */
    notFollowed: z.number().int(),
    /** Observations that are being written. */
    waiting: z.number().int(),
    /** The observations that the log lacks, of any process; `newestAt` is absent if there are none. */
    gaps: z.object({
      count: z.number().int(),
      observations: z.number().int(),
      newestAt: time.optional(),
    }),
    /** The limits of retention; without a count there is none. */
    limits: z.object({ maxAgeMs: z.number(), maxBytes: z.number(), maxCount: z.number().int().optional() }),
    /** `sizeBytes`: their stored contents, without the payloads that they name. Without a limit there is none. */
    permalinks: z.object({
      count: z.number().int(),
      sizeBytes: z.number().int(),
      limit: z.number().int().optional(),
    }),
    /** The newest failure of the log's maintenance, as in "retention: disk I/O error"; empty if there is none. */
    retentionProblem: z.string(),
  }),
  storage: z.object({
    /** Damaged files that were found since the start: each with its name, the reason and the remedy. */
    damaged: z.array(z.string()),
    /** Sentences on files that were damaged at the start and renamed because of --set-aside-damaged. */
    setAside: z.array(z.string()),
    /** Sentences on files of the data directory that something else changed or removed before the start. */
    changed: z.array(z.string()),
  }),
  /** Counts of reports on a cluster since the start of this process. */
  load: z.object({
    reports: z.number().int(),
    /** Reports that came faster than they could be written. */
    missed: z.number().int(),
    /** Lines that exceeded the limit of series. */
    leftOut: z.number().int(),
    /** The reason why load is not being written; empty while it is. */
    problem: z.string(),
  }),
  sources: z.object({
    total: z.number().int(),
    up: z.number().int(),
    down: z.number().int(),
    /** Sources by kind and state; `health` states what that means, as in "does not answer". */
    kinds: z.array(
      z.object({
        kind: z.enum(sourceKinds),
        state: z.enum(['connecting', 'up', 'down', 'paused']),
        health: z.string(),
        count: z.number().int(),
      }),
    ),
  }),
  /** CSDS answers; undecoded: those that equal the previous one byte for byte. */
  csds: z.object({ answers: z.number().int(), undecoded: z.number().int() }),
  /** The recent delay of the event loop that serves pages. */
  eventLoop: z.object({ p50Ms: z.number(), p99Ms: z.number(), maxMs: z.number() }),
  /** Internal errors that nothing handled, since the start of this process; any makes `status` degraded. */
  unhandledRejections: z.object({
    count: z.number().int(),
    /** The time of the newest one; absent: there was none. */
    lastAt: time.optional(),
    /** Its first line, shortened and redacted. */
    lastMessage: z.string(),
  }),
  lab: z.boolean(),
  /** The store that several processes share; absent without --store. */
  sharedStore: z
    .object({
      role: z.enum(['collector', 'web']),
      /** host:port/database, without user and password. */
      target: z.string(),
      /** The reason why nothing is copied; empty while observations are copied. */
      problem: z.string(),
      /** The observations that a collector has not copied yet; absent: not known before the first connection. */
      waiting: z.number().int().optional(),
      /** When a collector copied observations last, or the time of the newest observation that a web process has read. */
      newestAt: time.optional(),
      /** The observations of all collectors that were rejected, because another collector had taken over their source. */
      rejected: z.number().int().optional(),
      /** PostgreSQL notifies this web process of changes. If false, it reads the store each second. */
      isNotified: z.boolean().optional(),
      /** This web process holds all clients. If false, another one answers questions about all of them for it. */
      holdsFleet: z.boolean().optional(),
      /** The reason why a web process that does not hold the fleet cannot answer such questions; empty if it can. */
      fleetProblem: z.string().optional(),
    })
    .optional(),
  /** The receiver of --alert-webhook; absent without it. */
  alerts: z
    .object({
      /** host:port, without the path, which may contain a secret. */
      target: z.string(),
      sent: z.number().int(),
      waiting: z.number().int(),
      /** Messages that were given up: too many waited, or the receiver rejected them. */
      dropped: z.number().int(),
      lastSentAt: time.optional(),
      /** The reason why the newest attempt failed; empty if it did not. */
      problem: z.string(),
    })
    .optional(),
});

export type Health = z.infer<typeof health>;

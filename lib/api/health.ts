import { z } from 'zod';
import { time } from './words';

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
    oldestAt: time.nullable(),
    newestSeq: z.number().int(),
    /** Observations that did not reach the log since the start of this process. */
    missed: z.number().int(),
    /** A minute, over the last hour and day; null: nothing was recorded in that time. */
    growth: z.object({ hour: growth.nullable(), day: growth.nullable() }),
    /** Written, but without snapshots yet, after a rush: until then a client at their time is read more slowly. */
    notFollowed: z.number().int(),
    /** On their way to the disk. */
    waiting: z.number().int(),
    /** What the log is known to lack, whichever process missed it; `newestAt` is null where that is nothing. */
    gaps: z.object({
      count: z.number().int(),
      observations: z.number().int(),
      newestAt: time.nullable(),
    }),
    /** What retention keeps to; a count of null is any number. */
    limits: z.object({ maxAgeMs: z.number(), maxBytes: z.number(), maxCount: z.number().int().nullable() }),
    /** What of the log's upkeep failed newest, and why, as in "retention: disk I/O error"; empty when nothing did. */
    retentionProblem: z.string(),
  }),
  storage: z.object({
    /** What was found that cannot be read, since the start: each names the file, the reason and the remedy. */
    damaged: z.array(z.string()),
    /** Files that were damaged at the start, and were renamed because of --set-aside-damaged; in words. */
    setAside: z.array(z.string()),
  }),
  /** The recording of load, since the start of this process: reports on a cluster. */
  load: z.object({
    reports: z.number().int(),
    /** The disk had no room for them. */
    missed: z.number().int(),
    /** Lines of them that were one series too many. */
    leftOut: z.number().int(),
    /** Why it is not being written; empty while it is. */
    problem: z.string(),
  }),
  sources: z.object({ total: z.number().int(), up: z.number().int(), down: z.number().int() }),
  /** To our CSDS questions; undecoded: those that were the one before once more, byte for byte. */
  csds: z.object({ answers: z.number().int(), undecoded: z.number().int() }),
  /** How late the event loop that serves pages was lately. */
  eventLoop: z.object({ p50Ms: z.number(), p99Ms: z.number(), maxMs: z.number() }),
  /** Errors of xdscope itself that nothing handled, since the start of this process; any makes `status` degraded. */
  unhandledRejections: z.object({
    count: z.number().int(),
    /** Of the newest one; null where there was none. */
    lastAt: time.nullable(),
    /** Its first line, shortened and redacted. */
    lastMessage: z.string(),
  }),
  lab: z.boolean(),
});

export type Health = z.infer<typeof health>;

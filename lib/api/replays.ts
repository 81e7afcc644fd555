import { z } from 'zod';
import { timeParameter } from './query-fields';
import { time } from './words';

const verdict = z.object({ isAccepted: z.boolean(), errorDetail: z.string() });

export const replayComparisons = ['same', 'differs', 'waiting', 'unknown'] as const;

export const replayStep = z.object({
  /** From 0 on. */
  index: z.number().int(),
  at: time,
  /** One, but in a snapshot. */
  types: z.array(
    z.object({
      typeUrl: z.string(),
      versionInfo: z.string(),
      resources: z.number().int(),
      removed: z.number().int(),
    }),
  ),
  /** What the client answered when it was recorded; null: no answer was. */
  recorded: verdict.nullable(),
  /** What a client answered to the replay, the newest one; null: none did yet. */
  replayed: verdict.extend({ nodeId: z.string() }).nullable(),
  /** unknown: nothing was recorded to compare with, or the step had nothing to send. */
  comparison: z.enum(replayComparisons),
});

export const replay = z.object({
  id: z.string(),
  label: z.string(),
  mode: z.enum(['stream', 'snapshot']),
  /** Of the client whose past it is. */
  nodeId: z.string(),
  /** Where it serves: "127.0.0.1:41234". */
  address: z.string(),
  playing: z.boolean(),
  /** How many times as fast as recorded; null: as fast as clients answer. */
  speed: z.number().nullable(),
  /** Newest step that is served; -1: none yet. */
  step: z.number().int(),
  stepCount: z.number().int(),
  /** Those around the newest one. */
  steps: z.array(replayStep),
  same: z.number().int(),
  differs: z.number().int(),
  /** Node ids of open streams. */
  clients: z.array(z.string()),
  /** In words. */
  notes: z.array(z.string()),
});
export type Replay = z.infer<typeof replay>;

export const replayList = z.object({ items: z.array(replay) });

export const newReplay = z.strictObject({
  mode: z.enum(['stream', 'snapshot']),
  /** Whose past; or `permalinkId`. */
  clientId: z.string().optional(),
  permalinkId: z.string().optional(),
  /** Of a stream: only this one. Default: all of the client's, one after the other. */
  streamId: z.string().optional(),
  /** Of a stream. */
  from: timeParameter.optional(),
  to: timeParameter.optional(),
  /** Of a snapshot: default now. */
  at: timeParameter.optional(),
  /** A port on 127.0.0.1; default any free one. */
  port: z.number().int().min(0).max(65_535).optional(),
});
export type NewReplay = z.input<typeof newReplay>;
export type ReplayRequest = z.output<typeof newReplay>;

export const replayChange = z
  .strictObject({
    playing: z.boolean().optional(),
    speed: z.number().positive().max(10_000).nullable().optional(),
    /** Serve this step. */
    step: z.number().int().min(0).optional(),
    /** Serve the step so many further on, or back, from where it is by then: two at once are two steps. Not with `step`. */
    by: z.number().int().min(-100_000).max(100_000).optional(),
  })
  .refine(({ step, by }) => step === undefined || by === undefined, {
    message: 'expected either step or by, got both',
    path: ['by'],
  });
export type ReplayChange = z.infer<typeof replayChange>;

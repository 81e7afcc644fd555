import * as z from 'zod';
import { time } from '../fields/answer-fields';

const verdict = z.object({ isAccepted: z.boolean(), errorDetail: z.string() });

const replayComparisons = ['same', 'differs', 'waiting', 'unknown'] as const;

const replayStep = z.object({
  index: z.number().int(),
  at: time,
  /** A single type, except in a snapshot. */
  types: z.array(
    z.object({
      typeUrl: z.string(),
      versionInfo: z.string(),
      resources: z.number().int(),
      removed: z.number().int(),
    }),
  ),
  /** The recorded answer of the client; absent: there is none. */
  recorded: verdict.optional(),
  /** The newest answer of a client to the replay; absent: there is none yet. */
  replayed: verdict.extend({ nodeId: z.string() }).optional(),
  /** unknown: there is no recorded answer, or the step has no response. */
  comparison: z.enum(replayComparisons),
});

export const replay = z.object({
  id: z.string(),
  label: z.string(),
  mode: z.enum(['stream', 'snapshot']),
  nodeId: z.string(),
  /** The address of its server: "127.0.0.1:41234". */
  address: z.string(),
  playing: z.boolean(),
  /** The factor of the recorded speed; absent: as fast as clients answer. */
  speed: z.number().optional(),
  /** The newest served step; -1: none yet. */
  step: z.number().int(),
  stepCount: z.number().int(),
  steps: z.array(replayStep),
  same: z.number().int(),
  differs: z.number().int(),
  /** The node ids of open streams. */
  clients: z.array(z.string()),
  notes: z.array(z.string()),
});
export type Replay = z.infer<typeof replay>;

export const replayList = z.object({ items: z.array(replay) });

export const newReplay = z.strictObject({
  mode: z.enum(['stream', 'snapshot']),
  /** The recorded client; or `permalinkId`. */
  clientId: z.string().optional(),
  permalinkId: z.string().optional(),
  /** For mode stream: only this stream. Default: all streams of the client, one after the other. */
  streamId: z.string().optional(),
  /** For mode stream. */
  from: time.optional(),
  to: time.optional(),
  /** For mode snapshot; default: now. */
  at: time.optional(),
  /** A port on 127.0.0.1; default: any free one. */
  port: z.number().int().min(0).max(65_535).optional(),
});
export type NewReplay = z.input<typeof newReplay>;
export type ReplayRequest = z.output<typeof newReplay>;

export const replayChange = z
  .strictObject({
    playing: z.boolean().optional(),
    /** null: as fast as clients answer; absent: unchanged. */
    speed: z.number().positive().max(10_000).nullable().optional(),
    step: z.number().int().min(0).optional(),
    /**
     * The number of steps to go forward or back from the current one: two concurrent requests are two steps. Not with
     * `step`.
     */
    by: z.number().int().min(-100_000).max(100_000).optional(),
  })
  .refine(({ step, by }) => step === undefined || by === undefined, {
    message: 'expected either step or by, got both',
    path: ['by'],
  });
export type ReplayChange = z.infer<typeof replayChange>;

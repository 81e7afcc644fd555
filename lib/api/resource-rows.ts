import * as z from 'zod';
import { effectStages } from '../observation/effect-stage';
import { evidences } from '../observation/resource-row';
import { doubts } from '../observation/resource-state';
import { clientStatus, configStatus, side, state, time } from './answer-fields';

export const errorState = z.object({
  details: z.string(),
  versionInfo: z.string(),
  lastUpdateAttempt: time.nullable(),
  failedHash: z.string().nullable(),
  /** The statistic of Envoy that shows the rejection, whose text is not reported; absent: the text shows it. */
  statistic: z.string().optional(),
  /** Set with `statistic`: the update_success of the same subscription when the rejection was seen. */
  successes: z.number().optional(),
  /** true: the client applied a part of the rejected response that is not known. Absent: it did not. */
  mayBeInEffect: z.literal(true).optional(),
});

const stage = z.enum(['active', 'warming', 'draining']);

/** One resource of one client as the client reports it, with the report of the control plane. */
export const resourceRow = z.object({
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  /** The version that the client ACKed last, or the last one that it accepted. */
  versionInfo: z.string(),
  /** The version with which the content came, if it was sent again unchanged; absent: versionInfo. */
  contentVersion: z.string().optional(),
  state: state
    .nullable()
    .describe(
      'The worst of the answer and of what is in effect. UNKNOWN if the client does not report the resource; null for a document that a process reports about itself',
    ),
  /** Of an Envoy that only its admin interface reports, ACKED stands for a resource in its config dump. */
  clientStatus,
  configStatus,
  lastUpdated: time.nullable(),
  errorState: errorState.nullable(),
  hash: z.string().nullable(),
  sizeBytes: z.number().int().nullable(),
  isStatic: z.boolean(),
  /** The error of a resource that stays in use (gRFC A88); absent: none is known. */
  ambientError: z.object({ code: z.string(), details: z.string(), since: time }).optional(),
  /** The client uses the v2 API; absent: v3. */
  apiVersion: z.literal('v2').optional(),
  /** The name that the server uses, if the client requested an alias. */
  canonicalName: z.string().optional(),
  /** The stage in a config dump of Envoy; absent: the source reports no stages. */
  stage: stage.optional(),
  /** The newest response that carried the resource, if a tap recorded it and no answer; absent: there is none. */
  unanswered: z.object({ versionInfo: z.string(), at: time, hash: z.string().nullable() }).optional(),
  doubt: z
    .enum(doubts)
    .optional()
    .describe(
      'Why the answers, which only a tap recorded, do not show what the client runs. deleted, rejected: a setting of the client decides whether it keeps the accepted config; added-again: the client may not use it; replaced: the config before it may still be in use; without-endpoints: the cluster that needs it may have no endpoints; not-recorded: messages were not recorded. Absent: they show it',
    ),
  /** Further versions that Envoy holds; absent: none. */
  otherVersions: z
    .array(
      z.object({
        stage,
        versionInfo: z.string(),
        lastUpdated: time.nullable(),
        hash: z.string().nullable(),
        sizeBytes: z.number().int().nullable(),
      }),
    )
    .optional(),
  /** What the version waits for that warms; absent: none warms, or it is not reported. */
  waitsFor: z
    .array(z.object({ typeUrl: z.string(), name: z.string() }))
    .readonly()
    .optional(),
  changedAt: time,
  /** The source of clientStatus, version and hash. */
  sourceId: z.string(),
  side,
  /** What the client answered to the newest response that carried the resource; null: none did, or it is not known. */
  answer: z
    .object({
      status: z.enum(['ACKED', 'NACKED', 'NO_ANSWER']),
      /** The version in the response; empty if it is not reported. */
      versionInfo: z.string(),
      /** The time of the answer; of NO_ANSWER: of the response. */
      at: time.nullable(),
      sourceId: z.string(),
    })
    .nullable(),
  /** What the client runs; null: nothing, or it is not known. */
  effect: z
    .object({
      /** `kept`: the resource is deleted, and the client keeps it. */
      stage: z.enum(effectStages),
      versionInfo: z.string(),
      hash: z.string().nullable(),
      since: time.nullable(),
      /** How it is known; `ack`: concluded from the ACK. */
      evidence: z.enum(evidences),
      sourceId: z.string(),
    })
    .nullable(),
  delivery: z
    .object({
      authority: z
        .string()
        .nullable()
        .meta({ description: 'The authority of an xdstp: name (gRFC A47); null for other names.' }),
      servers: z.array(z.string()).readonly().meta({
        description:
          'The address of the management server; of a probe whose bootstrap has several for the authority, all, the most preferred first.',
      }),
    })
    .optional()
    .meta({
      description:
        'Which management server delivered what the client answered, as the tap or probe knows it. Absent: not known.',
    }),
  /** The report of the control plane; null: there is none. */
  controlPlane: z
    .object({ sourceId: z.string(), versionInfo: z.string(), hash: z.string().nullable(), changedAt: time })
    .nullable(),
});

export type ResourceRowJson = z.infer<typeof resourceRow>;

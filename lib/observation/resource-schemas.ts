import * as z from 'zod';
import { doubts, effectStages, evidences, stages } from './effect-stage';
import {
  clientStatus,
  configStatus,
  count,
  epochMs,
  hash,
  nonces,
  resourceKeys,
  side,
  state,
} from './field-schemas';

const heldVersion = z.object({
  stage: z.enum(stages),
  versionInfo: z.string(),
  lastUpdated: epochMs.nullable(),
  hash: hash.nullable(),
  sizeBytes: count.nullable(),
});

/** envoy.admin.v3.UpdateFailureState. */
const errorState = z.object({
  details: z.string(),
  /** The rejected version. Empty if the client does not report it. */
  versionInfo: z.string(),
  lastUpdateAttempt: epochMs.nullable(),
  /** The rejected body; null if it is not reported. */
  failedHash: hash.nullable(),
  /**
   * Set only if the source reports no details: the statistic of Envoy that shows the rejection, as in
   * "http.ingress.rds.routes.update_rejected".
   */
  statistic: z.string().optional(),
  /**
   * Set with `statistic`: how often the same subscription was successful before, by which a later poll finds whether it
   * was since.
   */
  successes: z.number().optional(),
  /**
   * Set by a tap if the client has applied a part of the rejected response that is not known: this resource may be in
   * effect as it was sent. Absent: it is not.
   */
  mayBeInEffect: z.literal(true).optional(),
});

/** The fields that states and rows of a resource have in common. null is "not reported", never zero. */
const reported = {
  typeUrl: z.string(),
  name: z.string(),
  /** The version; in a row, the one that the client ACKed last, or the last one that it accepted. */
  versionInfo: z.string(),
  /** The version with which the content came, if it was sent again unchanged. Absent: `versionInfo`. */
  contentVersion: z.string().optional(),
  /** If only the admin interface of an Envoy reports it, ACKED means that the resource is in its config dump. */
  clientStatus,
  configStatus,
  /** Time of the last change as the source reports it; null for "never" (unset, zero and year 1 included). */
  lastUpdated: epochMs.nullable(),
  errorState: errorState.nullable(),
  /** SHA-256 (hex) of the body's bytes as stored, after redaction; null when no body was reported. */
  hash: hash.nullable(),
  sizeBytes: count.nullable(),
  isStatic: z.boolean(),
  /** gRFC A88: an error of a resource that stays in use. Absent after the next valid update. */
  ambientError: z
    .object({
      /** gRPC status code name, as in "NOT_FOUND". */
      code: z.string(),
      details: z.string(),
      since: epochMs,
    })
    .optional(),
  /** Set if the resource came in the v2 API (`envoy.api.v2.*`). Absent: v3. */
  apiVersion: z.literal('v2').optional(),
  /**
   * Set only by a tap: a request to the client caused the subscription (VHDS, ODCDS), so that whoever sends requests chooses
   * the name. That it does not exist is not a fault of the config.
   */
  isOnDemand: z.literal(true).optional(),
  /** The name in the response if `name` is an alias that was requested (xDS: Resource.aliases). */
  canonicalName: z.string().optional(),
  /**
   * Set on every resource in a config dump of Envoy, where `clientStatus` is inferred: a dump reports no answers except
   * rejected listeners. Absent: the source reports no stages.
   */
  stage: z.enum(stages).optional(),
  /**
   * Set only by a tap: the newest response that carried the resource, which the client has not answered. The client status
   * is UNKNOWN, and the other fields are of what the client answered last. Absent: the client answered the newest response
   * that carried the resource, or none did.
   */
  unanswered: z
    .object({
      versionInfo: z.string(),
      at: epochMs,
      /** Body of the resource in the response; null if it is not known. */
      hash: hash.nullable(),
    })
    .optional(),
  doubt: z
    .enum(doubts)
    .optional()
    .describe(
      'Why the answers, which only a tap recorded, do not show what the client runs. deleted, rejected: a setting of the client decides whether it keeps the accepted config; added-again: the client may not use it; replaced: the config before it may still be in use; without-endpoints: the cluster that needs it may have no endpoints; not-recorded: messages were not recorded. Absent: they show it',
    ),
  /** Set only by Envoy. Absent: there is none. */
  otherVersions: z.array(heldVersion).readonly().optional(),
  /** Set only by Envoy, on a resource with a version that warms. Absent: it is not reported what it waits for. */
  waitsFor: resourceKeys.optional(),
  /** The time at which xdscope first saw this state. */
  changedAt: epochMs,
};

/** One resource as one vantage sees it. */
export const resourceState = z.object({
  ...reported,
  /** The version is of the resource, not of the type: the type's version does not apply. */
  hasOwnVersion: z.literal(true).optional(),
  /** Set only on whole-type rows (empty name). Absent if the control plane does not report nonces. */
  nonces: nonces.optional(),
});

/** The client's answer. */
const answer = z.object({
  status: z.enum(['ACKED', 'NACKED', 'NO_ANSWER']),
  /** The version in the response; empty if it is not reported. */
  versionInfo: z.string(),
  /** The time of the answer; of NO_ANSWER: of the response. */
  at: epochMs.nullable(),
  sourceId: z.string(),
});

/** The payload that the client runs. */
const effect = z.object({
  stage: z.enum(effectStages),
  versionInfo: z.string(),
  /** Body, after redaction; null if it is not reported. */
  hash: hash.nullable(),
  since: epochMs.nullable(),
  evidence: z.enum(evidences),
  sourceId: z.string(),
});

/** The origin of the newest answered response. */
const delivery = z.object({
  authority: z
    .string()
    .nullable()
    .meta({ description: 'The authority of an xdstp: name (gRFC A47); null for other names.' }),
  servers: z.array(z.string()).readonly().meta({
    description:
      'The address of the management server; of a probe whose bootstrap has several for the authority, all, the most preferred first.',
  }),
});

/** One resource of one client: what the client reports, and beside it what the control plane reports. */
export const resourceRow = z.object({
  ...reported,
  /** As in "CDS". */
  service: z.string(),
  state: state
    .nullable()
    .describe(
      'The worst of the answer and of what is in effect. UNKNOWN if the client does not report the resource; null for a document that a process reports about itself',
    ),
  /** The source of clientStatus, version and hash. */
  sourceId: z.string(),
  side,
  /** The client's answer to the newest response that carried the resource; null: there was none, or it is not known. */
  answer: answer.nullable(),
  /** The payload that the client runs; null: none, or it is not known. */
  effect: effect.nullable(),
  delivery: delivery.optional().meta({
    description:
      'Which management server delivered what the client answered, as the tap or probe knows it. Absent: not known.',
  }),
  /** The report of the control plane; null: there is none. */
  controlPlane: z
    .object({ sourceId: z.string(), versionInfo: z.string(), hash: hash.nullable(), changedAt: epochMs })
    .nullable(),
});

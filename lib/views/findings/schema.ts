/**
 * Violated rules (xds-semantics 2.1, 2.2, 2.4) and the reaction of each client profile: for the resources of a client
 * (GET clients/{id}/findings, GET permalinks/{id}/findings) and for a given document (POST validate).
 */
import * as z from 'zod';
import { reactionOrder, verdicts } from '../../validate/reactions';
import { clients, mapProfiles, profiles } from '../../xds/profile';
import { time } from '../fields/answer-fields';
import { moment } from '../fields/moment';
import { described, limit, offset } from '../fields/query-fields';

const key = { typeUrl: z.string(), name: z.string() };

/** A client in one range of its versions, as in go-1.73. */
export const profile = z.enum(profiles);
/** A client without version stands for its newest profile; for a client of that kind, for its own version. */
export const profileChoice = z.enum([...clients, ...profiles], {
  error: `expected one of ${[...clients, ...profiles].join(', ')}`,
});

/**
 * NO_ANSWER: the parser of the client fails, and it sends neither ACK nor NACK. CRASH: its process ends, or its channel
 * fails for good. ACK_NOT_SERVING: a server ACKs the listener, and does not serve. ACK_IGNORED: the client ACKs the
 * resource, and never uses it. NO_FAULT_FOUND: no rule is violated, and the rules are not complete for some part of the
 * resource, or the answer depends on what is not known. ACK: the rules are complete for every part.
 */
const verdict = z.enum(verdicts);

/**
 * NACK: the resource is rejected. no answer, crash, not serving, ignore resource: as the verdicts. ignore: the part is
 * dropped or never used. accept: it is accepted as it is.
 */
const reaction = z.enum(reactionOrder);

export const finding = z.object({
  /** As in "C4"; "A41" for an HTTP filter; "PGV" for constraints in the protos. */
  ruleId: z.string(),
  title: z.string().optional().meta({ description: 'What the rule requires.' }),
  source: z.string(),
  /** As in "endpoints[0].locality". Empty for the whole resource. */
  fieldPath: z.string(),
  /** Has the path, and the expected and the actual value. */
  message: z.string(),
  reactions: z.object(mapProfiles(() => reaction)),
  /** Adds what the reactions do not state: newer versions, an assumption. */
  note: z.string().optional(),
  dependsOn: z.string().optional().meta({
    description: 'What the verdict also depends on and the resource does not contain, as a sentence.',
  }),
  otherwise: z
    .object(mapProfiles(() => reaction))
    .optional()
    .meta({ description: 'Present with dependsOn: the reactions where its assumption does not hold.' }),
});

const uncheckedPart = z.object({
  /** As in "accessLog[0].typedConfig". Empty for the whole resource. */
  fieldPath: z.string(),
  /** The full name of the message or extension; absent for a single field. */
  type: z.string().optional(),
  /** As in "accessLog[0].typedConfig: envoy.extensions.access_loggers.wasm.v3.WasmAccessLog is not checked". */
  message: z.string(),
  /** The clients whose rules are not complete for the part. */
  clients: z.array(z.enum(clients)),
});

export const unchecked = z.array(uncheckedPart).optional().meta({
  description:
    'The parts for which the rules of the profile are not complete; at most 101 for a resource. Absent: none.',
});

/** The bytes of one resource, or the resource itself. A document is sent as it is, without this wrapper. */
export const newValidation = z
  .object({
    typeUrl: z.string().min(1),
    valueBase64: z.base64().optional(),
    /** The resource as proto3 JSON. */
    resource: z.unknown().optional(),
    /** Names under certificate_providers in the client's bootstrap; absent: every provider is assumed to exist. */
    certificateProviders: z.array(z.string()).optional(),
  })
  .describe('A resource; or a document as JSON, YAML or text with resources in it.');

/** The resource has a v2 type and was validated by the rules of its v3 counterpart. */
const apiVersion = z.literal('v2').optional();

/** The limits of one answer of POST validate. */
export const validationLimits = { findings: 1_000, resources: 10_000, problems: 1_000 } as const;

const count = z.number().int();

export const validation = z.object({
  verdict: verdict.meta({ description: 'The severest verdict of the resources, by the profile.' }),
  profile: profile.meta({ description: 'The profile whose rules apply.' }),
  verdicts: z
    .object(mapProfiles(() => verdict))
    .meta({ description: 'The severest verdict of the resources by each profile.' }),
  dependsOn: z.array(z.string()).optional().meta({
    description:
      'What the verdict also depends on and the request does not contain, as sentences. Absent: nothing.',
  }),
  /** Set for a single resource only. For a document, `resources` has them. */
  unchecked,
  /** Set for a single resource only. */
  apiVersion,
  /**
   * The findings of all resources, the most severe for the profile first, then in the order of the resources; at most
   * 1,000. For a document, `resources` assigns them to resources.
   */
  findings: z.array(finding),
  totals: z.object({
    /** The numbers of findings by the reaction of the profile. */
    findings: z.record(reaction, count),
    resources: z.record(verdict, count),
    problems: count,
  }),
  /** Absent if everything is listed. */
  notListed: z
    .object({
      findings: count,
      resources: count,
      problems: count,
      /** The same as sentences. */
      text: z.string(),
    })
    .optional(),
  /** The resources of a document with their listed findings; at most 10,000, rejected ones first. */
  resources: z
    .array(
      z.object({
        ...key,
        /** JSON path in the document. */ place: z.string(),
        apiVersion,
        verdict,
        unchecked,
        findings: z.array(finding),
      }),
    )
    .optional(),
  /** Parts of a document that are not resources, and why; at most 1,000. */
  problems: z.array(z.object({ place: z.string(), reason: z.string() })).optional(),
});

export const profileText =
  'The client profile whose rules apply: a client, or a client in a range of versions as in go-1.73. Default: the profile of the user agent and the node id of the client.';

export const findingsQuery = z.object({
  profile: described(profileChoice.optional(), profileText),
  rule: described(z.string().optional(), 'Only findings of this rule, as in C4.'),
  only: described(
    z.enum(['NACK', 'rejected', 'all']).default('all'),
    'NACK: only findings for which a client of the profile rejects the resource, sends no answer, crashes, or does not serve. rejected: only resources that the client itself rejected, with its error message.',
  ),
  about: described(
    z.enum(['profile', 'others', 'all']).default('all'),
    'profile: only findings about the profile, which are those that it does not accept, and those that all profiles accept if the rule describes its kind of client. others: only findings about other profiles.',
  ),
  typeUrl: described(z.string().optional(), 'Only resources of this type.'),
  name: described(z.string().optional(), 'Only resources of this name.'),
  offset: offset('Resources'),
  limit: limit('resources', { max: 1_000, otherwise: 100 }),
});

const resourceFindings = z.object({
  ...key,
  service: z.string(),
  apiVersion,
  versionInfo: z.string(),
  clientStatus: z.string(),
  /** SHA-256 of the validated body; absent: no body is known. */
  hash: z.string().optional(),
  /** The role of the body in the inspector; empty without a body. */
  role: z.enum(['client', 'rejected', 'control-plane', 'unanswered', '']),
  /** The client rejected this body, and does not hold it. */
  isRejected: z.boolean(),
  verdict,
  unchecked,
  /** The client's error message, if it rejected the resource. */
  clientError: z.string(),
  findings: z.array(finding),
});

/** A known bug of the client's release, of which the client shows the symptom. */
const notice = z.object({
  id: z.string().meta({ description: 'Stable and short, as in stuck-after-nack.' }),
  title: z.string(),
  statement: z
    .string()
    .meta({ description: 'What clients of this release do, what follows from it, and what ends it.' }),
  effect: z.enum(['frozen', 'unused', 'repeated']).meta({
    description:
      'frozen: no later version of the config takes effect. unused: resources that the client has ACKed are not in use. repeated: the client and its control plane repeat messages, and nothing else changes.',
  }),
  source: z.string().meta({ description: 'The releases with which the bug was measured.' }),
  since: time.meta({ description: 'When the symptom began.' }),
  resources: z
    .array(z.object({ ...key, service: z.string() }))
    .meta({ description: 'The resources concerned; at most 20.' }),
  total: z.number().int().meta({ description: 'The number of resources concerned.' }),
});

export const clientFindings = z.object({
  clientId: z.string(),
  at: time,
  profile,
  profileReason: z.string().meta({ description: 'Why the rules of this profile apply.' }),
  isHint: z.literal(true).optional().meta({
    description:
      'The version of the client is earlier than every measured one: the findings are hints, and none counts as a rejection. Absent: it is not.',
  }),
  isAssumed: z.literal(true).optional().meta({
    description:
      'It is not known which client this is: only what every possible client does counts as a rejection. Absent: it is known, or the question names the profile.',
  }),
  notices: z.array(notice).meta({
    description:
      "Known bugs of the client's release whose symptom its resources and its newest observations show. A permalink has no observations: it lists those that resources alone show.",
  }),
  counts: z.object({
    validated: z.number().int(),
    found: z.number().int(),
    findings: z.number().int(),
    ofProfile: z.number().int().meta({ description: 'Findings about the profile, as in the query.' }),
    rejected: z
      .number()
      .int()
      .meta({ description: 'Resources that the client itself rejected, with an error message.' }),
    noFaultFound: z.number().int().meta({
      description:
        'Resources without a violated rule of which the rules do not cover every part, unless the client itself has accepted them.',
    }),
    /** Resources that a client of each profile would reject, send no answer to, crash on, or not serve. */
    nacked: z.object(mapProfiles(() => z.number().int())),
    /** Most findings first. */
    byRule: z.array(
      z.object({
        ruleId: z.string(),
        title: z.string().meta({ description: 'What the rule requires.' }),
        source: z.string(),
        findings: z.number().int(),
        /** Findings about the profile; the rest is about other profiles. */
        ofProfile: z.number().int(),
        /** Findings for which the profile rejects the resource, sends no answer, crashes, or does not serve. */
        nacked: z.number().int(),
      }),
    ),
  }),
  /** The number of `items` before paging. */
  total: z.number().int(),
  offset: z.number().int(),
  /** The resources by type and name, each with all findings that pass the filters. */
  items: z.array(resourceFindings),
  /** Absent: now. */
  moment: moment.optional(),
});

export type ApiFinding = z.infer<typeof finding>;
export type Validation = z.infer<typeof validation>;
export type FindingsQuery = z.infer<typeof findingsQuery>;
export type ResourceFindings = z.infer<typeof resourceFindings>;
export type KnownBugNotice = z.infer<typeof notice>;
export type ClientFindings = z.infer<typeof clientFindings>;

/** POST check: what the clients of the fleet would answer to resources, and what these would change at one client. */
import * as z from 'zod';
import { verdicts } from '../../validate/reactions';
import { finding, profile, unchecked } from '../findings/schema';

const count = z.number().int();
const key = { typeUrl: z.string(), service: z.string(), name: z.string() };

export const checkLimits = {
  resources: 1_000,
  findings: 20,
  problems: 100,
  clientsNamed: 5,
  dangling: 200,
  listeners: 20,
  changes: 200,
  asked: 50,
  removed: 200,
  clientsInInput: 200,
} as const;

/** NOT_REQUESTED: clients of the profile do not request the type. */
const cellVerdicts = [...verdicts, 'NOT_REQUESTED'] as const;
const cell = z.enum(cellVerdicts);

const column = z.object({
  profile,
  clients: count.meta({ description: 'The number of clients of the fleet that have the profile.' }),
  nearest: count.optional().meta({
    description:
      'The number of these clients whose version is not measured: the rules of the nearest measured version before it apply. Absent: none.',
  }),
  isHint: z.literal(true).optional().meta({
    description:
      'The versions of these clients are earlier than every measured one: the verdicts are hints, and count nowhere.',
  }),
  /** The first of them. */
  named: z.array(z.object({ id: z.string(), nodeId: z.string() })),
});

const checkedResource = z.object({
  ...key,
  /** The index in the input, by which `show` selects it. */
  index: count,
  /** The path in the document. */
  place: z.string(),
  apiVersion: z.literal('v2').optional(),
  sizeBytes: count,
  /** In the order of the columns. */
  cells: z.array(cell),
  wouldReject: count.meta({
    description:
      'The number of clients of the fleet that would reject it, send no answer, end because of it, or not serve.',
  }),
  holders: z
    .object({
      clients: count,
      wouldReject: count,
    })
    .optional()
    .meta({
      description:
        'The clients of the fleet that report a resource of this type and name now. Absent: there are too many clients and resources to count them.',
    }),
  /** The first findings, the most severe of any column first. */
  asked: z
    .object({
      answer: z.enum(['ACK', 'NACK', 'not-asked', 'no-answer']),
      /** The error of Envoy, or the reason why it was not asked or did not answer; empty for an ACK. */
      text: z.string(),
    })
    .optional()
    .meta({
      description: 'What the Envoy of --check-envoy answered, if it was to be asked. Absent: it was not.',
    }),
  findings: z.array(finding),
  findingsTotal: count,
  unchecked,
});

const effectChange = z.object({
  /** A route, a filter chain, a cluster, or the config as a whole. */
  what: z.enum(['config', 'chain', 'route', 'cluster']),
  /** As in "shop.example /cart" or the name of the cluster. */
  at: z.string(),
  /** Absent: it is not there. */
  before: z.string().optional(),
  after: z.string().optional(),
});

const against = z.object({
  clientId: z.string(),
  nodeId: z.string(),
  profile,
  /** Why the rules of this profile apply. */
  profileReason: z.string(),
  isHint: z.literal(true).optional().meta({
    description: 'The version of the client is earlier than every measured one. Absent: it is not.',
  }),
  counts: z.object({
    ...{ added: count, changed: count, equal: count },
    absent: count.meta({
      description:
        'Listeners and clusters that the client has and the input lacks, of the types of which the input has some.',
    }),
    named: count.optional().meta({
      description: 'Resources of the client that the input removes by name. Absent: none.',
    }),
  }),
  /** What is removed by name, and the absent ones, if they are removed (`whole`). */
  removed: z.array(
    z.object({ ...key, isReached: z.boolean().meta({ description: 'A listener of the client led to it.' }) }),
  ),
  removedTotal: count,
  /** Resources that this client would not use; what it has stays in effect, where it has something. */
  rejected: z.array(z.object({ ...key, verdict: z.enum(verdicts) })),
  /** Resources of which it is not known whether this client accepts them. The changes assume that it does. */
  undecided: z.array(z.object(key)),
  /** Resources to which no listener of this client leads with the input applied. */
  unreached: z.array(z.object(key)),
  listeners: z.array(
    z.object({
      listener: z.string(),
      changes: z.array(effectChange),
      changesTotal: count,
      /** The config has more parts than were compared. */
      isCut: z.boolean(),
    }),
  ),
  /** Further listeners that lead to the resources, which were not compared. */
  listenersLeft: count,
});

const removal = z.object({
  typeUrl: z.string(),
  service: z.string(),
  /** Empty: it is the same for every client. */
  profiles: z.array(profile),
  text: z.string(),
});

export const check = z.object({
  columns: z.array(column),
  fleet: z.object({
    clients: count,
    /** Clients of which it is not known what they are. They are in no column. */
    unidentified: count,
    /** Clients that would reject at least one of the resources, if a control plane sent it to them. */
    wouldReject: count,
    /** The number of these that report this resource now. Absent: there are too many to count. */
    holdersWouldReject: count.optional(),
  }),
  /** The Envoy of --check-envoy, as in "1.40.0". Absent: there is none. */
  envoyVersion: z.string().optional(),
  /** The clients whose config the input contains, if there are several. Each is checked alone. */
  clientsInInput: count.optional(),
  /** The number of these whose references are checked. Absent: all. */
  clientsWithReferences: count.optional(),
  total: count,
  /** At most 1,000; rejected ones first if there are more. In the order of the input. */
  resources: z.array(checkedResource),
  /** The text of one resource as YAML, after redaction. Absent: it is larger than 1 MiB. */
  shown: z.object({ index: count, text: z.string() }).optional(),
  /** Parts of the input that are not resources, and why. */
  problems: z.array(z.object({ place: z.string(), reason: z.string() })),
  problemsTotal: count,
  /**
   * References of the resources that lead to nothing: neither the input nor, if one is chosen, the client has the
   * resource.
   */
  dangling: z.array(
    z.object({ ...key, usedBy: z.array(z.object({ typeUrl: z.string(), name: z.string() })) }),
  ),
  danglingTotal: count,
  /** Absent: no client was chosen. */
  against: against.optional(),
  removedByName: z
    .array(z.object(key))
    .optional()
    .meta({ description: 'The removed_resources of delta responses. Absent: none.' }),
  removedByNameTotal: count.optional(),
  /** What the client versions of the fleet do when the server removes resources of the types of the input. */
  removals: z.array(removal).optional(),
});

export type Check = z.infer<typeof check>;
export type CheckedResource = Check['resources'][number];
export type CellVerdict = z.infer<typeof cell>;
export type EffectChange = z.infer<typeof effectChange>;
export type Removal = z.infer<typeof removal>;
export type CheckAgainst = NonNullable<Check['against']>;

import * as z from 'zod';
import { requestedKinds, sourceKinds } from '../../observation/source-kinds';
import {
  apiVersions,
  errorModels,
  probeModes,
  probeProfiles,
  probeTransports,
} from '../../xds/probe-choices';
import { time } from '../fields/answer-fields';
import { problem } from '../fields/problem';
import { described, limit, offset } from '../fields/query-fields';

/** The security of connections; mtls: with a client certificate. */
const securities = ['plain', 'tls', 'mtls'] as const;
const security = z.enum(securities);

const probeSettings = z.object({
  transport: z.enum(probeTransports),
  apiVersion: z.enum(apiVersions),
  mode: z.enum(probeModes),
  /** The profile whose rules mode `validate` applies. */
  profile: z.enum(probeProfiles),
  errorModel: z.enum(errorModels),
  nodeId: z.string(),
  /** Names of listeners; if `resources` is empty too: all that the server offers. */
  listeners: z.array(z.string()),
  /** Further resources: type URL -> names. */
  resources: z.record(z.string(), z.array(z.string())),
  /** The servers in the order of preference. */
  servers: z.array(z.object({ target: z.string(), security, sendsToken: z.boolean() })),
  authorities: z.array(z.object({ name: z.string(), servers: z.array(z.string()) })),
});

/** The state of a tap. Counts cover this process, or what is open now. */
export const tapShown = z.object({
  /** As configured. */
  listen: z.string(),
  /** The address that it listens on; absent while it does not. */
  address: z.string().optional(),
  listenSecurity: security,
  /** The management server of the tap's clients. */
  upstream: z.string(),
  upstreamSecurity: security,
  connections: z.number().int(),
  streams: z.number().int(),
  /** The bytes from clients to the server. */
  bytesUp: z.number().int(),
  bytesDown: z.number().int(),
  /** Messages that passed without being recorded, because recording was too slow. */
  droppedMessages: z.number().int(),
});

/** The cost of one poll for its target. */
export const pollCost = z.object({
  requests: z.number().int(),
  /** The size of the answers, as far as they were received. */
  bytes: z.number().int(),
  /** The sum of the times from each request to the last byte of its answer. */
  tookMs: z.number(),
});

/** The cost of polling for the target of a source, since this process began to poll it. */
export const sourceCost = pollCost.extend({
  since: time,
  polls: z.number().int(),
  newest: pollCost,
  /** The poll with the most bytes. */
  largest: pollCost,
  /** Requests that follow each other more slowly than their interval, because their answers take too long. */
  slowed: z
    .array(
      z.object({
        what: z.string().meta({
          description:
            '"poll", the path of a document, or "all polls" if the polls of all sources reach their limits',
        }),
        tookMs: z.number().meta({ description: 'Of polls: the shorter time of the two newest ones' }),
        expectedMs: z.number().meta({ description: 'The longest time at which the interval holds' }),
        delayMs: z.number().meta({ description: 'Until the next request' }),
      }),
    )
    .readonly(),
  /** The memory of the target's process in bytes, as Envoy and istiod report it; absent: not reported. */
  memory: z.object({ allocated: z.number().optional(), physical: z.number().optional() }).optional(),
  /** The CPU time of the target's process, which istiod reports; null: it was read once, which is not enough for a share; absent: not reported. */
  cpu: z
    .object({
      share: z.number().meta({ description: 'Of one core, for all that the process does' }),
      overMs: z.number().meta({ description: 'The time between the two newest readings' }),
    })
    .nullable()
    .optional(),
});

export const source = z.object({
  /** `${kind}:${target}`, for ADS followed by the unusual parts of its transport; stable over restarts. */
  id: z.string(),
  kind: z.enum(sourceKinds),
  target: z.string(),
  /** Its name on pages; by default the target. */
  label: z.string(),
  /** The place where it was configured. Only sources of origin browser can be removed there. */
  origin: z.enum(['flag', 'config', 'environment', 'lab', 'browser', 'list', 'collector']),
  /** The source that discovered this one; absent: it was configured. */
  listId: z.string().optional(),
  security,
  /** Set for ADS sources. */
  settings: probeSettings.optional(),
  paused: z.boolean(),
  state: z.enum(['connecting', 'up', 'down', 'paused']),
  /** The meaning of the state for a source of this kind, as in "has not answered yet". */
  health: z.string(),
  problem: problem.optional(),
  /** Set while the source does not answer, if its target answers as a source of this kind. */
  servedKind: z.enum(requestedKinds).optional(),
  /** Sentences, as in "StreamClientStatus is not implemented: polling with FetchClientStatus". */
  notes: z.array(z.string()),
  lastAttemptAt: time.optional(),
  lastSuccessAt: time.optional(),
  lastChangedAt: time.optional(),
  /** The size of the newest answer (CSDS) or response (ADS). */
  answerBytes: z.number().int().optional(),
  /** The number of polls, responses or reports in this process. */
  answers: z.number().int(),
  failures: z.number().int(),
  /** The time from the newest request to its answer. */
  latencyMs: z.number().optional(),
  intervalMs: z.number().optional(),
  /** Set for polled sources, from the first poll on. */
  cost: sourceCost.optional(),
  clients: z.number().int(),
  clientLimit: z
    .object({
      /** The limit of one source, or of all sources together. */
      limit: z.enum(['source', 'total']),
      expected: z.number().int(),
      /** The number of clients that would have to be kept. */
      actual: z.number().int(),
      /** Clients that the source reports now and that are not observed. */
      notAdmitted: z.number().int(),
      /** Clients that no source reported and that were evicted for new ones, since the start of this process. */
      evicted: z.number().int(),
    })
    .optional(),
  tap: tapShown.optional(),
  /** Set for lists: the sources that they discovered, by state. */
  members: z
    .object({
      total: z.number().int(),
      up: z.number().int(),
      down: z.number().int(),
      connecting: z.number().int(),
      paused: z.number().int(),
    })
    .optional(),
});

export const sourcesQuery = z.strictObject({
  list: described(
    z.string().optional(),
    'Only sources that this list found: its id. Default: sources that no list found.',
  ),
  state: described(z.enum(['connecting', 'up', 'down', 'paused']).optional(), 'Only sources in this state.'),
  q: described(
    z.string().max(1_000).optional(),
    'Only sources whose target or label contains this text; case is ignored.',
  ),
  offset: offset('Sources'),
  limit: limit('sources', { min: 1, max: 1_000 }),
});

const rate = z.object({ requestsPerSecond: z.number(), bytesPerSecond: z.number() });

export const sourcePage = z.object({
  items: z.array(source),
  /** The number of matches on all pages. */
  total: z.number().int(),
  /** What the polls of all sources cost their targets if each poll follows after its interval, and the limits of what they may cost. */
  polling: rate.extend({ limits: rate }),
});

/** The text for an actual value, shortened, because `input` comes from a caller. */
export function shownInput(input: unknown): string {
  const text = input === undefined ? 'nothing' : (JSON.stringify(input) ?? typeof input);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

export function expected(what: string) {
  return { error: ({ input }: { readonly input?: unknown }) => `expected ${what}, got ${shownInput(input)}` };
}

function choice<const T extends readonly string[]>(values: T) {
  return z.enum(values, expected(`one of ${values.join(', ')}`));
}

export const someText = z.string(expected('text')).trim().min(1, expected('some text'));
const names = z.array(someText, expected('a list of names')).max(10_000, 'expected at most 10000 names');

/** The name that the server's certificate must have, which is also sent (SNI, authority). */
export const serverName = z
  .string(expected('a DNS name'))
  .max(253, expected('at most 253 characters'))
  .regex(/^[a-z\d]([a-z\d.-]*[a-z\d])?$/i, expected('a DNS name'));

/** The requests of an ADS source, besides its target and its credentials; absent fields have defaults. */
export const probeChoices = z.strictObject({
  transport: choice(probeTransports).describe('how the probe subscribes (default: `ads`)').optional(),
  apiVersion: choice(apiVersions)
    .describe('API version; `v2` is for meshes that still use envoy.api.v2 (default: `v3`)')
    .optional(),
  mode: choice(probeModes)
    .describe(
      '`observe`: send no NACK; `validate`: NACK what a client of the profile NACKs (default: `observe`)',
    )
    .optional(),
  profile: choice(probeProfiles)
    .describe('client whose rules the mode `validate` applies (default: `core`)')
    .optional(),
  errorModel: choice(errorModels)
    .describe(
      '`pre-a88`: a deleted resource is removed; `a88`: it is kept, with an error (default: `pre-a88`)',
    )
    .optional(),
  nodePreset: someText
    .max(1_000, expected('at most 1000 characters'))
    .describe(
      'node of a client: `istio:NAME.NAMESPACE` (a sidecar; `@IP` may follow), `istio-grpc:NAME.NAMESPACE` (a proxyless gRPC client) or `envoy-gateway:NAMESPACE/GATEWAY`; other fields of the node take precedence',
    )
    .optional(),
  nodeId: someText.describe('id of the node').optional(),
  nodeCluster: someText
    .max(1_000, expected('at most 1000 characters'))
    .describe('cluster of the node')
    .optional(),
  nodeLocality: someText
    .max(1_000, expected('at most 1000 characters'))
    .describe('locality of the node, `REGION/ZONE/SUB_ZONE`, as in `europe/b`')
    .optional(),
  nodeMetadata: z
    .union([z.record(z.string(), z.unknown()), z.string()], expected('a JSON object'))
    .describe('metadata of the node, an object or its JSON, added to that of the bootstrap')
    .optional(),
  crossCheck: z
    .boolean(expected('true or false'))
    .describe('also subscribe with the other variant (state of the world or delta), and compare the two')
    .optional(),
  listeners: names
    .describe('names of listeners, or targets of clients (`xds:///NAME`, `xds://AUTHORITY/NAME`)')
    .optional(),
  serverListeners: names
    .describe(
      'addresses of a gRPC server, as in `0.0.0.0:8080`; `server_listener_resource_name_template` of the bootstrap gives the names of listeners (gRFC A36)',
    )
    .optional(),
  resources: z
    .record(z.string(), names)
    .describe('further resources: names by `SDS` or type URL; `["*"]` for all of a type')
    .optional(),
  fallbackServers: z
    .array(someText, expected('a list of host:port'))
    .max(20)
    .describe('servers after the target, in the order of preference, with the same security (gRFC A71)')
    .optional(),
  maxMessageMegabytes: z
    .number(expected('a number of MiB'))
    .positive(expected('a number above 0'))
    .max(2_047, expected('at most 2047'))
    .describe('largest message in MiB (default: 128)')
    .optional(),
  refreshDelaySeconds: z
    .number(expected('a number of seconds'))
    .min(0.1, expected('at least 0.1'))
    .max(3_600, expected('at most 3600'))
    .describe('seconds between two polls of a type, for the transport `rest`')
    .optional(),
});

/** The settings that a caller of the API can choose. Flags and the config file can also name files. */
export const newProbeSettings = probeChoices.extend({
  /** CSDS only: also poll channelz of the target, as a source of its own. */
  channelz: z.boolean().optional(),
  /** TLS with the system's certificate authorities and without a client certificate. */
  tls: z
    .strictObject(
      /** Default: the host of the target. */
      { serverName: serverName.optional() },
      {
        error: (issue) =>
          issue.code === 'unrecognized_keys'
            ? `expected serverName alone, got ${issue.keys?.join(', ')}: files are named in the config file, as credentials`
            : undefined,
      },
    )
    .optional(),
  /** The name of credentials of the config file that are allowed for all of the servers; see `GET credentials`. */
  credentials: someText.max(200, expected('at most 200 characters')).optional(),
});

export const newSource = z.strictObject({
  /**
   * `envoy-admin`: the admin interface of an Envoy, over plain HTTP. `istiod`: the sync status and the configs of its
   * proxies, by its debug types on ADS.
   */
  kind: choice(requestedKinds),
  /** host:port; absent if a bootstrap names the servers. Beside a bootstrap: the server, instead of those of the bootstrap. */
  target: z.string(expected('host:port')).max(1_000).optional(),
  label: z.string(expected('text')).max(200, expected('at most 200 characters')).optional(),
  /**
   * For ADS: a bootstrap of gRPC or Envoy, as JSON or as text (of Envoy also YAML). Files, initial metadata and unix sockets
   * in it are ignored, and listed in the notes of the source. Beside a target, its node and transport alone are used.
   */
  bootstrap: z
    .union([z.string(), z.record(z.string(), z.unknown())], expected('the JSON of a bootstrap'))
    .optional(),
  /** CSDS accepts `tls` and `credentials`, `istiod` also `nodeId`, `envoy-admin` nothing. */
  settings: newProbeSettings.optional(),
});

/** Credentials that callers can choose by name. Their content is not shown. */
const namedCredentials = z.object({
  name: z.string(),
  /** The allowed targets, as in "*.istio-system.svc:15012"; empty: none. */
  targets: z.array(z.string()),
});
export const credentialsList = z.object({ items: z.array(namedCredentials) });
export type CredentialsShown = z.infer<typeof namedCredentials>;

export const sourceChange = z
  .strictObject({
    paused: z.boolean(expected('true or false')).optional(),
    mode: choice(probeModes).optional(),
    profile: choice(probeProfiles).optional(),
    errorModel: choice(errorModels).optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: 'expected paused, mode, profile or errorModel, got none of them',
  });

export type SourceCostShown = z.infer<typeof sourceCost>;
export type Source = z.infer<typeof source>;
export type SourcesQuery = z.infer<typeof sourcesQuery>;
export type SourcePage = z.infer<typeof sourcePage>;
export type TapShown = z.infer<typeof tapShown>;
export type NewSource = z.infer<typeof newSource>;
export type SourceChange = z.infer<typeof sourceChange>;
export type ProbeSettingsShown = z.infer<typeof probeSettings>;
export type NewProbeSettings = z.infer<typeof newProbeSettings>;
export type ProbeChoices = z.infer<typeof probeChoices>;
export type Security = (typeof securities)[number];
